#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "problem/faults.h"
#include "problem/source.h"
#include "problem/statement.h"

namespace attn {

// How many bytes may still be taken for numbers that a file only describes;
// where those come from that stand in other files; and what is put off until
// every shape is known to fit: reading them, and looking at what was read.
class Budget {
 public:
  explicit Budget(std::size_t bytes, TensorLoader load = nullptr)
      : left_(bytes), limit_(bytes), load_(std::move(load)) {}

  // The shape of a tensor of another file, whose numbers take their room.
  Result<FileNumbers> found(const FileReference& reference);

  // Takes room for so many things; false, and nothing taken, where they do not fit.
  bool take(std::size_t count, std::size_t bytes_each);

  // The same for random numbers; whether there were many of them.
  bool take_drawn(std::size_t count);
  bool draws_many() const { return draws_many_; }

  void put_off(std::function<void(Faults&)> task) { put_off_.push_back(std::move(task)); }

  // Does what was put off, in that order.
  void catch_up(Faults& faults);

  std::size_t limit() const { return limit_; }

 private:
  std::size_t left_;
  std::size_t limit_;
  bool draws_many_ = false;
  TensorLoader load_;
  std::vector<std::function<void(Faults&)>> put_off_;
};

// The product; the largest std::size_t where it does not fit.
std::size_t product(const std::vector<std::size_t>& sizes);

// A tensor whose lists have one size a level, none of them empty.
struct Regular {
  std::string where;
  std::vector<std::size_t> shape;
  std::vector<double> values = {};  // none of a random tensor: they are drawn late
  std::optional<RandomTensor> random = std::nullopt;
  std::shared_ptr<std::vector<double>> late = nullptr;  // of another file: empty until the budget catches up

  // The numbers; drawn where they are random. REQUIRES: those of another file have been read.
  std::vector<double> take_values();

  // The same tensor with its axes named, which may be fewer: those whose size is not 1.
  Source source(Shape named) &&;

  std::size_t rank() const { return shape.size(); }

  // Where in the file the value stands that is `index`-th of all.
  std::string where_of(std::size_t index) const;
};

// What is known of a tensor before a number is drawn or read: its shape, or the
// lists that the file nests (or an empty tensor of another file would be).
using Measured = std::variant<NestedNumbers, Regular>;

// Takes the room of numbers that are not there yet. Nothing, and a fault, where
// they are too many or cannot be found.
std::optional<Measured> measured(RawTensor tensor, Budget& budget, Faults& faults);

// Reports the first list that is empty, or whose size is not that of the
// others of its level, at levels from `first_level` on; false if there is one.
bool check_even(const NestedNumbers& numbers, const std::string& where, std::size_t first_level, Faults& faults);

std::optional<Regular> regular(RawTensor tensor, Budget& budget, Faults& faults);

}  // namespace attn
