#include "mark/leeway.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mark/allowance.h"
#include "mark/follow.h"
#include "mark/sheet.h"

namespace attn {
namespace {

// A sheet on which all of these steps are blank.
Sheet blank_sheet(const Trace& trace, const std::vector<std::string>& steps, int decimals) {
  Answers answers;
  for (const std::string& id : steps) {
    const Shape& shape = trace.find(id)->result.shape();
    answers.steps.push_back(
        {.id = id, .shape = shape.sizes(), .cells = std::vector<AnsweredStep::Cell>(shape.count())});
  }
  Recipe right = trace.recipe;
  std::vector<std::string> unknown;
  Sheet sheet = laid_out(answers, trace, std::nullopt, right, unknown);
  sheet.decimals = decimals;
  for (HandedStep& step : sheet.steps) step.decimals = decimals;
  return sheet;
}

class Reach {
 public:
  Reach(double value, int decimals, bool is_weight, std::vector<std::pair<RoundingMode, Interval>> right)
      : value_(value), decimals_(decimals), is_weight_(is_weight), right_(std::move(right)) {}

  // How many units away, in a direction, something is still accepted: one more is, up to there.
  std::size_t units(double direction) const {
    constexpr std::size_t most = std::size_t{1} << 40;
    std::size_t reached = 0, step = 1;
    while (step < most && accepts(direction, reached + step)) {
      reached += step;
      step *= 2;
    }
    for (; step > 0; step /= 2) {
      if (accepts(direction, reached + step)) reached += step;
    }
    return reached;
  }

  double width(std::size_t units) const { return unit_ * static_cast<double>(units); }

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
  found.below = reach.units(-1);
  found.above = reach.units(1);
  found.is_asked = reach.width(found.below + found.above) <= std::max(1.0, 2 * std::abs(number));
  return found;
}

}  // namespace

std::map<std::string, std::vector<Leeway>> leeways(const Trace& trace, const std::vector<std::string>& steps,
                                                   int decimals) {
  const MarkingRule rule;
  Sheet sheet = blank_sheet(trace, steps, decimals);
  const SheetPlaces places = places_on_sheet(trace.recipe, sheet);
  const Task task{trace.recipe, sheet, rule, places};
  std::vector<Followed<Interval>> followed;
  for (const RoundingMode habit : habits) followed.push_back(enclose(task, {.habit = habit}));

  std::map<std::string, std::vector<Leeway>> all;
  for (const HandedStep& step : sheet.steps) {
    const std::size_t line = *trace.recipe.line(step.id);
    const Tensor<double>& numbers = trace.value(step.id);
    std::vector<Leeway>& cells = all[step.id];
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      if (step.cells[at].kind == HandedCell::Kind::not_asked || !std::isfinite(numbers[at])) {
        cells.push_back({.is_asked = false});
        continue;
      }
      std::vector<std::pair<RoundingMode, Interval>> right;
      for (std::size_t i = 0; i < followed.size(); ++i) right.emplace_back(habits[i], followed[i].result(line)[at]);
      cells.push_back(leeway(numbers[at], decimals, step.what == HandedStep::What::weights, std::move(right)));
    }
  }
  return all;
}

}  // namespace attn
