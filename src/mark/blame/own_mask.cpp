#include <optional>
#include <span>
#include <utility>

#include "mark/comparison.h"
#include "mark/marking.h"
#include "mistakes/masking.h"
#include "ops/walk.h"
#include "words/language.h"

namespace attn {
namespace {

// What somebody who wrote this step closed: the right mask but for the cells that are
// wrong. Nothing where the step does not show it.
std::optional<Tensor<double>> mask_behind(const Marking& marking, std::size_t step, const RightAttention& right,
                                          Tensor<double> open) {
  using enum HandedStep::What;
  const HandedStep& handed = marking.sheet().steps[step];
  if (handed.what != mask && handed.what != masked && handed.what != exponentials && handed.what != weights)
    return std::nullopt;
  const Shape& shape = right.shape(handed.id);
  const Cells<double> cells{&open.shape(), open.data().data()};
  Walk(shape, std::span(&cells, 1), nullptr).each([&](std::size_t at, const Offsets& offsets) {
    if (!handed.cells[at].is_number() || !marking.is_wrong(step, at)) return;
    const double written = handed.cells[at].number.value;
    if (handed.what == masked) {
      open[offsets[0]] = stands_for_closed(written) ? 0 : 1;
    } else if (handed.what == mask || (written == 0) == (open[offsets[0]] != 0)) {
      open[offsets[0]] = written != 0 ? 1 : 0;
    }
  });
  return open;
}

Diagnosis own_mask_diagnosis(const Marking& marking, std::size_t step, const Tensor<double>& right,
                             const Tensor<double>& open) {
  const VerdictWords& said = language().verdicts;
  bool closes = false, opens = false;
  for (std::size_t at = 0; at < open.size(); ++at) {
    closes = closes || open[at] < right[at];
    opens = opens || open[at] > right[at];
  }
  return {.mistake = "unexplained",
          .step = marking.sheet().steps[step].id,
          .cells = marking.wrong_cells(step),
          .evidence = said.follows_from_these_cells.text(),
          .message = said.other_cells_closed(closes, opens),
          .hint = said.look_up_who_may_attend.text()};
}

}  // namespace

bool blame_own_mask(Marking& marking, std::size_t step, Report& report) {
  const HandedStep& handed = marking.sheet().steps[step];
  if (!handed.fits || makes_the_rest_free(handed)) return false;
  const Recipe& recipe = marking.right().recipe;
  for (const RightAttention& right : attentions(recipe)) {
    if (recipe.instruction(marking.line_of(step)).part != right.part) continue;
    // A weight may be 0 for other reasons where the mask closes nothing.
    const auto mask = closing(right);
    if (!mask) continue;
    const auto open = mask_behind(marking, step, right, mask->open);
    if (!open) continue;
    std::size_t farthest = step;
    std::optional<std::pair<const Rewrite*, RoundingMode>> best;
    const Rewrites masked = with_mask(right, *mask, "", [&](const MaskCell& cell) { return (*open)[cell.at] != 0; });
    for (const Rewrite& made : masked) {
      const SheetPlaces places = places_on_sheet(made.recipe, marking.sheet());
      for (const RoundingMode habit : marking.possible_habits()) {
        const HonestReading reading = read_honestly({made.recipe, marking.sheet(), marking.rule(), places}, habit);
        const std::size_t until = first_mismatch(reading.matched);
        if (until <= farthest) continue;
        farthest = until;
        best.emplace(&made, habit);
      }
    }
    if (!best) continue;
    report.diagnoses.push_back(own_mask_diagnosis(marking, step, mask->open, *open));
    marking.believe(best->first->recipe, best->second);
    return true;
  }
  return false;
}

}  // namespace attn
