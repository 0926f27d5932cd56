#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "mark/comparison.h"
#include "mark/marking.h"
#include "mark/slips.h"
#include "words/language.h"

namespace attn {
namespace {

// The one number by which every right number was multiplied, if the written
// ones allow one: every such number.
std::optional<Interval> common_ratio(const HandedStep& step, const Tensor<double>& right, RoundingMode habit,
                                     const MarkingRule& rule) {
  Interval common(-infinity, infinity);
  int cells = 0;
  for (std::size_t at = 0; at < step.cells.size(); ++at) {
    const HandedCell& cell = step.cells[at];
    if (!cell.is_number() || !std::isfinite(right[at])) continue;
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

// What speaks for a mistake, in numbers: that every number written for a step
// is √3 times what it should be, or how many numbers follow from the mistake and
// how many do without it. Never the right number of any cell.
//
// `right` is what the right computation makes of the person's numbers, `matched`
// which cells it explains, `explained` which the mistake does.
std::string evidence_for(const Marking& marking, const HandedStep& step, const Tensor<double>& right,
                         const std::vector<bool>& matched, const std::vector<bool>& explained) {
  if (step.fits && right.size() == step.cells.size()) {
    const auto ratio = common_ratio(step, right, marking.habit(), marking.rule());
    const std::string multiple = ratio ? as_multiple(*ratio) : "";
    if (!multiple.empty()) return language().verdicts.every_number_is(in_words(step.id), multiple);
  }
  const auto numbers = [&](const std::vector<bool>& which) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < step.cells.size() && at < which.size(); ++at) {
      count += step.cells[at].is_number() && which[at] ? 1 : 0;
    }
    return count;
  };
  return language().verdicts.come_out(in_words(step.id), numbers(explained), step.numbers(), numbers(matched));
}

// A mistake that explains a step, and how much after it.
struct Explanation {
  const Candidate* candidate = nullptr;
  std::size_t explains_until = 0;  // the first step of the sheet, from the step itself on, that it leaves wrong
  const Manner* manner = nullptr;
  std::vector<bool> explained;  // cells of the step

  const Mistake* mistake() const { return candidate->mistake; }
};

// In a large problem, whether the mistake comes near to half of the wrong numbers of
// a step: no manner of rounding brings it nearer from afar. A small one has too few
// numbers to tell, and can be followed in every manner at once.
bool comes_near(Marking& marking, const Candidate& candidate, std::size_t step) {
  constexpr std::size_t many = 4000;
  if (marking.right().cells < many) return true;
  const Recipe& recipe = candidate.rewrite.recipe;
  const HandedStep& handed = marking.sheet().steps[step];
  const auto line = recipe.line(handed.id);
  if (!line || !fits(handed, recipe.shape(*line))) return false;
  const Manner& exact =
      *std::ranges::find_if(marking.manners(), [](const Manner& manner) { return !manner.unwritten; });
  Probe* rows = marking.probe(step);
  if (const auto near = rows ? rows->come_near(recipe, exact, marking.habit()) : std::nullopt) return *near;
  if (!marking.may_work_out(recipe)) return false;
  const FollowOptions options{.manner = exact, .original = &marking.base(exact), .same = &candidate.same};
  const Followed<double> followed = follow(marking.task(recipe), options);
  return come_near(handed, recipe.instruction(*line).op, followed.result(*line), marking.habit(),
                   [&](std::size_t cell) { return handed.cells[cell].is_number() && marking.is_wrong(step, cell); });
}

bool is_worth_following(Marking& marking, const Candidate& candidate, std::size_t step) {
  return candidate.reaches(marking.sheet().steps[step].id) && comes_near(marking, candidate, step);
}

// Follows every known mistake that may explain the step in every manner; where what
// came of it has no mismatch in the first `must_match` steps, it goes to
// visit(candidate, manner, followed), which returns whether that mistake is done with.
template <class Visit>
void follow_mistakes(Marking& marking, std::size_t step, std::size_t must_match, Visit visit) {
  for (const Candidate& candidate : marking.right().candidates) {
    if (!is_worth_following(marking, candidate, step)) continue;
    Probe* rows = marking.probe(step);
    for (const Manner& manner : marking.manners()) {
      if (rows && !rows->may_follow(candidate.rewrite.recipe, manner, must_match <= step)) continue;
      if (!marking.may_work_out(candidate.rewrite.recipe)) return;
      const FollowOptions options{
          .manner = manner, .must_match = must_match, .original = &marking.base(manner), .same = &candidate.same};
      const Followed<double> followed = follow(marking.task(candidate.rewrite.recipe), options);
      if (!followed.stopped && visit(candidate, manner, followed)) break;
    }
  }
}

// Of each mistake the way to make it that explains most; then of all those that do.
class Explanations {
 public:
  void add(Explanation explanation) {
    const auto known = std::ranges::find(found_, explanation.mistake(), &Explanation::mistake);
    if (known != found_.end() && known->explains_until >= explanation.explains_until) return;
    if (known != found_.end()) found_.erase(known);
    farthest_ = std::max(farthest_, explanation.explains_until);
    found_.push_back(std::move(explanation));
  }

  std::vector<Explanation> best() && {
    std::erase_if(found_, [&](const Explanation& e) { return e.explains_until < farthest_; });
    return std::move(found_);
  }

