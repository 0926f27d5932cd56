#pragma once

#include <string>

#include "catch.h"
#include "model/attention.h"
#include "reading/problem/problem.h"

namespace attn {

inline Recipe recipe_to_lint(const std::string& text) {
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
  REQUIRE(problem);
  return recipe_of(problem.value(), {.all_steps = true});
}

}  // namespace attn
