#include "mark/slice.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "catch.h"
#include "mark/allowance.h"
#include "mark/probe.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "model/possible_steps.h"
#include "reading/problem/problem.h"

namespace attn {
namespace {

Recipe recipe_of(const std::string& text, std::optional<std::size_t> keys_a_block = {}) {
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
  REQUIRE(problem);
  return recipe_of(problem.value(), {.all_steps = true, .keys_a_block = keys_a_block});
}

// Five tokens of width 4, in heads, rotated, behind a mask, and with vectors for distances.
const std::string five_tokens = R"({
  "inputs": [[1, 0, -1, 1], [0, 1, 1, -1], [1, 1, 0, 0], [2, 0, 1, 0], [0, -1, 0, 1]],
  "weights": {"query": [[1, 0, 1, 0], [0, 1, 0, -1], [1, 1, 0, 0], [0, 0, 1, 1]],
              "key": [[0, 1, 0, 1], [1, 0, 0, 0], [0, -1, 1, 0], [1, 0, 1, 0]],
              "value": [[1, 0, 2, 0], [0, 2, 0, 1], [-1, 1, 0, 0], [1, 1, 0, -1]]})";
const std::vector<std::string> problems = {five_tokens + "}", five_tokens + R"(, "causal": true})",
                                           five_tokens + R"(, "heads": 2, "causal": true})",
                                           five_tokens + R"(, "positions": "rope"})"};

// The numbers that a recipe makes of a step, as points.
Tensor<double> numbers_of(const Recipe& recipe, const std::string& step) {
  Policy<double> plainly;
  return evaluate(recipe, plainly).result(*recipe.line(step));
}

Sheet sheet_with(const Recipe& recipe, const std::string& step) {
  const Shape& shape = recipe.shape(step);
  Sheet sheet;
  sheet.steps.push_back({.id = step, .shape = shape.sizes(), .cells = std::vector<HandedCell>(shape.count())});
  return sheet;
}

// Of a recipe, where something is wrong in the second and the fourth row of the one
// step of the sheet.
std::optional<StepSlice> two_rows(const Recipe& recipe, const Recipe& right, const Sheet& sheet) {
  const Shape& shape = right.shape(sheet.steps[0].id);
  std::vector<bool> matched(shape.count());
  for (std::size_t cell = 0; cell < matched.size(); ++cell) {
    const std::size_t row = cell / shape.back().size % 5;
    matched[cell] = row != 1 && row != 3;
  }
  return Slicer(sheet, 0, shape, matched).of(recipe);
}

void check_rows(const Tensor<double>& rows, const Tensor<double>& whole) {
  const std::size_t width = whole.shape().back().size;
  REQUIRE(rows.size() * 5 == whole.size() * 2);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const std::size_t row = at / width, matrix = row / 2;
    const double other = whole[(matrix * 5 + (row % 2 == 0 ? 1 : 3)) * width + at % width];
    CHECK((rows[at] == other || (std::isnan(rows[at]) && std::isnan(other))));
  }
}

}  // namespace

TEST_CASE("a slice makes the rows that it was cut for, as the whole does", "[check][slice]") {
  for (const std::string& problem : problems) {
    const Recipe right = recipe_of(problem);
    for (const char* step : {"scores", "attention_weights", "context"}) {
      INFO(problem << " " << step);
      const Sheet sheet = sheet_with(right, step);
      const auto slice = two_rows(right, right, sheet);
      REQUIRE(slice);
      check_rows(numbers_of(slice->recipe, step), numbers_of(right, step));
      CHECK(slice->sheet->steps[0].cells.size() == numbers_of(slice->recipe, step).size());
    }
  }
}

TEST_CASE("every number of a slice stands where it is said to have moved", "[check][slice]") {
  for (const std::string& problem : problems) {
    const Recipe whole = recipe_of(problem);
    const Sheet sheet = sheet_with(whole, "context");
    const auto slice = two_rows(whole, whole, sheet);
    REQUIRE(slice);
    Policy<double> plainly;
    const Evaluation<double> all = evaluate(whole, plainly), left = evaluate(slice->recipe, plainly);
    for (std::size_t line = 0; line < whole.size(); ++line) {
      std::size_t moved = 0;
      for (std::size_t cell = 0; cell < all.result(line).size(); ++cell) {
        const auto patch = slice->moved(whole, {line, cell, 1.5});
        if (!patch) continue;
        const double there = left.result(patch->line)[patch->cell], here = all.result(line)[cell];
        CHECK((there == here || (std::isnan(there) && std::isnan(here))));
        CHECK(patch->value == 1.5);
        ++moved;
      }
      const auto same = slice->recipe.line(whole.instruction(line).id());
      CHECK(moved == (same ? left.result(*same).size() : 0));
    }
  }
}

