#include <string>
#include <utility>
#include <vector>

#include "model/masks/mask.h"
#include "words/language.h"

namespace attn {
namespace {

// The rule for all columns: appended keys are open, and nothing is added to them.
MaskRule with_appended(MaskRule rule, const Attention& attention) {
  if (rule.follows) rule.follows->keys = attention.key_count;
  const std::size_t appended = attention.appended_count();
  if (appended == 0) return rule;
  const bool varies = rule.shape.has("key");
  const std::size_t own = attention.key_count;
  Shape shape;
  for (const Dim& dim : rule.shape.dims()) {
    if (dim.axis != "key") shape.append(dim);
  }
  shape.append({"key", own + appended});
  const double rest = rule.effect == MaskRule::Effect::closes ? 1 : 0;
  rule.make = [make = std::move(rule.make), shape, own, varies, rest] {
    const Tensor<double> narrow = make();
    Tensor<double> all(shape);
    const std::size_t columns = shape.back().size;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const std::size_t row = at / columns, column = at % columns;
      all[at] = column >= own ? rest : narrow[varies ? row * own + column : row];
    }
    return all;
  };
  rule.shape = shape;
  if (rule.effect == MaskRule::Effect::closes) {
    rule.heading.formula =
        rule.heading.formula.text() + "; " + language().steps.open_where("j > " + std::to_string(own));
  }
  return rule;
}

}  // namespace

std::vector<MaskRule> mask_rules(const Attention& attention, Dtype dtype) {
  std::vector<MaskRule> rules;
  for (const Mask& mask : masks()) {
    const auto value = attention.options.find(mask.spec.name);
    if (value == attention.options.end()) continue;
    for (MaskRule& rule : mask.rules(value->second, attention, dtype))
      rules.push_back(with_appended(std::move(rule), attention));
  }
  return rules;
}

}  // namespace attn
