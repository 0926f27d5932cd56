#include "mark/follow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/math.h"
#include "mark/enclosure.h"
#include "trace/rounding.h"

namespace attn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same(const Operand& a, const Operand& b) { return a.id == b.id && a.renamed == b.renamed; }

bool same(const Instruction& a, const Instruction& b) {
  return a.given == b.given && a.op == b.op &&
         std::ranges::equal(a.operands, b.operands, [](auto& x, auto& y) { return same(x, y); }) &&
         a.open.has_value() == b.open.has_value() && (!a.open || same(*a.open, *b.open));
}

Interval as_interval(double number) { return with_slack(number); }
Interval as_interval(const Interval& number) { return with_slack(number); }

// Whether a person may stop before −∞: e^x is nothing either way.
bool stands_for_closed(double written) { return written <= -1e4; }

bool fits(const HandedStep& step, const Shape& shape) {
  return std::ranges::equal(step.shape, shape.dims(), {}, {}, &Dim::size) && step.cells.size() == shape.count();
}

// Only the numbers between 0 and 1: nothing that follows from them can fail to follow.
bool makes_the_rest_free(const HandedStep& step) {
  const std::size_t width = step.shape.empty() ? 1 : step.shape.back();
  bool zeros = true;
  bool identity = step.shape.size() >= 2 && step.shape[step.shape.size() - 2] == width;
  for (std::size_t at = 0; at < step.cells.size(); ++at) {
    if (step.cells[at].kind != HandedCell::Kind::number) continue;
    const double value = step.cells[at].number.value;
    zeros = zeros && value == 0;
    identity = identity && value == (at / width % width == at % width ? 1.0 : 0.0);
  }
  return zeros || identity;
}

// Where the weights that a line makes should add up to 1: along the keys, unless
// the softmax was taken along something else.
Axis sum_axis(const Instruction& instruction, const Shape& shape) {
  const auto* softmax = std::get_if<Softmax>(&instruction.op);
  return softmax && shape.has(softmax->over) ? softmax->over : shape.rank() == 0 ? Axis() : shape.back().axis;
}

// Rounds weights so that every row along `over` keeps its sum.
void round_keeping_sums(Tensor<double>& weights, const Axis& over, const Tensor<double>* open, HandRounding rounding) {
  const std::size_t count = weights.shape().size(over);
  const std::size_t stride = weights.shape().stride(over);
  std::vector<double> row(count), is_open(count, 1);
  for (std::size_t first = 0; first < weights.size(); ++first) {
    if (first / stride % count != 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      row[i] = weights[first + i * stride];
      if (open) is_open[i] = (*open)[first + i * stride];
    }
    round_row_keeping_sum(row, is_open, rounding);
    for (std::size_t i = 0; i < count; ++i) weights[first + i * stride] = row[i];
  }
}

bool makes_weights(const Instruction& instruction) { return instruction.id == "attention_weights"; }

// Compares one step that was handed in with what a course makes of it.
template <class Number>
class Comparison {
 public:
  // `sums` is the axis along which weights keep their sum, `open` the mask or null.
  Comparison(const HandedStep& step, const Tensor<Number>& computed, const Tensor<double>* open, Axis sums,
             RoundingMode writing, const MarkingRule& rule)
      : step_(step), computed_(computed), open_(open), sums_(std::move(sums)), writing_(writing), rule_(rule) {}

  // Whether every number stands for what was computed, without a factor.
  bool matches_plainly() const {
    if (!fits(step_, computed_.shape())) return false;
    for (std::size_t at = 0; at < step_.cells.size(); ++at) {
      if (!matches(at, computed_[at])) return false;
    }
    return true;
  }

  std::vector<bool> operator()() const {
    if (!fits(step_, computed_.shape())) return std::vector<bool>(std::max<std::size_t>(step_.cells.size(), 1), false);
    if (step_.id == "exponentials") return up_to_a_factor_a_row();
    if (keeps_sum()) return rows_keeping_sum();
    std::vector<bool> matched(step_.cells.size());
    for (std::size_t at = 0; at < matched.size(); ++at) matched[at] = matches(at, computed_[at]);
    return matched;
  }

 private:
  bool asked(std::size_t at) const { return step_.cells[at].kind == HandedCell::Kind::number; }

  bool matches(std::size_t at, const Interval& exactly) const {
    if (!asked(at)) return true;
    const Interval value = with_slack(exactly);
    const double written = step_.cells[at].number.value;
    if (value.high == -infinity) return stands_for_closed(written);
    if (value.low == infinity) return written == infinity;
    const Interval& stands = step_.cells[at].stands[static_cast<std::size_t>(habit_of(writing_))];
    if (meet(value, stands)) return true;
    const double near = 1e-6 * stands.width();
    return meet({value.low - near, value.high + near}, stands) && is_written_so(exactly, step_.cells[at]);
  }

