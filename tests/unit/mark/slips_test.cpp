#include "mark/slips.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catch.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "model/possible_steps.h"
#include "reading/problem/problem.h"
#include "trace/evaluate.h"
#include "words/language.h"

namespace attn {
namespace {

// The scores of inputs by themselves, with the slips that can have been made in them.
struct SlippingScores {
  explicit SlippingScores(const std::string& inputs)
      : recipe([&] {
          const Result<Problem> problem = read_problem(R"({"score": "dot", "inputs": )" + inputs + "}", catalog(),
                                                       std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
          REQUIRE(problem);
          return recipe_of(problem.value(), {.all_steps = true});
        }()),
        line(*recipe.line("scores")) {
    Policy<double> plainly;
    made = evaluate(recipe, plainly);
  }

  SlipPlace place(int decimals) const {
    return {.recipe = recipe, .line = line, .made = made, .rounding = {decimals, RoundingMode::half_up}};
  }

  std::vector<Slip> all(const SlipPlace& place) const {
    std::vector<Slip> slips;
    CHECK_FALSE(any_slip(place, [&](const Slip& slip) {
      slips.push_back(slip);
      return false;
    }));
    return slips;
  }

  Recipe recipe;
  std::size_t line;
  Evaluation<double> made;
};

// What the slips put in one cell.
std::vector<double> slips_into(std::size_t cell, const std::string& mistake, const std::vector<Slip>& slips) {
  std::vector<double> numbers;
  for (const Slip& slip : slips) {
    if (slip.mistake == mistake && slip.patches[0].cell == cell) numbers.push_back(slip.patches[0].value);
  }
  return numbers;
}

bool slips_have(const std::vector<double>& numbers, double wanted) {
  return std::ranges::any_of(numbers, [&](double one) { return one == Approx(wanted).epsilon(1e-12); });
}

}  // namespace

TEST_CASE("slips are tried until one is the one that was made", "[check][slips]") {
  // Of nine rows neighbours are exchanged, of two any.
  const SlippingScores few("[[1.125, 2], [3, -1]]");
  const SlippingScores many("[[1, 2], [3, 1], [5, 0], [1, 7], [2, 2], [4, 0], [3, 3], [0, 6], [5, 5]]");
  for (const SlippingScores* scores : {&few, &many}) {
    const SlipPlace place = scores->place(2);
    const std::vector<Slip> all = scores->all(place);
    for (std::size_t chosen = 0; chosen < all.size(); chosen += scores == &few ? 1 : 7) {
      INFO(chosen << " " << all[chosen].mistake << " " << all[chosen].variant);
      std::size_t tried = 0;
      const bool found = any_slip(place, [&](const Slip&) { return tried++ == chosen; });
      CHECK((found && tried == chosen + 1));
    }
    for (const char* mistake : {"slip.term_dropped", "slip.sign", "slip.decimal_point", "slip.digits_swapped",
                                "slip.cells_swapped", "slip.row_copied"}) {
      INFO(mistake);
      CHECK(std::ranges::find(all, mistake, &Slip::mistake) != all.end());
    }
  }
}

TEST_CASE("of many numbers only neighbours are exchanged", "[check][slips]") {
  const SlippingScores scores("[[1, 2], [3, 1], [5, 0], [1, 7], [2, 2], [4, 0], [3, 3], [0, 6], [5, 5]]");
  for (const Slip& slip : scores.all(scores.place(0))) {
    if (slip.mistake != "slip.cells_swapped") continue;
    REQUIRE(slip.patches.size() == 2);
    const std::size_t apart = slip.patches[1].cell - slip.patches[0].cell;
    CHECK((apart == 9 || (apart == 1 && slip.patches[1].cell % 9 != 0)));
    CHECK(slip.patches[0].value == scores.made.result(scores.line)[slip.patches[1].cell]);
    CHECK(slip.patches[1].value == scores.made.result(scores.line)[slip.patches[0].cell]);
  }
}

TEST_CASE("only the numbers of which a slip is of use have slips", "[check][slips]") {
  const SlippingScores scores("[[1, 2], [3, 1], [5, 0], [1, 7], [2, 2], [4, 0], [3, 3], [0, 6], [5, 5]]");
  SlipPlace place = scores.place(0);
  place.is_of_use = [](std::size_t cell) { return cell == 30; };
  const std::vector<Slip> slips = scores.all(place);
  std::size_t single = 0;
  for (const Slip& slip : slips) {
    CHECK(std::ranges::any_of(slip.patches, [](const Patch& patch) { return patch.cell == 30; }));
    single += slip.patches.size() == 1 ? 1 : 0;
  }
  CHECK(single > 0);
  // Where a slip in a few cells would not do, rows are what is left.
  place.least_cells = 3;
  for (const Slip& slip : scores.all(place)) CHECK(slip.mistake == "slip.row_copied");
  place.least_cells = 10;
  CHECK(scores.all(place).empty());
}

TEST_CASE("digits change places as they are written", "[check][slips]") {
  // 3.2 · 3.2 is 10.24.
  const SlippingScores scores("[[3.2, 0], [0, 1]]");
  const std::vector<double> swapped = slips_into(0, "slip.digits_swapped", scores.all(scores.place(2)));
  for (const double number : {1.24, 20.14, 40.21, 12.04, 14.20, 10.42}) {
    INFO(number);
    CHECK(slips_have(swapped, number));
  }
  CHECK(swapped.size() == 6);
}

TEST_CASE("a point is moved in the number as written and in the number in full", "[check][slips]") {
  // 1.125 · 1.125 is 1.265625, and 1.27 as written.
  const SlippingScores scores("[[1.125, 0], [0, 1]]");
  const std::vector<double> moved = slips_into(0, "slip.decimal_point", scores.all(scores.place(2)));
  for (const double number : {12.7, 12.65625, 0.127, 0.1265625, 127.0, 126.5625, 1270.0}) {
    INFO(number);
    CHECK(slips_have(moved, number));
  }
  // Of 0.00 nobody can tell how far.
  CHECK_FALSE(slips_have(moved, 0.00127));
  CHECK(slips_into(1, "slip.decimal_point", scores.all(scores.place(2))).empty());
}

TEST_CASE("numbers too large to be written by hand have few slips and no infinite ones", "[check][slips]") {
  const SlippingScores scores("[[1e154, 0], [0, 3e6]]");
  const std::vector<Slip> slips = scores.all(scores.place(2));
  for (const Slip& slip : slips) {
    for (const Patch& patch : slip.patches) CHECK(std::isfinite(patch.value));
  }
  // 10³⁰⁸ with its point to the right is no number any more; 9 · 10¹² has too many digits to be exchanged.
  for (const double number : slips_into(0, "slip.decimal_point", slips)) CHECK(number < 1e308);
  CHECK(slips_into(0, "slip.digits_swapped", slips).empty());
  CHECK(slips_into(3, "slip.digits_swapped", slips).empty());
  // Twice its one term is none any more: only the whole number changes its sign.
  CHECK(slips_into(0, "slip.sign", slips) == std::vector<double>{-1e154 * 1e154});
}

TEST_CASE("a vector has pairs to exchange and no rows to copy and a number alone neither", "[check][slips]") {
  Recipe recipe;
  recipe.give("numbers", Tensor<double>(Shape{{"d_k", 3}}, {2, 5, 7}));
  recipe.append({.heading = {.id = "doubled"}, .op = Map{Unary::multiply, 2, "2"}, .operands = {"numbers"}});
  recipe.append({.heading = {.id = "sum"}, .op = Reduce{Reducer::sum, "d_k"}, .operands = {"doubled"}});
  Policy<double> plainly;
  const Evaluation<double> made = evaluate(recipe, plainly);
  const auto slips = [&](const char* id, const std::string& mistake) {
    std::size_t count = 0;
    any_slip({.recipe = recipe, .line = *recipe.line(id), .made = made, .rounding = {2, RoundingMode::half_up}},
             [&](const Slip& slip) {
               count += slip.mistake == mistake ? 1 : 0;
               return false;
             });
    return count;
  };
  CHECK(slips("doubled", "slip.cells_swapped") == 3);
  CHECK(slips("doubled", "slip.row_copied") == 0);
  CHECK(made.result(*recipe.line("sum"))[0] == 28);
  CHECK(slips("sum", "slip.cells_swapped") == 0);
  CHECK(slips("sum", "slip.row_copied") == 0);
  CHECK(slips("sum", "slip.term_dropped") == 3);
}

TEST_CASE("of many numbers each is exchanged with the one beside it and the one below it", "[check][slips]") {
  const SlippingScores scores("[[1, 2], [3, 1], [5, 0], [1, 7], [2, 2], [4, 0], [3, 3], [0, 6], [5, 5]]");
  SlipPlace place = scores.place(0);
  place.least_cells = 2;
  const Tensor<double>& numbers = scores.made.result(scores.line);
  std::size_t beside = 0, below = 0, expected_beside = 0, expected_below = 0;
  for (const Slip& slip : scores.all(place)) {
    CHECK(slip.patches.size() > 1);
    if (slip.mistake != "slip.cells_swapped") continue;
    ++(slip.patches[1].cell - slip.patches[0].cell == 1 ? beside : below);
  }
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    expected_beside += at % 9 < 8 && numbers[at] != numbers[at + 1] ? 1 : 0;
    expected_below += at < 72 && numbers[at] != numbers[at + 9] ? 1 : 0;
  }
  CHECK(beside == expected_beside);
  CHECK(below == expected_below);
}

TEST_CASE("a sum of one term has none to lose", "[check][slips]") {
  const SlippingScores scores("[[3], [2]]");
  const std::vector<Slip> slips = scores.all(scores.place(0));
  CHECK(slips_into(0, "slip.term_dropped", slips).empty());
  CHECK(slips_into(0, "slip.sign", slips) == std::vector<double>{-9});
}

TEST_CASE("a point may be moved by three places, and digits of a large number exchanged", "[check][slips]") {
  // 35 · 35 is 1225.
  const SlippingScores scores("[[35, 0], [0, 1]]");
  const std::vector<Slip> slips = scores.all(scores.place(2));
  for (const double number : {12250.0, 122500.0, 1225000.0, 122.5, 12.25, 1.225}) {
    INFO(number);
    CHECK(slips_have(slips_into(0, "slip.decimal_point", slips), number));
  }
  CHECK(slips_have(slips_into(0, "slip.digits_swapped", slips), 2125));
}

TEST_CASE("what belongs to a token is a row, or a column where vectors are", "[check][slips]") {
  const TokenRows rows(Shape{{"query", 2}, {"d_v", 3}}), columns(Shape{{"d_v", 3}, {"query", 2}}),
      scores(Shape{{"query", 2}, {"key", 3}}), sequences(Shape{{"batch", 3}, {"query", 2}});
  CHECK_FALSE((rows.are_columns() || scores.are_columns() || sequences.are_columns()));
  CHECK(columns.are_columns());
  CHECK((columns.rows() == 2 && columns.width() == 3));
  CHECK((sequences.rows() == 3 && sequences.width() == 2));
  CHECK(columns.cell(1, 1, 2) == 6 + 5);
  CHECK(rows.cell(1, 1, 2) == 6 + 5);

  Recipe recipe(Vectors::columns);
  recipe.give("numbers", Tensor<double>(Shape{{"d_v", 3}, {"query", 2}}, {1, 2, 3, 4, 5, 6}));
  recipe.append({.heading = {.id = "doubled"}, .op = Map{Unary::multiply, 2, "2"}, .operands = {"numbers"}});
  Policy<double> plainly;
  const Evaluation<double> made = evaluate(recipe, plainly);
  std::vector<std::string> told;
  any_slip({.recipe = recipe, .line = *recipe.line("doubled"), .made = made, .rounding = {2, RoundingMode::half_up}},
           [&](const Slip& slip) {
             if (slip.mistake != "slip.row_copied") return false;
             // The second column for the first, then the other way round.
             const std::size_t to = told.size();
             for (std::size_t i = 0; i < slip.patches.size(); ++i) {
               CHECK(slip.patches[i].cell == 2 * i + to);
               CHECK(slip.patches[i].value == static_cast<double>(2 * (2 * i + 2 - to)));
             }
             told.push_back(slip.evidence);
             return false;
           });
  CHECK(told ==
        std::vector<std::string>{language().verdicts.row_again(1, 2, true), language().verdicts.row_again(2, 1, true)});
  CHECK_THAT(told.at(0), contains("column"));
}

}  // namespace attn
