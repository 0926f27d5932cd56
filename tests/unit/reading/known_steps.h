#pragma once

#include "catch.h"
#include "model/attention.h"
#include "model/possible_steps.h"
#include "reading/names/step_names.h"
#include "reading/problem/problem.h"
#include "reading/text_file.h"

namespace attn {

// The steps of a problem in data/.
inline KnownSteps steps_of_example(const std::string& file = "worked-example.json") {
  constexpr std::size_t max_bytes = std::size_t{1} << 31;
  const std::string folder = std::string(ATTN_SOURCE_DIR) + "/data";
  const Result<std::string> text = read_text(folder + "/" + file);
  REQUIRE(text);
  const Result<Problem> problem = read_problem(text.value(), catalog(), max_bytes, folder);
  REQUIRE(problem);
  return KnownSteps::of(recipe_of(problem.value(), {.all_steps = true}), possible_steps);
}

}  // namespace attn
