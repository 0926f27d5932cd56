#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "tensor/dtype.h"
#include "trace/recipe.h"

namespace attn {

class Backend;
struct View;

// Numbers by line; null where none are known.
template <class Number>
using Values = std::vector<const Tensor<Number>*>;

template <class Number>
using SharedTensor = std::shared_ptr<const Tensor<Number>>;

// What came of working a recipe out.
template <class Number>
struct Evaluation {
  Values<Number> computed;  // what each line makes of what is carried on before it; null where it is not wanted
  Values<Number> carried;   // what those below it read

  // What was made here: the rest belongs to the evaluation that it was taken over
  // from, which has to outlive this one.
  std::vector<SharedTensor<Number>> own;

  bool stopped = false;  // before the last line was reached

  const Tensor<Number>& result(std::size_t line) const { return *computed[line]; }

  // The same, kept alive by whoever holds it. REQUIRES: it was made here.
  SharedTensor<Number> shared_result(std::size_t line) const {
    return *std::ranges::find(own, computed[line], &SharedTensor<Number>::get);
  }
};

// What the line reads, under its own axis names; of what nobody carries the shape alone.
std::vector<View> views_of(const Recipe& recipe, std::size_t line, const Values<double>& carried);

// Its operands, and the mask whose closed cells it does not read.
std::vector<std::size_t> lines_read_by(const Recipe& recipe, std::size_t line);

// What the line makes of what the lines above it have made, with the bits of the plain
// loops. Points are rounded where lines are; intervals hold the rounded numbers and the
// exact ones. REQUIRES: it gives no numbers; carried[i] for all that it reads.
template <class Number>
Tensor<Number> run_line(const Recipe& recipe, std::size_t line, const Values<Number>& carried);

// Everything that it can make of numbers in these intervals in exact arithmetic, whatever the
// dtype. REQUIRES: as above.
Tensor<Interval> run_line_exactly(const Recipe& recipe, std::size_t line, const Values<Interval>& carried);

// What such a line makes that carries on from block to block, where `own` stands before
// each block in place of what the line itself makes. REQUIRES: as above, of an Online
// operation that carries on; `own` has its shape.
template <class Number>
Tensor<Number> run_line_after(const Recipe& recipe, std::size_t line, const Values<Number>& carried,
                              const Tensor<Number>& own);

// The same of points by a backend, rounded as Backend::run rounds to that dtype. REQUIRES: as above.
Tensor<double> run_line_on(Backend& backend, const Recipe& recipe, std::size_t line, const Values<double>& carried,
                           Dtype dtype);

// What is done with a recipe beside working it out: how a line is computed, what
// is made of its numbers before others read them, where to stop.
template <class Number>
class Policy {
 public:
  virtual ~Policy() = default;

  // Whether anybody asks for the line; its numbers are null where not.
  // REQUIRES: whoever wants a line wants those that it reads.
  virtual bool is_wanted(std::size_t) const { return true; }

  // Whether anybody asks for its numbers once all lines that read them are done: they are
  // given up where not.
  virtual bool is_kept(std::size_t) const { return true; }

  // Whether the line has to be done again although it is the same as in the
  // evaluation that this one takes numbers over from.
  virtual bool is_touched(std::size_t) const { return false; }

  // The numbers of a line: those that are given, or what it makes of the numbers
  // before it, by default by run_line().
  virtual SharedTensor<Number> make(const Recipe& recipe, std::size_t line, const Values<Number>& carried);
  virtual Tensor<Number> compute(const Recipe& recipe, std::size_t line, const Values<Number>& carried) {
    return run_line(recipe, line, carried);
  }

  // What is carried on in place of what was computed; nothing where that is.
  virtual std::optional<Tensor<Number>> carry(std::size_t /*line*/, const Tensor<Number>& /*computed*/,
                                              const Values<Number>& /*carried*/) {
    return std::nullopt;
  }

  // Called behind a line whose numbers were worked out, or (`reused`) taken over.
  // Returns whether to go on.
  virtual bool go_on(std::size_t /*line*/, const Evaluation<Number>&, bool /*reused*/) { return true; }
};

// An evaluation to take numbers over from: where a line is the same there
// (same_lines()), and so is all that it reads.
template <class Number>
struct Original {
  const Evaluation<Number>& evaluation;
  const std::vector<std::optional<std::size_t>>& same;  // by line of the recipe that is evaluated now
};

// Works the recipe out, line by line: the one loop that does. REQUIRES: it fits.
template <class Number>
Evaluation<Number> evaluate(const Recipe& recipe, Policy<Number>& policy, const Original<Number>* original = nullptr);

// The most bytes of numbers there are at one time while it works the recipe out: all that
// is given, and what is not given up yet. Saturates. REQUIRES: it fits.
std::size_t bytes_held(const Recipe& recipe, const Policy<double>& policy);

// The numbers of `id` where they follow from what is given alone, whatever a
// person computes: the mask, say. REQUIRES: has(id), and that they do.
Tensor<double> value_in(const Recipe& recipe, std::string_view id);

// The terms that the line adds up for one of its cells, in order: the products
// of a contraction and what is added to them, the numbers of a sum; none where it
// adds nothing up, or does something else to the sum. REQUIRES: as for run_line.
std::vector<double> terms_of(const Recipe& recipe, std::size_t line, std::size_t cell, const Values<double>& carried);

}  // namespace attn
