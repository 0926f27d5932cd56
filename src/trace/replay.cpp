#include "trace/replay.h"

#include <cassert>
#include <map>
#include <variant>

#include "ops/shapes.h"

namespace attn {
namespace {

// The mask as numbers, whatever kind of number the rest is.
const Tensor<double>& as_mask(const Tensor<double>& open, Tensor<double>&) { return open; }

const Tensor<double>& as_mask(const Tensor<Interval>& open, Tensor<double>& room) {
  room = Tensor<double>(open.shape());
  for (std::size_t i = 0; i < open.size(); ++i) room[i] = open[i].high;
  return room;
}

double rounded_to(Dtype dtype, double number) { return stored(number, dtype); }

Interval rounded_to(Dtype dtype, const Interval& number) {
  return hull(number, {stored(number.low, dtype), stored(number.high, dtype)});
}

}  // namespace

Replay::Replay(const Recipe& recipe) : dtype_(recipe.dtype()) {
  std::map<std::string, std::size_t, std::less<>> places;
  lines_.reserve(recipe.instructions().size());
  for (const Instruction& instruction : recipe.instructions()) {
    Line line;
    line.instruction = instruction;
    for (const Operand& operand : instruction.operands) {
      assert(places.contains(operand.id));
      const std::size_t place = places.find(operand.id)->second;
      line.operands.push_back(place);
      line.read.push_back(shape_as_read(operand, lines_[place].shape));
    }
    line.shape =
        instruction.given ? instruction.given->shape() : result_shape(instruction.op, line.read, recipe.vectors());
    if (instruction.open) {
      assert(places.contains(instruction.open->id));
      line.open = places.find(instruction.open->id)->second;
      line.open_read = shape_as_read(*instruction.open, lines_[*line.open].shape);
    }
    std::vector<Cells<double>> cells;
    for (const Shape& shape : line.read) cells.push_back({&shape, nullptr});
    const Cells<double> mask{&line.open_read, nullptr};
    line.walk.emplace(line.shape, std::span<const Cells<double>>(cells), line.open ? &mask : nullptr);
    places.emplace(instruction.id, lines_.size());
    lines_.push_back(std::move(line));
  }
}

std::optional<std::size_t> Replay::line(std::string_view id) const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].instruction.id == id) return i;
  }
  return std::nullopt;
}

template <class Number>
Tensor<Number> Replay::run(std::size_t at, const Made<Number>& made) const {
  const Line& line = lines_[at];
  std::vector<Cells<Number>> cells;
  for (std::size_t i = 0; i < line.operands.size(); ++i) {
    cells.push_back({&line.read[i], made[line.operands[i]]->data().data()});
  }
  Tensor<double> room;
  Cells<double> mask;
  if (line.open) mask = {&line.open_read, as_mask(*made[*line.open], room).data().data()};
  const Cells<double>* closing = line.open ? &mask : nullptr;
  Tensor<Number> result = std::visit(Run<Number>(*line.walk, cells, closing, line.shape), line.instruction.op);
  if (rounds_once_a_line()) {
    for (Number& number : result.data()) number = rounded_to(dtype_, number);
  }
  return result;
}

std::vector<double> Replay::terms(std::size_t at, std::size_t cell, const Made<double>& made) const {
  const Line& line = lines_[at];
  const std::vector<std::size_t> index = line.shape.index(cell);
  const auto place_in = [&](const Shape& read) {
    std::size_t place = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * read.stride(line.shape[axis].axis);
    return place;
  };
  const auto number = [&](std::size_t operand, const Axis& over, std::size_t i) {
    return (*made[line.operands[operand]])[place_in(line.read[operand]) + i * line.read[operand].stride(over)];
  };
  const auto is_open = [&](const Axis& over, std::size_t i) {
    return !line.open || (*made[*line.open])[place_in(line.open_read) + i * line.open_read.stride(over)] != 0;
  };
  const auto sum_over = [&](const Axis& over) {
    std::vector<double> terms;
    for (std::size_t i = 0; i < line.read[0].size(over); ++i) terms.push_back(number(0, over, i));
    return terms;
  };
  const auto single = [&](std::size_t operand) {
    return (*made[line.operands[operand]])[place_in(line.read[operand])];
  };
  const auto add_further = [&](std::size_t first, std::vector<double>& terms) {
    for (std::size_t i = first; i < line.operands.size(); ++i) terms.push_back(single(i));
  };

  const Op& op = line.instruction.op;
  if (const auto* contract = std::get_if<Contract>(&op); contract && contract->then == Contract::Then::add) {
    std::vector<double> terms;
    for (std::size_t i = 0; i < line.read[0].size(contract->over); ++i) {
      if (is_open(contract->over, i)) terms.push_back(number(0, contract->over, i) * number(1, contract->over, i));
    }
    add_further(2, terms);
    return terms;
  }
  if (const auto* reduce = std::get_if<Reduce>(&op); reduce && reduce->function == Reducer::sum) {
    std::vector<double> terms = sum_over(reduce->over);
    add_further(1, terms);
    return terms;
  }
  if (const auto* softmax = std::get_if<Softmax>(&op); softmax && softmax->part == Softmax::Part::sum) {
    std::vector<double> terms = sum_over(softmax->over);
    if (line.operands.size() == 3) terms.push_back(power(softmax->base, single(1) - single(2)));
    return terms;
  }
  return {};
}

template Tensor<double> Replay::run(std::size_t, const Made<double>&) const;
template Tensor<Interval> Replay::run(std::size_t, const Made<Interval>&) const;

}  // namespace attn
