#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "problem/arithmetic.h"
#include "problem/note.h"
#include "tensor/tensor.h"

namespace attn {

// What a tensor is in attention, so that readers can give each its colour.
enum class Role {
  input,
  weight_matrix,
  query,
  key,
  value,
  score,
  mask,
  softmax,
  attention_weight,
  weighted_value,
  output
};

// How a step is named and written; the numbers come from its op.
struct Heading {
  std::string id = {};       // "scaled_scores", unique within a trace
  std::string symbol = {};   // "S′"
  std::string title = {};    // "Scores divided by √d_k"
  std::string formula = {};  // "S′ = S / √d_k"
  Role role = Role::score;
};

// An operand: another step (or given tensor), perhaps with axes called by other
// names here: in self-attention the tokens of the inputs become keys.
struct Operand {
  using Renamed = std::vector<std::pair<Axis, Axis>>;  // from, to

  Operand(const char* of) : id(of) {}             // NOLINT(google-explicit-constructor)
  Operand(std::string of) : id(std::move(of)) {}  // NOLINT(google-explicit-constructor)
  Operand(std::string of, Renamed axes) : id(std::move(of)), renamed(std::move(axes)) {}

  std::string id;
  Renamed renamed;
};

// What one line of the derivation did: enough to print it, to explain a cell of
// it, and to run it again on other numbers.
struct Step {
  Heading heading;
  Op op;
  std::vector<Operand> operands;
  std::optional<Operand> open;  // the mask whose closed cells this step does not read
  Tensor<double> result;        // f32 widens to f64 without loss
};

// A tensor of the problem that is no step: a weight matrix, a bias, one rule of the mask.
struct GivenTensor {
  Heading heading;
  Tensor<double> value;
};

// What a problem asks for that no step says by itself: "Positions", "rotary, base 10000".
struct Particular {
  std::string what, words;
  bool before_scores = false;  // whether it is done before queries and keys are compared
};

struct Labels {
  std::vector<std::vector<std::string>> query, key;  // a list a sequence
};

// The computed steps, in the order a person would work them out. Everything
// shown, checked or compared is read from here.
struct Trace {
  std::string title;
  std::string statement;
  Arithmetic arithmetic;
  std::string backend;
  bool batched = false;
  Vectors vectors = Vectors::rows;
  std::vector<std::size_t> own_queries;  // as in Problem: the rest is padding
  std::size_t past_keys = 0;             // so many of the keys come from a cache
  Labels labels;
  std::vector<Particular> particulars;
  std::string result;  // id of the last step
  std::vector<Note> notes;
  std::vector<GivenTensor> givens;
  std::vector<Step> steps;

  // The step (or null) of that id; "result" is an alias of the last.
  const Step* find(std::string_view id) const;
  const GivenTensor* find_given(std::string_view id) const;

  // REQUIRES: a step or given tensor has that id.
  const Heading& heading(std::string_view id) const;
  const Tensor<double>& value(std::string_view id) const;
};

// Cells of an operand as a step reads them: its shape under the step's names.
Shape shape_as_read(const Operand& operand, const Shape& shape);

}  // namespace attn
