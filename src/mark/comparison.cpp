#include "mark/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "trace/rounding.h"

namespace attn {
namespace {

// A sum with −∞ is −∞, though its bounds are stepped outward.
bool is_minus_infinity(const Interval& value) { return value.high <= -std::numeric_limits<double>::max(); }

// Compares one step that was handed in with what a course makes of it.
template <class Number>
class Comparison {
 public:
  Comparison(const Comparand<Number>& compared, RoundingMode writing, const MarkingRule& rule)
      : compared_(compared), step_(compared.step), computed_(compared.computed), writing_(writing), rule_(rule) {}

  std::vector<bool> operator()(bool with_factors) const {
    if (!fits(step_, computed_.shape())) return std::vector<bool>(std::max<std::size_t>(step_.cells.size(), 1), false);
    if (with_factors && step_.what == HandedStep::What::exponentials) return up_to_a_factor_a_row();
    if (keeps_sum()) return rows_keeping_sum();
    std::vector<bool> matched(step_.cells.size());
    const bool keeps_whole_sum = step_.keeps_whole_sum && rule_.kind == MarkingRule::Kind::honest_rounding;
    for (std::size_t at = 0; at < matched.size(); ++at) {
      matched[at] = matches(at, computed_[at]) && (!keeps_whole_sum || may_take_the_whole(at));
    }
    return matched;
  }

 private:
  bool asked(std::size_t at) const { return step_.cells[at].is_number(); }

  bool matches(std::size_t at, const Interval& exactly) const {
    if (!asked(at)) return true;
    const Interval value = with_slack(exactly);
    const double written = step_.cells[at].number.value;
    if (is_minus_infinity(value)) return stands_for_closed(written);
    if (value.low == infinity) return written == infinity;
    const Interval& stands = step_.cells[at].stands_as(habit_of(writing_));
    if (meet(value, stands)) return true;
    const double near = 1e-6 * stands.width();
    return meet({value.low - near, value.high + near}, stands) && is_written_so(exactly, step_.cells[at]);
  }

  // Whether one of its numbers is rounded to exactly what was written: the last word
  // on what lies next to a whole unit.
  bool is_written_so(const Interval& value, const HandedCell& cell) const {
    if (rule_.kind != MarkingRule::Kind::honest_rounding || !cell.number.decimals) return false;
    const HandRounding rounding = writing_with(*cell.number.decimals, writing_);
    return rounded(value.low, rounding) <= cell.number.value && cell.number.value <= rounded(value.high, rounding);
  }

  bool keeps_sum() const {
    return std::is_same_v<Number, double> && step_.what == HandedStep::What::weights &&
           writing_ == RoundingMode::keep_sum && rule_.kind == MarkingRule::Kind::honest_rounding;
  }

  std::size_t width() const { return computed_.shape().back().size; }

  // Of a row in whole numbers that keep their sum the largest is the 1.
  bool may_take_the_whole(std::size_t at) const {
    const HandedCell& cell = step_.cells[at];
    if (!cell.is_number() || !cell.may_keep_sum || cell.number.decimals != 0 || cell.number.value != 1) return true;
    const std::size_t start = at / width() * width();
    for (std::size_t other = start; other < start + width(); ++other) {
      if (Interval(computed_[at]).high < Interval(computed_[other]).low - 1e-9) return false;
    }
    return true;
  }

  // Points can be rounded as the person did, row by row.
  std::vector<bool> rows_keeping_sum() const {
    std::vector<bool> matched(step_.cells.size(), true);
    if constexpr (std::is_same_v<Number, double>) {
      int decimals = 0;
      for (std::size_t at = 0; at < matched.size(); ++at) {
        if (asked(at)) decimals = std::max(decimals, step_.cells[at].number.decimals.value_or(12));
      }
      Tensor<double> written = computed_;
      round_keeping_sums(written, compared_.sums, compared_.open, writing_with(decimals, RoundingMode::keep_sum));
      for (std::size_t at = 0; at < matched.size(); ++at) {
        matched[at] = !asked(at) || std::abs(written[at] - step_.cells[at].number.value) < 1e-9;
      }
    }
    return matched;
  }

  // People do not subtract the maximum, or another number: the row then stands
  // multiplied by one positive number. Where no number does for all of it, by
  // the one that most cells agree with, so that it shows which do not.
  std::vector<bool> up_to_a_factor_a_row() const {
    std::vector<bool> best_of_all;
    for (std::size_t start = 0; start < step_.cells.size(); start += width()) {
      std::vector<bool> best;
      for (const Interval& factor : factors(start)) {
        std::vector<bool> matched = matched_with(start, factor);
        if (best.empty() || std::ranges::count(matched, true) > std::ranges::count(best, true)) best = matched;
      }
      best_of_all.insert(best_of_all.end(), best.begin(), best.end());
    }
    return best_of_all;
  }

