#include "mark/advice.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "catch.h"
#include "mistakes/mistake.h"
#include "unit/mark/recipe_to_lint.h"

namespace attn {
namespace {

// Of one token and of two, of whole numbers and of halves, with a mask and without.
const std::vector<std::string> small_problems = {
    R"({"inputs": [[-1, -1]], "weights": {"query": [[-1, 1], [2, 0]], "key": [[0, 1], [1, 2]], "value": [[0], [-2]]}})",
    R"({"inputs": [[0], [2]], "weights": {"query": [[-1, 2]], "key": [[-1, 2]], "value": [[0, 0]]}})",
    R"({"inputs": [[0.0], [1.0]],
        "weights": {"query": [[0.0, 0.5, -1.0]], "key": [[2.0, 1.0, 1.5]], "value": [[1.5, -1.0, -1.0]]}})",
    R"({"inputs": [[0, -1]], "score": "dot",
        "weights": {"query": [[1, -1, 1], [-1, 1, 1]], "key": [[1, 0, 0], [0, -1, 2]], "value": [[2], [1]]}})",
    R"({"inputs": [[0], [1]], "weights": {"query": [[1, 2, -1]], "key": [[0, -2, 1]], "value": [[1]]},
        "mask": {"allow": [[1, 0], [1, 1]]}, "score": "dot"})",
};

// By how much its numbers are changed, one step up or down.
double unit_of(const Tensor<double>& numbers) {
  return std::ranges::all_of(numbers.data(), [](double x) { return x == std::floor(x); }) ? 1 : 0.5;
}

// Every change that might be advised.
std::vector<Change> possible(const Recipe& recipe) {
  std::vector<Change> all;
  for (const char* given : {"inputs", "weights.query", "weights.key", "weights.value"}) {
    const Tensor<double>& numbers = recipe.given(given);
    const double unit = unit_of(numbers), least = std::ranges::min(numbers.data());
    const double most = std::max(std::ranges::max(numbers.data()), least + unit);
    for (std::size_t cell = 0; cell < numbers.size(); ++cell) {
      for (int steps = -3; steps <= 3; ++steps) {
        const double to = numbers[cell] + steps * unit;
        if (steps != 0 && to >= least && to <= most) all.push_back({given, cell, numbers[cell], to});
      }
    }
  }
  return all;
}

// A change of an input by one at most before all others, then by how far, then by how small the number becomes; 0,
// which makes nothing count, is as good as 2.
std::tuple<bool, double, double> order(const Change& change) {
  const double by = std::abs(change.to - change.from);
  return {change.given != "inputs" || by > 1, by, change.to == 0 ? 2 : std::abs(change.to)};
}

}  // namespace

TEST_CASE("a change that is advised does away with most, and none that comes before it with as much", "[lint]") {
  constexpr std::size_t most_changes = 3;
  std::size_t advised = 0;
  for (const std::string& text : small_problems) {
    INFO(text);
    Recipe recipe = recipe_to_lint(text);
    const Linter linter(recipe);
    Lint found = linter.lint(recipe, {});
    const Advice advice = advice_on(linter, recipe, {}, found);
    advised += advice.changes.size();
    for (const Change& change : advice.changes) {
      INFO(change.given << " " << change.cell << " " << change.from << " " << change.to);
      CHECK(recipe.given(change.given)[change.cell] == change.from);
      const std::vector<Change> all = possible(recipe);
      CHECK(std::ranges::any_of(all, [&](const Change& other) {
        return other.given == change.given && other.cell == change.cell && other.to == change.to;
      }));
      const std::size_t left = linter.lint(with_change(recipe, change), {}).by_numbers();
      CHECK(left < found.by_numbers());
      for (const Change& other : all) {
        INFO(other.given << " " << other.cell << " " << other.from << " " << other.to);
        const std::size_t others = linter.lint(with_change(recipe, other), {}).by_numbers();
        CHECK(others >= left);
        if (order(other) < order(change)) CHECK(others > left);
      }
      recipe = with_change(recipe, change);
      CHECK(recipe.given(change.given)[change.cell] == change.to);
      found = linter.lint(recipe, {});
    }
    CHECK(found.by_numbers() == advice.left.by_numbers());
    CHECK(found.invisible.size() == advice.left.invisible.size());
    CHECK(found.alike.size() == advice.left.alike.size());
    if (advice.changes.size() == most_changes || found.by_numbers() == 0) continue;
    for (const Change& other : possible(recipe)) {
      INFO(other.given << " " << other.cell << " " << other.from << " " << other.to);
      CHECK(linter.lint(with_change(recipe, other), {}).by_numbers() >= found.by_numbers());
    }
  }
  CHECK(advised >= 3);
}

