#include "mark/probe.h"

#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "mark/allowance.h"
#include "mark/slips.h"
#include "trace/recipe_builder.h"

namespace attn {
namespace {

const Shape four_tokens{{"token", 4}, {"d", 2}};

Recipe as_drawn(const Op& op) {
  RecipeBuilder work;
  work.given({.id = "numbers"}, LateTensor(Tensor<double>(four_tokens, {1, 2, 3, 4, 5, 6, 7, 8})));
  work.step({.id = "made"}, op, {"numbers"});
  work.step({.id = "last"}, Map{Unary::add, 1, ""}, {"made"});
  return work.take();
}

HandedStep whole_numbers(const std::string& id, const std::vector<double>& numbers) {
  HandedStep step{.id = id, .shape = {4, 2}, .cells = {}, .is_whole = true};
  for (const double number : numbers) step.cells.push_back({HandedCell::Kind::number, {number, 0, ""}});
  return step;
}

Sheet sheet_of_steps(std::vector<HandedStep> steps) {
  Sheet sheet;
  sheet.steps = std::move(steps);
  fill_in_allowances(sheet, {});
  return sheet;
}

Rows table_rows(const Shape& shape, const std::vector<std::int64_t>& rows) {
  return Rows(Tensor<std::int64_t>(shape, rows));
}

}  // namespace

TEST_CASE("some row tells what may explain a few rows, though not all of them do", "[check][slice]") {
  const Recipe right = as_drawn(Map{Unary::multiply, 2, ""}), other = as_drawn(Map{Unary::multiply, 3, ""});
  // The first row is right, the second and the third follow from the other, the fourth from nothing.
  const Sheet sheet = sheet_of_steps({whole_numbers("last", {3, 5, 10, 13, 16, 19, 90, 90})});
  const MarkingRule rule;
  const Manner exact;
  Probe two(right, sheet, rule, 0, {true, true, true, true, false, true, false, true});
  CHECK(two.may_follow(other, exact, true));
  CHECK_FALSE(two.may_follow(other, exact, false));
  CHECK_FALSE(two.may_follow(right, exact, true));
  Probe last(right, sheet, rule, 0, {true, true, true, true, true, true, false, false});
  CHECK_FALSE(last.may_follow(other, exact, true));
}

TEST_CASE("a slip in another row explains none of the rows that are looked at", "[check][slice]") {
  const Recipe right = as_drawn(Map{Unary::multiply, 2, ""});
  const std::size_t made = *right.line("made");
  const Sheet sheet = sheet_of_steps({whole_numbers("last", {3, 5, 7, 9, 11, 31, 15, 17})});
  const MarkingRule rule;
  const Manner exact;
  Probe probe(right, sheet, rule, 0, {true, true, true, true, true, false, true, true});
  const std::vector<Patch> here = {{made, 5, 30}}, elsewhere = {{made, 3, 30}};
  const std::vector<Patch> both = {{made, 3, 30}, {made, 5, 30}};
  CHECK(probe.may_follow(here, exact));
  CHECK(probe.may_follow(both, exact));
  CHECK_FALSE(probe.may_follow(elsewhere, exact));
}

TEST_CASE("where the right computation goes by more than rows they rule nothing out", "[check][slice]") {
  const Shape tokens{{"token", 4}};
  RecipeBuilder work;
  work.given({.id = "numbers"}, LateTensor(Tensor<double>(four_tokens, {1, 2, 3, 4, 5, 6, 7, 8})));
  work.step({.id = "last"}, Pick{"token", table_rows(tokens, {3, 2, 1, 0})}, {"numbers"});
  const Recipe right = work.take();
  Recipe other = right;
  other.replace("last", Copy{}, {"numbers"});
  const Sheet sheet = sheet_of_steps({whole_numbers("last", {90, 91, 92, 93, 94, 95, 96, 97})});
  const MarkingRule rule;
  const Manner exact;
  Probe probe(right, sheet, rule, 0, std::vector<bool>(8, false));
  const SheetPlaces places = places_on_sheet(other, sheet);
  CHECK_FALSE(probe.come_near(other, exact, RoundingMode::half_up));
  CHECK(probe.may_follow(other, exact, false));
  CHECK(probe.may_be_honest({other, sheet, rule, places}, RoundingMode::half_up));
  const std::vector<Patch> slip = {{*right.line("last"), 0, 90}};
  CHECK(probe.may_follow(slip, exact));
}

TEST_CASE("rows of what is picked from a table are cut where each follows from its own", "[check][slice]") {
  RecipeBuilder work;
  Tensor<double> table(Shape{{"token", 4}, {"word", 3}});
  for (std::size_t at = 0; at < table.size(); ++at) table[at] = static_cast<double>(at * at);
  work.given({.id = "table"}, LateTensor(table));
  // The same words for each token, and other tokens for each.
  work.step({.id = "words"}, Pick{"word", table_rows({{"d", 2}}, {2, 0})}, {"table"});
  work.step({.id = "tokens"}, Pick{"token", table_rows({{"token", 4}}, {3, 0, 2, 1})}, {"words"});
  work.step({.id = "last"}, Map{Unary::add, 1, ""}, {"tokens"});
  const Recipe recipe = work.take();
  Policy<double> plainly;
  const Evaluation<double> whole = evaluate(recipe, plainly);
  for (const std::string step : {"words", "last"}) {
    INFO(step);
    const Sheet sheet = sheet_of_steps({whole_numbers(step, std::vector<double>(8, 0))});
    const auto slice =
        Slicer(sheet, 0, recipe.shape(step), {true, true, false, true, true, true, true, false}).of(recipe);
    REQUIRE(slice);
    const Tensor<double> rows = evaluate(slice->recipe, plainly).result(*slice->recipe.line(step));
    const Tensor<double>& all = whole.result(*recipe.line(step));
    REQUIRE(rows.size() == 4);
    for (std::size_t at = 0; at < 4; ++at) CHECK(rows[at] == all[(at / 2 == 0 ? 1 : 3) * 2 + at % 2]);
  }
}

TEST_CASE("a slice asks nothing of a step that a computation does not have", "[check][slice]") {
  const Recipe right = as_drawn(Map{Unary::multiply, 2, ""});
  RecipeBuilder work;
  work.given({.id = "numbers"}, LateTensor(Tensor<double>(four_tokens, {1, 2, 3, 4, 5, 6, 7, 8})));
  work.step({.id = "last"}, Map{Unary::multiply, 2, ""}, {"numbers"});
  const Recipe shorter = work.take();
  const Sheet sheet = sheet_of_steps(
      {whole_numbers("made", {2, 4, 6, 8, 10, 12, 14, 16}), whole_numbers("last", {3, 5, 7, 9, 10, 12, 15, 17})});
  Slicer slicer(sheet, 1, right.shape("last"), {true, true, true, true, false, false, true, true});
  CHECK(slicer.of(right)->sheet->steps.size() == 2);
  const auto slice = slicer.of(shorter);
  REQUIRE(slice);
  CHECK(slice->sheet->steps.size() == 1);
  CHECK(slice->sheet->steps[0].id == "last");
  CHECK(slice->rows == std::vector<std::size_t>{2});
}

TEST_CASE("a small weight is near to few numbers, and a small exponential to many", "[check]") {
  HandedStep step{.id = "step", .shape = {1}, .cells = {{HandedCell::Kind::number, {0.5, 2, "0.50"}}}};
  fill_in_allowances(step, {});
  const Tensor<double> small(Shape{{"key", 1}}, {0.001}), large(Shape{{"key", 1}}, {0.4});
  const auto is_near = [&](Softmax::Part part, const Tensor<double>& made) {
    return come_near(step, Softmax{part, "key"}, made, RoundingMode::half_up, [](std::size_t) { return true; });
  };
  CHECK_FALSE(is_near(Softmax::Part::weights, small));
  CHECK(is_near(Softmax::Part::weights, large));
  CHECK(is_near(Softmax::Part::exponentials, small));
}

TEST_CASE("digits are not exchanged in a number of so many that nobody copies it", "[check]") {
  const auto slips_in = [](double number) {
    RecipeBuilder work;
    work.given({.id = "numbers"}, LateTensor(Tensor<double>({{"token", 1}}, {number})));
    work.step({.id = "made"}, Copy{}, {"numbers"});
    const Recipe recipe = work.take();
    Policy<double> plainly;
    const Evaluation<double> made = evaluate(recipe, plainly);
    std::vector<double> swapped;
    any_slip({recipe, *recipe.line("made"), made, {0, RoundingMode::half_up}}, [&](const Slip& slip) {
      if (slip.mistake == "slip.digits_swapped") swapped.push_back(slip.patches[0].value);
      return false;
    });
    return swapped;
  };
  CHECK(slips_in(120) == std::vector<double>{210, 21, 102});
  CHECK(slips_in(-70) == std::vector<double>{-7});
  CHECK(slips_in(2e12).empty());
}

}  // namespace attn
