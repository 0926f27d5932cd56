#include "mark/sheet.h"

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.h"
#include "model/attention.h"
#include "model/computation.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"
#include "trace/recipe_builder.h"

namespace attn {
namespace {

// A step as somebody wrote it: numbers without decimals, 1, 2, 3 and so on.
AnsweredStep counted_up(const std::string& id, std::vector<std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  AnsweredStep step{.id = id, .shape = std::move(shape)};
  for (std::size_t i = 1; i <= count; ++i) step.cells.push_back(WrittenNumber{static_cast<double>(i), 0, ""});
  return step;
}

struct LaidOutSheet {
  Recipe right;
  Sheet sheet;
  std::vector<std::string> unknown;
};

LaidOutSheet laid_out_on(const Trace& trace, const Recipe& recipe, std::vector<AnsweredStep> steps) {
  LaidOutSheet made{.right = recipe, .sheet = {}, .unknown = {}};
  made.sheet = laid_out({.steps = std::move(steps)}, trace, std::nullopt, made.right, made.unknown);
  return made;
}

// Of two sequences of two heads the sum of all of it, too.
Trace sums_of_heads() {
  RecipeBuilder work;
  const Shape shape{{"batch", 2}, {"head", 2}, {"query", 2}, {"d_v", 3}};
  const std::string given = work.given({.id = "numbers"}, LateTensor(Tensor<double>(shape)));
  work.step({.id = "doubled"}, Map{Unary::multiply, 2, ""}, {given});
  std::string sum = given;
  for (const char* axis : {"batch", "head", "query", "d_v"}) {
    sum = work.step({.id = "over_" + std::string(axis)}, Reduce{Reducer::sum, axis}, {sum});
  }
  work.step({.id = "of_features"}, Reduce{Reducer::sum, "query"}, {given});
  work.step({.id = "of_heads"}, Reduce{Reducer::sum, "d_v"}, {"of_features"});
  Trace trace;
  trace.result = sum;
  trace.recipe = work.take();
  return trace;
}

Problem problem_for_sheet(const std::string& text) {
  Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
  REQUIRE(problem);
  return std::move(problem.value());
}

const std::string three_words = R"({"inputs": [[1, 0, 2], [0, 1, 1], [1, 1, 1]], "causal": true})";

}  // namespace

TEST_CASE("matrices one under the other fit where they have the step's rows and columns", "[check]") {
  const Trace trace = sums_of_heads();
  const auto fits_as_table = [&](std::vector<std::size_t> shape) {
    AnsweredStep step = counted_up("doubled", std::move(shape));
    step.stacked = true;
    return laid_out_on(trace, trace.recipe, {step}).sheet.steps.at(0).fits;
  };
  CHECK(fits_as_table({8, 3}));
  CHECK_FALSE(fits_as_table({9, 3}));
  CHECK_FALSE(fits_as_table({12, 2}));
  CHECK_FALSE(fits_as_table({4, 2, 3}));
  // What is no table has the shape of the step itself.
  CHECK_FALSE(laid_out_on(trace, trace.recipe, {counted_up("doubled", {8, 3})}).sheet.steps.at(0).fits);
  CHECK(laid_out_on(trace, trace.recipe, {counted_up("doubled", {2, 2, 2, 3})}).sheet.steps.at(0).fits);
}

TEST_CASE("a step of one number is laid out, and called the result where it is", "[check]") {
  const Trace trace = sums_of_heads();
  const LaidOutSheet made = laid_out_on(trace, trace.recipe, {counted_up("result", {})});
  REQUIRE(made.sheet.steps.size() == 1);
  CHECK(made.sheet.steps[0].id == "over_d_v");
  CHECK(made.sheet.steps[0].fits);
  CHECK(made.sheet.steps[0].numbers() == 1);
  CHECK_FALSE(turned(made.sheet.steps[0], made.right));
  // A table is no single number.
  AnsweredStep table = counted_up("over_d_v", {1, 1});
  table.stacked = true;
  CHECK_FALSE(laid_out_on(trace, trace.recipe, {table}).sheet.steps.at(0).fits);
}

TEST_CASE("rows and columns can be exchanged where a step has both, and no axis sets matrices apart", "[check]") {
  const Trace trace = sums_of_heads();
  const auto is_turned = [&](const char* id, std::vector<std::size_t> shape) {
    const LaidOutSheet made = laid_out_on(trace, trace.recipe, {counted_up(id, std::move(shape))});
    return turned(made.sheet.steps.at(0), made.right).has_value();
  };
  CHECK(is_turned("doubled", {2, 2, 3, 2}));
  CHECK_FALSE(is_turned("doubled", {2, 2, 2, 3}));
  CHECK_FALSE(is_turned("over_query", {3}));
  CHECK_FALSE(is_turned("of_features", {2, 3, 2}));
  CHECK_FALSE(is_turned("of_heads", {2, 2}));
}

TEST_CASE("padding is left out only of steps that have a row for each token of a sequence", "[check]") {
  Trace trace = sums_of_heads();
  trace.own_queries = {2, 1};
  // Without sequences; with them but without rows; and with both, where the second row of the second is padding.
  for (const auto& [id, shape, asked] : std::vector<std::tuple<std::string, std::vector<std::size_t>, std::size_t>>{
           {"over_batch", {2, 2, 3}, 12}, {"over_d_v", {}, 1}, {"doubled", {2, 2, 2, 3}, 18}}) {
    INFO(id);
    CHECK(laid_out_on(trace, trace.recipe, {counted_up(id, shape)}).sheet.steps.at(0).numbers() == asked);
  }
}

TEST_CASE("weighted values that a large problem leaves out are still what weights make of values", "[check]") {
  const Problem problem = problem_for_sheet(three_words);
  ReferenceBackend backend;
  const Trace trace = attention(problem, backend);
  const Recipe without = recipe_of(problem, {.no_weighted_values = true});
  REQUIRE_FALSE(without.has("weighted_values"));
  const LaidOutSheet made = laid_out_on(trace, without, {counted_up("weighted_values", {3, 3, 3})});
  CHECK(made.unknown.empty());
  CHECK(made.sheet.steps.at(0).fits);

  Policy<double> plainly;
  const Evaluation<double> all = evaluate(made.right, plainly);
  const auto numbers = [&](const char* id) { return all.result(*made.right.line(id)); };
  const Tensor<double> weighted = numbers("weighted_values"), weights = numbers("attention_weights"),
                       values = numbers("values"), context = numbers("context");
  REQUIRE(weighted.size() == 27);
  for (std::size_t query = 0; query < 3; ++query) {
    for (std::size_t feature = 0; feature < 3; ++feature) {
      double sum = 0;
      for (std::size_t key = 0; key < 3; ++key) {
        const double number = weighted[(query * 3 + key) * 3 + feature];
        CHECK(number == Approx(weights[query * 3 + key] * values[key * 3 + feature]));
        sum += number;
      }
      CHECK(context[query * 3 + feature] == Approx(sum));
    }
  }
}

TEST_CASE("there are no weighted values where weights are never seen", "[check]") {
  Problem problem = problem_for_sheet(three_words);
  problem.keys_a_block = 2;
  ReferenceBackend backend;
  const Trace trace = attention(problem, backend);
  const LaidOutSheet made = laid_out_on(trace, trace.recipe, {counted_up("weighted_values", {3, 3, 3})});
  CHECK(made.unknown == std::vector<std::string>{"weighted_values"});
  CHECK(made.sheet.steps.empty());
}

}  // namespace attn
