#include "trace/step_name.h"

#include "catch.h"

namespace attn {
namespace {

using Ids = std::vector<std::string>;

const std::vector<StepName> names = {
    {"keys", "K"},           {"scores", "S"},         {"scaled_scores", "S′"}, {"maximum", "m"}, {"mask", "M"},
    {"layer1.scores", "S″"}, {"layer2.scores", "S″"}, {"S_of_nobody", ""},     {"c", "K_c"},     {"context", "C"}};

TEST_CASE("a step is called by its id, its symbol, or either in other letters", "[names]") {
  CHECK(steps_called("scores", names) == Ids{"scores"});
  CHECK(steps_called("S", names) == Ids{"scores"});
  CHECK(steps_called("s", names) == Ids{"scores"});
  CHECK(steps_called("k_C", names) == Ids{"c"});
  CHECK(steps_called("Scores", names) == Ids{"scores"});
  CHECK(steps_called("Scaled scores", names) == Ids{"scaled_scores"});
  CHECK(steps_called("SCALED-SCORES", names) == Ids{"scaled_scores"});
  CHECK(steps_called("Score", names).empty());
  CHECK(steps_called("", names).empty());
}

TEST_CASE("a prime may be typed as an apostrophe", "[names]") {
  CHECK(steps_called("S′", names) == Ids{"scaled_scores"});
  CHECK(steps_called("S'", names) == Ids{"scaled_scores"});
  CHECK(steps_called("s’", names) == Ids{"scaled_scores"});
  const std::vector<StepName> thrice = {{"third", "S‴"}, {"twice", "S″"}, {"angle", "θ"}};
  CHECK(steps_called("s'''", thrice) == Ids{"third"});
  CHECK(steps_called("S''", thrice) == Ids{"twice"});
  CHECK(steps_called("θ", thrice) == Ids{"angle"});
}

TEST_CASE("a pattern is like the steps whose id or symbol it could be", "[names]") {
  const std::vector<StepName> some = {{"scores", "S"}, {"scaled_scores", "S′"}, {"context", "C"}, {"all_keys", "K*"}};
  const auto like = [&](std::string_view pattern) { return steps_like(pattern, some); };
  CHECK(like("*scores") == Ids{"scores", "scaled_scores"});
  CHECK(like("s*s") == Ids{"scores", "scaled_scores"});
  CHECK(like("S?") == Ids{"scaled_scores"});
  CHECK(like("S'*") == Ids{"scaled_scores"});
  CHECK(like("S*") == Ids{"scores", "scaled_scores"});
  CHECK(like("?") == Ids{"scores", "context"});
  CHECK(like("*_*e*") == Ids{"scaled_scores", "all_keys"});
  CHECK(like("**con***text*") == Ids{"context"});
  CHECK(like("*") == Ids{"scores", "scaled_scores", "context", "all_keys"});
  CHECK(like("scores?").empty());
  CHECK(like("*x*x*x").empty());
  CHECK(like("").empty());
  CHECK(is_step_pattern("a*"));
  CHECK_FALSE(is_step_pattern("scores"));
}

TEST_CASE("an id goes before a symbol, and a symbol before one in other letters", "[names]") {
  CHECK(steps_called("c", names) == Ids{"c"});
  CHECK(steps_called("C", names) == Ids{"context"});
  CHECK(steps_called("m", names) == Ids{"maximum"});
  CHECK(steps_called("M", names) == Ids{"mask"});
}

TEST_CASE("a symbol of several steps is all of them", "[names]") {
  CHECK(steps_called("S''", names) == Ids{"layer1.scores", "layer2.scores"});
}

}  // namespace
}  // namespace attn
