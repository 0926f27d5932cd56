#include "mark/follow.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "mark/allowance.h"
#include "mark/honest.h"
#include "trace/recipe_builder.h"

namespace attn {
namespace {

// 0.25 and 0.75, their halves 0.125 and 0.375, and twice these.
Recipe halves_and_doubles() {
  RecipeBuilder work;
  work.given({.id = "numbers"}, LateTensor(Tensor<double>({{"token", 2}}, {0.25, 0.75})));
  work.step({.id = "half"}, Map{Unary::multiply, 0.5, ""}, {"numbers"});
  work.step({.id = "double"}, Map{Unary::multiply, 2, ""}, {"half"});
  return work.take();
}

HandedStep two_numbers(const std::string& id, const std::vector<WrittenNumber>& numbers) {
  HandedStep step{.id = id, .shape = {2}, .cells = {}, .is_whole = true};
  for (const WrittenNumber& number : numbers) {
    step.cells.push_back({HandedCell::Kind::number, number});
    step.decimals = std::max(step.decimals, number.decimals.value_or(0));
  }
  return step;
}

// What somebody wrote of that, with all that a task needs.
struct Written {
  Written(std::vector<HandedStep> steps, int decimals) : recipe(halves_and_doubles()) {
    sheet.steps = std::move(steps);
    sheet.decimals = decimals;
    fill_in_allowances(sheet, rule);
    places = places_on_sheet(recipe, sheet);
  }

  // With halves of so many decimals carried on.
  Task task(std::optional<int> early_decimals = {}) const {
    Task made{recipe, sheet, rule, places};
    if (early_decimals) made.early = EarlyRounding{*recipe.line("half"), *early_decimals};
    return made;
  }

