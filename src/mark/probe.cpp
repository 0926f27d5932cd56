#include "mark/probe.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mark/slips.h"

namespace attn {

const std::optional<Probe::Rows>& Probe::rows_of(const Recipe& recipe) {
  const auto known = rows_.find(&recipe);
  if (known != rows_.end()) return known->second;
  std::optional<Rows> made;
  if (auto slice = slicer_.of(recipe)) {
    const Recipe* original = &slice->recipe;
    if (&recipe != &right_) original = rows_of(right_) ? &rows_of(right_)->slice.recipe : nullptr;
    if (original) {
      auto same = same_lines(slice->recipe, *original);
      made = Rows{std::move(*slice), std::move(same)};
    }
  }
  return rows_.emplace(&recipe, std::move(made)).first->second;
}

// The right recipe, followed in that manner.
const Followed<double>& Probe::base(const Rows& right, const Manner& manner) {
  const auto known = bases_.find(&manner);
  if (known != bases_.end()) return known->second;
  FollowOptions options{.manner = manner};
  options.known = bases_.empty() ? nullptr : &bases_.begin()->second;
  return bases_.emplace(&manner, follow(right.slice.task(rule_), options)).first->second;
}

std::optional<Followed<double>> Probe::follow_rows(const Recipe& recipe, const Manner& manner) {
  const auto& rows = rows_of(recipe);
  if (!rows) return std::nullopt;
  // Then there are rows of the right recipe, too.
  const auto& right = rows_of(right_);
  const Followed<double>& original = base(*right, manner);
  // A sheet of which other rows are needed is another: nothing of its steps can be taken over.
  if (rows->slice.sheet != right->slice.sheet) return follow(rows->slice.task(rule_), {.manner = manner});
  return follow(rows->slice.task(rule_), {.manner = manner, .original = &original, .same = &rows->same});
}

std::optional<bool> Probe::come_near(const Recipe& recipe, const Manner& exact, RoundingMode habit) {
  const auto known = near_.find(&recipe);
  if (known != near_.end()) return known->second;
  return near_[&recipe] = compare(recipe, exact, habit);
}

std::optional<bool> Probe::compare(const Recipe& recipe, const Manner& exact, RoundingMode habit) {
  const auto followed = follow_rows(recipe, exact);
  if (!followed) return std::nullopt;
  const StepSlice& slice = rows_of(recipe)->slice;
  const HandedStep& handed = slice.sheet->steps.back();
  const std::size_t line = *slice.recipe.line(step_);
  return attn::come_near(handed, slice.recipe.instruction(line).op, followed->result(line), habit,
                         [&](std::size_t cell) { return handed.cells[cell].is_number(); });
}

bool Probe::may_follow(const Recipe& recipe, const Manner& manner, bool some_row) {
  auto known = matched_.find({&recipe, &manner});
  if (known == matched_.end()) {
    const auto followed = follow_rows(recipe, manner);
    if (!followed) return true;
    known = matched_.emplace(std::pair(&recipe, &manner), followed->matched.back()).first;
  }
  const std::vector<bool>& matched = known->second;
  if (!some_row) return all_true(matched);
  const Recipe& slice = rows_of(recipe)->slice.recipe;
  const TokenRows at(slice.shape(*slice.line(step_)));
  for (std::size_t row = 0; row < matched.size() / at.width(); ++row) {
    bool whole = true;
    for (std::size_t i = 0; i < at.width(); ++i) {
      whole = whole && matched[at.cell(row / at.rows(), row % at.rows(), i)];
    }
    if (whole) return true;
  }
  return false;
}

bool Probe::may_follow(std::span<const Patch> slip, const Manner& manner) {
  const auto& rows = rows_of(right_);
  if (!rows) return true;
  std::vector<Patch> patches;
  for (const Patch& patch : slip) {
    if (const auto moved = rows->slice.moved(right_, patch)) patches.push_back(*moved);
  }
  // What the slip does not reach is as it was, right or wrong.
  const FollowOptions options{.manner = manner,
                              .patches = patches,
                              .must_match = rows->slice.sheet->steps.size(),
                              .original = &base(*rows, manner),
                              .same = &rows->same};
  const Followed<double> followed = follow(rows->slice.task(rule_), options);
  return !followed.stopped && all_true(followed.matched.back());
}

bool Probe::may_be_honest(const Task& task, RoundingMode habit) {
  const auto& rows = rows_of(task.recipe);
  if (!rows) return true;
  const auto& right = rows_of(right_);
  Task of_rows = rows->slice.task(rule_);
  EncloseOptions options{.habit = habit};
  options.changed = of_rows.recipe.size();
  options.must_match = of_rows.sheet.steps.size();
  if (task.early) {
    const auto line = of_rows.recipe.line(task.recipe.instruction(task.early->line).id());
    if (!line) return true;
    of_rows.early = EarlyRounding{*line, task.early->decimals};
    options.changed = *line;
  }
  if (rows->slice.sheet == right->slice.sheet) {
    auto base = honest_.find(habit);
    if (base == honest_.end()) base = honest_.emplace(habit, enclose(right->slice.task(rule_), {.habit = habit})).first;
    options.original = &base->second;
    options.same = &rows->same;
  }
  return enclose(of_rows, options).all_match();
}

bool come_near(const HandedStep& handed, const Op& op, const Tensor<double>& made, RoundingMode habit,
               const std::function<bool(std::size_t)>& is_asked) {
  constexpr double units = 200;
  // A weight changes by a part of itself when scores change: one of many is small, and
  // everything would be near to it.
  const auto* softmax = std::get_if<Softmax>(&op);
  const bool makes_weights = softmax && softmax->part == Softmax::Part::weights;
  const auto reach_in_units = [&](double number) {
    return makes_weights ? std::min(units, 3 + 10 * units * std::abs(number)) : units;
  };
  std::size_t asked = 0, near = 0;
  for (std::size_t at = 0; at < handed.cells.size(); ++at) {
    if (!is_asked(at)) continue;
    const Interval& stands = handed.cells[at].stands_as(habit);
    const double reach =
        std::isfinite(made[at]) ? reach_in_units(made[at]) * std::max(stands.width(), 1e-12 * std::abs(made[at])) : 0;
    ++asked;
    near += made[at] >= stands.low - reach && made[at] <= stands.high + reach ? 1 : 0;
  }
  return 2 * near >= asked;
}

}  // namespace attn
