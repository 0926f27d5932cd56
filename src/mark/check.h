#pragma once

#include <memory>

#include "mark/answers.h"
#include "mark/report.h"
#include "trace/trace.h"

namespace attn {

// When a written number counts as right.
struct MarkingRule {
  enum class Kind {
    honest_rounding,   // wherever it could follow from what was written before it (the default)
    decimal_digits,    // equal when both are rounded to so many decimals
    significant,       // equal when both are rounded to so many significant digits
    relative_absolute  // |given − expected| ≤ absolute + relative·|expected|
  };
  Kind kind = Kind::honest_rounding;
  int digits = 2;
  double relative = 1e-2;
  double absolute = 1e-2;
};

// What can be prepared once for all the answers to a problem.
class Checker {
 public:
  // The trace is computed without rounding by hand.
  explicit Checker(const Trace& trace, MarkingRule rule = {});
  ~Checker();

  // Marks what a person handed in. Never changes the checker: several threads
  // may mark at once.
  // REQUIRES: every id of the answers is a step of the trace format or of the trace.
  Report mark(const Answers& answers) const;

 private:
  class Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace attn
