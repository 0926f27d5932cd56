#include "model/masks/mask.h"

namespace attn {
namespace {

// Query i may attend to key j only where j <= i + offset.
MaskRule causal_rule(const Problem& problem) {
  const std::size_t queries = problem.query_count;
  const std::size_t keys = problem.key_count;
  const std::vector<std::int64_t> offsets = problem.offsets.empty() ? std::vector<std::int64_t>{0} : problem.offsets;

  Shape shape;
  if (offsets.size() > 1) shape.append({"batch", offsets.size()});
  shape.append({"query", queries});
  shape.append({"key", keys});

  const auto make = [=] {
    Tensor<double> open(shape);
    std::size_t at = 0;
    for (const std::int64_t offset : offsets) {
      for (std::size_t i = 0; i < queries; ++i) {
        for (std::size_t j = 0; j < keys; ++j) {
          // In whole numbers of either sign, however large the offset.
          const bool sees = offset >= 0 ? j <= i || j - i <= static_cast<std::uint64_t>(offset)
                                        : i >= j && i - j >= std::uint64_t{0} - static_cast<std::uint64_t>(offset);
          open[at++] = sees ? 1 : 0;
        }
      }
    }
    return open;
  };
  return {{.id = "mask.causal",
           .symbol = "M_causal",
           .title = "causal: a query sees no key after its own position",
           .formula = problem.offsets.empty() ? "open where j ≤ i" : "open where j ≤ i + offset",
           .role = Role::mask},
          MaskRule::Effect::closes,
          shape,
          make};
}

}  // namespace

Mask causal_mask() {
  return {.rules = [](const Problem& problem) {
    return problem.causal ? std::vector{causal_rule(problem)} : std::vector<MaskRule>{};
  }};
}

}  // namespace attn