  // Whether an end of it is rounded to exactly what was written: the last word on
  // what lies next to a whole unit.
  bool is_written_so(const Interval& value, const HandedCell& cell) const {
    if (rule_.kind != MarkingRule::Kind::honest_rounding || !cell.number.decimals) return false;
    const HandRounding rounding{std::min(*cell.number.decimals, 12), writing_};
    return rounded(value.low, rounding) == cell.number.value || rounded(value.high, rounding) == cell.number.value;
  }

  bool keeps_sum() const {
    return std::is_same_v<Number, double> && step_.id == "attention_weights" && writing_ == RoundingMode::keep_sum &&
           rule_.kind == MarkingRule::Kind::honest_rounding;
  }

  std::size_t width() const { return computed_.shape().back().size; }

  // Points can be rounded as the person did, row by row.
  std::vector<bool> rows_keeping_sum() const {
    std::vector<bool> matched(step_.cells.size(), true);
    if constexpr (std::is_same_v<Number, double>) {
      int decimals = 0;
      for (std::size_t at = 0; at < matched.size(); ++at) {
        if (asked(at)) decimals = std::max(decimals, step_.cells[at].number.decimals.value_or(12));
      }
      Tensor<double> written = computed_;
      round_keeping_sums(written, sums_, open_, {std::min(decimals, 12), RoundingMode::keep_sum});
      for (std::size_t at = 0; at < matched.size(); ++at) {
        matched[at] = !asked(at) || std::abs(written[at] - step_.cells[at].number.value) < 1e-9;
      }
    }
    return matched;
  }

  // People do not subtract the maximum, or another number: the row then stands
  // multiplied by one positive number. The factor that most cells agree with.
  std::vector<bool> up_to_a_factor_a_row() const {
    std::vector<bool> best_of_all;
    for (std::size_t start = 0; start < step_.cells.size(); start += width()) {
      std::vector<bool> best;
      for (const double factor : factors(start)) {
        std::vector<bool> matched;
        for (std::size_t i = 0; i < width(); ++i) {
          matched.push_back(matches(start + i, Interval(computed_[start + i]) * Interval(factor)));
        }
        if (best.empty() || std::ranges::count(matched, true) > std::ranges::count(best, true)) best = matched;
      }
      best_of_all.insert(best_of_all.end(), best.begin(), best.end());
    }
    return best_of_all;
  }

  std::vector<double> factors(std::size_t start) const {
    std::vector<double> all = {1};
    Interval common(0, infinity);
    for (std::size_t i = 0; i < width(); ++i) {
      const Interval computed = as_interval(computed_[start + i]);
      const double middle = (computed.low + computed.high) / 2;
      if (!asked(start + i) || !(middle > 0) || std::isinf(middle)) continue;
      if (step_.cells[start + i].number.value <= 0) continue;
      const Interval& written = step_.cells[start + i].stands[static_cast<std::size_t>(habit_of(writing_))];
      const Interval ratio = {written.low / computed.high, written.high / std::max(computed.low, 1e-300)};
      if (meet(common, ratio)) common = {std::max(common.low, ratio.low), std::min(common.high, ratio.high)};
      all.push_back(step_.cells[start + i].number.value / middle);
    }
    if (common.low > 0 && std::isfinite(common.high)) all.push_back((common.low + common.high) / 2);
    return all;
  }

  const HandedStep& step_;
  const Tensor<Number>& computed_;
  const Tensor<double>* open_;
  Axis sums_;
  RoundingMode writing_;
  const MarkingRule& rule_;
};

// Whether the line is an inner one of softmax.
bool is_inner(const Instruction& instruction) {
  const auto* softmax = std::get_if<Softmax>(&instruction.op);
  return softmax && softmax->part != Softmax::Part::weights && softmax->part != Softmax::Part::shares;
}

// Whether a person writes this line down and might round it.
bool is_rounded(const Replay& replay, std::size_t line) {
  const Instruction& instruction = replay.instruction(line);
  return instruction.on_paper && is_rounded_by_hand(instruction.op, instruction.operands.size());
}

std::vector<std::optional<std::size_t>> places_on_sheet(const Replay& replay, const Sheet& sheet) {
  std::vector<std::optional<std::size_t>> places(replay.size());
  for (std::size_t i = 0; i < sheet.steps.size(); ++i) {
    if (const auto line = replay.line(sheet.steps[i].id)) places[*line] = i;
  }
  return places;
}

