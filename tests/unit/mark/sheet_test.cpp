#include "mark/sheet.h"

#include <algorithm>
#include <optional>
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

// Numbers of a step, as many decimals each; one below −9 is left blank.
AnsweredStep numbers_of(const std::string& id, std::vector<std::size_t> shape, const std::vector<double>& numbers,
                        std::optional<int> decimals) {
  AnsweredStep step{.id = id, .shape = std::move(shape)};
  for (const double number : numbers) {
    step.cells.push_back(number < -9 ? AnsweredStep::Cell() : WrittenNumber{number, decimals, ""});
  }
  return step;
}

// What a problem makes of answers that somebody wrote for it.
struct SheetOfProblem {
  explicit SheetOfProblem(const std::string& text) : problem(problem_for_sheet(text)) {
    ReferenceBackend backend;
    trace = attention(problem, backend);
  }

  LaidOutSheet lay(std::vector<AnsweredStep> steps, std::optional<HandRounding> rounding = std::nullopt) const {
    LaidOutSheet made{.right = trace.recipe, .sheet = {}, .unknown = {}};
    made.sheet = laid_out({.steps = std::move(steps)}, trace, rounding, made.right, made.unknown);
    return made;
  }

  Problem problem;
  Trace trace;
};

constexpr double blank = -10;

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
    const LaidOutSheet made = laid_out_on(trace, trace.recipe, {counted_up(id, shape)});
    CHECK(made.sheet.steps.at(0).numbers() == asked);
    CHECK(made.sheet.steps.at(0).asked == asked);
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

TEST_CASE("weights may keep their sum where it is 1, or could be with what is blank or goes to a sink", "[check]") {
  const std::string two = R"({"inputs": [[1, 0], [0, 1]])";
  const SheetOfProblem plain(two + "}"), sink(two + R"(, "softmax": {"sink": 1}})");
  const auto may = [](const SheetOfProblem& problem, const std::vector<double>& row) {
    const std::vector<double> numbers = {row[0], row[1], 0.5, 0.5};
    const LaidOutSheet made = problem.lay({numbers_of("attention_weights", {2, 2}, numbers, 2)});
    return made.sheet.steps.at(0).cells[0].may_keep_sum;
  };
  CHECK(may(plain, {0.33, 0.67}));
  CHECK_FALSE(may(plain, {0.33, 0.66}));
  CHECK_FALSE(may(plain, {0.34, 0.67}));
  CHECK(may(plain, {0.33, blank}));
  CHECK_FALSE(may(plain, {1.01, blank}));
  CHECK(may(sink, {0.33, 0.42}));
  CHECK_FALSE(may(sink, {0.63, 0.42}));
}

TEST_CASE("blanks alone fit whatever shape they are written in", "[check]") {
  const SheetOfProblem three(three_words);
  const LaidOutSheet made = three.lay({numbers_of("scores", {3}, {blank, blank, blank}, 0)});
  REQUIRE(made.sheet.steps.size() == 1);
  CHECK(made.sheet.steps[0].fits);
  CHECK(std::ranges::count(made.sheet.steps[0].cells, HandedCell::Kind::blank, &HandedCell::kind) == 9);
  CHECK_FALSE(made.sheet.steps[0].is_whole);
}

TEST_CASE("only what was handed in as a whole and without a blank is whole", "[check]") {
  const SheetOfProblem one(R"({"inputs": [[1, 2]]})");
  CHECK(one.lay({numbers_of("queries", {1, 2}, {1, 2}, 0)}).sheet.steps.at(0).is_whole);
  CHECK_FALSE(one.lay({numbers_of("queries", {1, 2}, {1, blank}, 0)}).sheet.steps.at(0).is_whole);
  AnsweredStep by_cell{.id = "queries", .by_cell = true};
  by_cell.placed = {{{0, 0}, WrittenNumber{1, 0, "1"}}, {{0, 1}, WrittenNumber{2, 0, "2"}}};
  CHECK_FALSE(one.lay({by_cell}).sheet.steps.at(0).is_whole);
}

TEST_CASE("open and closed are exact with whatever decimals they are written", "[check]") {
  const SheetOfProblem three(three_words);
  const LaidOutSheet made = three.lay({numbers_of("mask", {3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}, 1)});
  CHECK(std::ranges::none_of(made.sheet.steps.at(0).cells,
                             [](const HandedCell& cell) { return cell.number.decimals.has_value(); }));
}

