#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/threads.h"

namespace attn {

// One loop of several nested ones: how often it goes round, and how far each
// tensor that is read moves each time.
struct Loop {
  std::size_t size = 1;
  std::vector<std::size_t> steps = {};
};

// The cells of a result, row by row, cut into pieces of cells that follow one
// another. Loops that go through every tensor like one are made one.
class Pieces {
 public:
  static constexpr std::size_t most_cells = 1024;  // of a piece: its numbers stay in a core's cache
  static constexpr std::size_t most_tensors = 12;

  using Offsets = std::array<std::size_t, most_tensors>;

  // One of them: cells first, first + 1, … of the result, and where each tensor
  // stands at the first; from one cell to the next it moves by steps().
  struct Piece {
    std::size_t first = 0, count = 0;
    Offsets offsets = {};
  };

  // REQUIRES: the outermost loop first; at most `most_tensors` steps in each, as many in all.
  explicit Pieces(const std::vector<Loop>& loops);

  const std::vector<std::size_t>& steps() const { return row_.steps; }

  // Calls work(piece) for each. REQUIRES: as Threads::each.
  template <class Work>
  void each(Threads& threads, Work&& work) const {
    const std::size_t pieces = rows_ * parts_;
    const std::size_t together = std::max<std::size_t>(1, cells_of_task / std::min(row_.size, most_cells));
    const auto task = [&](std::size_t number) {
      const std::size_t last = std::min(pieces, (number + 1) * together);
      for (std::size_t i = number * together; i < last; ++i) work(piece(i));
    };
    threads.each((pieces + together - 1) / together, task);
  }

 private:
  static constexpr std::size_t cells_of_task = 16 * most_cells;

  Piece piece(std::size_t number) const;

  std::vector<Loop> outer_;
  Loop row_;  // the innermost loop
  std::size_t rows_ = 1;
  std::size_t parts_ = 1;  // of each row
};

// The loops over the cells of `result` for what is read, last the mask, if there
// is one; what has not an axis stays where it is along it.
std::vector<Loop> loops_over(const Shape& result, std::span<const View> operands, const View* open);

// Single operations, faster than by the plain loops; nothing where those have to do them.

// With the bits of the plain loops, a piece of the result at a time.
// REQUIRES: fewer operands than Pieces::most_tensors.
std::optional<Tensor<double>> run_in_pieces(Threads& threads, const Op& op, std::span<const View> operands,
                                            const View* open, const Shape& result, Dtype dtype);

// Σ a·b with the bits of the plain loop, where of the first two operands one, and
// one only, goes along the innermost axis of the result, and the mask does not: of
// each cell the products are added in index order, and the cells of a row are worked
// out side by side, so that vectors and threads split what is made and never a sum.
std::optional<Tensor<double>> contract(Threads& threads, const Contract& op, std::span<const View> operands,
                                       const View* open, const Shape& result, Dtype dtype);

}  // namespace attn