double carried_number(const HandedCell& cell, double computed) {
  return computed == -infinity && stands_for_closed(cell.number.value) ? -infinity : cell.number.value;
}

}  // namespace

Habit habit_of(RoundingMode mode) {
  switch (mode) {
    case RoundingMode::half_up:
    case RoundingMode::half_even:
      return Habit::to_nearest;
    case RoundingMode::truncate:
      return Habit::cut_off;
    case RoundingMode::keep_sum:
      return Habit::keep_sum;
  }
  return Habit::to_nearest;
}

Course::Course(const Recipe& recipe, const Course* original) : replay_(recipe), same_as_(replay_.size()) {
  given_intervals_.resize(replay_.size());
  for (std::size_t line = 0; line < replay_.size(); ++line) {
    const auto twin = original ? original->replay_.line(replay_.instruction(line).id) : std::nullopt;
    if (const auto& given = replay_.instruction(line).given) {
      if (twin && original->replay_.instruction(*twin).given == given) {
        given_intervals_[line] = original->given_intervals_[*twin];
      } else {
        std::vector<Interval> numbers(given->data().begin(), given->data().end());
        given_intervals_[line] = std::make_shared<const Tensor<Interval>>(given->shape(), std::move(numbers));
      }
    }
    if (!original) {
      same_as_[line] = line;
      continue;
    }
    if (twin && same(replay_.instruction(line), original->replay_.instruction(*twin))) same_as_[line] = twin;
  }
}

Followed<double> follow(const Course& course, const Sheet& sheet, const MarkingRule& rule, const FollowOptions& options,
                        const Followed<double>* original) {
  const Replay& replay = course.replay();
  const auto places = places_on_sheet(replay, sheet);
  const Manner& manner = options.manner;

  Followed<double> result;
  result.computed.resize(replay.size());
  result.carried.resize(replay.size());
  result.matched.resize(sheet.steps.size());
  const auto keep = [&](Tensor<double> made) { return &result.kept.emplace_back(std::move(made)); };
  std::vector<bool> reused(replay.size());

  for (std::size_t line = 0; line < replay.size(); ++line) {
    const auto twin = original ? course.same_as(line) : std::nullopt;
    const bool patched = std::ranges::any_of(options.patches, [&](const Patch& p) { return p.line == line; });
    reused[line] = twin && !patched &&
                   std::ranges::all_of(replay.operands(line), [&](std::size_t i) { return reused[i]; }) &&
                   (!replay.open(line) || reused[*replay.open(line)]);
    if (reused[line]) {
      result.computed[line] = original->computed[*twin];
      result.carried[line] = original->carried[*twin];
      if (places[line]) result.matched[*places[line]] = original->matched[*places[line]];
    } else {
      const Instruction& instruction = replay.instruction(line);
      if (replay.is_given(line)) {
        result.computed[line] = course.given(line, 0.0);
      } else {
        Tensor<double> made = replay.run(line, result.carried);
        for (const Patch& patch : options.patches) {
          if (patch.line == line) made[patch.cell] = patch.value;
        }
        result.computed[line] = keep(std::move(made));
      }
      const Tensor<double>& computed = *result.computed[line];
      const Tensor<double>* open = replay.open(line) ? result.carried[*replay.open(line)] : nullptr;
      if (open && open->shape() != computed.shape()) open = nullptr;

      const bool exact = (line < 64 && (options.exact_lines >> line & 1) != 0) ||
                         (manner.sums_in_full && instruction.id == "weighted_values");
      const bool rounds = !exact && manner.unwritten && is_rounded(replay, line) && !replay.is_given(line);
      if (!rounds && !places[line]) {
        result.carried[line] = &computed;
      } else {
        Tensor<double> carried = computed;
        if (rounds) {
          const HandRounding rounding{std::min(sheet.decimals, 12), *manner.unwritten};
          if (makes_weights(instruction) && rounding.mode == RoundingMode::keep_sum) {
            round_keeping_sums(carried, sum_axis(instruction, carried.shape()), open, rounding);
          } else {
            for (double& number : carried.data()) number = rounded(number, rounding);
          }
        }
        if (places[line]) {
          const HandedStep& step = sheet.steps[*places[line]];
          const Comparison comparison(step, computed, open, sum_axis(instruction, computed.shape()), manner.writing,
                                      rule);
          std::vector<bool> matched = comparison();
          const bool all_match = std::ranges::find(matched, false) == matched.end();
          const bool trusted = options.trust_mismatches && (all_match || !makes_the_rest_free(step));
          // The factor of a row of exponentials is in what was written, not in what was computed.
          const bool carries_written = is_inner(instruction) ? manner.inner_as_written || !comparison.matches_plainly()
                                                             : manner.carries_written && !exact;
          for (std::size_t at = 0; fits(step, computed.shape()) && at < matched.size(); ++at) {
            if (step.cells[at].kind != HandedCell::Kind::number) continue;
            if (matched[at] && !carries_written) carried[at] = computed[at];
            if (matched[at] ? carries_written : trusted) carried[at] = carried_number(step.cells[at], computed[at]);
          }
          result.matched[*places[line]] = std::move(matched);
        }
        result.carried[line] = keep(std::move(carried));
      }
    }
    if (!reused[line] && places[line] && *places[line] < options.must_match) {
      const std::vector<bool>& matched = result.matched[*places[line]];
      result.stopped = std::ranges::find(matched, false) != matched.end();
      if (result.stopped) return result;
    }
  }
  for (std::size_t i = 0; i < sheet.steps.size(); ++i) {
    // A step that the rewritten computation does not have at all.
    if (result.matched[i].empty()) {
      result.matched[i].assign(std::max<std::size_t>(sheet.steps[i].cells.size(), 1), false);
    }
  }
  return result;
}

