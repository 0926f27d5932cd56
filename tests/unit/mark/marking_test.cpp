#include "mark/marking.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "mark/slice.h"
#include "model/attention.h"
#include "reading/problem/problem.h"
#include "trace/recipe_builder.h"

namespace attn {
namespace {

// Products of so many vectors with as many: each adds 1 to 1e20, and takes that away again.
Recipe products_that_cancel(std::size_t vectors, std::size_t width) {
  Tensor<double> numbers(Shape{{"query", vectors}, {"d_k", width}});
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    numbers[at] = at % width == 0 ? 1e20 : at % width + 1 == width ? -1e20 : 1;
  }
  RecipeBuilder work;
  work.given({.id = "left"}, LateTensor(numbers));
  work.given({.id = "right"},
             LateTensor(Tensor<double>({{"key", vectors}, {"d_k", width}}, std::vector<double>(vectors * width, 1))));
  work.step({.id = "products"}, Contract{"d_k"}, {"left", "right"});
  return work.take();
}

// Attention of many tokens among each other.
Recipe of_many_tokens() {
  std::string rows;
  for (int i = 0; i < 210; ++i)
    rows += (i == 0 ? "[" : ", [") + std::to_string(i % 7) + ", " + std::to_string(i % 3) + "]";
  const Result<Problem> problem =
      read_problem(R"({"score": "dot", "inputs": [)" + rows + "]}", catalog(), std::size_t{1} << 30, "");
  REQUIRE(problem);
  return recipe_of(problem.value());
}

}  // namespace

TEST_CASE("whether large numbers cancel is looked for where that is soon known", "[check]") {
  const Recipe small = products_that_cancel(2, 4), large = products_that_cancel(500, 500);
  REQUIRE(work_of(large) > 100'000'000);
  CHECK(Ground(small).loses_digits);
  CHECK_FALSE(Ground(large).loses_digits);
}

TEST_CASE("a step that a mistake leaves out comes out otherwise", "[check]") {
  const Recipe recipe = products_that_cancel(2, 2);
  const Candidate candidate{nullptr, {"", "", recipe}, same_lines(recipe, recipe), std::vector<bool>(recipe.size())};
  CHECK_FALSE(candidate.reaches("products"));
  CHECK(candidate.reaches("scores"));
}

TEST_CASE("in a large problem there is an end to what is worked out once more", "[check]") {
  const Recipe recipe = of_many_tokens();
  REQUIRE(is_worth_slicing(recipe));
  const auto ground = std::make_shared<const Ground>(recipe);
  Policy<double> plainly;
  const Tensor<double> context = evaluate(recipe, plainly).result(*recipe.line("context"));
  Sheet sheet;
  sheet.decimals = 2;
  sheet.steps.push_back({.id = "context", .what = HandedStep::What::context, .shape = {210, 2}, .cells = {}});
  for (const double number : context.data()) {
    sheet.steps[0].cells.push_back({HandedCell::Kind::number, {rounded(number, {2, RoundingMode::half_up}), 2, ""}});
  }
  sheet.steps[0].cells[7].number.value += 90;
  const MarkingRule rule;
  Marking marking(sheet, rule, ground);
  // One number alone is no sign of another way of rounding.
  CHECK(marking.mismatches() == 1);
  CHECK(marking.next_wrong(0) == 0);
  CHECK(marking.wrong_cells(0) == std::vector<std::vector<std::size_t>>{{3, 1}});

  const Recipe much = products_that_cancel(500, 1000);
  std::size_t times = 0;
  while (times < 1000 && marking.may_work_out(much)) ++times;
  CHECK(times == 12);
  CHECK(times * work_of(much) >= 3'000'000'000);
  CHECK_FALSE(marking.may_work_out(recipe));
}

}  // namespace attn
