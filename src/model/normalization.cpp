#include "model/normalization.h"

#include <utility>
#include <vector>

#include "words/language.h"

namespace attn {
namespace {

// The steps of one normalization, under names that begin alike.
class Normalizer {
 public:
  Normalizer(RecipeBuilder& work, const Normalization& norm, const Operand& x)
      : work_(work), norm_(norm), x_(x), size_(static_cast<double>(shape().size(norm.over))) {}

  std::string mean() {
    const auto sum = step("sum", "Σ", language().steps.norm_sum, language().steps.norm_sum_formula,
                          Reduce{Reducer::sum, norm_.over}, {x_});
    return step("mean", "μ", language().steps.norm_mean, "{} = {0} / n", divided(), {sum});
  }

  std::string mean_square(const Operand& of, const char* what, const char* symbol, const Said& title,
                          const Said& formula) {
    const auto squares = step("squares", "x²", language().steps.norm_squares, language().steps.norm_squares_formula,
                              Map{Unary::square, 0, ""}, {of});
    const auto sum = step("square_sum", "Σ²", language().steps.norm_square_sum, language().steps.norm_sum_formula,
                          Reduce{Reducer::sum, norm_.over}, {squares});
    return step(what, symbol, title, formula, divided(), {sum});
  }

  std::string deviations(const std::string& mean) {
    return step("deviations", "D", language().steps.norm_deviations, "{} = {0} − {1}", Combine{Binary::subtract, {}},
                {x_, mean});
  }

  std::string root(const std::string& of) {
    const auto steadied =
        step("steadied", "v", language().steps.norm_steadied, "{0} + ε", Map{Unary::add, norm_.eps, ""}, {of});
    return step("root", "σ", language().steps.norm_root, "{} = √({0})", Map{Unary::sqrt, 0, ""}, {steadied});
  }

  // The quotient, and what is done to it.
  std::string finished(const Operand& numerator, const std::string& root) {
    std::string last = ending("quotient", !norm_.gain && !norm_.bias, language().steps.norm_quotient, "{} = {0} / {1}",
                              Binary::divide, {numerator, root});
    if (norm_.gain) {
      last = ending("scaled", !norm_.bias, language().steps.norm_gain, "{} = {1}·{0}", Binary::multiply,
                    {last, *norm_.gain});
    }
    if (norm_.bias)
      last = ending("shifted", true, language().steps.norm_bias, "{} = {0} + {1}", Binary::add, {last, *norm_.bias});
    return last;
  }

 private:
  Shape shape() const { return shape_as_read(x_, work_.shape(x_.id)); }

  Map divided() const { return {Unary::divide, size_, ""}; }

  std::string step(const char* what, const char* symbol, const Said& title, const Said& formula, Op op,
                   std::vector<Operand> operands) {
    return work_.step(
        {.id = norm_.id + "." + what, .symbol = symbol, .title = title, .formula = formula.text(), .role = norm_.role},
        std::move(op), std::move(operands));
  }

  std::string ending(const char* what, bool is_last, const Said& title, const Said& formula, Binary function,
                     std::vector<Operand> operands) {
    Heading heading{.id = is_last ? norm_.id : norm_.id + "." + what,
                    .symbol = is_last ? norm_.symbol : "Y",
                    .title = title,
                    .formula = formula.text(),
                    .role = norm_.role};
    return work_.step(std::move(heading), Combine{function, {}}, std::move(operands));
  }

  RecipeBuilder& work_;
  const Normalization& norm_;
  const Operand& x_;
  double size_;
};

}  // namespace

std::string layer_normalized(RecipeBuilder& work, const Normalization& normalization, const Operand& x) {
  Normalizer normalizer(work, normalization, x);
  const std::string deviations = normalizer.deviations(normalizer.mean());
  const std::string variance =
      normalizer.mean_square(deviations, "variance", "v", language().steps.variance, "{} = {0} / n");
  return normalizer.finished(deviations, normalizer.root(variance));
}

std::string rms_normalized(RecipeBuilder& work, const Normalization& normalization, const Operand& x) {
  Normalizer normalizer(work, normalization, x);
  const std::string square =
      normalizer.mean_square(x, "mean_square", "v", language().steps.mean_square, "{} = {0} / n");
  return normalizer.finished(x, normalizer.root(square));
}

}  // namespace attn
