#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "compare/conventions/convention.h"
#include "compare/difference.h"
#include "model/computation.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"
#include "trace/evaluate.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

Trace trace_of_text(const std::string& text) {
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30);
  INFO(text);
  REQUIRE(problem);
  ReferenceBackend backend;
  return attention(problem.value(), backend);
}

std::string random_numbers(const std::string& shape, int seed) {
  return R"({"random": "normal", "shape": )" + shape + ", \"seed\": " + std::to_string(seed) + "}";
}

// Self-attention of so many tokens in two heads.
Trace two_heads(const std::string& tokens) {
  const auto weight = [](const std::string& role, int seed) {
    return "\"" + role + "\": " + random_numbers("[4, 4]", seed);
  };
  return trace_of_text(R"({"inputs": )" + random_numbers("[" + tokens + ", 4]", 1) + R"(, "heads": 2, "weights": {)" +
                       weight("query", 2) + ", " + weight("key", 3) + ", " + weight("value", 4) + ", " +
                       weight("output", 5) + R"(}, "biases": {"key": [1, 2, 3, 4]}})");
}

// The numbers of a program that makes all these mistakes.
class OtherProgram {
 public:
  OtherProgram(const Trace& trace, const std::vector<std::string>& mistakes) : recipe_(trace.recipe) {
    for (const std::string& id : mistakes) {
      const Rewrites all = rewrites_of(recipe_, *mistake_named(id));
      INFO(id);
      REQUIRE_FALSE(all.empty());
      recipe_ = all.front().recipe;
    }
    Policy<double> plain;
    const Evaluation<double> made = evaluate(recipe_, plain);
    for (std::size_t line = 0; line < recipe_.size(); ++line) numbers_.push_back(made.result(line));
  }

  std::vector<TheirStep> steps(const std::vector<std::string>& ids) const {
    std::vector<TheirStep> all;
    for (const std::string& id : ids) {
      all.push_back({id, &numbers_[*recipe_.line(id)], {.absolute = 1e-9, .relative = 1e-9}});
    }
    return all;
  }

 private:
  Recipe recipe_;
  std::vector<Tensor<double>> numbers_;
};

std::vector<std::string> ids_of(const std::vector<LikelyCause>& causes) {
  std::vector<std::string> ids;
  for (const LikelyCause& cause : causes) ids.push_back(cause.id);
  return ids;
}

}  // namespace

TEST_CASE("at most four readings that stand on top of each other are told", "[compare]") {
  const Trace trace = two_heads("3");
  const std::vector<std::string> four = {"projection.bias_forgotten", "scale.none", "softmax.base_2", "heads.reversed"};
  const std::vector<std::string> steps = {"queries",           "keys",    "values", "scores", "scaled_scores",
                                          "attention_weights", "context", "concat", "output"};
  const OtherProgram of_four(trace, four);
  const auto told = explanations(trace, of_four.steps(steps));
  REQUIRE(ids_of(told) == four);
  CHECK(told.front().step == "keys");
  CHECK(told.front().follow == std::vector<std::string>{"queries", "values", "scores"});
  CHECK(told.front().next == "scaled_scores");
  CHECK(told.back().next.empty());

  std::vector<std::string> five = four;
  five.emplace_back("heads.output_projection_transposed");
  const OtherProgram of_five(trace, five);
  const auto told_of_five = explanations(trace, of_five.steps(steps));
  CHECK(ids_of(told_of_five) == four);
  CHECK(told_of_five.back().next == "output");
}

TEST_CASE("two readings behind one result are looked for in small problems only", "[compare]") {
  for (const auto& [tokens, count] : {std::pair("3", 2), {"60", 0}}) {
    INFO(tokens << " tokens");
    const Trace trace = two_heads(tokens);
    const OtherProgram other(trace, {"scale.none", "softmax.columns"});
    bool are_all_tried = false;
    const auto told = explanations(trace, other.steps({"output"}), &are_all_tried);
    CHECK(told.size() == static_cast<std::size_t>(count));
    CHECK(are_all_tried);
  }
}

