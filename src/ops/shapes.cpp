#include "ops/shapes.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>
#include <vector>

namespace attn {
namespace {

constexpr std::array<std::string_view, 7> positions_first = {"batch", "head",  "query",   "block",
                                                             "key",   "token", "distance"};

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
    }
  }
  return all;
}

Shape without(const Shape& shape, std::string_view axis) {
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

Shape joined(std::span<const Shape> operands, const Axis& axis) {
  std::size_t total = 0;
  std::vector<Shape> others;
  for (const Shape& operand : operands) {
    total += operand.size(axis);
    others.push_back(without(operand, axis));
  }
  Shape all = united(others);
  all.append({axis, total});
  return all;
}

Shape repeated(const Shape& shape, const Repeat& op) {
  Shape longer;
  for (const Dim& dim : shape.dims()) longer.append({dim.axis, dim.size * (dim.axis == op.axis ? op.times : 1)});
  return longer;
}

Shape picked(const Shape& table, const Pick& op) { return with(without(table, op.axis), op.rows.shape()); }

Shape rotated(std::span<const Shape> operands, const Rotate& op) {
  return with(with(operands[0], without(operands[1], op.pair)), without(operands[2], op.pair));
}

// What is summed over an axis of the first few operands, and what is then added
// to the sum or divides it.
Shape summed(std::span<const Shape> operands, std::size_t terms, const Axis& over) {
  Shape sum = without(united(operands.first(terms)), over);
  for (const Shape& further : operands.subspan(terms)) sum = with(sum, further);
  return sum;
}

Shape made_online(std::span<const Shape> operands, const Online& op) {
  switch (op.part) {
    case Online::Part::block_maximum:
      return with(without(operands[0], op.over), {{op.blocks, op.count(operands[0].size(op.over))}});
    case Online::Part::maximum:
    case Online::Part::rescale:
    case Online::Part::exponentials:
      return operands[0];
    case Online::Part::sum:
      return operands[1];
    case Online::Part::context:
      return with(operands[2], without(operands[1], op.over));
    case Online::Part::result:
      return without(operands[0], op.blocks);
  }
  return {};
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

// Whether axes of one name are of one size, but for `except`.
bool agree(std::span<const Shape> operands, std::string_view except = {}) {
  Shape all;
  for (const Shape& operand : operands) {
    for (const Dim& dim : operand.dims()) {
      if (dim.axis == except) continue;
      if (!all.has(dim.axis)) all.append(dim);
      if (all.size(dim.axis) != dim.size) return false;
    }
  }
  return true;
}

bool agree(const Shape& one, const Shape& other) {
  const std::array both = {one, other};
  return agree(both);
}

// What a sum takes in beside its terms knows nothing of the axis that is summed.
bool only_terms_have(const Axis& over, std::span<const Shape> operands, std::size_t terms) {
  const auto has = [&](const Shape& shape) { return shape.has(over); };
  return operands.size() >= terms && std::ranges::all_of(operands.first(terms), has) &&
         std::ranges::none_of(operands.subspan(terms), has);
}

// Whether there are as many operands as the op takes, with the axes that it names.
struct Taken {
  std::span<const Shape> operands;

  std::size_t count() const { return operands.size(); }

  bool operator()(const Given&) const { return count() == 1; }
  bool operator()(const Copy& op) const { return count() == 1 && agree(operands[0], op.along); }
  bool operator()(const Split& op) const {
    return count() == 1 && operands[0].has(op.axis) && operands[0].size(op.axis) % op.parts == 0;
  }
  bool operator()(const Merge& op) const {
    return count() == 1 && operands[0].has(op.outer) && operands[0].has(op.inner);
  }
  bool operator()(const Join& op) const { return count() > 0 && only_terms_have(op.axis, operands, count()); }
  bool operator()(const Repeat& op) const { return count() == 1 && operands[0].has(op.axis); }
  bool operator()(const Pick& op) const {
    return count() == 1 && operands[0].has(op.axis) && agree(without(operands[0], op.axis), op.rows.shape());
  }
  bool operator()(const Waves& op) const { return count() == 0 && op.width > 0; }
  bool operator()(const Rotate& op) const {
    return count() == 3 && operands[0].has(op.axis) && !operands[0].has(op.pair) && operands[1].has(op.pair) &&
           operands[2].has(op.pair) && 2 * operands[1].size(op.pair) <= operands[0].size(op.axis);
  }
  bool operator()(const Contract& op) const {
    return only_terms_have(op.over, operands, 2) && (op.then == Contract::Then::add || count() >= 4);
  }
  bool operator()(const Combine& op) const { return count() > 0 && agree(united(operands), op.along); }
  bool operator()(const Map&) const { return count() == 1; }
  bool operator()(const Reduce& op) const {
    return only_terms_have(op.over, operands, 1) && (op.function == Reducer::sum || count() == 1);
  }
  bool operator()(const Gate&) const { return count() == 2; }
  bool operator()(const Normalize& op) const {
    const bool is_row = count() > 0 && operands[0].has(op.over);
    switch (op.part) {
      case Normalize::Part::mean:
      case Normalize::Part::mean_square:
        return is_row && count() == 1;
      case Normalize::Part::variance:
        return is_row && count() == 2 && !operands[1].has(op.over);
      case Normalize::Part::normalized:
        return count() == 2 || count() == 3;
      case Normalize::Part::affine:
        return count() == 3;
    }
    return false;
  }
  bool operator()(const Close&) const { return count() == 1 || count() == 2; }
  bool operator()(const Softmax& op) const {
    if (count() == 0 || !operands[0].has(op.over)) return false;
    switch (op.part) {
      case Softmax::Part::maximum:
        return count() <= 2;
      case Softmax::Part::sum:
        return count() == 1 || count() == 3;
      case Softmax::Part::exponentials:
      case Softmax::Part::weights:
        return count() == 2;
      case Softmax::Part::shares:
        return count() == 1;
    }
    return false;
  }
  bool operator()(const Online& op) const {
    const auto has = [&](std::size_t i, const Axis& axis) { return operands[i].has(axis); };
    const auto are_blocks_of = [&](std::size_t i, std::size_t numbers) {
      return has(i, op.blocks) && has(numbers, op.over) && !has(numbers, op.blocks) &&
             operands[i].size(op.blocks) == op.count(operands[numbers].size(op.over));
    };
    if (op.size == 0) return false;
    switch (op.part) {
      case Online::Part::block_maximum:
        return count() == 1 && has(0, op.over) && !has(0, op.blocks);
      case Online::Part::maximum:
      case Online::Part::rescale:
        return count() == 1 && has(0, op.blocks);
      case Online::Part::exponentials:
      case Online::Part::sum:
        return count() == 2 && are_blocks_of(1, 0);
      case Online::Part::context:
        return count() == 3 && has(1, op.over) && are_blocks_of(2, 0);
      case Online::Part::result:
        return count() == 2 && has(0, op.blocks) && has(1, op.blocks);
    }
    return false;
  }
};

}  // namespace

bool fits(const Op& op, std::span<const Shape> operands) {
  const auto* join = std::get_if<Join>(&op);
  return agree(operands, join ? std::string_view(join->axis) : std::string_view()) && std::visit(Taken{operands}, op);
}

Shape result_shape(const Op& op, std::span<const Shape> operands, Vectors vectors) {
  assert(fits(op, operands));
  const Shape unordered = std::visit(Overloaded{
                                         [&](const Given&) { return operands[0]; },
                                         [&](const Copy& copy) { return with(operands[0], copy.along); },
                                         [&](const Split& axis) { return split(operands[0], axis); },
                                         [&](const Merge& axes) { return merged(operands[0], axes); },
                                         [&](const Join& join) { return joined(operands, join.axis); },
                                         [&](const Repeat& repeat) { return repeated(operands[0], repeat); },
                                         [&](const Pick& pick) { return picked(operands[0], pick); },
                                         [&](const Waves& waves) {
                                           return Shape{waves.positions, waves.features};
                                         },
                                         [&](const Rotate& rotate) { return rotated(operands, rotate); },
                                         [&](const Contract& sum) {
                                           assert(sum.then == Contract::Then::add || operands.size() >= 4);
                                           return summed(operands, 2, sum.over);
                                         },
                                         [&](const Combine& cells) { return with(united(operands), cells.along); },
                                         [&](const Map&) { return operands[0]; },
                                         [&](const Reduce& reduce) {
                                           assert(reduce.function == Reducer::sum || operands.size() == 1);
                                           return summed(operands, 1, reduce.over);
                                         },
                                         [&](const Gate&) { return united(operands); },
                                         [&](const Normalize& norm) {
                                           const bool is_cell = norm.part == Normalize::Part::normalized ||
                                                                norm.part == Normalize::Part::affine;
                                           return is_cell ? united(operands) : summed(operands, 1, norm.over);
                                         },
                                         [&](const Close&) { return united(operands); },
                                         [&](const Softmax& softmax) {
                                           switch (softmax.part) {
                                             case Softmax::Part::maximum:
                                             case Softmax::Part::sum:
                                               return without(operands[0], softmax.over);
                                             case Softmax::Part::exponentials:
                                             case Softmax::Part::weights:
                                             case Softmax::Part::shares:
                                               return operands[0];
                                           }
                                           return Shape();
                                         },
                                         [&](const Online& online) { return made_online(operands, online); },
                                     },
                                     op);
  return ordered(unordered, vectors);
}

}  // namespace attn
