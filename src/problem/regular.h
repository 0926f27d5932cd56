#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "problem/faults.h"
#include "problem/source.h"
#include "problem/statement.h"

namespace attn {

// What is put off until every shape is known to fit, or until somebody asks for a
// number: reading those of other files, and looking at what was read.
class PutOff {
 public:
  void add(std::function<void(Faults&)> task) { tasks_.push_back(std::move(task)); }

  // Does it now, in that order; what was at fault.
  Diagnostics catch_up();

  // Does it when somebody asks for a number; `refuse`, which throws, is told what was at fault.
  void wait(std::function<void(const Diagnostics&)> refuse) { refuse_ = std::move(refuse); }

  // Somebody asks for a number. Any number of threads may.
  void ask();

 private:
  std::vector<std::function<void(Faults&)>> tasks_;
  std::function<void(const Diagnostics&)> refuse_ = nullptr;
  std::mutex asking_;
  Diagnostics faults_;
};

// How many bytes may still be taken for numbers that a file only describes;
// where those come from that stand in other files; and what is put off.
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

  PutOff& put_off() { return *put_off_; }
  const std::shared_ptr<PutOff>& shared_put_off() { return put_off_; }

  // What is put off asks for numbers by itself, as of a score: it cannot wait until others do.
  void put_off_no_longer() { can_wait_ = false; }
  bool can_wait() const { return can_wait_; }

  // Bytes of the numbers of other files, once they were read.
  std::size_t bytes_in_files() const { return bytes_in_files_; }

  std::size_t limit() const { return limit_; }

 private:
  std::size_t left_;
  std::size_t limit_;
  std::size_t bytes_in_files_ = 0;
  bool draws_many_ = false;
  bool can_wait_ = true;
  TensorLoader load_;
  std::shared_ptr<PutOff> put_off_ = std::make_shared<PutOff>();
};

// The product; the largest std::size_t where it does not fit.
std::size_t product(const std::vector<std::size_t>& sizes);

// A tensor whose lists have one size a level, none of them empty.
struct Regular {
  std::string where;
  std::vector<std::size_t> shape;
  std::vector<double> values = {};  // none of a random tensor: they are drawn late
  std::optional<RandomTensor> random = std::nullopt;
  std::shared_ptr<std::vector<double>> late = nullptr;  // of another file: empty until it is read
  std::shared_ptr<PutOff> put_off = nullptr;            // and what reads it

  // The numbers; drawn where they are random, and read where they have not been.
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
