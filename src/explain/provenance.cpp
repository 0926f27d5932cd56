#include "explain/provenance.h"

#include <limits>
#include <string_view>
#include <utility>

namespace attn {
namespace {

// The axis that a step sums or searches along; empty where there is none.
Axis axis_over(const Op& op) {
  return std::visit(Overloaded{
                        [](const Given&) { return Axis(); },
                        [](const Copy&) { return Axis(); },
                        [](const Split&) { return Axis(); },
                        [](const Merge&) { return Axis(); },
                        [](const Contract& sum) { return sum.over; },
                        [](const Combine&) { return Axis(); },
                        [](const Map&) { return Axis(); },
                        [](const Reduce& reduce) { return reduce.over; },
                        [](const Close&) { return Axis(); },
                        [](const Softmax& softmax) {
                          const bool whole_row =
                              softmax.part == Softmax::Part::maximum || softmax.part == Softmax::Part::sum;
                          return whole_row ? softmax.over : Axis();
                        },
                    },
                    op);
}

// Where an operand stands at a cell of the result, as far as axis names say.
std::size_t shared_offset(const Shape& operand, const Shape& result, const std::vector<std::size_t>& index) {
  std::size_t offset = 0;
  for (std::size_t axis = 0; axis < result.rank(); ++axis) offset += index[axis] * operand.stride(result[axis].axis);
  return offset;
}

// What axis names do not say: an axis that was split or merged.
std::size_t regrouped_offset(const Op& op, const Shape& operand, const Shape& result,
                             const std::vector<std::size_t>& index) {
  const auto at = [&](const Axis& axis) { return index[*result.position(axis)]; };
  if (const auto* split = std::get_if<Split>(&op)) {
    return (at(split->outer) * result.size(split->inner) + at(split->inner)) * operand.stride(split->axis);
  }
  if (const auto* merge = std::get_if<Merge>(&op)) {
    const std::size_t inner = operand.size(merge->inner);
    return at(merge->axis) / inner * operand.stride(merge->outer) +
           at(merge->axis) % inner * operand.stride(merge->inner);
  }
  return 0;
}

Slice slice(const Reading& reading, const Reading::Source& source, const Axis& over,
            const std::vector<std::size_t>& index) {
  Slice cells{source.id, shared_offset(source.shape, reading.result, index), 0, 1};
  if (!over.empty() && source.shape.has(over)) {
    cells.stride = source.shape.stride(over);
    cells.count = source.shape.size(over);
  }
  return cells;
}

// Whether softmax finds no open score in the row of that cell: the second
// operand of the part, maximum or sum, says so.
bool row_is_closed(const Trace& trace, const Reading& reading, const Provenance& made) {
  const auto* softmax = std::get_if<Softmax>(&reading.op);
  if (!softmax || made.operands.size() < 2) return false;
  const double said = trace.value(made.operands[1].tensor)[made.operands[1].first];
  return softmax->part == Softmax::Part::exponentials ? said == -std::numeric_limits<double>::infinity() : said == 0;
}

}  // namespace

std::size_t Reading::open_cell(std::size_t cell) const {
  return open->shape == result ? cell : shared_offset(open->shape, result, result.index(cell));
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
  if (step.open) reading.open = source(*step.open);
  return reading;
}

Provenance provenance(const Reading& reading, std::size_t cell) {
  const std::vector<std::size_t> index = reading.result.index(cell);
  const Axis over = axis_over(reading.op);
  Provenance made;
  for (const Reading::Source& operand : reading.operands) {
    Slice cells = slice(reading, operand, over, index);
    cells.first += regrouped_offset(reading.op, operand.shape, reading.result, index);
    made.operands.push_back(std::move(cells));
  }
  if (reading.open) made.open = slice(reading, *reading.open, over, index);
  return made;
}

Ingredients ingredients(const Trace& trace, const Reading& reading, std::size_t cell) {
  const Provenance made = provenance(reading, cell);
  const Axis over = axis_over(reading.op);
  Ingredients all;
  const auto closes = [&](std::size_t term) {
    return trace.value(made.open->tensor)[made.open->cell(made.open->count > 1 ? term : 0)] == 0;
  };
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

}  // namespace attn
