#include "mark/some_people.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/random.h"
#include "mark/allowance.h"

namespace attn {
namespace {

constexpr std::size_t by_lot = 8;  // beside three who do not leave it to chance

// Where numbers are infinite for one and not for another nothing is known.
Interval with_number(const Interval& range, double number) {
  if (std::isnan(number) || std::isinf(number) != std::isinf(range.low)) return {-infinity, infinity};
  return hull(range, number);
}

bool is_finite(const Interval& range) { return std::isfinite(range.low) && std::isfinite(range.high); }

// The median of those that have any.
double usual_width(const Tensor<Interval>& ranges) {
  std::vector<double> widths;
  for (const Interval& range : ranges.data()) {
    if (is_finite(range) && !range.is_point()) widths.push_back(range.width());
  }
  if (widths.empty()) return 0;
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::ranges::nth_element(widths, middle);
  return *middle;
}

}  // namespace

bool tells_little(const Task& task, const Tensor<Interval>& made) {
  const double unit = unit_of_last(task.sheet.decimals);
  const double part = is_from_machine(task.sheet, task.rule) ? 1e-4 : 0.25;
  double most = 0, widest = 0;
  for (const Interval& number : made.data()) {
    if (number.is_point()) continue;
    const double middle = std::abs(number.low / 2 + number.high / 2);
    if (std::isfinite(middle)) most = std::max(most, middle);
    widest = std::max(widest, number.width());
  }
  return widest > std::max(100 * unit, part * most);
}

SomePeople::SomePeople(const Task& task, RoundingMode habit, bool asks_few)
    : asks_few_(asks_few), ranges_(task.recipe.size()) {
  const bool rounds = task.rule.kind == MarkingRule::Kind::honest_rounding;
  const auto add = [&](const FollowOptions& options) {
    const Followed<double> person = follow(task, options);
    for (std::size_t line = 0; line < task.recipe.size(); ++line) {
      if (!person.computed[line]) continue;
      const Tensor<double>& made = *person.computed[line];
      std::optional<Tensor<Interval>>& range = ranges_[line];
      if (!range) {
        range = Tensor<Interval>(made.shape());
        std::ranges::copy(made.data(), range->data().begin());
      }
      std::ranges::transform(range->data(), made.data(), range->data().begin(), with_number);
    }
  };
  const Manner exact{{}, habit, false}, rounding{rounds ? std::optional(habit) : std::nullopt, habit, true};
  add({.manner = exact});
  Manner to_even = rounding;
  if (rounds && habit == RoundingMode::half_up) to_even.unwritten = to_even.writing = RoundingMode::half_even;
  Random lots(1);
  for (const Manner& manner : {rounding, to_even}) {
    add({.manner = manner});
    for (std::size_t i = 0; !asks_few && i < by_lot / 2; ++i) add({.manner = manner, .lots = &lots});
  }
}

void SomePeople::narrow(std::size_t line, Tensor<Interval>& made) const {
  if (!ranges_[line]) return;
  const double usual = usual_width(*ranges_[line]), times = asks_few_ ? 20 : 1.5;
  if (asks_few_ && usual == 0) return;
  for (std::size_t cell = 0; cell < made.size(); ++cell) {
    const Interval& range = (*ranges_[line])[cell];
    if (!is_finite(range)) continue;
    const double farther = times * std::max(range.width(), usual);
    const Interval near = with_slack({range.low - farther, range.high + farther});
    const Interval both = {std::max(made[cell].low, near.low), std::min(made[cell].high, near.high)};
    if (both.low <= both.high) made[cell] = both;
  }
}

}  // namespace attn
