#include <variant>

#include "base/math.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// What is added to the scores: a slope for each head, times minus the distance.
struct Slopes {
  const Instruction& bias;
  const Operand& of_heads;
  const Operand& distances;
};

std::optional<Slopes> slopes(const RightAttention& right) {
  const Instruction* bias = right.find(right.at.position_bias);
  const auto* product = bias ? std::get_if<Combine>(&bias->op) : nullptr;
  if (!product || product->function != Binary::multiply) return std::nullopt;
  return Slopes{*bias, bias->operands[0], bias->operands[1]};
}

// The distance with the other sign; or the right bias subtracted, where nothing else is added.
Rewrites other_sign(const RightAttention& right, const Slopes& found) {
  const Map turned{Unary::multiply, -1, ""};
  Rewrites all = {rewritten(right, found.bias.id(), language().mistakes.bias_has_other_sign,
                            {line("~distances", turned, {found.distances}),
                             line(found.bias.id(), found.bias.op, {found.of_heads, "~distances"})})};
  const Instruction *masked = right.find(right.at.masked), *spread = right.find(right.at.bias);
  const bool is_alone = masked && spread && std::holds_alternative<Copy>(spread->op);
  if (is_alone && masked->operands.size() == 2 && masked->operands[1].id == right.at.bias) {
    all.push_back(rewritten(right, right.at.masked, language().mistakes.bias_subtracted,
                            {line("~turned", turned, {right.at.bias}),
                             line(right.at.masked, masked->op, {masked->operands[0], "~turned"}, masked->open)}));
  }
  return all;
}

// 2^(−8/n), 2^(−16/n), … for other n than the number of heads; for that, too, where
// it is no power of two, for which the published slopes are others.
Rewrites of_other_heads(const RightAttention& right, const Slopes& found) {
  constexpr std::size_t most = 16;
  const Tensor<double> asked = right.value(found.of_heads.id);
  const std::size_t heads = asked.size();
  Rewrites all;
  const auto add = [&](std::size_t n) {
    Tensor<double> other(asked.shape());
    for (std::size_t i = 0; i < heads; ++i)
      other[i] = pow(2.0, -8.0 * static_cast<double>(i + 1) / static_cast<double>(n));
    if (other == asked) return;
    all.push_back(rewritten(
        right, found.bias.id(), language().mistakes.slopes_of_heads(n),
        {given_line("~slopes", std::move(other)), line(found.bias.id(), found.bias.op, {"~slopes", found.distances})}));
  };
  const bool is_power = (heads & (heads - 1)) == 0;
  if (!is_power) add(heads);
  for (std::size_t n = 1; n <= most; n *= 2) add(n);
  return all;
}

}  // namespace

Family alibi_family() {
  const MistakeWords& said = language().mistakes;
  return {said.alibi,
          {
              {"alibi.sign", said.alibi_sign, where<slopes, other_sign>},
              {"alibi.slopes", said.alibi_slopes, where<slopes, of_other_heads>},
          }};
}

}  // namespace attn
