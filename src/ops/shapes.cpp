#include "ops/shapes.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>
#include <vector>

namespace attn {
namespace {

constexpr std::array<std::string_view, 5> positions_first = {"batch", "head", "query", "key", "token"};

std::size_t place(const Dim& dim) {
  const auto found = std::ranges::find(positions_first, dim.axis);
  return static_cast<std::size_t>(found - positions_first.begin());
}

bool is_position(const Dim& dim) { return place(dim) >= 2 && place(dim) < positions_first.size(); }

bool is_feature(const Dim& dim) { return place(dim) == positions_first.size(); }

// Every axis of every operand, once.
Shape united(std::span<const Shape> operands) {
  Shape all;
  for (const Shape& operand : operands) {
    for (const Dim& dim : operand.dims()) {
      if (!all.has(dim.axis)) all.append(dim);
      assert(all.size(dim.axis) == dim.size);
    }
  }
  return all;
}

Shape without(const Shape& shape, std::string_view axis) {
  assert(shape.has(axis));
  Shape rest;
  for (const Dim& dim : shape.dims()) {
    if (dim.axis != axis) rest.append(dim);
  }
  return rest;
}

Shape with(const Shape& shape, const Shape& along) {
  const std::array both = {shape, along};
  return united(both);
}

Shape split(const Shape& shape, const Split& op) {
  assert(shape.size(op.axis) % op.parts == 0);
  Shape parts;
  for (const Dim& dim : shape.dims()) {
    if (dim.axis != op.axis) {
      parts.append(dim);
      continue;
    }
    parts.append({op.outer, op.parts});
    parts.append({op.inner, dim.size / op.parts});
  }
  return parts;
}

Shape merged(const Shape& shape, const Merge& op) {
  Shape rest = without(without(shape, op.outer), op.inner);
  rest.append({op.axis, shape.size(op.outer) * shape.size(op.inner)});
  return rest;
}

Shape ordered(const Shape& shape, Vectors vectors) {
  std::vector<Dim> dims = shape.dims();
  std::ranges::stable_sort(dims, {}, place);
  if (vectors == Vectors::columns && dims.size() >= 2) {
    Dim& row = dims[dims.size() - 2];
    Dim& column = dims.back();
    const bool is_matrix_of_vectors =
        is_position(row) && is_feature(column) && std::ranges::count_if(dims, is_position) == 1;
    if (is_matrix_of_vectors) std::swap(row, column);
  }
  return Shape(std::move(dims));
}

}  // namespace

Shape result_shape(const Op& op, std::span<const Shape> operands, Vectors vectors) {
  const Shape unordered =
      std::visit(Overloaded{
                     [&](const Given&) { return operands[0]; },
                     [&](const Copy& copy) { return with(operands[0], copy.along); },
                     [&](const Split& axis) { return split(operands[0], axis); },
                     [&](const Merge& axes) { return merged(operands[0], axes); },
                     [&](const Contract& sum) { return without(united(operands.first(2)), sum.over); },
                     [&](const Combine& cells) { return with(united(operands), cells.along); },
                     [&](const Map&) { return operands[0]; },
                     [&](const Reduce& reduce) { return without(operands[0], reduce.over); },
                     [&](const Close&) { return united(operands); },
                     [&](const Softmax& softmax) {
                       switch (softmax.part) {
                         case Softmax::Part::maximum:
                         case Softmax::Part::sum:
                           return without(operands[0], softmax.over);
                         case Softmax::Part::exponentials:
                         case Softmax::Part::weights:
                           return operands[0];
                       }
                       return Shape();
                     },
                 },
                 op);
  return ordered(unordered, vectors);
}

}  // namespace attn
