// The scores and the mistake that docs/adding.md tells its readers to write, compiled as they stand there.

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "model/scores/score.h"
#include "reading/problem/problem.h"
#include "unit/trace/by_hand.h"

namespace attn {
Score gaussian_score();
Score weighted_dot_score();
Family residual_family();
}  // namespace attn

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

const Tensor<double> queries({{"query", 2}, {"d_k", 3}}, {1, 0, 2, -1, 3, 0});
const Tensor<double> keys({{"key", 2}, {"d_k", 3}}, {0, 1, 1, 2, 2, -2});

Trace recorded(const Score& score, const Choice& choice) {
  RecipeBuilder work;
  work.given_step({.id = "queries"}, LateTensor(queries));
  work.given_step({.id = "keys"}, LateTensor(keys));
  for (const auto& [name, tensor] : choice.tensors) work.given({.id = "score." + name}, tensor);
  score.compose(work, choice, {"queries", "keys", {}});
  return worked_out(work);
}

// f(query, key, d) summed over d, for every pair.
template <class Term>
std::vector<double> summed(Term term) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0;
      for (std::size_t d = 0; d < 3; ++d) sum += term(queries[i * 3 + d], keys[j * 3 + d], d);
      sums.push_back(sum);
    }
  }
  return sums;
}

void check_scores(const Trace& trace, const std::vector<double>& expected) {
  const std::vector<Step>& steps = trace.steps;
  REQUIRE_FALSE(steps.empty());
  CHECK(steps.back().heading.id == "scores");
  CHECK(steps.back().result == Tensor<double>({{"query", 2}, {"key", 2}}, expected));
}

}  // namespace

TEST_CASE("the score with four steps and a number of its own is what docs/adding.md says", "[docs]") {
  const auto steps = recorded(gaussian_score(), {.name = "gaussian", .numbers = {{"gamma", 0.5}}});
  CHECK(steps.steps.size() == 2 + 4);
  check_scores(steps, summed([](double q, double k, std::size_t) { return -0.5 * (q - k) * (q - k); }));
}

TEST_CASE("the score with a tensor of its own is what docs/adding.md says", "[docs]") {
  const std::vector<double> weight = {1, 10, 100};
  const auto steps = recorded(weighted_dot_score(),
                              {.name = "weighted_dot", .tensors = {{"weight", Tensor<double>({{"d_k", 3}}, weight)}}});
  check_scores(steps, summed([&](double q, double k, std::size_t d) { return q * weight[d] * k; }));
}

TEST_CASE("the mistake of docs/adding.md adds the inputs to the context, in each attention that it can", "[docs]") {
  const auto problem = [](const std::string& rest) {
    return read_problem(R"({"inputs": [[1, 0], [0, 1], [1, 1]])" + rest + "}", catalog(), 1 << 20).value();
  };
  const Family family = residual_family();
  const Mistake& mistake = family.mistakes.front();
  const Problem plain = problem("");
  const Recipe right = recipe_of(plain);
  const Rewrites rewrites = rewrites_of(right, mistake.rewrites);
  REQUIRE(rewrites.size() == 1);
  CHECK(rewrites[0].step == "context");
  Policy<double> policy;
  const Evaluation<double> made = evaluate(rewrites[0].recipe, policy);
  const Tensor<double>& wrong = made.result(*rewrites[0].recipe.line("context"));
  const Tensor<double> context = value_in(right, "context"), inputs = value_in(right, "inputs");
  for (std::size_t i = 0; i < context.size(); ++i) CHECK(wrong[i] == context[i] + inputs[i]);

  const Problem narrow = problem(R"(, "weights": {"query": "identity", "key": "identity", "value": [[1], [2]]})");
  CHECK(rewrites_of(recipe_of(narrow), mistake.rewrites).empty());

  RecipeBuilder work;
  for (const char* prefix : {"layer1", "layer2"}) {
    RecipeBuilder part = work.part(prefix, "");
    record_attention(part, plain.inputs, plain.sublayers[0]);
  }
  const Recipe both = work.take();
  const Rewrites of_both = rewrites_of(both, mistake.rewrites);
  REQUIRE(of_both.size() == 2);
  CHECK(of_both[1].step == "layer2.context");
}
