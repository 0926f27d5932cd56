#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/faults.h"
#include "problem/source.h"
#include "problem/statement.h"

namespace attn {

// How many bytes may still be taken for numbers that a file only describes, and
// where those come from that stand in other files.
class Budget {
 public:
  explicit Budget(std::size_t bytes, TensorLoader load = nullptr)
      : left_(bytes), limit_(bytes), load_(std::move(load)) {}

  // The numbers of another file, which take their room.
  Result<NestedNumbers> load(const FileReference& reference);

  // Takes room for so many things; false, and nothing taken, where they do not fit.
  bool take(std::size_t count, std::size_t bytes_each);

  // The same for random numbers; whether there were many of them.
  bool take_drawn(std::size_t count);
  bool draws_many() const { return draws_many_; }

  std::size_t limit() const { return limit_; }

 private:
  std::size_t left_;
  std::size_t limit_;
  bool draws_many_ = false;
  TensorLoader load_;
};

// The product; the largest std::size_t where it does not fit.
std::size_t product(const std::vector<std::size_t>& sizes);

// A tensor whose lists have one size a level, none of them empty.
struct Regular {
  std::string where;
  std::vector<std::size_t> shape;
  std::vector<double> values = {};  // none of a random tensor: they are drawn late
  std::optional<RandomTensor> random = std::nullopt;

  // The numbers; drawn where they are random.
  std::vector<double> take_values();

  // The same tensor with its axes named, which may be fewer: those whose size is not 1.
  Source source(Shape named) &&;

  std::size_t rank() const { return shape.size(); }

  // Where in the file the value stands that is `index`-th of all.
  std::string where_of(std::size_t index) const;
};

// A random tensor, whose room is taken; nothing, and a fault, where it has none.
std::optional<Regular> measured(const RandomTensor& random, const std::string& where, Budget& budget, Faults& faults);

// The numbers of a tensor that is not random, read if they stand in another
// file. Nothing, and a fault, if they are too many or cannot be read.
std::optional<NestedNumbers> loaded(RawTensor tensor, Budget& budget, Faults& faults);

// Reports the first list that is empty, or whose size is not that of the
// others of its level, at levels from `first_level` on; false if there is one.
bool check_even(const NestedNumbers& numbers, const std::string& where, std::size_t first_level, Faults& faults);

std::optional<Regular> regular(RawTensor tensor, Budget& budget, Faults& faults);

}  // namespace attn
