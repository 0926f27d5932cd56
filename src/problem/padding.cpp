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

namespace {

// Numbers of sequences of these lengths, each cut or padded to `length`. Numbers
// that belong together are a block: a sequence of rows is one, a sequence of
// columns has one for each feature.
std::vector<double> padded(const std::vector<double>& values, const std::vector<std::size_t>& stored_rows,
                           std::size_t length, std::size_t blocks, std::size_t each) {
  std::vector<double> all(stored_rows.size() * length * blocks * each);
  const double* from = values.data();
  double* to = all.data();
  for (const std::size_t stored : stored_rows) {
    for (std::size_t block = 0; block < blocks; ++block) {
      std::copy_n(from, std::min(stored, length) * each, to);
      from += stored * each;
      to += length * each;
    }
  }
  return all;
}

}  // namespace

std::optional<Source> laid_out(Side side, std::size_t limit, Vectors vectors, const Axis& row, const Axis& feature,
                               Budget& budget, Faults& faults) {
  const std::size_t length = std::min(side.longest(), limit);
  const Shape shape = shape_of(side, vectors, row, feature, limit);
  const bool as_it_is = std::ranges::all_of(side.stored_rows, [&](std::size_t rows) { return rows == length; });
  if (as_it_is) return Source(shape, std::move(side.take_values));

  const std::size_t rows = product({side.rows.size(), length});
  if (!budget.take(rows, product({side.width, sizeof(double)}))) {
    faults.add("too-large", side.where,
               shown(side.where) + " becomes " + to_string(shape) +
                   " numbers once its sequences are padded, which do not fit into " + std::to_string(budget.limit()) +
                   " bytes",
               "sequences of similar length, or a larger --max-memory");
    return std::nullopt;
  }
  const bool in_rows = vectors == Vectors::rows;
  return Source(shape, [side = std::move(side), length, in_rows] {
    return padded(side.take_values(), side.stored_rows, length, in_rows ? 1 : side.width, in_rows ? side.width : 1);
  });
}

}  // namespace attn
