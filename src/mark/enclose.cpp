#include <algorithm>
#include <cmath>
#include <utility>

#include "mark/comparison.h"
#include "mark/enclosure.h"
#include "mark/follow.h"

namespace attn {
namespace {

RoundingMode writing_of(Habit habit) {
  return habit == Habit::cut_off    ? RoundingMode::truncate
         : habit == Habit::keep_sum ? RoundingMode::keep_sum
                                    : RoundingMode::half_up;
}

// Everybody who works a recipe out honestly, rounding by one habit.
class EverybodyHonest final : public Policy<Interval> {
 public:
  EverybodyHonest(const Recipe& recipe, const Sheet& sheet, const MarkingRule& rule, Habit habit, bool trust_mismatches)
      : recipe_(recipe),
        sheet_(sheet),
        rule_(rule),
        habit_(habit),
        trust_mismatches_(trust_mismatches),
        places_(places_on_sheet(recipe, sheet)),
        matched_(sheet.steps.size()) {}

  SharedTensor<Interval> make(const Recipe& recipe, std::size_t line, const Values<Interval>& carried) override {
    auto made = Policy<Interval>::make(recipe, line, carried);
    computed_.resize(recipe.size());
    computed_[line] = made.get();
    return made;
  }

  Tensor<Interval> compute(const Recipe& recipe, std::size_t line, const Values<Interval>& carried) override {
    return enclosed(recipe, line, computed_, carried);
  }

  std::optional<Tensor<Interval>> carry(std::size_t line, const Tensor<Interval>& computed,
                                        const Values<Interval>&) override {
    const Instruction& instruction = recipe_.instruction(line);
    const bool is_exact = rule_.kind != MarkingRule::Kind::honest_rounding;
    const bool rounds = !is_exact && is_rounded(instruction) && !instruction.given;
    if (!rounds && !places_[line]) return std::nullopt;
    Tensor<Interval> carried = computed;
    if (rounds) {
      const bool makes_weights = instruction.heading.role == Role::attention_weight;
      for (Interval& value : carried.data()) {
        value = carried_unwritten(value, habit_, sheet_.decimals, makes_weights);
      }
    }
    if (places_[line]) write(sheet_.steps[*places_[line]], computed, carried, matched_[*places_[line]]);
    return carried;
  }

  std::vector<std::vector<bool>> take_matched() { return std::move(matched_); }

 private:
  void write(const HandedStep& step, const Tensor<Interval>& computed, Tensor<Interval>& carried,
             std::vector<bool>& matched) const {
    matched = matched_cells(Comparand<Interval>{step, computed, nullptr, Axis()}, writing_of(habit_), rule_);
    if (!fits(step, computed.shape())) return;
    const bool all_match = all_true(matched);
    const bool trusted = trust_mismatches_ && (all_match || !makes_the_rest_free(step));
    // The factor of a row of exponentials is in what was written, not in what was computed.
    const bool may_have_factor = step.what == HandedStep::What::exponentials && all_match;
    for (std::size_t at = 0; at < matched.size(); ++at) {
      const HandedCell& cell = step.cells[at];
      if (cell.kind != HandedCell::Kind::number) continue;
      if (may_have_factor) {
        carried[at] = hull(cell.number.value, stands_for(cell, habit_, rule_));
      } else if (matched[at]) {
        carried[at] = matching(cell, computed[at]);
      } else if (trusted) {
        const double written = carried_number(cell, computed[at].high);
        carried[at] = std::isinf(written) ? Interval(written) : hull(written, stands_for(cell, habit_, rule_));
      }
    }
  }

  // People carry on either: what they wrote, or what they had when they wrote it.
  Interval matching(const HandedCell& cell, const Interval& computed) const {
    const double written = carried_number(cell, computed.high);
    const Interval& stands = cell.stands[static_cast<std::size_t>(habit_)];
    const Interval had = {std::max(stands.low, computed.low), std::min(stands.high, computed.high)};
    return std::isinf(written) ? Interval(written) : had.low <= had.high ? hull(written, had) : written;
  }

  const Recipe& recipe_;
  const Sheet& sheet_;
  const MarkingRule& rule_;
  Habit habit_;
  bool trust_mismatches_;
  std::vector<std::optional<std::size_t>> places_;
  std::vector<std::vector<bool>> matched_;
  Values<Interval> computed_;
};

}  // namespace

Followed<Interval> enclose(const Recipe& recipe, const Sheet& sheet, const MarkingRule& rule, Habit habit,
                           bool trust_mismatches) {
  EverybodyHonest people(recipe, sheet, rule, habit, trust_mismatches);
  Followed<Interval> result;
  static_cast<Evaluation<Interval>&>(result) = evaluate(recipe, people);
  result.matched = people.take_matched();
  mismatch_missing(sheet, result.matched);
  return result;
}

}  // namespace attn
