#include "backend/cpu/pieces.h"

namespace attn {
namespace {

// Whether going round `inner` to its end leaves every tensor where one step of
// `outer` takes it.
bool go_on(const Loop& outer, const Loop& inner) {
  for (std::size_t i = 0; i < outer.steps.size(); ++i) {
    if (outer.steps[i] != inner.size * inner.steps[i]) return false;
  }
  return true;
}

std::vector<Loop> joined(const std::vector<Loop>& loops) {
  std::vector<Loop> fewer;
  for (const Loop& loop : loops) {
    if (loop.size == 1) continue;
    if (!fewer.empty() && go_on(fewer.back(), loop)) {
      fewer.back() = {fewer.back().size * loop.size, loop.steps};
    } else {
      fewer.push_back(loop);
    }
  }
  return fewer;
}

}  // namespace

Pieces::Pieces(const std::vector<Loop>& loops) : outer_(joined(loops)) {
  if (outer_.empty()) {
    row_.steps.assign(loops.empty() ? most_tensors : loops.front().steps.size(), 0);
    return;
  }
  row_ = outer_.back();
  outer_.pop_back();
  for (const Loop& loop : outer_) rows_ *= loop.size;
  parts_ = (row_.size + most_cells - 1) / most_cells;
}

Pieces::Piece Pieces::piece(std::size_t number) const {
  const std::size_t part = number % parts_ * most_cells;
  std::size_t row = number / parts_;
  Piece made{.first = row * row_.size + part, .count = std::min(most_cells, row_.size - part)};
  for (std::size_t i = 0; i < row_.steps.size(); ++i) made.offsets[i] = part * row_.steps[i];
  for (std::size_t axis = outer_.size(); axis-- > 0;) {
    const std::size_t index = row % outer_[axis].size;
    row /= outer_[axis].size;
    for (std::size_t i = 0; i < row_.steps.size(); ++i) made.offsets[i] += index * outer_[axis].steps[i];
  }
  return made;
}

std::vector<Loop> loops_over(const Shape& result, std::span<const View> operands, const View* open) {
  std::vector<Loop> loops;
  for (const Dim& dim : result.dims()) {
    Loop loop{.size = dim.size};
    for (const View& operand : operands) loop.steps.push_back(operand.shape.stride(dim.axis));
    if (open) loop.steps.push_back(open->shape.stride(dim.axis));
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace attn