TEST_CASE("a slice of a computation with a mistake makes the same rows of it", "[check][slice]") {
  std::size_t compared = 0;
  for (const std::string& problem : problems) {
    const Recipe right = recipe_of(problem);
    const Sheet sheet = sheet_with(right, "context");
    for (const Mistake* mistake : all_mistakes()) {
      if (!mistake->rewrites) continue;
      for (const Rewrite& rewrite : rewrites_of(right, mistake->rewrites)) {
        INFO(problem << " " << mistake->id << " " << rewrite.variant);
        const auto line = rewrite.recipe.line("context");
        if (!line || rewrite.recipe.shape(*line).sizes() != right.shape("context").sizes()) continue;
        const auto slice = two_rows(rewrite.recipe, right, sheet);
        if (!slice) continue;
        check_rows(numbers_of(slice->recipe, "context"), numbers_of(rewrite.recipe, "context"));
        ++compared;
      }
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("rows tell which slip may explain them, and which computation", "[check][slice]") {
  for (const std::string& problem : problems) {
    INFO(problem);
    const Recipe right = recipe_of(problem);
    const std::size_t values = *right.line("values");
    const std::vector<Patch> slip = {{values, 3, 2.5}}, other = {{values, 3, 2.25}}, elsewhere = {{values, 0, 2.5}};
    Sheet sheet = sheet_with(right, "context");
    sheet.decimals = sheet.steps[0].decimals = 6;
    const MarkingRule rule;
    const Manner exact;
    const SheetPlaces places = places_on_sheet(right, sheet);
    const Followed<double> slipped = follow({right, sheet, rule, places}, {.manner = exact, .patches = slip});
    const Tensor<double>& context = slipped.result(*right.line("context"));
    for (std::size_t at = 0; at < context.size(); ++at) {
      sheet.steps[0].cells[at] = {HandedCell::Kind::number, {context[at], 6, ""}};
    }
    fill_in_allowances(sheet, rule);
    std::vector<bool> matched = follow({right, sheet, rule, places}, {.manner = exact}).matched[0];
    REQUIRE(count_mismatches(matched) > 0);
    Probe probe(right, sheet, rule, 0, matched);
    CHECK(probe.may_follow(slip, exact));
    // What is wrong before it in the same rows does not matter.
    Sheet two = sheet_with(right, "queries");
    two.decimals = two.steps[0].decimals = 6;
    for (HandedCell& cell : two.steps[0].cells) cell = {HandedCell::Kind::blank};
    two.steps[0].cells[two.steps[0].cells.size() - 6] = {HandedCell::Kind::number, {77, 6, ""}};
    two.steps.push_back(sheet.steps[0]);
    fill_in_allowances(two, rule);
    const SheetPlaces both = places_on_sheet(right, two);
    const Tensor<double> behind =
        follow({right, two, rule, both}, {.manner = exact, .patches = slip}).result(*right.line("context"));
    for (std::size_t at = 0; at < behind.size(); ++at) two.steps[1].cells[at].number.value = behind[at];
    fill_in_allowances(two, rule);
    Probe later(right, two, rule, 1, matched);
    CHECK(later.may_follow(slip, exact));
    CHECK_FALSE(later.may_follow(other, exact));
    CHECK_FALSE(probe.may_follow(other, exact));
    CHECK_FALSE(probe.may_follow(elsewhere, exact));
    CHECK_FALSE(probe.may_follow(right, exact, false));
  }
}

TEST_CASE("where distances have vectors or a softmax goes from block to block rows are cut as well", "[check][slice]") {
  const std::string relative = five_tokens + R"(, "positions": {"type": "relative",
    "keys": [[2, 2, 0, 1], [0, 0, 1, 0], [-1, -1, 0, 2]], "values": [[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]}})";
  const Recipe near = recipe_of(relative), online = recipe_of(five_tokens + R"(, "causal": true})", 2);
  for (const Recipe* right : {&near, &online}) {
    const Sheet sheet = sheet_with(*right, "context");
    const auto slice = two_rows(*right, *right, sheet);
    REQUIRE(slice);
    check_rows(numbers_of(slice->recipe, "context"), numbers_of(*right, "context"));
  }
}

TEST_CASE("of a block rows are cut behind the sums that each token has for itself", "[check][slice]") {
  std::string problem = five_tokens.substr(0, five_tokens.find("\"weights\""));
  problem += R"("block": {"kind": "encoder", "norm": "post", "activation": "relu", "layers": [{"self": {"weights": {
      "query": [[1, 0, 1, 0], [0, 1, 0, -1], [1, 1, 0, 0], [0, 0, 1, 1]],
      "key": [[0, 1, 0, 1], [1, 0, 0, 0], [0, -1, 1, 0], [1, 0, 1, 0]],
      "value": [[1, 0, 2, 0], [0, 2, 0, 1], [-1, 1, 0, 0], [1, 1, 0, -1]],
      "output": [[1, 0, 0, 1], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]}},
    "norm1": {"gain": [2, 1, 3, 1], "bias": [0, 1, 0, 2]}, "norm2": {"gain": [1, 2, 1, 1]},
    "ffn": {"in": [[1, 0], [0, 1], [1, 1], [2, 0]], "out": [[1, 0, 0, 1], [0, 1, 1, 0]]}}]}})";
  const Recipe right = recipe_of(problem);
  const std::string last = right.steps().back();
  const Sheet sheet = sheet_with(right, last);
  const auto slice = two_rows(right, right, sheet);
  REQUIRE(slice);
  check_rows(numbers_of(slice->recipe, last), numbers_of(right, last));
}

