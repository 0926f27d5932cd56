#include "tensor/shape.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace attn {

std::size_t Shape::count() const {
  std::size_t total = 1;
  for (const Dim& dim : dims_) {
    if (dim.size == 0) return 0;
    const std::size_t limit = std::numeric_limits<std::size_t>::max() / dim.size;
    total = total > limit ? std::numeric_limits<std::size_t>::max() : total * dim.size;
  }
  return total;
}

std::vector<std::size_t> Shape::sizes() const {
  std::vector<std::size_t> all;
  for (const Dim& dim : dims_) all.push_back(dim.size);
  return all;
}

std::vector<Axis> Shape::axes() const {
  std::vector<Axis> all;
  for (const Dim& dim : dims_) all.push_back(dim.axis);
  return all;
}

std::optional<std::size_t> Shape::position(std::string_view axis) const {
  const auto found = std::ranges::find(dims_, axis, &Dim::axis);
  if (found == dims_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dims_.begin());
}

std::size_t Shape::size(std::string_view axis) const {
  const auto at = position(axis);
  assert(at);
  return dims_[*at].size;
}

std::size_t Shape::stride(std::string_view axis) const {
  const auto at = position(axis);
  if (!at) return 0;
  std::size_t step = 1;
  for (std::size_t i = *at + 1; i < dims_.size(); ++i) step *= dims_[i].size;
  return step;
}

std::vector<std::size_t> Shape::index(std::size_t at) const {
  std::vector<std::size_t> places(rank());
  for (std::size_t axis = rank(); axis-- > 0;) {
    places[axis] = at % dims_[axis].size;
    at /= dims_[axis].size;
  }
  return places;
}

std::size_t Shape::offset(const std::vector<std::size_t>& index, const Shape& whole) const {
  std::size_t place = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * stride(whole[axis].axis);
  return place;
}

Shape Shape::renamed(std::string_view from, std::string_view to) const {
  assert(from == to || !has(to));
  Shape result = *this;
  for (Dim& dim : result.dims_) {
    if (dim.axis == from) dim.axis = to;
  }
  return result;
}

std::string spelled_index(const std::vector<std::size_t>& index) {
  std::string text = "[";
  for (const std::size_t i : index) {
    if (text.size() > 1) text += ',';
    text += std::to_string(i + 1);
  }
  return text + "]";
}

std::string spelled_sizes(const std::vector<std::size_t>& sizes) {
  std::string text;
  for (const std::size_t size : sizes) text += (text.empty() ? "" : " × ") + std::to_string(size);
  return text.empty() ? "one number" : text;
}

std::string to_string(const Shape& shape) { return shape.rank() == 0 ? "" : spelled_sizes(shape.sizes()); }

}  // namespace attn
