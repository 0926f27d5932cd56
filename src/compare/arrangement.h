#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace attn {

// How numbers that somebody stored in another order are read in the order of a
// shape of ours. Walking the shape's cells from the first to the last, each of
// `sizes` as an index (the last varying fastest), the number stands at the sum
// of index · stride.
struct Arrangement {
  std::vector<std::size_t> sizes, strides;
  std::string words;  // how it is stored: "[batch, query, head·d_k]"; empty where it is stored as we do
};

// "[batch, query]"
std::string in_brackets(const std::vector<std::string>& names);
std::string axes_of(const Shape& shape);

// Every way in which so many stored numbers can be the cells of the shape: as
// they stand first; then with axes of size 1 more or fewer, axes in another
// order, neighbours merged into one, one divided in two or more. None where the
// numbers of cells differ; of more than six axes, and of no cells, only the first.
std::vector<Arrangement> arrangements(const Shape& shape, std::span<const std::size_t> stored);

// The one of numbers stored under the axes of `stored`: in another order at most.
// None where they have other axes, or other sizes.
std::vector<Arrangement> by_axes(const Shape& shape, const Shape& stored);

// The one in which the stored numbers are the same along some axes of the shape,
// aligned right as numpy broadcasts; none where they do not fit so, or have as
// many cells.
std::vector<Arrangement> broadcast(const Shape& shape, std::span<const std::size_t> stored);

// Calls visit(cell, place) for each cell of the shape, until it returns false.
template <class Visit>
void walk(const Arrangement& order, std::size_t cells, Visit visit) {
  std::vector<std::size_t> index(order.sizes.size(), 0);
  std::size_t place = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (!visit(cell, place)) return;
    for (std::size_t axis = order.sizes.size(); axis-- > 0;) {
      place += order.strides[axis];
      if (++index[axis] < order.sizes[axis]) break;
      place -= order.strides[axis] * order.sizes[axis];
      index[axis] = 0;
    }
  }
}

// The stored numbers in the order of the shape.
// REQUIRES: `order` is one of the above, of this shape and so many numbers.
Tensor<double> arranged(const Shape& shape, std::span<const double> stored, const Arrangement& order);

}  // namespace attn
