#include "problem/drawing.h"

#include <utility>

#include "problem/digest.h"

namespace attn {

void draw(Problem& problem) {
  if (problem.undrawn.empty()) return;
  for (const auto& [tensor, random] : problem.undrawn) {
    const Shape shape = (problem.*tensor)->shape();
    problem.*tensor = Tensor<double>(shape, random_values(random.kind, random.shape, random.seed));
  }
  problem.undrawn.clear();
  const Arithmetic wanted = std::exchange(problem.arithmetic, problem.stated_arithmetic);
  problem.statement = statement_digest(problem);
  problem.arithmetic = wanted;
}

}  // namespace attn
