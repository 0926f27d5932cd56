#include "model/norms/norm_kind.h"
#include "words/language.h"

namespace attn {
namespace {

std::vector<Operand> measured_by_squares(RecipeBuilder& work, const std::string& from) {
  return {work.step(
      {"mean_square", "q²", language().block.mean_square, language().block.mean_square_formula, Role::softmax},
      Normalize{Normalize::Part::mean_square, "d_model"}, {from})};
}

}  // namespace

NormKind rms_normkind() {
  return {.spec = {.name = "rms",
                   .summary = "x / √(mean of squares + eps), nothing subtracted (Zhang and Sennrich 2019, equation 4)"},
          .measured = measured_by_squares,
          .formula = "{} = {0} / √({1} + ε)"};
}

}  // namespace attn