TEST_CASE("no two readings of one family stand on top of each other, but for those of projections and scales",
          "[compare]") {
  const Trace trace = two_heads("3");
  const std::vector<std::string> steps = {
      "queries",           "keys",    "values", "scores", "scaled_scores", "exponentials",
      "attention_weights", "context", "concat", "output"};
  const OtherProgram of_softmax(trace, {"softmax.base_2", "softmax.not_normalised"});
  const auto told = explanations(trace, of_softmax.steps(steps));
  CHECK(ids_of(told) == std::vector<std::string>{"softmax.base_2"});
  CHECK(told.back().next == "attention_weights");
  const std::vector<std::string> of_projection = {"projection.bias_forgotten", "projection.swapped_query_value"};
  const OtherProgram of_both(trace, of_projection);
  CHECK(ids_of(explanations(trace, of_both.steps(steps))) == of_projection);
}

TEST_CASE("readings are tried until they take more work than anybody waits for", "[compare]") {
  const Trace trace = two_heads("3");
  const OtherProgram other(trace, {"scale.none"});
  const std::vector<TheirStep> theirs = other.steps({"context"});
  bool are_all_tried = false;
  CHECK(ids_of(explanations(trace, theirs, &are_all_tried)) == std::vector<std::string>{"scale.none"});
  CHECK(are_all_tried);
  CHECK(explanations(trace, theirs, &are_all_tried, 0).empty());
  CHECK_FALSE(are_all_tried);
  // With what it takes to come as far the cause is told, and that others were left.
  for (std::size_t most = 1; !are_all_tried; most *= 2) {
    const auto told = explanations(trace, theirs, &are_all_tried, most);
    CHECK((!are_all_tried || ids_of(told) == std::vector<std::string>{"scale.none"}));
  }
}

TEST_CASE("two readings are looked for among those that leave alone what agrees before them", "[compare]") {
  const Trace trace = two_heads("3");
  const OtherProgram other(trace, {"scale.none", "softmax.columns"});
  const auto told = explanations(trace, other.steps({"queries", "keys", "scores", "output"}));
  CHECK(ids_of(told) == std::vector<std::string>{"scale.none", "softmax.columns"});
}

TEST_CASE("a step in another shape than ours explains nothing", "[compare]") {
  const Trace trace = two_heads("3");
  const OtherProgram other(trace, {"scale.none"});
  std::vector<TheirStep> theirs = other.steps({"scaled_scores"});
  CHECK(ids_of(explanations(trace, theirs)) == std::vector<std::string>{"scale.none"});
  const Tensor<double> flat(Shape{{"cell", theirs[0].value->size()}});
  theirs[0].value = &flat;
  CHECK(explanations(trace, theirs).empty());
}

TEST_CASE("conventions are tried where a problem has what they are about", "[compare]") {
  const auto ways = [](const std::string& id, const std::string& more) {
    const Trace trace =
        trace_of_text(R"({"queries": [[1, 2]], "keys": [[3, 1], [0, 2]], "values": [[1], [2]])" + more + "}");
    const auto convention = std::ranges::find(conventions(), id, &Convention::id);
    REQUIRE(convention != conventions().end());
    return rewrites_of(trace.recipe, convention->rewrites).size();
  };
  CHECK(ways("softmax.folded_log2", "") == 1);
  CHECK(ways("softmax.folded_log2", R"(, "softmax": {"base": 3})") == 0);  // what is folded in is log₂e
  CHECK(ways("softmax.folded_log2", R"(, "softcap": 2)") == 0);
  CHECK(ways("softcap.order", R"(, "softcap": 2)") == 1);
  CHECK(ways("softcap.order", R"(, "softcap": 2, "score": "dot")") == 0);  // no scale to stand before or behind
  CHECK(ways("softcap.order", "") == 0);
}

TEST_CASE("numbers of another step are told, and a step is no other than itself", "[compare]") {
  const Trace trace = two_heads("3");
  StepPair pair{.verdict = StepPair::Verdict::differs, .id = "scores", .first = trace.value("scores")};
  pair.second = trace.value("scaled_scores");
  const auto scaled = relation(pair, &trace);
  REQUIRE(scaled);
  CHECK(scaled->kind == Relation::Kind::other_step);
  CHECK(scaled->step == "scaled_scores");
  // In the last bits it differs, and is no other step for all that.
  pair.second = pair.first;
  for (double& number : pair.second.data()) number *= 1 + 1e-12;
  const auto nearly = relation(pair, &trace);
  REQUIRE(nearly);
  CHECK(nearly->kind == Relation::Kind::multiple);
}
