#include "explain/provenance.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "ops/functions.h"
#include "ops/one_of.h"
#include "trace/trace.h"

namespace attn {
namespace {

// Of a slice of so many cells those of the block.
void keep_block(const Online& op, std::size_t numbers, std::size_t block, Slice& cells) {
  cells.first += block * op.size * cells.stride;
  cells.count = std::min(op.size, numbers - block * op.size);
}

// What axis names do not say of the cells of the i-th operand: an axis that was
// split, merged, joined, repeated or picked from, and what a rotation turns.
// REQUIRES: its slice stands where axis names say.
void regroup(const Reading& reading, std::size_t i, const std::vector<std::size_t>& index, Provenance& made) {
  const Shape& operand = reading.operands[i].shape;
  Slice& cells = made.operands[i];
  const auto at = [&](const Axis& axis) { return index[*reading.result.position(axis)]; };
  // To that index along the axis, wherever axis names had put it.
  const auto move = [&](const Axis& axis, std::size_t to) {
    const std::size_t from = reading.result.has(axis) ? at(axis) : 0;
    cells.first = cells.first - from * operand.stride(axis) + to * operand.stride(axis);
  };
  const auto read_nothing = [&] { cells.first = cells.count = 0; };
  std::visit(Overloaded{
                 []<OneOf<Given, Copy, Waves, Contract, Combine, Map, Reduce, Gate, Normalize, Close, Softmax> AsNamed>(
                     const AsNamed&) {},
                 [&](const Split& split) {
                   const std::size_t inner = reading.result.size(split.inner);
                   cells.first += (at(split.outer) * inner + at(split.inner)) * operand.stride(split.axis);
                 },
                 [&](const Merge& merge) {
                   const std::size_t inner = operand.size(merge.inner);
                   cells.first += at(merge.axis) / inner * operand.stride(merge.outer);
                   cells.first += at(merge.axis) % inner * operand.stride(merge.inner);
                 },
                 [&](const Join& join) {
                   std::size_t before = 0;
                   for (std::size_t other = 0; other < i; ++other)
                     before += reading.operands[other].shape.size(join.axis);
                   const std::size_t place = at(join.axis);
                   if (place < before || place >= before + operand.size(join.axis)) return read_nothing();
                   move(join.axis, place - before);
                 },
                 [&](const Repeat& repeat) {
                   const std::size_t place = at(repeat.axis);
                   move(repeat.axis, repeat.tiled ? place % operand.size(repeat.axis) : place / repeat.times);
                 },
                 [&](const Pick& pick) {
                   const std::int64_t row = pick.rows[pick.rows.shape().offset(index, reading.result)];
                   if (row < 0) return read_nothing();
                   move(pick.axis, static_cast<std::size_t>(row));
                 },
                 [&](const Rotate& rotate) {
                   const std::size_t feature = at(rotate.axis);
                   const Turn turn = turn_of(rotate, feature, reading.operands[1].shape.size(rotate.pair));
                   if (i > 0) return turn.turns ? move(rotate.pair, turn.pair) : read_nothing();
                   if (!turn.turns) return;
                   // Both of the pair, the first of it first.
                   const auto [first, second] = std::minmax(feature, turn.partner);
                   move(rotate.axis, first);
                   cells.stride = (second - first) * operand.stride(rotate.axis);
                   cells.count = 2;
                   made.own_term = feature == first ? 0 : 1;
                 },
                 [&](const Online& online) {
                   if (!reading.result.has(online.blocks)) {
                     if (!operand.has(online.blocks)) return;
                     const bool is_last = online.part == Online::Part::result;
                     return move(online.blocks,
                                 is_last ? operand.size(online.blocks) - 1 : at(online.over) / online.size);
                   }
                   const std::size_t block = at(online.blocks);
                   std::optional<std::size_t> before;
                   if (block > 0) before = block - 1;
                   if (operand.has(online.over)) return keep_block(online, operand.size(online.over), block, cells);
                   if (online.part == Online::Part::rescale) {
                     cells.first += before.value_or(0) * cells.stride;
                     cells.count = before ? 2 : 1;
                   }
                   const bool is_own = online.carries_on() && i == reading.operands.size() - 1;
                   const bool rescales = online.part != Online::Part::maximum && i == reading.operands.size() - 2;
                   if (online.carries_on() && !before && (is_own || rescales)) return read_nothing();
                   if (is_own) move(online.blocks, *before);
                 },
             },
             reading.op);
}

Slice slice(const Reading& reading, const Reading::Source& source, const Axis& over,
            const std::vector<std::size_t>& index) {
  Slice cells{source.id, source.shape.offset(index, reading.result), 0, 1};
  if (!over.empty() && source.shape.has(over)) {
    cells.stride = source.shape.stride(over);
    cells.count = source.shape.size(over);
    // A row that is searched from one of its own cells.
    if (const auto own = reading.result.position(over)) cells.first -= index[*own] * cells.stride;
  }
  return cells;
}

// Whether softmax finds no open score in the row of that cell: the second
// operand of the part, maximum or sum, says so.
bool row_is_closed(const Trace& trace, const Reading& reading, const Provenance& made) {
  const auto* softmax = std::get_if<Softmax>(&reading.op);
  const auto* online = std::get_if<Online>(&reading.op);
  if ((!softmax && !online) || made.operands.size() < 2) return false;
  const double said = trace.value(made.operands[1].tensor)[made.operands[1].first];
  if (softmax ? softmax->part == Softmax::Part::exponentials : online->part == Online::Part::exponentials) {
    return said == -std::numeric_limits<double>::infinity();
  }
  return said == 0 && (softmax ? softmax->part == Softmax::Part::weights : online->part == Online::Part::result);
}

// The axis along which two cells are neighbours, the second behind the first.
std::optional<std::size_t> axis_between(const Shape& shape, std::size_t first, std::size_t second) {
  const std::vector<std::size_t> a = shape.index(first);
  const std::vector<std::size_t> b = shape.index(second);
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (axis || b[i] != a[i] + 1) return std::nullopt;
    axis = i;
  }
  return axis;
}

}  // namespace

