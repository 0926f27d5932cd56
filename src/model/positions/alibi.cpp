#include <cstdlib>

#include "base/math.h"
#include "base/numbers.h"
#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

// A geometric sequence from 2^(−8/n) on for n heads; where n is no power of two,
// that of the largest power of two below it, then every other one of twice as
// many heads (Press et al. 2022, section 3, and their published code).
// Here as exponents of two.
GivenRule slopes_rule(std::size_t heads) {
  std::size_t power = 1;
  while (2 * power <= heads) power *= 2;
  const auto exponent = [](std::size_t of, std::size_t i) {
    return -8.0 * static_cast<double>(i + 1) / static_cast<double>(of);
  };
  GivenRule rule{.kind = GivenRule::Kind::powers};
  for (std::size_t i = 0; i < heads; ++i)
    rule.values.push_back(i < power ? exponent(power, i) : exponent(2 * power, 2 * (i - power)));
  return rule;
}

Tensor<double> slopes(const Shape& shape) {
  Tensor<double> all(shape);
  const GivenRule rule = slopes_rule(shape.count());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = pow(2.0, rule.values[i]);
  return all;
}

// −|i + offset − j|, 0 for appended keys.
Tensor<double> distances(const Attention& attention, const Shape& shape) {
  const std::size_t appended = attention.appended_count();
  Tensor<double> all(shape);
  std::size_t at = 0;
  for (const std::int64_t offset : attention.first_queries()) {
    for (std::size_t i = 0; i < attention.query_count; ++i) {
      for (std::size_t j = 0; j < attention.key_count; ++j) {
        const std::int64_t position = static_cast<std::int64_t>(i) + offset;
        all[at++] = -static_cast<double>(std::abs(position - static_cast<std::int64_t>(j)));
      }
      at += appended;
    }
  }
  return all;
}

std::vector<Operand> record_biases(RecipeBuilder& work, const Attention& attention) {
  Shape heads;
  if (attention.heads) heads.append({"head", *attention.heads});
  const std::string slope = work.given(
      {"positions.slopes", "m_h", language().steps.slopes, language().steps.slope_of_head, Role::mask}, heads,
      [heads] { return slopes(heads); }, Instruction::Kind::given, slopes_rule(heads.count()));
  const Integers first = attention.first_queries();
  Shape cells;
  if (attention.offsets().size() > 1) cells.append({"batch", attention.offsets().size()});
  cells.append({"query", attention.query_count});
  cells.append({"key", attention.all_key_count()});
  const std::string distance = work.given(
      {"positions.distances", "D", language().steps.distances,
       "{} = −|" + language().steps.position(!attention.offsets().empty()) + " − j|", Role::mask},
      cells, [&attention, cells] { return distances(attention, cells); }, Instruction::Kind::given,
      GivenRule{
          .kind = GivenRule::Kind::distance, .values = {first.begin(), first.end()}, .keys = attention.key_count});
  return {work.step({"position_bias", "B_P", language().steps.alibi_bias, "{} = {0}·{1}", Role::mask},
                    Combine{Binary::multiply, {}}, {slope, distance})};
}

std::string said_slopes(const Attention& attention) {
  std::vector<std::string> powers;
  for (const double power : slopes_rule(attention.heads.value_or(1)).values) powers.push_back("−" + shortest(-power));
  return language().steps.alibi(powers);
}

BiasOfDistance bias_of_distance(const Attention& attention) {
  const Tensor<double> of_head = slopes(Shape{{"head", attention.heads.value_or(1)}});
  return {attention.first_queries(), [of_head](std::size_t head, std::int64_t distance) {
            return of_head[head] * -static_cast<double>(std::abs(distance));
          }};
}

}  // namespace

Position alibi_position() {
  return {.spec = {.name = "alibi",
                   .summary = "scores lowered in proportion to the distance (Press et al. 2022, section 3)"},
          .words = said_slopes,
          .biases = record_biases,
          .bias_of_distance = bias_of_distance};
}

}  // namespace attn
