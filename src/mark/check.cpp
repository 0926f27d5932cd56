#include "mark/check.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "mark/marking.h"
#include "mark/slice.h"
#include "words/language.h"

namespace attn {
namespace {

Diagnosis turned_diagnosis(std::vector<std::string> turned) {
  Diagnosis diagnosis = diagnosis_of("layout.transposed_answer", turned.front());
  std::ranges::transform(turned, turned.begin(), in_words);
  diagnosis.evidence = language().verdicts.read_turned(listed(turned));
  return diagnosis;
}

// e^score for e^(score − maximum), a sink's too.
void take_plain_powers(Recipe& recipe) {
  std::vector<Instruction> powers, sums_with_sink;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& instruction = recipe.instruction(line);
    const auto* softmax = std::get_if<Softmax>(&instruction.op);
    if (!softmax) continue;
    if (softmax->part == Softmax::Part::exponentials) powers.push_back(instruction);
    if (softmax->part == Softmax::Part::sum && instruction.operands.size() > 2) sums_with_sink.push_back(instruction);
  }
  const Operand zero = "~subtracted";
  recipe.give(zero.id, Tensor<double>(Shape{}, {0}));
  for (const Instruction& line : powers) recipe.replace(line.id(), line.op, {line.operands[0], zero}, line.open);
  for (const Instruction& line : sums_with_sink) {
    recipe.replace(line.id(), line.op, {line.operands[0], line.operands[1], zero});
  }
}

// Whether somebody may have subtracted nothing before e^x: it shows in several
// numbers of a row, and they say nothing else.
bool may_have_plain_powers(const Sheet& sheet, const Recipe& right) {
  return std::ranges::any_of(sheet.steps, [&](const HandedStep& step) {
    using enum HandedStep::What;
    if (step.what == exponential_sums) return !sheet.find(subtracted_in(step.id, right));
    return step.what == exponentials && std::ranges::any_of(step.cells, &HandedCell::may_have_factor);
  });
}

}  // namespace

// What a hand-in is taken to mean.
struct Checker::Meaning {
  Sheet sheet;       // until it is marked
  int decimals;      // of the sheet as it was laid out
  std::string name;  // of the right recipe
  Recipe right;
  std::vector<std::string> turned;  // steps read with rows and columns exchanged
  std::shared_ptr<Marking> marking = {};

  Meaning(Sheet sheet_meant, std::string name_of_right, Recipe right_recipe)
      : sheet(std::move(sheet_meant)),
        decimals(sheet.decimals),
        name(std::move(name_of_right)),
        right(std::move(right_recipe)) {}

  // REQUIRES: it is marked.
  const HandedStep& step(std::size_t i) const { return marking->sheet().steps[i]; }

  // The sheet as it was laid out: large ones are kept once. REQUIRES: as above.
  Sheet laid_out() const {
    Sheet copy = marking->sheet();
    copy.decimals = decimals;
    return copy;
  }
};

std::shared_ptr<const Ground> Checker::ground(const std::string& name, const Recipe& recipe) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = grounds_.find(name); found != grounds_.end()) return found->second;
  }
  auto made = std::make_shared<const Ground>(recipe);
  const std::lock_guard lock(mutex_);
  return grounds_.emplace(name, std::move(made)).first->second;
}

// A hand-in may be meant in another convention than the problem's: without
// subtracting the maximum before the exponential, or with vectors as columns.
Checker::Meaning Checker::read_as_meant(Sheet sheet, const std::string& name, const Recipe& right) const {
  Meaning straight(std::move(sheet), name, right);
  const std::size_t wrong = marking_of(straight).mismatches();
  if (wrong == 0) return straight;
  if (may_have_plain_powers(marking_of(straight).sheet(), right)) {
    Meaning plain(straight.laid_out(), name + "e^s,", right);
    take_plain_powers(plain.right);
    if (subtracts_nothing(straight, plain)) straight = std::move(plain);
    if (marking_of(straight).mismatches() == 0) return straight;
  }
  std::optional<Meaning> best;
  const bool is_large = is_worth_slicing(right);
  for (const RoundingMode habit : habits) {
    // In a large problem nobody waits for what the other habits would turn.
    if (is_large && habit != marking_of(straight).habit()) continue;
    for (const bool all : {false, true}) {
      Meaning turned = with_steps_turned(straight, habit, all);
      if (turned.turned.empty()) break;
      if (!may_be_turned(straight, turned)) continue;
      if (!best || marking_of(turned).mismatches() < marking_of(*best).mismatches()) best = std::move(turned);
      if (marking_of(*best).mismatches() == 0) return std::move(*best);
    }
    if (rule_.kind != MarkingRule::Kind::honest_rounding) break;
  }
  return best ? std::move(*best) : straight;
}

Marking& Checker::marking_of(Meaning& meaning) const {
  if (!meaning.marking) {
    meaning.marking = std::make_shared<Marking>(std::move(meaning.sheet), rule_, ground(meaning.name, meaning.right));
  }
  return *meaning.marking;
}