TEST_CASE("where every number is rounded by the problem zeros behind its decimals tell nothing", "[check]") {
  const SheetOfProblem one(R"({"inputs": [[1, 2]]})");
  const HandRounding to_one{1, RoundingMode::half_up};
  const auto decimals = [&](const std::vector<double>& numbers, bool by_cell) {
    AnsweredStep step = numbers_of("queries", {1, 2}, numbers, 2);
    if (by_cell) {
      for (std::size_t at = 0; at < 2; ++at) step.placed.push_back({{0, at}, step.cells[at]});
      step.cells.clear();
      step.by_cell = true;
    }
    return one.lay({step}, to_one).sheet.steps.at(0).decimals;
  };
  for (const bool by_cell : {false, true}) {
    CHECK(decimals({0.5, 1.2}, by_cell) == 1);
    CHECK(decimals({0.5, 1.25}, by_cell) == 2);  // not rounded to one
  }
}

TEST_CASE("the decimals of a sheet are the most outside expressions, else those in them, else those of the problem",
          "[check]") {
  SheetOfProblem two(R"({"inputs": [[1, 2], [0, 1]]})");
  const auto step = [](const std::string& id, const std::vector<WrittenNumber>& numbers) {
    AnsweredStep made{.id = id, .shape = {2, 2}};
    made.cells.assign(numbers.begin(), numbers.end());
    return made;
  };
  const WrittenNumber whole{1, 0, "1"}, third{1.0 / 3, std::nullopt, "1/3"}, closed{-infinity, std::nullopt, "-inf"};
  const WrittenNumber sum{1.6488, std::nullopt, "0.0878*4 + 0.64*2.0188"}, two_decimals{0.25, 2, "0.25"};
  const Sheet beside = two.lay({step("scores", {whole, whole, whole, whole}),
                                step("attention_weights", {two_decimals, third, two_decimals, sum})})
                           .sheet;
  CHECK(beside.decimals == 2);
  CHECK(beside.decimals_within == 4);
  CHECK(beside.has_expressions);
  CHECK(beside.steps.at(0).decimals == 2);  // of whole numbers those of all the sheet
  CHECK(two.lay({step("scores", {whole, whole, sum, whole})}).sheet.decimals == 4);
  two.trace.digits.reset();
  CHECK(two.lay({step("scores", {third, third, third, third})}).sheet.decimals == digits_unless_said);
  two.trace.digits = 7;
  CHECK(two.lay({step("scores", {third, third, third, third})}).sheet.decimals == 7);
  // Nothing is exact for being closed or whole.
  const Sheet none = two.lay({step("scores", {closed, whole, whole, whole})}).sheet;
  CHECK_FALSE(none.has_expressions);
  CHECK(none.decimals == 0);
}

TEST_CASE("a turned step keeps its sum by its new rows, and has no other freedom", "[check]") {
  const SheetOfProblem two(R"({"inputs": [[1, 2], [0, 1]]})");
  const LaidOutSheet weights = two.lay({numbers_of("attention_weights", {2, 2}, {0.34, 0.5, 0.66, 0.5}, 2)});
  CHECK_FALSE(weights.sheet.steps.at(0).cells[0].may_keep_sum);
  const auto other = turned(weights.sheet.steps[0], weights.right);
  REQUIRE(other);
  CHECK(other->cells[1].number.value == 0.66);
  CHECK(std::ranges::all_of(other->cells, &HandedCell::may_keep_sum));

  const LaidOutSheet powers = two.lay({numbers_of("exponentials", {2, 2}, {2.7, 7.4, 1.0, 1.0}, 1)});
  CHECK(std::ranges::all_of(powers.sheet.steps.at(0).cells, &HandedCell::may_have_factor));
  const auto turned_powers = turned(powers.sheet.steps[0], powers.right);
  REQUIRE(turned_powers);
  CHECK(std::ranges::none_of(turned_powers->cells, &HandedCell::may_have_factor));
}

TEST_CASE("an output that nothing projects is all heads side by side", "[check]") {
  const SheetOfProblem heads(R"({"inputs": [[1, 0, 2, 1], [0, 1, 1, 0]], "heads": 2, "weights": {
    "query": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    "key": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    "value": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}})");
  REQUIRE_FALSE(heads.trace.recipe.has("output"));
  const LaidOutSheet made = heads.lay({counted_up("output", {2, 4})});
  CHECK(made.unknown.empty());
  CHECK(made.sheet.steps.at(0).fits);
}

}  // namespace attn
