#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace attn {

// Where an element stands in lists of lists: one index a level, from 0.
using ListPlace = std::vector<std::size_t>;

// Numbers in lists of lists, all at one depth, as a file nests them: lists of
// one level may differ in size. The values stand in one run, as a tensor of
// them would have them.
class NestedNumbers {
 public:
  // No list at all holds one number.
  NestedNumbers() = default;

  // REQUIRES: as many values as the sizes multiply to.
  static NestedNumbers of_shape(const std::vector<std::size_t>& shape, std::vector<double> values);

  std::size_t rank() const { return levels_.size(); }
  const std::vector<double>& values() const { return values_; }
  std::vector<double> take_values() { return std::move(values_); }

  // How many lists a level has; level 0 has the outermost one only. REQUIRES: level < rank().
  std::size_t lists(std::size_t level) const { return levels_[level].lists; }

  // The size of the list that is `index`-th of its level. REQUIRES: index < lists(level).
  std::size_t size(std::size_t level, std::size_t index) const {
    const Level& sizes = levels_[level];
    return sizes.each.empty() ? sizes.size : sizes.each[index];
  }

  // Whether all lists of the level have one size.
  bool is_even(std::size_t level) const { return levels_[level].each.empty(); }

  // The first list of the level whose size is not the first one's. REQUIRES: !is_even(level).
  std::size_t first_uneven(std::size_t level) const;

  // The sizes, level by level, if no level is uneven.
  std::optional<std::vector<std::size_t>> shape() const;

  // Whether its lists are of the sizes that the other's are, one by one.
  bool is_nested_as(const NestedNumbers& other) const { return levels_ == other.levels_; }

  // Where the list stands that is `index`-th of its level; the value, of all, at level rank().
  ListPlace place_of_list(std::size_t level, std::size_t index) const;

  // For who reads a file: values and finished lists in the order of the text.
  void append(double value) { values_.push_back(value); }
  void finish_list(std::size_t level, std::size_t size);
  void open_level() { levels_.emplace_back(); }

 private:
  struct Level {
    std::size_t lists = 0;
    std::size_t size = 0;           // of each, while they are all equal
    std::vector<std::size_t> each;  // once they are not

    bool operator==(const Level&) const = default;
  };

  std::vector<double> values_;
  std::vector<Level> levels_;
};

}  // namespace attn