Followed<Interval> enclose(const Course& course, const Sheet& sheet, const MarkingRule& rule, Habit habit,
                           bool trust_mismatches) {
  const Replay& replay = course.replay();
  const auto places = places_on_sheet(replay, sheet);
  const RoundingMode writing = habit == Habit::cut_off    ? RoundingMode::truncate
                               : habit == Habit::keep_sum ? RoundingMode::keep_sum
                                                          : RoundingMode::half_up;
  const bool exact_rule = rule.kind != MarkingRule::Kind::honest_rounding;

  Followed<Interval> result;
  result.computed.resize(replay.size());
  result.carried.resize(replay.size());
  result.matched.resize(sheet.steps.size());
  const auto keep = [&](Tensor<Interval> made) { return &result.kept.emplace_back(std::move(made)); };

  for (std::size_t line = 0; line < replay.size(); ++line) {
    const Tensor<Interval>& computed = replay.is_given(line)
                                           ? *course.given(line, Interval())
                                           : *keep(enclosed(replay, line, result.computed, result.carried));
    result.computed[line] = &computed;
    const bool rounds = !exact_rule && is_rounded(replay, line) && !replay.is_given(line);
    if (!rounds && !places[line]) {
      result.carried[line] = &computed;
      continue;
    }
    Tensor<Interval> carried = computed;
    if (rounds) {
      for (Interval& value : carried.data()) {
        value = carried_unwritten(value, habit, sheet.decimals, makes_weights(replay.instruction(line)));
      }
    }
    if (places[line]) {
      const HandedStep& step = sheet.steps[*places[line]];
      std::vector<bool> matched = Comparison(step, computed, nullptr, Axis(), writing, rule)();
      const bool all_match = std::ranges::find(matched, false) == matched.end();
      const bool trusted = trust_mismatches && (all_match || !makes_the_rest_free(step));
      for (std::size_t at = 0; fits(step, computed.shape()) && at < matched.size(); ++at) {
        const HandedCell& cell = step.cells[at];
        if (cell.kind != HandedCell::Kind::number) continue;
        const double written = carried_number(cell, computed[at].high);
        if (matched[at]) {
          // People carry on either: what they wrote, or what they had when they wrote it.
          const Interval& stands = cell.stands[static_cast<std::size_t>(habit)];
          const Interval had = {std::max(stands.low, computed[at].low), std::min(stands.high, computed[at].high)};
          carried[at] = std::isinf(written) ? Interval(written) : had.low <= had.high ? hull(written, had) : written;
        } else if (trusted) {
          carried[at] = std::isinf(written) ? Interval(written) : hull(written, stands_for(cell, habit, rule));
        }
      }
      // The factor of a row of exponentials is in what was written, not in what was computed.
      if (step.id == "exponentials" && all_match && fits(step, computed.shape())) {
        for (std::size_t at = 0; at < matched.size(); ++at) {
          const HandedCell& cell = step.cells[at];
          if (cell.kind == HandedCell::Kind::number)
            carried[at] = hull(cell.number.value, stands_for(cell, habit, rule));
        }
      }
      result.matched[*places[line]] = std::move(matched);
    }
    result.carried[line] = keep(std::move(carried));
  }
  for (std::size_t i = 0; i < sheet.steps.size(); ++i) {
    if (result.matched[i].empty())
      result.matched[i].assign(std::max<std::size_t>(sheet.steps[i].cells.size(), 1), false);
  }
  return result;
}

}  // namespace attn
