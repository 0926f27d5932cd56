#include "model/masks/mask.h"
#include "words/language.h"

namespace attn {
namespace {

MaskRule lengths_rule(const Problem& problem) {
  const std::vector<std::size_t> lengths = *problem.lengths;
  const std::size_t keys = problem.key_count;

  Shape shape;
  if (problem.batched) shape.append({"batch", lengths.size()});
  shape.append({"key", keys});

  const auto make = [=] {
    Tensor<double> open(shape);
    std::size_t at = 0;
    for (const std::size_t length : lengths) {
      for (std::size_t j = 0; j < keys; ++j) open[at++] = j < length ? 1 : 0;
    }
    return open;
  };
  return {{.id = "mask.lengths",
           .symbol = "M_lengths",
           .title = language().steps.lengths,
           .formula = language().steps.within_length.text(),
           .role = Role::mask},
          MaskRule::Effect::closes,
          shape,
          make,
          std::nullopt,
          true};
}

}  // namespace

Mask lengths_mask() {
  return {
      .name = "lengths", .summary = "keys past the end of a sequence are padding", .rules = [](const Problem& problem) {
        return problem.lengths ? std::vector{lengths_rule(problem)} : std::vector<MaskRule>{};
      }};
}

}  // namespace attn
