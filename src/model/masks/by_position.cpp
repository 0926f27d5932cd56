#include "model/masks/by_position.h"

#include <utility>
#include <vector>

#include "words/language.h"

namespace attn {

MaskRule closing_by_position(const Problem& problem, Heading heading, Window sees) {
  const std::size_t queries = problem.query_count;
  const std::size_t keys = problem.key_count;
  const std::vector<std::int64_t> offsets = problem.offsets.empty() ? std::vector<std::int64_t>{0} : problem.offsets;

  Shape shape;
  if (offsets.size() > 1) shape.append({"batch", offsets.size()});
  shape.append({"query", queries});
  shape.append({"key", keys});

  auto make = [=] {
    Tensor<double> open(shape);
    std::size_t at = 0;
    for (const std::int64_t offset : offsets) {
      for (std::size_t i = 0; i < queries; ++i) {
        // An offset has at most 53 bits, so that nothing overflows.
        const std::int64_t position = static_cast<std::int64_t>(i) + offset;
        for (std::size_t j = 0; j < keys; ++j) {
          const std::int64_t behind = static_cast<std::int64_t>(j) - position;  // its query, or before it if negative
          const bool near = (sees.left < 0 || -behind <= sees.left) && (sees.right < 0 || behind <= sees.right);
          open[at++] = near ? 1 : 0;
        }
      }
    }
    return open;
  };
  return {std::move(heading), MaskRule::Effect::closes, shape, std::move(make), sees};
}

std::string written_position(const Problem& problem) { return language().steps.position(!problem.offsets.empty()); }

}  // namespace attn
