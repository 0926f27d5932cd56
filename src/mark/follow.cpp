#include "mark/follow.h"

#include <utility>

#include "mark/comparison.h"
#include "trace/rounding.h"

namespace attn {
namespace {

// Whether the line is an inner one of softmax.
bool is_inner(const Instruction& instruction) {
  const auto* softmax = std::get_if<Softmax>(&instruction.op);
  return softmax && softmax->part != Softmax::Part::weights && softmax->part != Softmax::Part::shares;
}

using Places = std::vector<std::optional<std::size_t>>;

// A person who works a recipe out and hands some of it in.
class Person final : public Policy<double> {
 public:
  Person(const Recipe& recipe, const Sheet& sheet, const MarkingRule& rule, const FollowOptions& options,
         const FollowedOriginal* original)
      : recipe_(recipe),
        sheet_(sheet),
        rule_(rule),
        options_(options),
        original_(original),
        found_places_(options.places ? Places() : places_on_sheet(recipe, sheet)),
        places_(options.places ? *options.places : found_places_),
        matched_(sheet.steps.size()) {}

  bool is_touched(std::size_t line) const override {
    return std::ranges::find(options_.patches, line, &Patch::line) != options_.patches.end();
  }

  Tensor<double> compute(const Recipe& recipe, std::size_t line, const Values<double>& carried) override {
    Tensor<double> made = run_line(recipe, line, carried);
    for (const Patch& patch : options_.patches) {
      if (patch.line == line) made[patch.cell] = patch.value;
    }
    return made;
  }

  std::optional<Tensor<double>> carry(std::size_t line, const Tensor<double>& computed,
                                      const Values<double>& before) override {
    const bool rounded = rounds(line);
    if (!rounded && !places_[line]) return std::nullopt;
    const Tensor<double>* open = recipe_.open(line) ? before[*recipe_.open(line)] : nullptr;
    if (open && open->shape() != computed.shape()) open = nullptr;
    Tensor<double> carried = computed;
    if (rounded) round(line, open, carried);
    if (places_[line]) write(line, computed, open, carried);
    return carried;
  }

  bool go_on(std::size_t line, const Evaluation<double>&, bool reused) override {
    if (!places_[line]) return true;
    const std::size_t step = *places_[line];
    if (reused) {
      matched_[step] = original_->followed.matched[step];
      return true;
    }
    return step >= options_.must_match || all_true(matched_[step]);
  }

  std::vector<std::vector<bool>> take_matched() { return std::move(matched_); }

 private:
  bool is_exact(std::size_t line) const {
    return (line < options_.exact.size() && options_.exact[line]) ||
           (options_.manner.sums_in_full && recipe_.instruction(line).heading.role == Role::weighted_value);
  }

  bool rounds(std::size_t line) const {
    const Instruction& instruction = recipe_.instruction(line);
    return options_.manner.unwritten && !is_exact(line) && is_rounded(instruction) && !instruction.given;
  }

  void round(std::size_t line, const Tensor<double>* open, Tensor<double>& carried) const {
    const Instruction& instruction = recipe_.instruction(line);
    const HandRounding rounding{std::min(sheet_.decimals, 12), *options_.manner.unwritten};
    if (instruction.heading.role == Role::attention_weight && rounding.mode == RoundingMode::keep_sum) {
      round_keeping_sums(carried, sum_axis(instruction, carried.shape()), open, rounding);
    } else {
      for (double& number : carried.data()) number = rounded(number, rounding);
    }
  }

  // What was handed in takes the place of what was computed.
  void write(std::size_t line, const Tensor<double>& computed, const Tensor<double>* open, Tensor<double>& carried) {
    const Instruction& instruction = recipe_.instruction(line);
    const HandedStep& step = sheet_.steps[*places_[line]];
    const Manner& manner = options_.manner;
    const Comparand<double> compared{step, computed, open, sum_axis(instruction, computed.shape())};
    std::vector<bool> matched = matched_cells(compared, manner.writing, rule_);
    const bool trusted = options_.trust_mismatches && (all_true(matched) || !makes_the_rest_free(step));
    // The factor of a row of exponentials is in what was written, not in what was computed.
    const bool carries_written = is_inner(instruction)
                                     ? manner.inner_as_written || !matches_plainly(compared, manner.writing, rule_)
                                     : manner.carries_written && !is_exact(line);
    const std::size_t cells = fits(step, computed.shape()) ? matched.size() : 0;
    for (std::size_t at = 0; at < cells; ++at) {
      if (step.cells[at].kind != HandedCell::Kind::number) continue;
      if (matched[at] && !carries_written) carried[at] = computed[at];
      if (matched[at] ? carries_written : trusted) carried[at] = carried_number(step.cells[at], computed[at]);
    }
    matched_[*places_[line]] = std::move(matched);
  }

  const Recipe& recipe_;
  const Sheet& sheet_;
  const MarkingRule& rule_;
  const FollowOptions& options_;
  const FollowedOriginal* original_;
  Places found_places_;
  const Places& places_;
  std::vector<std::vector<bool>> matched_;
};

}  // namespace

bool is_rounded(const Instruction& instruction) {
  return instruction.kind != Instruction::Kind::between &&
         is_rounded_by_hand(instruction.op, instruction.operands.size());
}

std::vector<std::optional<std::size_t>> places_on_sheet(const Recipe& recipe, const Sheet& sheet) {
  std::vector<std::optional<std::size_t>> places(recipe.size());
  for (std::size_t i = 0; i < sheet.steps.size(); ++i) {
    if (const auto line = recipe.line(sheet.steps[i].id)) places[*line] = i;
  }
  return places;
}

void mismatch_missing(const Sheet& sheet, std::vector<std::vector<bool>>& matched) {
  for (std::size_t i = 0; i < sheet.steps.size(); ++i) {
    if (matched[i].empty()) matched[i].assign(std::max<std::size_t>(sheet.steps[i].cells.size(), 1), false);
  }
}

Followed<double> follow(const Recipe& recipe, const Sheet& sheet, const MarkingRule& rule, const FollowOptions& options,
                        const FollowedOriginal* original) {
  Person person(recipe, sheet, rule, options, original);
  const auto numbers = original ? std::optional(Original<double>{original->followed, original->same}) : std::nullopt;
  Followed<double> result;
  static_cast<Evaluation<double>&>(result) = evaluate(recipe, person, numbers ? &*numbers : nullptr);
  result.matched = person.take_matched();
  if (!result.stopped) mismatch_missing(sheet, result.matched);
  return result;
}

}  // namespace attn
