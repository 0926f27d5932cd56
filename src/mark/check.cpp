#include "mark/check.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "mark/marking.h"
#include "words/language.h"

namespace attn {
namespace {

// Which steps of the sheet may be meant with rows and columns exchanged: all
// that can be, all but those on scores, and each alone.
std::vector<std::vector<std::size_t>> turns(const Sheet& sheet, const Recipe& right) {
  std::vector<std::size_t> all, vectors;
  for (std::size_t i = 0; i < sheet.steps.size(); ++i) {
    const HandedStep& step = sheet.steps[i];
    const Shape& shape = right.shape(step.id);
    if (!turned(step, shape)) continue;
    all.push_back(i);
    if (!(shape.has("query") && shape.has("key"))) vectors.push_back(i);
  }
  std::vector<std::vector<std::size_t>> choices;
  const auto add = [&](std::vector<std::size_t> choice) {
    if (!choice.empty() && std::ranges::find(choices, choice) == choices.end()) choices.push_back(std::move(choice));
  };
  add(all);
  add(vectors);
  for (const std::size_t i : all) add({i});
  return choices;
}

Diagnosis turned_diagnosis(std::vector<std::string> turned) {
  Diagnosis diagnosis = diagnosis_of("layout.transposed_answer", turned.front());
  std::ranges::transform(turned, turned.begin(), in_words);
  diagnosis.evidence = language().verdicts.read_turned(listed(turned));
  return diagnosis;
}

// e^score for e^(score − maximum), a sink's too.
void take_plain_powers(Recipe& recipe, const Anatomy& at) {
  recipe.give("~zero." + at.exponentials, Tensor<double>(Shape{}, {0}));
  const Operand zero = "~zero." + at.exponentials;
  const Instruction powers = *recipe.find(at.exponentials);
  recipe.replace(at.exponentials, powers.op, {powers.operands[0], zero}, powers.open);
  const Instruction* sums = recipe.find(at.sums);
  if (!sums || sums->operands.size() < 3) return;
  const Instruction with_sink = *sums;
  recipe.replace(at.sums, with_sink.op, {with_sink.operands[0], with_sink.operands[1], zero});
}

void take_plain_powers(Recipe& recipe) {
  for (const RecipePart& part : std::vector<RecipePart>(recipe.parts())) {
    if (part.attention && recipe.has(part.attention->exponentials)) take_plain_powers(recipe, *part.attention);
  }
}

}  // namespace

// What a hand-in is taken to mean.
struct Checker::Meaning {
  Sheet sheet;
  std::string name;  // of the right recipe
  Recipe right;
  std::vector<std::string> turned;  // steps read with rows and columns exchanged
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
// Such a reading is taken where it leaves nothing wrong, or mends a shape.
Checker::Meaning Checker::read_as_meant(const Sheet& sheet, const std::string& name, const Recipe& right) const {
  const auto mismatches = [&](const Meaning& reading) {
    return Marking(reading.sheet, rule_, ground(reading.name, reading.right)).mismatches();
  };
  Meaning best{sheet, name, right, {}};
  std::size_t fewest = mismatches(best);
  if (fewest == 0) return best;

  if (sheet.has(HandedStep::What::exponentials) || sheet.has(HandedStep::What::exponential_sums)) {
    Meaning plain = best;
    take_plain_powers(plain.right);
    plain.name += "e^s,";
    if (const std::size_t wrong = mismatches(plain); wrong < fewest) {
      fewest = wrong;
      best = std::move(plain);
    }
    if (fewest == 0) return best;
  }

  const Meaning straight = best;
  for (const std::vector<std::size_t>& which : turns(straight.sheet, straight.right)) {
    Meaning other = straight;
    bool mends_a_shape = false;
    for (const std::size_t step : which) {
      mends_a_shape = mends_a_shape || !sheet.steps[step].fits;
      other.sheet.steps[step] = *turned(sheet.steps[step], right.shape(sheet.steps[step].id));
      other.turned.push_back(sheet.steps[step].id);
    }
    Marking marking(other.sheet, rule_, ground(other.name, other.right));
    // A single step exchanged could be chance where few digits are written.
    const bool sure = mends_a_shape || which.size() > 1 || marking.has_honest_manner() || marking.has_honest_way();
    if ((marking.accepted() && sure) || (mends_a_shape && marking.mismatches() < fewest)) {
      fewest = marking.mismatches();
      best = std::move(other);
      if (fewest == 0) break;
    }
  }
  return best;
}

Report Checker::mark(const Answers& answers) const {
  Recipe right = trace_.recipe;
  std::vector<std::string> unknown;
  const Sheet sheet = laid_out(answers, trace_, right, unknown);
  std::string name;
  for (const HandedStep& step : sheet.steps) {
    if (!trace_.recipe.has(step.id)) name += step.id + ",";
  }

  const Meaning meaning = read_as_meant(sheet, name, right);
  Marking marking(meaning.sheet, rule_, ground(meaning.name, meaning.right));
  Report report = marking.mark();
  if (!meaning.turned.empty()) report.diagnoses.insert(report.diagnoses.begin(), turned_diagnosis(meaning.turned));
  for (const std::string& id : unknown) report.notes.push_back(language().verdicts.not_marked(in_words(id)));
  return report;
}

}  // namespace attn