  Recipe recipe;
  Sheet sheet;
  MarkingRule rule;
  SheetPlaces places;
};

}  // namespace

TEST_CASE("who carries on fewer decimals of one step writes what follows from these", "[check]") {
  const Written written({two_numbers("double", {{0.2, 2, "0.20"}, {0.8, 2, "0.80"}})}, 2);
  const Manner rounds_all{.unwritten = RoundingMode::half_up};
  CHECK(count_mismatches(follow(written.task(), {.manner = rounds_all}).matched) == 2);
  const Followed<double> followed = follow(written.task(1), {.manner = rounds_all});
  CHECK(followed.all_match());
  const std::size_t half = *written.recipe.line("half");
  CHECK(followed.computed[half]->data()[0] == 0.125);
  CHECK(followed.carried[half]->data()[0] == 0.1);
  CHECK(followed.carried[half]->data()[1] == 0.4);
}

TEST_CASE("a number carried on with fewer decimals than it was written with explains what follows", "[check]") {
  const HandedStep halves = two_numbers("half", {{0.125, 3, "0.125"}, {0.375, 3, "0.375"}});
  const Written written({halves, two_numbers("double", {{0.2, 2, "0.20"}, {0.8, 2, "0.80"}})}, 3);
  CHECK(read_honestly(written.task(), RoundingMode::half_up).mismatches == 2);
  CHECK(read_honestly(written.task(1), RoundingMode::half_up).mismatches == 0);
  // It does not explain everything, and no other habit does.
  const Written other({halves, two_numbers("double", {{0.3, 2, "0.30"}, {0.8, 2, "0.80"}})}, 3);
  CHECK(read_honestly(other.task(1)).mismatches == 1);
}

TEST_CASE("a tie that is rounded early goes to the even digit for some", "[check]") {
  // 0.125 is 0.12 to them, and 0.13 to those who round up; 0.375 is 0.38 to all.
  const HandedStep halves = two_numbers("half", {{0.125, 3, "0.125"}, {0.375, 3, "0.375"}});
  const auto mismatches = [&](double first, double second) {
    const HandedStep doubles = two_numbers("double", {{first, 2, ""}, {second, 2, ""}});
    const Written alone({doubles}, 2), with_halves({halves, doubles}, 3);
    const std::size_t count = read_honestly(alone.task(2), RoundingMode::half_up).mismatches;
    CHECK(read_honestly(with_halves.task(2), RoundingMode::half_up).mismatches == count);
    return count;
  };
  CHECK(mismatches(0.24, 0.76) == 0);
  CHECK(mismatches(0.26, 0.76) == 0);
  // Nobody rounds 0.375 to 0.37.
  CHECK(mismatches(0.26, 0.74) == 1);
}

TEST_CASE("an expression may come of other numbers than what stands beside it", "[check]") {
  // 0.26 is twice 0.13, the half rounded; 3/4 is twice 0.375, the half in full.
  const WrittenNumber full{0.75, std::nullopt, "3/4"}, rounded_half{0.26, 2, "0.26"}, same_with_digits{0.75, 2, "0.75"};
  const auto mismatches = [](const WrittenNumber& first, const WrittenNumber& second) {
    const Written written({two_numbers("double", {first, second})}, 2);
    return read_honestly(written.task(), RoundingMode::half_up).mismatches;
  };
  CHECK(mismatches(rounded_half, full) == 0);
  // Of two plain numbers both come of halves in full, or both of rounded ones.
  CHECK(mismatches(rounded_half, same_with_digits) == 1);
}

TEST_CASE("what was not worked out leaves nothing open", "[check]") {
  // With halves from 0 to 1 and from −0.5 to 1.5 nothing could be told of twice these.
  Written written({two_numbers("half", {{0, 0, "0"}, {7, 0, "7"}}), two_numbers("double", {{0, 0, "0"}, {1, 0, "1"}})},
                  0);
  const Followed<Interval> all = enclose(written.task(), {});
  const Followed<Interval> stopped = enclose(written.task(), {.must_match = 1});
  REQUIRE_FALSE(all.stopped);
  REQUIRE(stopped.stopped);
  CHECK_FALSE(leaves_sheet_open(written.task(), stopped));
}

TEST_CASE("rows of weights keep their sum in every head behind one mask", "[check]") {
  RecipeBuilder work;
  const Shape shape{{"head", 2}, {"query", 3}, {"key", 3}};
  work.given({.id = "scores"}, LateTensor(Tensor<double>(shape, std::vector<double>(18, 1))));
  work.given({.id = "mask"}, LateTensor(Tensor<double>({{"query", 3}, {"key", 3}}, {1, 0, 0, 1, 1, 0, 1, 1, 1})));
  work.step({.id = "weights", .role = Role::attention_weight}, Softmax{Softmax::Part::shares, "key"}, {"scores"},
            "mask");
  work.step({.id = "largest"}, Reduce{Reducer::maximum, "key"}, {"weights"});
  const Recipe recipe = work.take();
  const std::size_t weights = *recipe.line("weights");
  Sheet sheet;
  sheet.steps.push_back({.id = "largest", .shape = {2, 3}, .cells = std::vector<HandedCell>(6)});
  sheet.decimals = 2;
  const MarkingRule rule;
  const SheetPlaces places = places_on_sheet(recipe, sheet);
  std::vector<bool> rounded_lines(recipe.size());
  rounded_lines[weights] = true;
  const Followed<Interval> followed =
      enclose({recipe, sheet, rule, places}, {.habit = RoundingMode::keep_sum, .rounded = &rounded_lines});
  const Tensor<Interval>& carried = *followed.carried[weights];
  REQUIRE(carried.size() == 18);
  for (std::size_t row = 0; row < 6; ++row) {
    double sum = 0;
    for (std::size_t key = 0; key < 3; ++key) {
      const Interval& weight = carried[row * 3 + key];
      CHECK(weight.is_point());
      CHECK(100 * weight.low == Approx(std::round(100 * weight.low)));
      // Equal scores: an even share of the open keys, and nothing of the others.
      const std::size_t open = row % 3 + 1;
      CHECK(std::abs(weight.low - (key < open ? 1.0 / static_cast<double>(open) : 0)) < 0.01);
      sum += weight.low;
    }
    CHECK(sum == Approx(1).epsilon(1e-12));
  }
}

}  // namespace attn