 private:
  std::vector<Explanation> found_;
  std::size_t farthest_ = 0;
};

// The mistakes that explain every cell of a step, in the order of the catalogue.
std::vector<Explanation> explanations(Marking& marking, std::size_t step) {
  Explanations found;
  follow_mistakes(marking, step, step + 1, [&](const auto& candidate, const auto& manner, auto& followed) {
    if (!all_true(followed.matched[step])) return false;
    const std::size_t until = followed.mismatch_from(step);
    found.add({&candidate, until, &manner, followed.matched[step]});
    return until == marking.sheet().steps.size();
  });
  return std::move(found).best();
}

// The first of them, the others as ties. REQUIRES: there is one.
Diagnosis diagnosis_of_found(const Marking& marking, const std::vector<Explanation>& found, std::size_t step,
                             bool in_some_rows = false) {
  const Candidate& first = *found.front().candidate;
  Diagnosis diagnosis = diagnosis_of(first.mistake->id, first.rewrite.step, in_some_rows);
  diagnosis.cells = marking.wrong_cells(step);
  diagnosis.variant = first.rewrite.variant;
  for (std::size_t i = 1; i < found.size(); ++i) diagnosis.ties.push_back(found[i].mistake()->id);
  return diagnosis;
}

// Whether every row that has a wrong cell is explained whole, and one of them has
// several.
bool explains_rows(const Marking& marking, std::size_t step, const std::vector<bool>& matched) {
  const TokenRows at(marking.right().recipe.shape(marking.line_of(step)));
  std::size_t wrong_in_a_row = 0;
  for (std::size_t row = 0; row < matched.size() / at.width(); ++row) {
    std::size_t wrong = 0;
    bool whole = true;
    for (std::size_t i = 0; i < at.width(); ++i) {
      const std::size_t cell = at.cell(row / at.rows(), row % at.rows(), i);
      wrong += marking.is_wrong(step, cell) ? 1 : 0;
      whole = whole && matched[cell];
    }
    if (wrong > 0 && !whole) return false;
    wrong_in_a_row = std::max(wrong_in_a_row, wrong);
  }
  return wrong_in_a_row >= 2;
}

// Whether what honest rounding leaves open in the step is not everything, as it is
// behind a division by what could be 0.
bool tells(Marking& marking, const Candidate& candidate, RoundingMode habit, std::size_t step) {
  const Recipe& recipe = candidate.rewrite.recipe;
  const Followed<Interval> all = enclose(marking.task(recipe), {.habit = habit});
  const Tensor<Interval>& made = all.result(*recipe.line(marking.sheet().steps[step].id));
  return std::ranges::all_of(made.data(), [](const Interval& number) { return std::isfinite(number.width()); });
}

// Blames the first, which ties with the others.
bool blame_first(Marking& marking, const std::vector<Explanation>& found, std::size_t step, Report& report) {
  if (found.empty()) return false;
  const Explanation& first = found.front();
  Diagnosis diagnosis = diagnosis_of_found(marking, found, step);
  diagnosis.evidence =
      evidence_for(marking, marking.sheet().steps[step], marking.base(*first.manner).result(marking.line_of(step)),
                   marking.right_cells(step), first.explained);
  report.diagnoses.push_back(std::move(diagnosis));
  marking.believe(*first.candidate, *first.manner);
  return true;
}

}  // namespace

std::size_t explained_until(Marking& marking, std::size_t step) {
  const std::vector<Explanation> found = explanations(marking, step);
  return found.empty() ? step : found.front().explains_until;
}

bool blame_mistake(Marking& marking, std::size_t step, Report& report) {
  return blame_first(marking, explanations(marking, step), step, report);
}

bool blame_mistake_rounded_anyhow(Marking& marking, std::size_t step, Report& report) {
  Explanations found;
  for (const Candidate& candidate : marking.right().candidates) {
    if (!is_worth_following(marking, candidate, step)) continue;
    const Task task = marking.task(candidate.rewrite.recipe);
    Probe* rows = marking.probe(step);
    for (const RoundingMode habit : marking.possible_habits()) {
      if ((rows && !rows->may_be_honest(task, habit)) || !marking.may_work_out(task.recipe)) continue;
      if (!rows && !may_explain(task, habit, step + 1)) continue;
      const HonestReading reading = read_honestly(task, habit);
      const std::size_t until = first_mismatch(reading.matched);
      if (until <= step || !tells(marking, candidate, habit, step)) continue;
      found.add(
          {&candidate, until, &*std::ranges::find(marking.manners(), habit, &Manner::writing), reading.matched[step]});
      break;
    }
  }
  return blame_first(marking, std::move(found).best(), step, report);
}

bool blame_rows(Marking& marking, std::size_t step, Report& report) {
  const HandedStep& handed = marking.sheet().steps[step];
  if (!handed.fits || handed.shape.empty()) return false;
  std::vector<Explanation> found;
  follow_mistakes(marking, step, step, [&](const auto& candidate, const auto& manner, const auto& followed) {
    const std::vector<bool>& matched = followed.matched[step];
    if (matched.size() != handed.cells.size() || !explains_rows(marking, step, matched)) return false;
    if (std::ranges::find(found, candidate.mistake, &Explanation::mistake) == found.end()) {
      found.push_back({&candidate, 0, &manner, matched});
    }
    return true;
  });
  if (found.empty()) return false;
  Diagnosis diagnosis = diagnosis_of_found(marking, found, step, true);
  diagnosis.evidence = language().verdicts.some_rows;
  report.diagnoses.push_back(std::move(diagnosis));
  return true;
}

}  // namespace attn
