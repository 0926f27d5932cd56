#include "mark/advice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "tensor/shape.h"
#include "trace/numbers_in.h"

namespace attn {
namespace {

// More than so many problems are not tried, however many there might be: each is worked
// out with all its mistakes.
constexpr std::size_t most_tries = 2000;
constexpr std::size_t most_cells_tried = 2'000'000;  // of all of them together
constexpr std::size_t most_lines_tried = 5'000'000;  // as many of a block take seconds
constexpr std::size_t most_changes = 3;

bool are_whole(const Tensor<double>& numbers) {
  return std::ranges::all_of(numbers.data(), [](double number) { return number == std::floor(number); });
}

// Every number of the problem with one that might stand in its place, the nearest first:
// whole ones up to 3 away, or, where not all are whole, one that is a half away.
std::vector<Change> possible_changes(const Recipe& recipe) {
  std::vector<Change> all;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& made = recipe.instruction(line);
    const Shape& shape = recipe.shape(line);
    const bool is_positional =
        std::ranges::all_of(shape.dims(), [](const Dim& dim) { return is_outer(dim.axis) || is_position(dim.axis); });
    if (!std::holds_alternative<Given>(made.op) || is_positional) continue;
    const Tensor<double>& numbers = recipe.given(made.id());
    const double unit = are_whole(numbers) ? 1 : 0.5;
    const auto [least, most] = std::ranges::minmax_element(numbers.data());
    for (std::size_t cell = 0; cell < numbers.data().size(); ++cell) {
      for (const double by : {unit, -unit, 2 * unit, -2 * unit, 3 * unit, -3 * unit}) {
        const double from = numbers.data()[cell], to = from + by;
        if (to >= *least && to <= std::max(*most, *least + unit)) all.push_back({made.id(), cell, from, to});
      }
    }
  }
  // Small steps first, and of those the ones that make a number count and keep it small.
  std::ranges::stable_sort(all, {}, [](const Change& change) {
    const double size = std::abs(change.to);
    return std::pair(std::abs(change.to - change.from), size == 0 ? 2.0 : size);
  });
  // Inputs before weights, as people look at them.
  std::stable_partition(all.begin(), all.end(), [&](const Change& change) {
    return recipe.find(change.given)->kind == Instruction::Kind::step && std::abs(change.to - change.from) <= 1;
  });
  return all;
}

// The sizes of what it is about, as people call them.
std::vector<std::pair<std::string, std::size_t>> sizes_of(const Recipe& recipe) {
  std::map<std::string, std::size_t> sizes;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    for (const Dim& dim : recipe.shape(line).dims()) sizes.emplace(dim.axis, dim.size);
  }
  std::vector<std::pair<std::string, std::size_t>> named;
  for (const auto& [axis, symbol] : {std::pair("key", "n"), {"d_model", "d_model"}, {"d_k", "d_k"}, {"d_v", "d_v"}}) {
    if (const auto found = sizes.find(axis); found != sizes.end()) named.emplace_back(symbol, found->second);
  }
  return named;
}

std::vector<std::string> coincidences(const Recipe& recipe) {
  const auto sizes = sizes_of(recipe);
  std::map<std::size_t, std::string> by_size;
  for (const auto& [symbol, size] : sizes) by_size[size] += symbol + " = ";
  std::vector<std::string> all;
  for (const auto& [size, symbols] : by_size) {
    if (std::ranges::count(symbols, '=') > 1) all.push_back(symbols + std::to_string(size));
  }
  for (const auto& [symbol, size] : sizes) {
    for (const auto& [other, root] : sizes) {
      if (size == root * root && size > 1) all.push_back(symbol + " = " + other + "² = " + std::to_string(size));
    }
    // Clang 14 takes no name of a binding along into a lambda.
    const std::string start = symbol + " = ";
    const auto is_without_it = [&](const std::string& line) { return line.find(start) == std::string::npos; };
    if (size == 1 && std::ranges::all_of(all, is_without_it)) all.push_back(start + "1");
  }
  return all;
}

bool is_left_by_sizes(const Lint& lint) { return lint.by_numbers() < lint.invisible.size() + lint.alike.size(); }

}  // namespace

Recipe with_change(const Recipe& recipe, const Change& change) {
  Recipe other(recipe.vectors(), recipe.dtype());
  other.parts() = recipe.parts();
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    Instruction made = recipe.instruction(line);
    if (made.id() == change.given) {
      Tensor<double> numbers = recipe.given(made.id());
      numbers.data()[change.cell] = change.to;
      made.given.emplace(LateTensor<double>(std::move(numbers)));
    }
    other.append(std::move(made));
  }
  return other;
}

Advice advice_on(const Linter& linter, const Recipe& recipe, const Likeness& likeness, const Lint& found) {
  Advice advice{.changes = {}, .left = found, .sizes = {}};
  Recipe now = recipe;
  std::size_t tries = std::min({most_tries, most_cells_tried / (numbers_in(recipe) + 1),
                                most_lines_tried / (Linter::lines(recipe, most_lines_tried) + 1)});
  while (advice.left.by_numbers() > 0 && advice.changes.size() < most_changes) {
    std::optional<Change> best;
    Lint left = advice.left;
    for (const Change& change : possible_changes(now)) {
      if (tries == 0 || left.by_numbers() == 0) break;
      --tries;
      Lint after = linter.lint(with_change(now, change), likeness);
      if (after.by_numbers() >= left.by_numbers()) continue;
      best = change;
      left = std::move(after);
    }
    if (!best) break;
    now = with_change(now, *best);
    advice.changes.push_back(*best);
    advice.left = std::move(left);
  }
  if (is_left_by_sizes(advice.left)) advice.sizes = coincidences(recipe);
  return advice;
}

}  // namespace attn