bool reads_evenly(const Op& op) {
  return std::visit(
      Overloaded{
          []<OneOf<Given, Copy, Waves, Contract, Combine, Map, Reduce, Gate, Normalize, Close, Softmax> AsNamed>(
              const AsNamed&) { return true; },
          []<OneOf<Split, Merge, Join, Repeat, Pick, Rotate, Online> Regrouped>(const Regrouped&) { return false; },
      },
      op);
}

Axis axis_over(const Op& op) {
  return std::visit(
      Overloaded{
          [](const Contract& sum) { return sum.over; },
          [](const Reduce& reduce) { return reduce.over; },
          []<OneOf<Given, Copy, Split, Merge, Join, Repeat, Pick, Waves, Rotate, Combine, Map, Gate, Close> O>(
              const O&) { return Axis(); },
          [](const Normalize& norm) {
            const bool is_cell = norm.part == Normalize::Part::normalized || norm.part == Normalize::Part::affine;
            return is_cell ? Axis() : norm.over;
          },
          [](const Softmax& softmax) {
            const bool is_own = softmax.part == Softmax::Part::exponentials || softmax.part == Softmax::Part::weights;
            return is_own ? Axis() : softmax.over;
          },
          [](const Online& online) {
            switch (online.part) {
              case Online::Part::maximum:
              case Online::Part::exponentials:
              case Online::Part::result:
                return Axis();
              case Online::Part::rescale:
                return online.blocks;
              case Online::Part::block_maximum:
              case Online::Part::sum:
              case Online::Part::context:
                break;
            }
            return online.over;
          },
      },
      op);
}

std::size_t Reading::open_cell(std::size_t cell) const {
  return open->shape == result ? cell : open->shape.offset(result.index(cell), result);
}

bool is_given(const Step& step) { return std::holds_alternative<Given>(step.op); }

Reading reading_of(const Trace& trace, const Step& step) {
  const auto source = [&](const Operand& operand) -> std::optional<Reading::Source> {
    if (!trace.find(operand.id) && !trace.find_given(operand.id)) return std::nullopt;
    return Reading::Source{operand.id, shape_as_read(operand, trace.value(operand.id).shape())};
  };
  Reading reading{.op = step.op, .operands = {}, .open = std::nullopt, .result = step.result.shape()};
  for (const Operand& operand : step.operands) {
    auto read = source(operand);
    if (!read) break;
    reading.operands.push_back(std::move(*read));
  }
  const auto* online = std::get_if<Online>(&step.op);
  if (online && online->carries_on()) reading.operands.push_back({step.heading.id, step.result.shape()});
  if (step.open) reading.open = source(*step.open);
  return reading;
}

