#include "compare/arrangement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t most_axes = 6;  // 720 orders

using Sizes = std::vector<std::size_t>;

std::size_t product(std::span<const std::size_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

// How many consecutive ones of `fine` make each of `coarse`; nothing if they do
// not. REQUIRES: no size is 1, and the products of both are the same.
std::optional<Sizes> grouped(const Sizes& fine, const Sizes& coarse) {
  Sizes groups;
  std::size_t at = 0;
  for (const std::size_t whole : coarse) {
    const std::size_t first = at;
    std::size_t made = 1;
    while (at < fine.size() && made < whole) made *= fine[at++];
    if (made != whole) return std::nullopt;
    groups.push_back(at - first);
  }
  return groups;
}

Sizes row_major_strides(const Sizes& sizes) {
  Sizes strides(sizes.size());
  std::size_t stride = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  return strides;
}

// The stored axes in the shape's names, those of size 1 put back.
std::string in_our_names(const std::vector<std::string>& names, const Sizes& order, const Sizes& groups,
                         std::span<const std::size_t> stored) {
  std::vector<std::string> words;
  std::size_t group = 0, at = 0;
  for (const std::size_t size : stored) {
    if (size == 1) {
      words.emplace_back("1");
      continue;
    }
    std::string word;
    for (std::size_t i = 0; i < groups[group]; ++i) word += (word.empty() ? "" : "·") + names[order[at++]];
    words.push_back(word);
    ++group;
  }
  return in_brackets(words);
}

std::string in_their_sizes(std::span<const std::size_t> stored, const Shape& shape) {
  std::vector<std::string> sizes;
  for (const std::size_t size : stored) sizes.push_back(std::to_string(size));
  return in_brackets(sizes) + " for " + axes_of(shape);
}

template <class Visit>
void each_order(std::size_t count, Visit visit) {
  Sizes order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  do visit(order);
  while (std::next_permutation(order.begin(), order.end()));
}

Sizes in_order(const Sizes& sizes, const Sizes& order) {
  Sizes result;
  for (const std::size_t axis : order) result.push_back(sizes[axis]);
  return result;
}

}  // namespace

std::string in_brackets(const std::vector<std::string>& names) { return "[" + listed(names) + "]"; }

std::string axes_of(const Shape& shape) { return in_brackets(shape.axes()); }

std::vector<Arrangement> by_axes(const Shape& shape, const Shape& stored) {
  if (shape.rank() != stored.rank()) return {};
  Arrangement order{shape.sizes(), {}, shape == stored ? "" : axes_of(stored)};
  for (const Dim& dim : shape.dims()) {
    if (!stored.has(dim.axis) || stored.size(dim.axis) != dim.size) return {};
    order.strides.push_back(stored.stride(dim.axis));
  }
  return {std::move(order)};
}

std::vector<Arrangement> arrangements(const Shape& shape, std::span<const std::size_t> stored) {
  Sizes ours, theirs;
  std::vector<std::string> names;
  bool as_it_stands = shape.rank() == stored.size();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    as_it_stands = as_it_stands && shape[axis].size == stored[axis];
    if (shape[axis].size == 1) continue;
    ours.push_back(shape[axis].size);
    names.push_back(shape[axis].axis);
  }
  for (const std::size_t size : stored) {
    if (size != 1) theirs.push_back(size);
  }
  if (as_it_stands && (shape.count() == 0 || ours.size() > most_axes)) return {{ours, row_major_strides(ours), ""}};
  if (product(theirs) != shape.count() || std::max(ours.size(), theirs.size()) > most_axes) return {};

  std::vector<Arrangement> all;
  each_order(ours.size(), [&](const Sizes& order) {
    const Sizes sizes = in_order(ours, order);
    const auto groups = grouped(sizes, theirs);
    if (!groups) return;
    Arrangement made{ours, Sizes(ours.size()), ""};
    const Sizes strides = row_major_strides(sizes);
    for (std::size_t i = 0; i < order.size(); ++i) made.strides[order[i]] = strides[i];
    if (!as_it_stands || !std::ranges::is_sorted(order)) made.words = in_our_names(names, order, *groups, stored);
    all.push_back(std::move(made));
  });
  if (theirs.size() > ours.size()) {
    each_order(theirs.size(), [&](const Sizes& order) {
      const Sizes sizes = in_order(theirs, order);
      if (!grouped(sizes, ours)) return;
      all.push_back({sizes, in_order(row_major_strides(theirs), order), in_their_sizes(stored, shape)});
    });
  }
  return all;
}

std::vector<Arrangement> broadcast(const Shape& shape, std::span<const std::size_t> stored) {
  if (stored.size() > shape.rank() || product(stored) == shape.count()) return {};
  Arrangement made{{}, {}, ""};
  const Sizes strides = row_major_strides({stored.begin(), stored.end()});
  const std::size_t missing = shape.rank() - stored.size();
  std::string repeated;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const std::size_t size = axis < missing ? 1 : stored[axis - missing];
    if (size != 1 && size != shape[axis].size) return {};
    made.sizes.push_back(shape[axis].size);
    made.strides.push_back(size == 1 ? 0 : strides[axis - missing]);
    if (size != shape[axis].size) repeated += (repeated.empty() ? "" : " and ") + shape[axis].axis;
  }
  made.words = language().mistakes.the_same_for_every(repeated);
  return {made};
}

Tensor<double> arranged(const Shape& shape, std::span<const double> stored, const Arrangement& order) {
  Tensor<double> result(shape);
  walk(order, result.size(), [&](std::size_t cell, std::size_t place) {
    result[cell] = stored[place];
    return true;
  });
  return result;
}

}  // namespace attn