TEST_CASE("there is no slice where rows tell nothing", "[check][slice]") {
  const Recipe right = recipe_of(problems[0]);
  Sheet sheet = sheet_with(right, "context");
  const Shape& shape = right.shape("context");
  const std::vector<bool> wrong(shape.count(), false), matched(shape.count(), true);
  REQUIRE(Slicer(sheet, 0, shape, wrong).of(right));
  // Nothing is wrong; the marks are of another shape; the step has no rows; the recipe does not make it.
  CHECK_FALSE(Slicer(sheet, 0, shape, matched).of(right));
  CHECK_FALSE(Slicer(sheet, 0, shape, {false, true}).of(right));
  CHECK_FALSE(Slicer(sheet, 0, Shape{{"d_v", shape.count()}}, wrong).of(right));
  Recipe other;
  other.give("inputs", Tensor<double>(Shape{{"token", 5}}));
  CHECK_FALSE(Slicer(sheet, 0, shape, wrong).of(other));
  other.give("context", Tensor<double>(Shape{{"d_v", 4}}));
  CHECK_FALSE(Slicer(sheet, 0, shape, wrong).of(other));
  Recipe given;
  given.give("context", Tensor<double>(shape));
  CHECK_FALSE(Slicer(sheet, 0, shape, wrong).of(given));
  // Where a step before has another shape, or says what stands above e^x, rows say nothing for sure.
  for (const bool fits : {false, true}) {
    Sheet before = sheet_with(right, "attention_weights");
    before.steps[0].fits = fits;
    if (fits) before.steps[0].what = HandedStep::What::exponentials;
    before.steps.push_back(sheet.steps[0]);
    CHECK_FALSE(Slicer(before, 1, shape, wrong).of(right));
  }
}

TEST_CASE("a slice has no step of the sheet that its rows do not follow from", "[check][slice]") {
  const Recipe right = recipe_of(problems[0]);
  Sheet sheet = sheet_with(right, "queries");
  for (const char* step : {"values", "scores"}) sheet.steps.push_back(sheet_with(right, step).steps[0]);
  std::vector<bool> matched(right.shape("scores").count(), true);
  matched[7] = false;
  const auto slice = Slicer(sheet, 2, right.shape("scores"), matched).of(right);
  REQUIRE(slice);
  REQUIRE(slice->sheet->steps.size() == 2);
  CHECK((slice->sheet->steps[0].id == "queries" && slice->sheet->steps[0].cells.size() == 4));
  CHECK((slice->sheet->steps[1].id == "scores" && slice->sheet->steps[1].cells.size() == 5));
}

TEST_CASE("where there are no rows to tell from everything may be", "[check][slice]") {
  const Recipe right = recipe_of(problems[0]);
  Sheet sheet = sheet_with(right, "context");
  sheet.steps[0].fits = false;
  const MarkingRule rule;
  const Manner exact;
  const std::vector<bool> wrong(right.shape("context").count(), false);
  const SheetPlaces places = places_on_sheet(right, sheet);
  Probe probe(right, sheet, rule, 0, wrong);
  const std::vector<Patch> slip = {{*right.line("values"), 3, 2.5}};
  CHECK(probe.may_follow(slip, exact));
  for (const bool some_row : {false, true}) CHECK(probe.may_follow(right, exact, some_row));
  CHECK(probe.may_be_honest({right, sheet, rule, places}, RoundingMode::half_up));
  CHECK_FALSE(probe.come_near(right, exact, RoundingMode::half_up));
}

TEST_CASE("what a slice leaves out is not worked out", "[check][slice]") {
  const std::string row = "[1, 2, 3, 4]";
  std::string rows = row;
  for (int i = 1; i < 200; ++i) rows += ", " + row;
  const Recipe right = recipe_of(R"({"inputs": [)" + rows + "]}");
  const Sheet sheet = sheet_with(right, "context");
  std::vector<bool> matched(right.shape("context").count(), true);
  matched[7] = false;
  const auto slice = Slicer(sheet, 0, right.shape("context"), matched).of(right);
  REQUIRE(slice);
  CHECK(100 * work_of(slice->recipe) < 2 * work_of(right));
}

}  // namespace attn