Provenance provenance(const Reading& reading, std::size_t cell) {
  const std::vector<std::size_t> index = reading.result.index(cell);
  const Axis over = axis_over(reading.op);
  Provenance made;
  for (std::size_t i = 0; i < reading.operands.size(); ++i) {
    made.operands.push_back(slice(reading, reading.operands[i], over, index));
    regroup(reading, i, index, made);
  }
  if (reading.open) {
    made.open = slice(reading, *reading.open, over, index);
    const auto* online = std::get_if<Online>(&reading.op);
    if (online && reading.result.has(online->blocks)) {
      keep_block(*online, reading.open->shape.size(over), index[*reading.result.position(online->blocks)], *made.open);
    }
  }
  if (reading.result.has(over)) made.own_term = index[*reading.result.position(over)];
  return made;
}

Ingredients ingredients(const Trace& trace, const Reading& reading, std::size_t cell) {
  const Provenance made = provenance(reading, cell);
  const Axis over = axis_over(reading.op);
  Ingredients all;
  const auto mask_cell = [&](std::size_t term) { return made.open->cell(made.open->count > 1 ? term : 0); };
  const auto closes = [&](std::size_t term) { return trace.value(made.open->tensor)[mask_cell(term)] == 0; };
  if (made.open && made.own_term && closes(*made.own_term)) {
    all.closed = {made.open->tensor, {mask_cell(*made.own_term)}};
    return all;
  }
  if (made.open) {
    all.closed.tensor = made.open->tensor;
    for (std::size_t i = 0; i < made.open->count; ++i) {
      if (closes(i)) all.closed.places.push_back(made.open->cell(i));
    }
  }
  const bool closed_row = row_is_closed(trace, reading, made);
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    const Slice& slice = made.operands[i];
    const bool runs = !over.empty() && reading.operands[i].shape.has(over);
    // A mask closes terms of a sum; where nothing is summed, the whole cell.
    const bool can_be_closed = made.open && (over.empty() || runs);
    if (closed_row && i == 0) continue;
    CellList read{slice.tensor, {}};
    for (std::size_t term = 0; term < slice.count; ++term) {
      if (!can_be_closed || !closes(term)) read.places.push_back(slice.cell(term));
    }
    if (!read.places.empty()) all.read.push_back(std::move(read));
  }
  return all;
}

std::vector<Slice> cell_runs(const Shape& shape, const CellList& list) {
  std::vector<Slice> all;
  std::optional<std::size_t> along;
  for (const std::size_t cell : list.places) {
    if (!all.empty()) {
      Slice& last = all.back();
      const auto axis = axis_between(shape, last.cell(last.count - 1), cell);
      if (axis && (last.count == 1 || axis == along)) {
        last.stride = cell - last.cell(last.count - 1);
        ++last.count;
        along = axis;
        continue;
      }
    }
    all.push_back({list.tensor, cell, 0, 1});
  }
  return all;
}

std::string cell_name(const Trace& trace, const Slice& cells) { return cell_name(trace, cells, cells.tensor); }

std::string cell_name(const Trace& trace, const Slice& cells, const std::string& called) {
  const Shape& shape = trace.value(cells.tensor).shape();
  const std::vector<std::size_t> first = shape.index(cells.first);
  const std::vector<std::size_t> last = shape.index(cells.cell(cells.count - 1));
  std::string name = called;
  for (std::size_t axis = 0; axis < first.size(); ++axis) {
    name += (axis == 0 ? "[" : ",") + std::to_string(first[axis] + 1);
    if (last[axis] != first[axis]) name += "…" + std::to_string(last[axis] + 1);
  }
  return first.empty() ? name : name + "]";
}

std::size_t levels_below(const Trace& trace, const std::string& id) {
  // Operands stand before the steps that read them.
  std::map<std::string, std::size_t, std::less<>> levels;
  for (const Step& step : trace.steps) {
    std::size_t deepest = 0;
    for (const Operand& operand : step.operands) deepest = std::max(deepest, levels[operand.id] + 1);
    if (step.open) deepest = std::max(deepest, levels[step.open->id] + 1);
    levels[step.heading.id] = deepest;
  }
  return levels[id];
}

}  // namespace attn
