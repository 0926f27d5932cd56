#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "catch.h"
#include "mark/answers.h"
#include "model/computation.h"
#include "reading/problem/problem.h"
#include "unit/trace/by_hand.h"

// What tests of several attentions in one recipe share.

namespace attn {

inline Problem problem_of(const std::string& text) {
  auto problem = read_problem(text, catalog(), std::size_t{1} << 20);
  REQUIRE(problem);
  return std::move(problem.value());
}

// What it computes by itself.
inline Trace alone(const Problem& problem) {
  ReferenceBackend backend;
  return attention(problem, backend);
}

// These numbers, as somebody hands them in who rounds to four decimals.
inline AnsweredStep answered(const std::string& id, const Tensor<double>& numbers) {
  AnsweredStep step{.id = id};
  for (const Dim& dim : numbers.shape().dims()) step.shape.push_back(dim.size);
  for (const double number : numbers.data()) {
    const double written = std::isfinite(number) ? rounded(number, {4, RoundingMode::half_up}) : number;
    step.cells.emplace_back(WrittenNumber{written, 4, std::to_string(written)});
  }
  return step;
}

}  // namespace attn