  // The numbers that the row may have been multiplied by, 1 first: e^maximum, where
  // nothing was subtracted; where the largest score of the matrix was, what belongs
  // to it; and what all numbers of the row agree on. One that could be 0 tells
  // nothing of that, and one alone could be anything.
  std::vector<Interval> factors(std::size_t start) const {
    std::vector<Interval> all = {1};
    if (!step_.cells[start].may_have_factor) return all;
    add_usual_factors(start, all);
    if (!compared_.any_factor) return all;
    Interval common(0, infinity);
    std::size_t telling = 0;
    for (std::size_t i = 0; i < width(); ++i) {
      const Interval computed = with_slack(computed_[start + i]);
      const Interval& written = step_.cells[start + i].stands_as(habit_of(writing_));
      if (!asked(start + i) || !(computed.low > 0) || std::isinf(computed.high) || !(written.low > 0)) continue;
      const Interval ratio = {written.low / computed.high, written.high / computed.low};
      if (!meet(common, ratio)) return all;
      common = {std::max(common.low, ratio.low), std::min(common.high, ratio.high)};
      ++telling;
    }
    const Interval factor((common.low + common.high) / 2);
    if (telling < 2 || std::ranges::count(matched_with(start, factor), false) > 0) return all;
    all.push_back(factor);
    return all;
  }

  std::vector<bool> matched_with(std::size_t start, const Interval& factor) const {
    std::vector<bool> matched;
    for (std::size_t i = 0; i < width(); ++i) {
      matched.push_back(matches(start + i, Interval(computed_[start + i]) * factor));
    }
    return matched;
  }

  // Whether the whole row agrees with it, or two numbers of it that are not 0.
  bool speaks_for(std::size_t start, const Interval& factor) const {
    const std::vector<bool> matched = matched_with(start, factor);
    std::size_t telling = 0;
    for (std::size_t i = 0; i < width(); ++i) {
      const bool is_telling = asked(start + i) && step_.cells[start + i].stands_as(habit_of(writing_)).low > 0;
      telling += is_telling && matched[i] ? 1 : 0;
    }
    return telling >= 2 || std::ranges::find(matched, false) == matched.end();
  }

  void add_usual_factors(std::size_t start, std::vector<Interval>& all) const {
    const std::size_t row = start / width();
    if (!compared_.maxima || row >= compared_.maxima->size()) return;
    const std::size_t rows = compared_.maxima->shape().rank() == 0 ? 1 : compared_.maxima->shape().back().size;
    const Interval maximum((*compared_.maxima)[row]);
    Interval largest(-infinity);
    for (std::size_t i = row / rows * rows; i < row / rows * rows + rows; ++i) {
      largest = larger(largest, Interval((*compared_.maxima)[i]));
    }
    if (std::isinf(maximum.low) || std::isinf(largest.high)) return;
    for (const Interval& factor : {exp(maximum), exp(maximum - largest)}) {
      if (factor.low > 0 && std::isfinite(factor.high) && speaks_for(start, factor)) all.push_back(factor);
    }
  }

  const Comparand<Number>& compared_;
  const HandedStep& step_;
  const Tensor<Number>& computed_;
  RoundingMode writing_;
  const MarkingRule& rule_;
};

}  // namespace

bool fits(const HandedStep& step, const Shape& shape) {
  return std::ranges::equal(step.shape, shape.dims(), {}, {}, &Dim::size) && step.cells.size() == shape.count();
}

bool makes_the_rest_free(const HandedStep& step) {
  const std::size_t width = step.shape.empty() ? 1 : step.shape.back();
  bool zeros = true;
  bool identity = step.shape.size() >= 2 && step.shape[step.shape.size() - 2] == width;
  for (std::size_t at = 0; at < step.cells.size(); ++at) {
    if (!step.cells[at].is_number()) continue;
    const double value = step.cells[at].number.value;
    zeros = zeros && value == 0;
    identity = identity && value == (at / width % width == at % width ? 1.0 : 0.0);
  }
  return zeros || identity;
}

double carried_number(const HandedCell& cell, double computed) {
  return computed == -infinity && stands_for_closed(cell.number.value) ? -infinity : cell.number.value;
}

Axis sum_axis(const Instruction& instruction, const Shape& shape) {
  const auto* softmax = std::get_if<Softmax>(&instruction.op);
  return softmax && shape.has(softmax->over) ? softmax->over : shape.rank() == 0 ? Axis() : shape.back().axis;
}

template <class Number>
std::vector<bool> matched_cells(const Comparand<Number>& compared, RoundingMode writing, const MarkingRule& rule,
                                bool with_factors) {
  return Comparison<Number>(compared, writing, rule)(with_factors);
}

template std::vector<bool> matched_cells(const Comparand<double>&, RoundingMode, const MarkingRule&, bool);
template std::vector<bool> matched_cells(const Comparand<Interval>&, RoundingMode, const MarkingRule&, bool);

}  // namespace attn