// Each step in order, with rows and columns exchanged where fewer of its numbers are
// wrong so, or as few in a hand-in that has others like that; with `all`, also where
// none are wrong either way, as far as rounding tells.
Checker::Meaning Checker::with_steps_turned(const Meaning& straight, RoundingMode habit, bool all) const {
  Meaning meaning(straight.laid_out(), straight.name, straight.right);
  const bool any_can_be = std::ranges::any_of(
      meaning.sheet.steps, [&](const HandedStep& step) { return step.is_whole && attn::turned(step, meaning.right); });
  if (!any_can_be) return meaning;
  fill_in_allowances(meaning.sheet, rule_);
  const SheetPlaces places = places_on_sheet(meaning.right, meaning.sheet);
  const auto matched = [&](const Sheet& sheet) {
    return enclose({meaning.right, sheet, rule_, places}, {habit}).matched;
  };
  Flags now = matched(meaning.sheet);
  const auto turn_where_better = [&](std::size_t i, bool also_right) {
    const HandedStep& step = meaning.sheet.steps[i];
    if (!step.is_whole || (all_true(now[i]) && !also_right)) return;
    auto other = attn::turned(step, meaning.right);
    if (!other) return;
    Sheet sheet = meaning.sheet;
    sheet.steps[i] = std::move(*other);
    fill_in_allowances(sheet.steps[i], rule_);
    Flags then = matched(sheet);
    const bool as_few = !meaning.turned.empty() && count_mismatches(then[i]) == count_mismatches(now[i]);
    if (count_mismatches(then[i]) >= count_mismatches(now[i]) && !as_few) return;
    meaning.turned.push_back(step.id);
    meaning.sheet = std::move(sheet);
    now = std::move(then);
  };
  std::size_t first = meaning.sheet.steps.size();
  for (std::size_t i = 0; i < meaning.sheet.steps.size(); ++i) {
    const std::size_t before = meaning.turned.size();
    turn_where_better(i, all && before > 0);
    if (before == 0 && !meaning.turned.empty()) first = i;
  }
  // What stands before the first that had to be turned may be meant so, too.
  for (std::size_t i = 0; all && i < first; ++i) turn_where_better(i, true);
  std::ranges::sort(meaning.turned, {}, [&](const std::string& id) { return meaning.right.line(id); });
  return meaning;
}

// Of what comes of a mistake made earlier nearly everything is wrong either way, and some of it fits by
// chance: powers, or sums of them, have to say themselves that nothing was subtracted, more of them than
// do not, and no known mistake may explain as much of them as they are.
bool Checker::subtracts_nothing(Meaning& straight, Meaning& plain) const {
  Marking& marking = marking_of(plain);
  Marking& as_written = marking_of(straight);
  if (marking.mismatches() == 0 || marking.mismatches() >= as_written.mismatches()) return marking.mismatches() == 0;
  for (std::size_t i = 0; i < marking.sheet().steps.size(); ++i) {
    const HandedStep& step = marking.sheet().steps[i];
    using enum HandedStep::What;
    if (step.what != exponentials && step.what != exponential_sums) continue;
    const std::size_t wrong_so = marking.count_wrong(i);
    if (!step.fits || wrong_so >= as_written.count_wrong(i)) continue;
    std::size_t right_so = 0;
    for (std::size_t cell = 0; cell < step.cells.size(); ++cell) {
      if (!step.cells[cell].is_number() || marking.is_wrong(i, cell)) continue;
      // Powers that stand multiplied by one number are right as written, and say so all the same.
      const bool is_otherwise = step.what == exponentials && !as_written.is_exact(i, cell);
      right_so += is_otherwise || as_written.is_wrong(i, cell) ? 1 : 0;
    }
    const bool says_so = right_so > wrong_so || (right_so == 1 && wrong_so == 1);  // beside a slip
    if (says_so && explained_until(as_written, i) <= marking.next_wrong(i)) return true;
  }
  return false;
}

// Two steps that are right only so leave no doubt, unless a known mistake explains more;
// one does where somebody of a usual manner comes to just these numbers, and no mistake
// does. What has another shape as it is written is no worse off.
bool Checker::may_be_turned(Meaning& straight, Meaning& turned) const {
  Marking& marking = marking_of(turned);
  Marking& as_written = marking_of(straight);
  std::size_t right = 0;
  bool mends_a_shape = false, comes_about = false;
  for (std::size_t i = 0; i < marking.sheet().steps.size(); ++i) {
    if (std::ranges::find(turned.turned, turned.step(i).id) == turned.turned.end()) continue;
    mends_a_shape = mends_a_shape || !straight.step(i).fits;
    if (marking.count_wrong(i) > 0 || as_written.count_wrong(i) == 0) continue;
    ++right;
    comes_about = comes_about || std::ranges::any_of(marking.manners(), [&](const Manner& manner) {
                    return all_true(marking.base(manner).matched[i]);
                  });
  }
  if (mends_a_shape && marking.mismatches() < as_written.mismatches()) return true;
  const std::size_t wrong = as_written.next_wrong(0);
  const std::size_t explained = explained_until(as_written, wrong);
  if (right > 1) return explained <= marking.next_wrong(0);
  return right == 1 && comes_about && explained == wrong;
}

Report Checker::mark(const Answers& answers) const {
  Recipe right = trace_.recipe;
  std::vector<std::string> unknown;
  Sheet sheet = laid_out(answers, trace_, rule_.problem_rounding, right, unknown);
  std::string name;
  for (const HandedStep& step : sheet.steps) {
    if (!trace_.recipe.has(step.id)) name += step.id + ",";
  }

  Meaning meaning = read_as_meant(std::move(sheet), name, right);
  // However the powers are meant, what is asked is what the problem computes.
  if (meaning.name != name) marking_of(meaning).expect(right);
  Report report = marking_of(meaning).mark();
  if (!meaning.turned.empty()) report.diagnoses.insert(report.diagnoses.begin(), turned_diagnosis(meaning.turned));
  for (const std::string& id : unknown) report.notes.push_back(language().verdicts.not_marked(in_words(id)));
  return report;
}

}  // namespace attn
