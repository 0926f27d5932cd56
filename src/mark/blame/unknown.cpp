#include <utility>

#include "mark/blame/blame.h"
#include "mark/evidence.h"
#include "words/language.h"

namespace attn {
namespace {

std::string impossible_context_of(Marking& marking, std::size_t step) {
  const Recipe& recipe = marking.right().recipe;
  const std::size_t line = marking.line_of(step);
  const auto& attention = recipe.parts()[recipe.instruction(line).part].attention;
  const auto values = attention ? recipe.line(attention->values) : std::nullopt;
  if (!values) return "";
  return impossible_context(marking.sheet().steps[step], recipe.shape(line),
                            *marking.base(marking.manners().front()).carried[*values]);
}

}  // namespace

void blame_unknown(Marking& marking, std::size_t step, Report& report) {
  const HandedStep& handed = marking.sheet().steps[step];
  Diagnosis diagnosis{.mistake = "unexplained", .step = handed.id, .cells = marking.wrong_cells(step)};
  if (!handed.fits) {
    diagnosis.message = language().verdicts.other_shape(in_words(handed.id));
    diagnosis.hint = language().verdicts.check_shape;
  } else {
    const std::size_t wrong = marking.count_wrong(step);
    diagnosis.message = language().verdicts.unexplained(in_words(handed.id), wrong == 1);
    if (handed.what == HandedStep::What::weights) diagnosis.evidence = impossible_weights(handed);
    if (handed.what == HandedStep::What::context) diagnosis.evidence = impossible_context_of(marking, step);
    diagnosis.hint = language().verdicts.work_out_again(wrong == 1);
  }
  report.diagnoses.push_back(std::move(diagnosis));
}

}  // namespace attn
