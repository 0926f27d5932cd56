#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "mark/marking.h"
#include "words/language.h"

namespace attn {
namespace {

// The mistakes that people make most, of which two may meet.
constexpr std::array<std::string_view, 20> common = {
    "projection.transposed",
    "projection.swapped_query_key",
    "projection.swapped_key_value",
    "projection.bias_forgotten",
    "scores.transposed",
    "scale.none",
    "scale.by_dk",
    "scale.multiplied",
    "scale.added",
    "mask.forgotten",
    "mask.inverted",
    "mask.transposed",
    "mask.zero_for_minus_infinity",
    "softmax.columns",
    "softmax.base_2",
    "softmax.linear",
    "sum.transposed_weights",
    "sum.key_for_value",
    "heads.merged_without_transpose",
    "heads.output_projection_forgotten",
};

bool is_common(const Mistake& mistake) { return std::ranges::count(common, mistake.id) > 0; }

std::string_view family_of(const Mistake& mistake) {
  return std::string_view(mistake.id).substr(0, mistake.id.find('.'));
}

// Where it was made: two mistakes at once are looked for in one attention.
std::size_t part_of(const Rewrite& rewrite) {
  return rewrite.recipe.instruction(*rewrite.recipe.line(rewrite.step)).part;
}

// Calls visit(first, second, both) with every two of them of different families, the
// second made where the first was, until it returns false.
template <class Visit>
void each_two(const Ground& ground, Visit visit) {
  for (const Candidate& first : ground.candidates) {
    if (!is_common(*first.mistake)) continue;
    bool comes_later = false;
    for (const Mistake* second : all_mistakes()) {
      comes_later = comes_later || second == first.mistake;
      if (!comes_later || !is_common(*second) || family_of(*second) == family_of(*first.mistake)) continue;
      const std::size_t part = part_of(first.rewrite);
      for (const Rewrite& both : rewrites_in_part(first.rewrite.recipe, part, *second)) {
        if (!visit(first, *second, both)) return;
      }
    }
  }
}

// Two that explain the step, and how much after it.
struct Pair {
  const Candidate* first;
  const Mistake* second;
  Rewrite both;
  RoundingMode habit;
  std::size_t until;
};

void add_once(std::vector<std::string>& ties, const std::string& id, const std::string& chosen) {
  if (id != chosen && std::ranges::count(ties, id) == 0) ties.push_back(id);
}

}  // namespace

bool blame_two_mistakes(Marking& marking, std::size_t step, Report& report) {
  // With few numbers, or in a large problem, too many pairs would have to be tried
  // for what they tell; and where many explain it, none is known.
  constexpr std::size_t enough = 4, large = 4000, most_pairs = 3;
  if (marking.count_wrong(step) < enough) return false;
  if (marking.right().cells > large) {
    marking.leave_untried(language().verdicts.two_at_once);
    return false;
  }
  std::vector<Pair> found;
  std::size_t farthest = 0;
  bool are_all_tried = true;
  each_two(marking.right(), [&](const Candidate& first, const Mistake& second, const Rewrite& both) {
    are_all_tried = marking.may_work_out(both.recipe);
    if (!are_all_tried) return false;
    const SheetPlaces places = places_on_sheet(both.recipe, marking.sheet());
    const Task task{both.recipe, marking.sheet(), marking.rule(), places};
    for (const RoundingMode habit : marking.possible_habits()) {
      if (!may_explain(task, habit, step + 1)) continue;
      const std::size_t until = first_mismatch(read_honestly(task, habit).matched);
      if (until <= step || until < farthest) continue;
      if (until > farthest) found.clear();
      farthest = until;
      found.push_back({&first, &second, both, habit, until});
      break;
    }
    return found.size() <= 4 * most_pairs;
  });
  // Of some of the pairs nobody knows which explains most.
  if (!are_all_tried) {
    marking.leave_untried(language().verdicts.two_at_once);
    return false;
  }
  if (found.empty() || found.size() > 4 * most_pairs) return false;

  const Pair& chosen = found.front();
  Diagnosis one = diagnosis_of(chosen.first->mistake->id, chosen.first->rewrite.step);
  Diagnosis other = diagnosis_of(chosen.second->id, chosen.both.step);
  one.variant = chosen.first->rewrite.variant;
  other.variant = chosen.both.variant;
  for (const Pair& pair : found) {
    add_once(one.ties, pair.first->mistake->id, one.mistake);
    add_once(other.ties, pair.second->id, other.mistake);
  }
  if (one.ties.size() >= most_pairs || other.ties.size() >= most_pairs) return false;
  one.cells = marking.wrong_cells(step);
  report.diagnoses.push_back(std::move(one));
  report.diagnoses.push_back(std::move(other));
  marking.believe(chosen.both.recipe, chosen.habit);
  return true;
}

}  // namespace attn
