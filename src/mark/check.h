#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/rounding.h"
#include "mark/answers.h"
#include "mark/report.h"
#include "trace/trace.h"

namespace attn {

class Marking;
struct Ground;
struct Sheet;

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
  double relative = 1e-2;  // at most 1: with more, what is right would be two rays
  double absolute = 1e-2;

  // How the problem asks every step to be rounded: zeros behind its decimals tell nothing.
  std::optional<HandRounding> problem_rounding = {};
};

// What can be prepared once for all the answers to a problem.
class Checker {
 public:
  // The trace is computed without rounding by hand.
  explicit Checker(const Trace& trace, MarkingRule rule = {}) : trace_(trace), rule_(rule) {}

  // Marks what a person handed in. Never changes the checker: several threads
  // may mark at once.
  // REQUIRES: every id of the answers is a step of the trace format or of the trace.
  Report mark(const Answers& answers) const;

  // Bytes of the numbers that the right calculation makes: how much work marking is.
  std::size_t bytes() const { return trace_.recipe.bytes(); }

 private:
  struct Meaning;
  Meaning read_as_meant(Sheet sheet, const std::string& name, const Recipe& right) const;
  Meaning with_steps_turned(const Meaning& straight, RoundingMode habit, bool all) const;
  bool subtracts_nothing(Meaning& straight, Meaning& plain) const;
  bool may_be_turned(Meaning& straight, Meaning& turned) const;
  Marking& marking_of(Meaning& meaning) const;
  std::shared_ptr<const Ground> ground(const std::string& name, const Recipe& recipe) const;

  const Trace trace_;
  const MarkingRule rule_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const Ground>> grounds_;
};

}  // namespace attn
