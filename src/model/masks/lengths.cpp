#include <utility>

#include "model/masks/mask.h"
#include "problem/options.h"
#include "words/language.h"

namespace attn {
namespace {

MaskRule lengths_rule(const Integers& lengths, const Attention& attention) {
  const std::size_t keys = attention.key_count;

  Shape shape;
  if (attention.batched) shape.append({"batch", lengths.size()});
  shape.append({"key", keys});

  const auto make = [=] {
    Tensor<double> open(shape);
    std::size_t at = 0;
    for (const std::int64_t length : lengths) {
      for (std::size_t j = 0; j < keys; ++j) open[at++] = std::cmp_less(j, length) ? 1 : 0;
    }
    return open;
  };
  return {{"mask.lengths", "M_lengths", language().steps.lengths, language().steps.within_length, Role::mask},
          MaskRule::Effect::closes,
          shape,
          make,
          std::nullopt,
          true,
          GivenRule{.kind = GivenRule::Kind::length, .values = {lengths.begin(), lengths.end()}}};
}

}  // namespace

Mask lengths_mask() {
  return {.spec = {.name = "lengths",
                   .also_called = {"seqlens", "sequencelengths", "validlens", "validlengths", "keylengths",
                                   "keypaddingmask"},
                   .summary = "keys past the end of a sequence are padding",
                   .written = "valid keys of each sequence",
                   .kind = OptionSpec::Kind::per_sequence,
                   .about_sequences = true,
                   .least = 0,
                   .fitted = valid_lengths},
          .rules = [](const OptionValue& value, const Attention& attention, Dtype) {
            return std::vector{lengths_rule(std::get<PerSequence>(value).values, attention)};
          }};
}

}  // namespace attn