TEST_CASE("sizes that are alike are told together, a square with its root, and one that is 1", "[lint]") {
  const auto sizes = [](const std::string& text) {
    const Recipe recipe = recipe_to_lint(text);
    const Linter linter(recipe);
    return advice_on(linter, recipe, {}, linter.lint(recipe, {})).sizes;
  };
  CHECK(sizes(small_problems[0]) == std::vector<std::string>{"n = d_v = 1", "d_model = d_k = 2"});
  CHECK(sizes(small_problems[1]) == std::vector<std::string>{"n = d_k = d_v = 2", "d_model = 1"});
  CHECK(sizes(R"({"inputs": [[1, 2, 3], [0, 1, 1], [2, 0, 1], [1, 1, 0]], "weights": {
                  "query": [[1, 2], [0, 1], [1, 1]], "key": [[0, 1], [2, 1], [1, 0]],
                  "value": [[1, 0, 2, 1, 3], [0, 1, 1, 2, 1], [2, 1, 0, 1, 1]]}})") ==
        std::vector<std::string>{"n = d_k² = 4"});
}

TEST_CASE("where a mistake shows in none of its readings none of them is named", "[lint]") {
  bool are_all_hidden = false, are_some_hidden = false;
  for (const std::string& text : small_problems) {
    INFO(text);
    const Recipe recipe = recipe_to_lint(text);
    for (const Invisible& found : Linter(recipe).lint(recipe, {}).invisible) {
      INFO(found.mistake);
      const Mistake& mistake = **std::ranges::find(all_mistakes(), found.mistake, &Mistake::id);
      std::size_t readings = 0, named = 0;
      for (std::size_t part = 0; part < recipe.parts().size(); ++part) {
        for (const Rewrite& rewrite : rewrites_in_part(recipe, part, mistake)) {
          ++readings;
          named += rewrite.variant.empty() ? 0 : 1;
        }
      }
      CHECK(found.variants.size() < std::max<std::size_t>(readings, 1));
      are_all_hidden = are_all_hidden || (named > 1 && found.variants.empty());
      are_some_hidden = are_some_hidden || !found.variants.empty();
    }
  }
  CHECK(are_all_hidden);
  CHECK(are_some_hidden);
}

TEST_CASE("what no step tells apart is not said of the result once more", "[lint]") {
  const Recipe recipe = recipe_to_lint(small_problems[0]);
  const auto has = [](const Alike& group, const char* id) {
    return std::ranges::find(group.mistakes, id) != group.mistakes.end();
  };
  std::vector<SeenFrom> told;
  for (const Alike& group : Linter(recipe).lint(recipe, {}).alike) {
    if (has(group, "sum.input_for_value") && has(group, "sum.query_for_value")) told.push_back(group.from);
  }
  CHECK(told == std::vector<SeenFrom>{SeenFrom::all});
}

TEST_CASE("no number is as good as another that is none", "[lint]") {
  // Scores beyond every number: weights are NaN whatever they are divided by.
  const Recipe recipe = recipe_to_lint(R"({"inputs": [[1e200, 1], [1, 1e200]], "weights": {
      "query": [[1, 0], [0, 1]], "key": [[1, 0], [0, 1]], "value": [[1, 0], [0, 1]]}})");
  const Lint found = Linter(recipe).lint(recipe, {});
  CHECK(std::ranges::any_of(found.invisible, [](const Invisible& one) {
    return one.mistake == "scale.none" && one.from == SeenFrom::result;
  }));
}

}  // namespace attn
