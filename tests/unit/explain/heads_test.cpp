#include "explain/reports/heads.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "catch.h"
#include "exports/json.h"
#include "trace/heads.h"
#include "unit/explain/examples.h"
#include "unit/formats/as_text.h"
#include "unit/model/attentions.h"

namespace attn {
namespace {

std::string told_looks(const Trace& trace, const HeadsReport& report) {
  return as_text(told_heads(trace, report, {}), {.width = 400});
}

// A decoder of two tokens, behind an encoder of three.
Trace translated() {
  const std::string ffn = R"("ffn": {"in": [[1, 0], [0, 1]], "out": [[1, 0], [0, 1]]})";
  return alone(problem_of(R"({"inputs": [[1, 0], [0, 2]], "tokens": ["la", "pluie"], "block": {
      "kind": "decoder", "layers": [{"self": {}, "cross": {}, )" +
                          ffn + R"(}],
      "memory": {"inputs": [[1, 1], [2, 0], [0, 1]], "tokens": ["the", "rain", "falls"],
                 "block": {"layers": [{"self": {}, )" +
                          ffn + R"(}]}}}})"));
}

TEST_CASE("of a shorter sequence only its own tokens look anywhere", "[heads]") {
  const Trace trace = examples::traced(examples::ragged_heads());
  const HeadsReport report = heads_of(trace, 1, TokenPair{{"Input 1", "Input 2"}, 1, 0});
  CHECK(report.tokens == std::vector<std::string>{"Input 1", "Input 2"});
  REQUIRE(report.heads.size() == 2);
  const Tensor<double>& weights = trace.value("attention_weights");
  for (std::size_t head = 0; head < 2; ++head) {
    const auto weight = [&](std::size_t query, std::size_t key) {
      return weights[weights.shape().offset({1, head, query, key}, weights.shape())];
    };
    CHECK(report.share(head, Look::itself) == Approx((weight(0, 0) + weight(1, 1)) / 2));
    CHECK(report.share(head, Look::previous) == Approx(weight(1, 0)));
    CHECK(report.share(head, Look::next) == Approx(weight(0, 1)));
    CHECK(report.share(head, Look::first) == Approx(weight(1, 0)));
    CHECK(report.share(head, Look::pair) == Approx(weight(1, 0)));
    CHECK(weight_of(trace, report.heads[head], 1, 0, 1) == weight(0, 1));
  }
}

TEST_CASE("a head has no share where no token has such a neighbour", "[heads]") {
  const Trace trace = alone(problem_of(R"({"inputs": [[1, 2]], "causal": true})"));
  const HeadsReport report = heads_of(trace, 0, {});
  REQUIRE(report.heads.size() == 1);
  CHECK(report.has_share(0, Look::itself));
  for (const Look none : {Look::previous, Look::next, Look::first, Look::pair}) {
    CHECK_FALSE(report.has_share(0, none));
    CHECK(report.ranked(none).empty());
  }
  CHECK(heads_csv(report) == "step,layer,head,itself,previous,next,first\nattention_weights,1,1,1,,,\n");
  CHECK(examples::holds(heads_json(report), "\"previous\": null"));

  // Who asks for just that kind is told so, and not left with nothing.
  HeadsTold asked;
  asked.by = Look::previous;
  CHECK(examples::holds(as_text(told_heads(trace, report, asked), {.width = 80}), "No token has such a neighbour."));
  CHECK_FALSE(examples::holds(told_looks(trace, report), "No token has"));
}

TEST_CASE("in a table of heads what is no number is nan", "[heads]") {
  const Trace trace = alone(problem_of(R"({"inputs": [[1, 2], ["nan", 1]], "causal": true})"));
  CHECK(heads_csv(heads_of(trace, 0, {})) ==
        "step,layer,head,itself,previous,next,first\nattention_weights,1,1,nan,nan,0,nan\n");
}

TEST_CASE("tokens without names are looked at all the same, and no map has rows for them", "[heads]") {
  Trace trace = examples::traced(examples::worked_example());
  const HeadsReport named = heads_of(trace, 0, {});
  CHECK(named.tokens.size() == 3);
  trace.labels.query.clear();
  const HeadsReport unnamed = heads_of(trace, 0, {});
  CHECK(unnamed.tokens.empty());
  REQUIRE(unnamed.heads.size() == 1);
  CHECK(unnamed.heads[0].shares == named.heads[0].shares);
}

TEST_CASE("attention that goes through the keys a block at a time has no weights that heads look by", "[heads]") {
  Problem problem = examples::worked_example();
  CHECK(weights_of_heads(examples::traced(problem).recipe) == std::vector<StepId>{"attention_weights"});
  problem.keys_a_block = 2;
  CHECK(weights_of_heads(examples::traced(problem).recipe).empty());
}

TEST_CASE("heads of an encoder look at its own tokens, not at those of the decoder behind it", "[heads]") {
  const Trace trace = translated();
  const HeadsReport report = heads_of(trace, 0, {});
  CHECK(report.tokens == std::vector<std::string>{"the", "rain", "falls"});
  REQUIRE(report.heads.size() == 2);  // what crosses looks at tokens of others
  const Tensor<double>& weights = trace.value(report.heads[0].weights);
  CHECK(report.share(0, Look::itself) == Approx((weights[0] + weights[4] + weights[8]) / 3));
}

TEST_CASE("a map of the head that looks so the most is drawn of no more than 60 tokens", "[heads]") {
  const Trace trace = examples::traced(examples::worked_example());
  const HeadsReport few = heads_of(trace, 0, {});
  const std::string drawn = told_looks(trace, few);
  INFO(drawn);
  CHECK(examples::holds(drawn, "Input 3"));
  HeadsReport many = few;
  many.heads[0].tokens = examples::numbered(61);
  const std::string listed = told_looks(trace, many);
  INFO(listed);
  CHECK_FALSE(examples::holds(listed, "Input"));
  const std::string share = fmt::format("{:.3f}", few.share(0, Look::itself));
  CHECK(examples::holds(drawn, share));
  CHECK(examples::holds(listed, share));
}

TEST_CASE("a token of its own stands behind the keys of a cache, and before those that are appended", "[heads]") {
  const Trace trace = alone(problem_of(R"({"queries": [[1, 0], [0, 2]], "keys": [[1, 1], [2, 0]], "tokens": ["b", "c"],
      "past": {"keys": [[3, 0], [0, 1], [1, 2]], "values": [[1, 0], [0, 1], [1, 1]]},
      "appended": {"keys": [[0, 0]], "values": [[0, 0]]}})"));
  const Tensor<double>& weights = trace.value("attention_weights");
  REQUIRE(weights.shape().size("key") == 6);
  const HeadsReport report = heads_of(trace, 0, TokenPair{{"b", "c"}, 1, 0});
  REQUIRE(report.heads.size() == 1);
  CHECK(report.share(0, Look::itself) == (weights[3] + weights[6 + 4]) / 2);
  CHECK(report.share(0, Look::previous) == (weights[2] + weights[6 + 3]) / 2);
  CHECK(report.share(0, Look::next) == weights[4]);
  CHECK(report.share(0, Look::first) == (weights[0] + weights[6]) / 2);
  CHECK(report.share(0, Look::pair) == weights[6 + 3]);
  std::string row;  // of the past and their own
  for (std::size_t key = 0; key < 5; ++key) {
    const double tenths = std::floor(weights[key] * 10 + 0.5);
    row += tenths == 0 ? "·" : std::to_string(static_cast<int>(tenths));
  }
  CHECK(examples::holds(told_looks(trace, report), row + "\n"));
}

TEST_CASE("queries that are not as many as the keys beside them have none of their own", "[heads]") {
  const auto weights_in = [](const std::string& keys) {
    return weights_of_heads(alone(problem_of(R"({"queries": [[1], [2], [3]], "keys": )" + keys + "}")).recipe);
  };
  CHECK(weights_in("[[1], [2], [3]]").size() == 1);
  CHECK(weights_in("[[1], [2]]").empty());
  CHECK(weights_in("[[1], [2], [3], [4]]").empty());
}

TEST_CASE("each map has the tokens of its own head, and a pair is of one list of tokens", "[heads]") {
  const Trace trace = translated();
  const std::vector<std::string> source = {"the", "rain", "falls"}, target = {"la", "pluie"};
  CHECK(tokens_of_heads(trace.recipe, trace.labels, trace.own_queries, 0) == std::vector{source, target});
  const HeadsReport report = heads_of(trace, 0, TokenPair{source, 2, 1});
  REQUIRE(report.heads.size() == 2);
  CHECK(report.heads[1].tokens == target);
  CHECK(report.share(0, Look::pair) == trace.value(report.heads[0].weights)[7]);
  CHECK(report.ranked(Look::pair) == std::vector<std::size_t>{0});
  const std::string told = told_looks(trace, report);
  INFO(told);
  CHECK(examples::holds(told, "from falls to rain"));
  CHECK(examples::holds(told, "pluie"));  // the head of the decoder looks the most at itself

  const HeadsReport other = heads_of(trace, 0, TokenPair{target, 1, 0});
  CHECK(other.ranked(Look::pair) == std::vector<std::size_t>{1});
  CHECK(other.share(1, Look::pair) == trace.value(other.heads[1].weights)[2]);
  CHECK(examples::holds(told_looks(trace, other), "from pluie to la"));
}

TEST_CASE("a head of weights that are NaN looks so the least, and they are drawn as such", "[heads]") {
  const Trace trace =
      alone(problem_of(R"({"score": "dot", "heads": 3, "queries": [[[[0], [0]], [["nan"], ["nan"]], [[5], [5]]]],
      "keys": [[[[1], [0]], [[1], [0]], [[1], [0]]]], "values": [[[[1], [0]], [[1], [0]], [[1], [0]]]]})"));
  HeadsReport report = heads_of(trace, 0, {});
  CHECK(report.ranked(Look::previous) == std::vector<std::size_t>{2, 0, 1});
  CHECK(report.ranked(Look::next) == std::vector<std::size_t>{0, 2, 1});
  report.heads = {report.heads[1]};
  const std::string told = told_looks(trace, report);
  INFO(told);
  CHECK(examples::holds(told, "head 2    NaN"));
  CHECK(examples::holds(told, "Query 2  ??"));
}

TEST_CASE("of no heads there are no maps", "[heads]") {
  const Trace trace = examples::traced(examples::worked_example());
  HeadsReport report = heads_of(trace, 0, {});
  report.heads.clear();
  CHECK_FALSE(examples::holds(told_looks(trace, report), "Input"));
}

}  // namespace
}  // namespace attn
