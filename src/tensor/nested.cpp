#include "tensor/nested.h"

#include <algorithm>
#include <cassert>

namespace attn {

NestedNumbers NestedNumbers::of_shape(const std::vector<std::size_t>& shape, std::vector<double> values) {
  NestedNumbers numbers;
  numbers.values_ = std::move(values);
  std::size_t lists = 1;
  for (const std::size_t size : shape) {
    numbers.levels_.push_back({.lists = lists, .size = size, .each = {}});
    lists *= size;
  }
  assert(numbers.values_.size() == lists);
  return numbers;
}

std::size_t NestedNumbers::first_uneven(std::size_t level) const {
  const std::vector<std::size_t>& each = levels_[level].each;
  const auto found = std::ranges::find_if(each, [&](std::size_t size) { return size != each.front(); });
  assert(found != each.end());
  return static_cast<std::size_t>(found - each.begin());
}

std::optional<std::vector<std::size_t>> NestedNumbers::shape() const {
  std::vector<std::size_t> sizes;
  for (const Level& level : levels_) {
    if (!level.each.empty()) return std::nullopt;
    sizes.push_back(level.size);
  }
  return sizes;
}

ListPlace NestedNumbers::place_of_list(std::size_t level, std::size_t index) const {
  ListPlace place(level);
  while (level-- > 0) {
    // The list that holds it, and its index there.
    std::size_t holder = 0;
    if (is_even(level)) {
      holder = index / levels_[level].size;
      index %= levels_[level].size;
    } else {
      while (index >= size(level, holder)) index -= size(level, holder++);
    }
    place[level] = index;
    index = holder;
  }
  return place;
}

void NestedNumbers::finish_list(std::size_t level, std::size_t size) {
  Level& sizes = levels_[level];
  if (sizes.lists == 0) sizes.size = size;
  if (sizes.each.empty() && size != sizes.size) sizes.each.assign(sizes.lists, sizes.size);
  if (!sizes.each.empty()) sizes.each.push_back(size);
  ++sizes.lists;
}

}  // namespace attn
