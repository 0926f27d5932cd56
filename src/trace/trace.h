#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/arithmetic.h"
#include "problem/note.h"
#include "trace/bounds.h"
#include "trace/recipe.h"

namespace attn {

// What one line of the derivation did, with its numbers: enough to print it, to
// explain a cell of it, and to run it again on other numbers.
class Step {
 public:
  Step(std::shared_ptr<const Instruction> instruction, std::shared_ptr<const Tensor<double>> numbers,
       std::shared_ptr<const Bounds> how_far = nullptr);
  Step(Instruction instruction, Tensor<double> numbers);

  const Heading& heading;
  const Op& op;
  const std::vector<Operand>& operands;
  const std::optional<Operand>& open;  // the mask whose closed cells this step does not read
  const Tensor<double>& result;        // f32 widens to f64 without loss
  const std::size_t part;              // of the recipe's parts

  // How far its numbers are from exact ones; null where nobody asked.
  const Bounds* bounds() const { return bounds_.get(); }

 private:
  std::shared_ptr<const Instruction> instruction_;
  std::shared_ptr<const Tensor<double>> numbers_;
  std::shared_ptr<const Bounds> bounds_;
};

// A tensor of the problem that is no step: a weight matrix, a bias, one rule of the mask.
class GivenTensor {
 public:
  // REQUIRES: the instruction is one that gives numbers.
  explicit GivenTensor(std::shared_ptr<const Instruction> instruction);

  const Heading& heading;
  const Tensor<double>& value;
  const std::size_t part;                // of the recipe's parts
  const std::optional<GivenRule>& rule;  // what the numbers follow from, where the problem does not state them

 private:
  std::shared_ptr<const Instruction> instruction_;
};

// What a problem asks for that no step says by itself: "Positions", "rotary, base 10000".
struct Particular {
  std::string what, words;
  bool before_scores = false;  // whether it is done before queries and keys are compared
};

// A recipe and what came of it. Everything shown, checked or compared is read
// from here: the computed steps, in the order a person would work them out.
struct Trace {
  std::string title;
  std::vector<std::string> remarks;  // of the problem's author, for people
  std::string statement;
  Arithmetic arithmetic;
  std::string backend;
  bool batched = false;
  std::vector<std::size_t> own_queries;  // as in Problem: the rest is padding
  std::size_t past_keys = 0;             // so many of the keys come from a cache
  std::optional<int> digits;             // decimals that answers are expected to have, where the problem says so
  Labels labels;
  std::vector<Particular> particulars;
  std::string result;  // id of the last step
  std::vector<Note> notes;
  Recipe recipe;                    // with what is shown to nobody
  std::vector<GivenTensor> givens;  // as all or some of the recipe's stand in it, and so do the steps
  std::vector<Step> steps;

  // The step (or null) of that id; "result" is an alias of the last.
  const Step* find(std::string_view id) const;
  const GivenTensor* find_given(std::string_view id) const;

  // What is what in its first attention; null where it has none.
  const Anatomy* attention() const;

  // REQUIRES: a step or given tensor has that id.
  const Heading& heading(std::string_view id) const;
  const Tensor<double>& value(std::string_view id) const;
};

// How many places along that axis of a tensor are no padding in a sequence, where that is known: of queries, keys and
// tokens in a batch of different lengths. Where a query and a key have one number, as in scores, it is not of
// the keys: queries are compared with all. `part` is of the recipe's.
std::optional<std::size_t> own_places(const Trace& trace, std::string_view id, std::size_t part, const Shape& shape,
                                      const Axis& axis, std::size_t sequence);

// The same of a step; all of its places where nothing is known to be padding.
std::size_t own_size(const Trace& trace, const Step& step, const Dim& dim, std::size_t sequence);

// The title of the part of the computation that a step belongs to; empty where that is all there is.
std::string part_title(const Trace& trace, const Step& step);

}  // namespace attn
