#include "model/norms/norm_kind.h"
#include "words/language.h"

namespace attn {
namespace {

std::vector<Operand> measured_by_variance(RecipeBuilder& work, const std::string& from) {
  using Part = Normalize::Part;
  const std::string mean = work.step({"mean", "μ", language().block.mean, language().block.mean_formula, Role::softmax},
                                     Normalize{Part::mean, "d_model"}, {from});
  const std::string variance =
      work.step({"variance", "σ²", language().block.variance, language().block.variance_formula, Role::softmax},
                Normalize{Part::variance, "d_model"}, {from, mean});
  return {mean, variance};
}

}  // namespace

NormKind layer_normkind() {
  return {.spec = {.name = "layer",
                   .summary = "(x − mean) / √(variance + eps), the variance over n (Ba et al. 2016, equation 4)"},
          .measured = measured_by_variance,
          .formula = "{} = ({0} − {1}) / √({2} + ε)"};
}

}  // namespace attn
