#include "model/possible_steps.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "catch.h"
#include "model/computation.h"
#include "reading/names/dump.h"
#include "reading/names/step_names.h"
#include "reading/problem/problem.h"

namespace attn {

TEST_CASE("every step that an attention in data asks for is one of the possible steps, each once", "[model]") {
  const std::vector<StepId>& possible = possible_steps();
  const std::set<StepId> known(possible.begin(), possible.end());
  CHECK(known.size() == possible.size());
  std::size_t problems = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ATTN_SOURCE_DIR) + "/data")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") || name.ends_with(".golden.json")) continue;
    ++problems;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    auto problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
    INFO(name);
    REQUIRE(problem);
    if (problem.value().block) continue;  // whose steps are those of its parts, with their names before them
    for (const std::string& id : Computation(problem.value()).whole().steps()) {
      INFO(id);
      CHECK(known.contains(id));
    }
  }
  CHECK(problems > 60);
}

TEST_CASE("names that other programs use stand for steps that there can be", "[model]") {
  const KnownSteps possible({}, possible_steps);
  for (const char* id : {"repeated_keys", "score_queries", "score_keys", "position_bias", "inputs.value",
                         "position_encoding.query", "position_encoding.key", "position_encoding.value"}) {
    INFO(id);
    CHECK(meant_steps(id, possible) == std::vector<std::string>{id});
  }
  for (const char* name :
       {"q", "k", "v", "softmax", "logits", "attn_weights", "attn_mask", "out_proj", "memory", "z"}) {
    for (const std::string& id : meant_steps(name, possible)) {
      INFO(name << " stands for " << id);
      CHECK(std::ranges::count(possible_steps(), id) == 1);
    }
  }
  for (const auto& [name, id] : {std::pair("Softmax", "attention_weights"), {"hook.rawscores", "scores"}}) {
    INFO(name);
    CHECK(meant_steps(name, possible) == std::vector<std::string>{id});
  }
  // What both have for a name means what programs mean by it.
  CHECK(meant_steps("Q", possible).size() == 3);
}

TEST_CASE("axes of a tensor of others are numbered from 1", "[model]") {
  FileTensor tensor{{"noise", "f32", {2, 3}}, {1, 2, 3, 4, 5, 6}};
  const ComparedSide side = foreign_side({tensor}, KnownSteps({}, possible_steps));
  REQUIRE(side.steps.size() == 1);
  CHECK(side.steps[0].value.shape() == Shape{{"1", 2}, {"2", 3}});
  CHECK_FALSE(side.steps[0].has_axes);
  CHECK(side.dtype == "f32");
  CHECK(side.is_foreign);
}

}  // namespace attn
