#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "trace/trace.h"

namespace attn {

// Runs operations on a backend and keeps what each produced, in order.
//
// Between two steps it rounds by hand, where the arithmetic asks for that: a
// step that computes is rounded once; one that only regroups given numbers, and
// the inner lines of softmax, are not.
class Recorder {
 public:
  // A recorder without a backend works out shapes only: every number is left out.
  // REQUIRES: the backend outlives the recorder.
  Recorder(Backend* backend, Arithmetic arithmetic, Vectors vectors);

  // Has `told` called with the id of each step before it is computed.
  void tell_before_each_step(std::function<void(std::string_view)> told) { told_ = std::move(told); }

  // Keeps a tensor of the problem that is no step, rounded to the dtype. Returns its id.
  std::string given(Heading heading, const Tensor<double>& value);

  // The same for numbers that follow from the problem; `make` is called only
  // where numbers are wanted, and returns a tensor of that shape.
  std::string given(Heading heading, const Shape& shape, const std::function<Tensor<double>()>& make);

  // A step whose numbers the problem gives.
  std::string given_step(Heading heading, const Tensor<double>& value);

  // Computes a step. Returns its id, so that recipes pass steps to steps.
  // REQUIRES: a new id; operands that fit (ops/shapes.h). Cells that `open`
  // closes are not read.
  std::string step(Heading heading, Op op, std::vector<Operand> operands, std::optional<Operand> open = std::nullopt);

  // The same, computed and rounded but left out of the trace: other steps may read it.
  std::string hidden_step(Heading heading, Op op, std::vector<Operand> operands,
                          std::optional<Operand> open = std::nullopt);

  // A step that `make` works out as a whole, from steps that it knows itself;
  // called only where numbers are wanted, it returns a tensor of that shape.
  std::string step_at_once(Heading heading, const Shape& shape, const std::function<Tensor<double>(Backend&)>& make);

  bool has(std::string_view id) const { return by_id_.contains(id); }

  // REQUIRES: has(id), a given tensor or a step.
  const Shape& shape(std::string_view id) const;

  // Its numbers. REQUIRES: as above; computes().
  const Tensor<double>& value(std::string_view id) const { return entry(id).value; }

  // How people write it: "Q". REQUIRES: as above.
  const std::string& symbol(std::string_view id) const;

  // The shape that a step would have.
  Shape shape_of(const Op& op, const std::vector<Operand>& operands) const;

  // Whether numbers are worked out, not shapes alone.
  bool computes() const { return backend_ != nullptr; }

  Vectors vectors() const { return vectors_; }
  const Arithmetic& arithmetic() const { return arithmetic_; }

  // Bytes of all the numbers so far, known from their shapes: the same without
  // a backend. Saturates.
  std::size_t bytes() const { return bytes_; }

  // Hands over what was kept. The recorder is empty afterwards.
  std::vector<GivenTensor> take_givens();
  std::vector<Step> take_steps();

 private:
  enum class Keep { given, step, hidden };
  struct Entry {
    Keep keep = Keep::step;
    Heading heading = {};
    Op op = {};
    std::vector<Operand> operands = {};
    std::optional<Operand> open = {};
    Shape shape = {};
    Tensor<double> value = {};
  };

  const Entry& entry(std::string_view id) const;
  std::string keep(Entry entry);
  std::string compute(Keep keep, Heading heading, Op op, std::vector<Operand> operands, std::optional<Operand> open);
  Tensor<double> rounded_to_dtype(Tensor<double> value) const;

  Backend* backend_;
  Arithmetic arithmetic_;
  Vectors vectors_;
  std::function<void(std::string_view)> told_;
  std::size_t bytes_ = 0;
  std::deque<Entry> entries_;  // a deque: what stands in it stays where it is
  std::map<std::string, const Entry*, std::less<>> by_id_;
};

}  // namespace attn
