#include "mark/lint.h"

#include <algorithm>
#include <set>
#include <string>

#include "catch.h"
#include "mark/other_numbers.h"
#include "unit/mark/recipe_to_lint.h"

namespace attn {
namespace {

// So many tokens of width 3, all different.
std::string counting_tokens(std::size_t tokens) {
  std::string rows;
  for (std::size_t i = 0; i < tokens; ++i) {
    rows += (i == 0 ? "[" : ", [") + std::to_string(i % 5) + ", 1, " + std::to_string(i % 7) + "]";
  }
  const std::string weight = "[[1, 0, 2], [0, 1, 1], [1, 1, 0]]";
  return R"({"weights": {"query": )" + weight + R"(, "key": )" + weight + R"(, "value": )" + weight +
         R"(}, "inputs": [)" + rows + "]}";
}

// The sizes of the axes that count features.
std::set<std::size_t> feature_widths(const Recipe& recipe) {
  std::set<std::size_t> widths;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    for (const Dim& dim : recipe.shape(line).dims()) {
      if (!is_outer(dim.axis) && !is_position(dim.axis)) widths.insert(dim.size);
    }
  }
  return widths;
}

// The same computation, in which vectors of all three widths are added up besides.
Recipe with_widths_tied(Recipe recipe) {
  for (const char* axis : {"d_k", "d_v", "d_model"}) {
    recipe.give("~" + std::string(axis), Tensor<double>(Shape{{axis, 3}}, {1, 2, 3}));
  }
  recipe.insert_before("scores",
                       {.heading = {.id = "~sum"},
                        .op = Combine{Binary::add, {}},
                        .operands = {{"~d_k", {{"d_k", "d_model"}}}, {"~d_v", {{"d_v", "d_model"}}}, "~d_model"},
                        .kind = Instruction::Kind::between});
  REQUIRE(recipe.fits());
  return recipe;
}

}  // namespace

TEST_CASE("other widths are no number of tokens, nor the root of one", "[lint]") {
  for (const std::size_t tokens : {2u, 5u, 6u, 8u, 36u}) {
    INFO(tokens);
    const auto other = with_other_widths(recipe_to_lint(counting_tokens(tokens)), 1);
    REQUIRE(other);
    const std::set<std::size_t> widths = feature_widths(*other);
    CHECK_FALSE(widths.contains(3));
    for (const std::size_t width : widths) {
      CHECK(width != tokens);
      CHECK(width * width != tokens);
    }
    CHECK(widths.contains(6) == (tokens != 6 && tokens != 36));
  }
}

TEST_CASE("where vectors are given, what they are projected to in the end keeps its width", "[lint]") {
  const Recipe recipe = recipe_to_lint(R"({
    "queries": [[1, 0], [0, 1]], "keys": [[1, 1], [0, 2], [2, 0]], "values": [[1, 2], [0, 1], [3, 1]],
    "weights": {"output": [[1, 0, 2], [0, 1, 1]]}})");
  REQUIRE(recipe.shape("output").back() == Dim{"d_out", 3});
  const auto other = with_other_widths(recipe, 1);
  REQUIRE(other);
  CHECK(other->fits());
  CHECK(other->shape("output").back() == Dim{"d_out", 3});
  CHECK(other->shape("values").back().size > 3);
  CHECK(other->shape("queries").back().size > 3);
  CHECK(other->shape("values").back().size != other->shape("queries").back().size);
}

TEST_CASE("where no width can be another, nothing is put down to the sizes of a problem", "[lint]") {
  const Recipe recipe = recipe_to_lint(counting_tokens(3)), tied = with_widths_tied(recipe);
  CHECK(with_other_widths(recipe, 1));
  CHECK_FALSE(with_other_widths(tied, 1));
  const Linter free(recipe), bound(tied);
  CHECK_FALSE(free.of_sizes().is_silent());
  CHECK(bound.of_sizes().is_silent());

  // What is then said of the numbers is said where widths are free as well.
  const Lint all = free.lint(recipe, {}), some = bound.lint(tied, {});
  CHECK(some.by_numbers() == some.invisible.size() + some.alike.size());
  for (const Invisible& one : some.invisible) {
    INFO(one.mistake);
    CHECK(std::ranges::any_of(
        all.invisible, [&](const Invisible& other) { return other.mistake == one.mistake && other.from == one.from; }));
  }
  CHECK(some.invisible.size() < all.invisible.size());
}

}  // namespace attn
