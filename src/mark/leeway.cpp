#include "mark/leeway.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "mark/allowance.h"
#include "mark/follow.h"
#include "mark/sheet.h"
#include "trace/evaluate.h"

namespace attn {
namespace {

// Those lines of a recipe that these steps follow from.
SheetPlaces places_above(const Recipe& recipe, const std::vector<std::string>& steps) {
  SheetPlaces places{std::vector<std::optional<std::size_t>>(recipe.size()), std::vector<bool>(recipe.size())};
  for (const std::string& id : steps) places.is_above[*recipe.line(id)] = true;
  for (std::size_t line = recipe.size(); line-- > 0;) {
    if (!places.is_above[line]) continue;
    for (const std::size_t read : lines_read_by(recipe, line)) places.is_above[read] = true;
  }
  return places;
}

// A sheet of these steps on which no number stands, nor has a place to stand: of large ones that takes most of the
// memory. As of one that somebody has filled in, what they carry on of a step is not taken to be what they computed.
Sheet empty_sheet(const Recipe& recipe, const std::vector<std::string>& steps, int decimals, SheetPlaces& places) {
  Sheet sheet;
  sheet.decimals = decimals;
  for (const std::string& id : steps) {
    const std::size_t line = *recipe.line(id);
    // Blocks of keys go on from what is written of the one before.
    if (std::holds_alternative<Online>(recipe.instruction(line).op)) continue;
    places.step[line] = sheet.steps.size();
    sheet.steps.push_back({.id = id, .shape = {}, .cells = {}, .fits = false});
    sheet.steps.back().decimals = decimals;
  }
  return sheet;
}

class Reach {
 public:
  Reach(double value, int decimals, bool is_weight, std::vector<std::pair<RoundingMode, Interval>> right)
      : value_(value), decimals_(decimals), is_weight_(is_weight), right_(std::move(right)) {}

  // How many units away, in a direction, something is still accepted: one more is, up to there. Nothing where
  // that is farther than `most` units: then anything could be written.
  std::optional<std::size_t> units(double direction, std::size_t most) const {
    std::size_t reached = 0, step = 1;
    while (accepts(direction, reached + step)) {
      reached += step;
      if (reached > most) return std::nullopt;
      step *= 2;
    }
    for (; step > 0; step /= 2) {
      if (accepts(direction, reached + step)) reached += step;
    }
    return reached <= most ? std::optional(reached) : std::nullopt;
  }

  // How many units something may reach to both sides and still be asked for.
  std::size_t most_units(double number) const {
    constexpr double most = 0x1p52;
    return static_cast<std::size_t>(std::min(std::floor(std::max(1.0, 2 * std::abs(number)) / unit_ + 1e-9), most));
  }

 private:
  bool accepts(double direction, std::size_t units) const {
    const double written =
        rounded(value_ + direction * unit_ * static_cast<double>(units), {decimals_, RoundingMode::half_up});
    const HandedCell cell{.kind = HandedCell::Kind::number,
                          .number = {.value = written, .decimals = decimals_},
                          .may_keep_sum = is_weight_};
    return std::ranges::any_of(right_, [&](const auto& one) {
      return meet(with_slack(stands_for(cell, one.first, MarkingRule())), one.second);
    });
  }

  double value_;
  int decimals_;
  bool is_weight_;
  std::vector<std::pair<RoundingMode, Interval>> right_;  // what may be right for each habit
  double unit_ = unit_of_last(decimals_);
};

Leeway leeway(double number, int decimals, bool is_weight, std::vector<std::pair<RoundingMode, Interval>> right) {
  constexpr double nothing = 1e-9;
  Leeway found{.value = rounded(number, {decimals, RoundingMode::half_up})};
  const Interval& exact = right.front().second;
  found.is_exact = exact.width() < nothing && std::abs(number - found.value) < nothing &&
                   std::abs(exact.low - found.value) < nothing;
  if (found.is_exact) return found;
  const Reach reach(found.value, decimals, is_weight, std::move(right));
  const std::size_t most = reach.most_units(number);
  const auto below = reach.units(-1, most);
  const auto above = below ? reach.units(1, most - *below) : std::nullopt;
  if (!above) return {.value = found.value, .is_asked = false};
  found.below = *below;
  found.above = *above;
  return found;
}

}  // namespace

std::map<std::string, std::map<std::size_t, Leeway>> leeways(const Trace& trace, const AskedCells& asked,
                                                             int decimals) {
  const MarkingRule rule{.problem_rounding = trace.arithmetic.hand_rounding};
  std::vector<std::string> steps;
  for (const auto& [id, cells] : asked) {
    if (!cells.empty()) steps.push_back(id);
  }
  SheetPlaces places = places_above(trace.recipe, steps);
  const Sheet sheet = empty_sheet(trace.recipe, steps, decimals, places);
  const Task task{trace.recipe, sheet, rule, places};

  // Of each what may be right, a habit after the other: one takes far more than what it says of what is asked.
  std::map<std::string, std::vector<std::vector<std::pair<RoundingMode, Interval>>>> right;
  for (const RoundingMode habit : habits) {
    const Followed<Interval> followed = enclose(task, {.habit = habit});
    for (const auto& [id, cells] : asked) {
      auto& of_step = right[id];
      of_step.resize(cells.size());
      const std::size_t line = *trace.recipe.line(id);
      for (std::size_t i = 0; i < cells.size(); ++i) of_step[i].emplace_back(habit, followed.result(line)[cells[i]]);
    }
  }

  std::map<std::string, std::map<std::size_t, Leeway>> all;
  for (const auto& [id, cells] : asked) {
    const Step& step = *trace.find(id);
    const PaddingOf padding(trace, id, step.part, step.result.shape());
    const bool are_weights = makes_weights(*trace.recipe.find(id));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double number = step.result[cells[i]];
      const bool may_be_asked = std::isfinite(number) && !padding.has(cells[i]);
      all[id][cells[i]] =
          may_be_asked ? leeway(number, decimals, are_weights, std::move(right[id][i])) : Leeway{.is_asked = false};
    }
  }
  return all;
}

std::size_t bytes_for_leeways(const Trace& trace, const std::vector<std::string>& steps) {
  const SheetPlaces places = places_above(trace.recipe, steps);
  std::size_t numbers = 0;
  for (std::size_t line = 0; line < trace.recipe.size(); ++line) {
    if (places.is_above[line]) numbers += trace.recipe.shape(line).count();
  }
  // What a line makes, and what is carried on; where people have to be asked (mark/some_people.h), what one of them
  // makes and carries on, and from where to where they come.
  return numbers * 4 * sizeof(Interval);
}

}  // namespace attn
