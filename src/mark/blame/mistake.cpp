#include <algorithm>
#include <utility>
#include <vector>

#include "mark/blame/blame.h"
#include "mark/evidence.h"
#include "words/language.h"

namespace attn {
namespace {

// A mistake that explains a step, and how much after it.
struct Explanation {
  const Candidate* candidate = nullptr;
  std::size_t explains_until = 0;  // the first step of the sheet, from the step itself on, that it leaves wrong
  const Manner* manner = nullptr;
  std::vector<bool> explained;  // cells of the step
};

// The mistakes that explain every cell of a step (or of all steps), those that
// explain most of what follows, each mistake once, in the order of the catalogue.
std::vector<Explanation> explanations(Marking& marking, std::size_t step, bool whole_file) {
  std::vector<Explanation> found;
  std::size_t farthest = 0;
  const std::size_t must_match = whole_file ? marking.sheet().steps.size() : step + 1;
  for (const Candidate& candidate : marking.right().candidates) {
    const auto of_same = [&](const Explanation& other) { return other.candidate->mistake == candidate.mistake; };
    for (const Manner& manner : marking.manners()) {
      const FollowedOriginal original{marking.base(manner), candidate.same};
      const Followed<double> followed = follow(
          candidate.rewrite.recipe, marking.sheet(), marking.rule(),
          {.manner = manner, .places = &marking.places(candidate.rewrite.recipe), .must_match = must_match}, &original);
      if (followed.stopped || !all_true(followed.matched[step])) continue;
      const std::size_t until = followed.mismatch_from(step);
      if (whole_file && until < marking.sheet().steps.size()) continue;
      const auto known = std::ranges::find_if(found, of_same);
      if (known != found.end() && known->explains_until >= until) continue;
      if (known != found.end()) found.erase(known);
      found.push_back({&candidate, until, &manner, followed.matched[step]});
      farthest = std::max(farthest, until);
      if (until == marking.sheet().steps.size()) break;
    }
  }
  std::erase_if(found, [&](const Explanation& e) { return e.explains_until < farthest; });
  return found;
}

// The first of them, the others as ties. REQUIRES: there is one.
Diagnosis diagnosis_of(const Marking& marking, const std::vector<Explanation>& found, std::size_t step) {
  const Candidate& first = *found.front().candidate;
  Diagnosis diagnosis{.mistake = first.mistake->id,
                      .kind = first.mistake->kind,
                      .step = first.rewrite.step,
                      .cells = marking.wrong_cells(step),
                      .variant = first.rewrite.variant};
  for (std::size_t i = 1; i < found.size(); ++i) diagnosis.ties.push_back(found[i].candidate->mistake->id);
  return diagnosis;
}

// Whether every row that has a wrong cell is explained whole, and one of them has
// several.
bool explains_rows(const Marking& marking, std::size_t step, const std::vector<bool>& matched) {
  const std::size_t width = marking.sheet().steps[step].shape.back();
  std::size_t wrong_in_a_row = 0;
  for (std::size_t start = 0; start < matched.size(); start += width) {
    std::size_t wrong = 0;
    bool whole = true;
    for (std::size_t i = start; i < start + width; ++i) {
      wrong += marking.is_wrong(step, i) ? 1 : 0;
      whole = whole && matched[i];
    }
    if (wrong > 0 && !whole) return false;
    wrong_in_a_row = std::max(wrong_in_a_row, wrong);
  }
  return wrong_in_a_row >= 2;
}

}  // namespace

bool explains_whole_file(Marking& marking) { return !explanations(marking, 0, true).empty(); }

bool blame_mistake(Marking& marking, std::size_t step, Report& report) {
  const std::vector<Explanation> found = explanations(marking, step, false);
  if (found.empty()) return false;

  const Candidate& first = *found.front().candidate;
  Diagnosis diagnosis = diagnosis_of(marking, found, step);
  const Tensor<double>& computed = marking.base(*found.front().manner).result(marking.line_of(step));
  diagnosis.evidence = evidence_for(marking.sheet().steps[step], computed, marking.right_cells(step),
                                    found.front().explained, marking.habit(), marking.rule());
  tell(diagnosis, first.mistake);
  report.diagnoses.push_back(std::move(diagnosis));
  marking.believe(first, *found.front().manner);
  return true;
}

bool blame_rows(Marking& marking, std::size_t step, Report& report) {
  const HandedStep& handed = marking.sheet().steps[step];
  if (!handed.fits || handed.shape.empty()) return false;
  std::vector<Explanation> found;
  for (const Candidate& candidate : marking.right().candidates) {
    for (const Manner& manner : marking.manners()) {
      const FollowedOriginal original{marking.base(manner), candidate.same};
      const Followed<double> followed = follow(
          candidate.rewrite.recipe, marking.sheet(), marking.rule(),
          {.manner = manner, .places = &marking.places(candidate.rewrite.recipe), .must_match = step}, &original);
      if (followed.stopped || followed.matched[step].size() != handed.cells.size()) continue;
      if (!explains_rows(marking, step, followed.matched[step])) continue;
      const bool known = std::ranges::any_of(found, [&](auto& e) { return e.candidate->mistake == candidate.mistake; });
      if (!known) found.push_back({&candidate, 0, &manner, followed.matched[step]});
      break;
    }
  }
  if (found.empty()) return false;
  Diagnosis diagnosis = diagnosis_of(marking, found, step);
  diagnosis.evidence = language().verdicts.some_rows;
  tell(diagnosis, found.front().candidate->mistake, true);
  report.diagnoses.push_back(std::move(diagnosis));
  return true;
}

}  // namespace attn
