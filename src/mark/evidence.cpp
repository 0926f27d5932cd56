#include "mark/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/numbers.h"
#include "base/rounding.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The one number by which every right number was multiplied, if the written
// ones allow one: every such number.
std::optional<Interval> common_ratio(const HandedStep& step, const Tensor<double>& right, Habit habit,
                                     const MarkingRule& rule) {
  Interval common(-infinity, infinity);
  int cells = 0;
  for (std::size_t at = 0; at < step.cells.size(); ++at) {
    const HandedCell& cell = step.cells[at];
    if (cell.kind != HandedCell::Kind::number || !std::isfinite(right[at])) continue;
    const Interval written = with_slack(stands_for(cell, habit, rule));
    if (right[at] == 0) {
      if (!written.contains(0)) return std::nullopt;
      continue;
    }
    if (!std::isfinite(cell.number.value)) return std::nullopt;
    const Interval ratio = written / Interval(right[at]);
    if (!meet(common, ratio)) return std::nullopt;
    common = {std::max(common.low, ratio.low), std::min(common.high, ratio.high)};
    ++cells;
  }
  if (cells < 2 || common.contains(1) || common.width() > 0.1 * std::abs(common.low)) return std::nullopt;
  return common;
}

// "√3 times", "half": the simplest number in the interval, if there is a simple one.
std::string as_multiple(const Interval& ratio) {
  if (ratio.contains(-1)) return language().verdicts.negative_of;
  for (int k = 2; k <= 1024; ++k) {
    const std::string digits = std::to_string(k);
    if (ratio.contains(k)) return language().verdicts.times(digits);
    if (ratio.contains(1.0 / k)) return language().verdicts.part_of(digits);
    const double root = std::sqrt(k);
    if (ratio.contains(root)) return language().verdicts.times("√" + digits);
    if (ratio.contains(1 / root)) return language().verdicts.part_of("√" + digits);
  }
  return "";
}

}  // namespace

std::string in_words(const std::string& step) {
  std::string words = step;
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string evidence_for(const HandedStep& step, const Tensor<double>& right, const std::vector<bool>& matched,
                         const std::vector<bool>& explained, Habit habit, const MarkingRule& rule) {
  if (step.fits && right.size() == step.cells.size()) {
    if (const auto ratio = common_ratio(step, right, habit, rule)) {
      const std::string multiple = as_multiple(*ratio);
      if (!multiple.empty()) {
        return language().verdicts.every_number_is(in_words(step.id), multiple);
      }
    }
  }
  const auto numbers = [&](const std::vector<bool>& which) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < step.cells.size() && at < which.size(); ++at) {
      count += step.cells[at].kind == HandedCell::Kind::number && which[at] ? 1 : 0;
    }
    return count;
  };
  const auto all =
      static_cast<std::size_t>(std::ranges::count(step.cells, HandedCell::Kind::number, &HandedCell::kind));
  const std::size_t follow = numbers(explained);
  const std::size_t right_ones = numbers(matched);
  return language().verdicts.come_out(in_words(step.id), follow, all, right_ones);
}

std::string impossible_weights(const HandedStep& step) {
  const std::size_t width = step.shape.back();
  for (std::size_t start = 0; start + width <= step.cells.size(); start += width) {
    double sum = 0;
    double slack = 0;
    bool whole = true;
    for (std::size_t i = start; i < start + width; ++i) {
      const HandedCell& cell = step.cells[i];
      whole = whole && cell.kind == HandedCell::Kind::number;
      if (cell.kind != HandedCell::Kind::number) continue;
      if (cell.number.value < 0) return language().verdicts.never_negative(cell.number.text);
      const Interval stands = stands_for(cell, Habit::cut_off, {});
      sum += cell.number.value;
      slack += stands.width();
    }
    if (!whole || std::abs(sum - 1) <= slack + 1e-9 || sum == 0) continue;
    return language().verdicts.row_sums_to(start / width + 1, shortest(rounded(sum, {4, RoundingMode::half_up})));
  }
  return "";
}

std::string impossible_context(const HandedStep& step, const Shape& shape, const Tensor<double>& values) {
  const std::size_t keys = values.shape().size("key");
  const std::size_t stride = values.shape().stride("key");
  for (std::size_t at = 0; at < step.cells.size(); ++at) {
    if (step.cells[at].kind != HandedCell::Kind::number) continue;
    const std::vector<std::size_t> index = shape.index(at);
    std::size_t first = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      first += index[axis] * values.shape().stride(shape[axis].axis);
    Interval column(values[first]);
    for (std::size_t key = 1; key < keys; ++key) column = hull(column, values[first + key * stride]);
    // A closed row gives 0 whatever the values are.
    if (meet(stands_for(step.cells[at], Habit::to_nearest, {}), with_slack(column)) ||
        step.cells[at].number.value == 0) {
      continue;
    }
    return language().verdicts.lies_outside(shortest(rounded(column.low, {4, RoundingMode::half_up})),
                                            shortest(rounded(column.high, {4, RoundingMode::half_up})),
                                            step.cells[at].number.text);
  }
  return "";
}

}  // namespace attn
