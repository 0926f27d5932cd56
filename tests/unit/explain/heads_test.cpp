#include "explain/reports/heads.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "catch.h"
#include "trace/heads.h"
#include "unit/explain/examples.h"
#include "unit/formats/as_text.h"
#include "unit/model/attentions.h"

namespace attn {
namespace {

std::string told_looks(const Trace& trace, const HeadsReport& report) {
  return as_text(told_heads(trace, report, {}), {.width = 400});
}

TEST_CASE("of a shorter sequence only its own tokens look anywhere", "[heads]") {
  const Trace trace = examples::traced(examples::ragged_heads());
  const HeadsReport report = heads_of(trace, 1, std::pair<std::size_t, std::size_t>{1, 0});
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
  const std::string ffn = R"("ffn": {"in": [[1, 0], [0, 1]], "out": [[1, 0], [0, 1]]})";
  const Trace trace = alone(problem_of(R"({"inputs": [[1, 0], [0, 2]], "tokens": ["la", "pluie"], "block": {
      "kind": "decoder", "layers": [{"self": {}, "cross": {}, )" +
                                       ffn + R"(}],
      "memory": {"inputs": [[1, 1], [2, 0], [0, 1]], "tokens": ["the", "rain", "falls"],
                 "block": {"layers": [{"self": {}, )" +
                                       ffn + R"(}]}}}})"));
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
  many.tokens = examples::numbered(61);
  const std::string listed = told_looks(trace, many);
  INFO(listed);
  CHECK_FALSE(examples::holds(listed, "Input"));
  const std::string share = fmt::format("{:.3f}", few.share(0, Look::itself));
  CHECK(examples::holds(drawn, share));
  CHECK(examples::holds(listed, share));
}

TEST_CASE("of no heads there are no maps", "[heads]") {
  const Trace trace = examples::traced(examples::worked_example());
  HeadsReport report = heads_of(trace, 0, {});
  report.heads.clear();
  CHECK_FALSE(examples::holds(told_looks(trace, report), "Input"));
}

}  // namespace
}  // namespace attn
