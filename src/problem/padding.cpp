#include "problem/padding.h"

#include <algorithm>
#include <utility>

namespace attn {

Shape shape_of(const Side& side, Vectors vectors, const Axis& row, const Axis& feature, std::size_t limit) {
  Shape shape;
  if (side.batched) shape.append({"batch", side.rows.size()});
  const Dim rows{row, std::min(side.longest(), limit)};
  const Dim features{feature, side.width};
  shape.append(vectors == Vectors::rows ? rows : features);
  shape.append(vectors == Vectors::rows ? features : rows);
  return shape;
}

std::optional<Tensor<double>> laid_out(Side side, std::size_t limit, Vectors vectors, const Axis& row,
                                       const Axis& feature, Budget& budget, Faults& faults) {
  if (side.undrawn) side.values = random_values(side.undrawn->kind, side.undrawn->shape, side.undrawn->seed);
  const std::size_t length = std::min(side.longest(), limit);
  const Shape shape = shape_of(side, vectors, row, feature, limit);
  const bool as_it_is = std::ranges::all_of(side.stored_rows, [&](std::size_t rows) { return rows == length; });
  if (as_it_is) return Tensor<double>(shape, std::move(side.values));

  const std::size_t rows = product({side.rows.size(), length});
  if (!budget.take(rows, product({side.width, sizeof(double)}))) {
    faults.add("too-large", side.where,
               shown(side.where) + " becomes " + to_string(shape) +
                   " numbers once its sequences are padded, which do not fit into " + std::to_string(budget.limit()) +
                   " bytes",
               "sequences of similar length, or a larger --max-memory");
    return std::nullopt;
  }

  Tensor<double> tensor(shape);
  // Blocks of numbers that belong together: a sequence of rows is one block, a
  // sequence of columns has one for each feature.
  const std::size_t blocks = vectors == Vectors::rows ? 1 : side.width;
  const std::size_t each = vectors == Vectors::rows ? side.width : 1;
  const double* from = side.values.data();
  double* to = tensor.data().data();
  for (const std::size_t stored : side.stored_rows) {
    for (std::size_t block = 0; block < blocks; ++block) {
      std::copy_n(from, std::min(stored, length) * each, to);
      from += stored * each;
      to += length * each;
    }
  }
  return tensor;
}

}  // namespace attn
