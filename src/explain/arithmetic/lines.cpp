#include "explain/arithmetic/lines.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "explain/telling/axes.h"

namespace attn {
namespace {

// Whether cells along the last axis are told together: they have a factor or a
// summand in common.
bool shares_a_number(const Op& op) {
  const auto* combine = std::get_if<Combine>(&op);
  return combine && combine->function != Binary::minimum;
}

// The numbers of the cells, where they are parts of 1.
std::vector<double> shares(const Step& step, const Slice& cells) {
  std::vector<double> numbers;
  if (step.heading.role != Role::attention_weight) return numbers;
  for (std::size_t i = 0; i < cells.count; ++i) numbers.push_back(step.result[cells.cell(i)]);
  return numbers;
}

}  // namespace

bool regroups(const Op& op) {
  return std::visit(Overloaded{
                        [](const Given&) { return true; },
                        [](const Copy&) { return true; },
                        [](const Split&) { return true; },
                        [](const Merge&) { return true; },
                        [](const Join&) { return true; },
                        [](const Repeat&) { return true; },
                        [](const Pick&) { return true; },
                        [](const Waves&) { return false; },
                        [](const Rotate&) { return false; },
                        [](const Contract&) { return false; },
                        // The smallest of 0 and 1: how a mask is put together.
                        [](const Combine& cells) { return cells.function == Binary::minimum; },
                        [](const Map&) { return false; },
                        [](const Reduce&) { return false; },
                        [](const Close&) { return false; },
                        [](const Softmax&) { return false; },
                    },
                    op);
}

Lines::Lines(const Trace& trace, const Numerals& numerals, std::size_t most_terms)
    : trace_(trace), symbols_(trace), pencil_(trace, numerals, most_terms) {}

Equation Lines::row(const Step& step, const Place& place) const {
  const Shape& shape = step.result.shape();
  const std::vector<Dim> inner = inner_axes(shape, place);
  const Reading reading = reading_of(trace_, step);
  if (inner.empty()) return cell(step, reading, place);

  // Formulas of masks are words; the row itself says more.
  const bool in_words = regroups(step.op) || std::holds_alternative<Close>(step.op);
  Inline name = in_words ? Inline{symbols_.part(step.heading, shape, place)} : symbols_.formula(step, place);
  Equation line{label(step, place), {{"", {std::move(name)}}}, {}};
  if (inner.size() == 1) {
    const Slice cells{step.heading.id, offset_at(shape, place), shape.stride(inner[0].axis), inner[0].size};
    Working working = pencil_.row(step, reading, cells);
    line.sides.push_back(std::move(working.sides.back()));
    line.shares = shares(step, cells);
  }
  return line;
}

Derivation Lines::cells(const Step& step, const Place& place) const {
  Derivation all{step.heading.id, symbols_.formula(step, place), step.heading.title, {}};
  const Reading reading = reading_of(trace_, step);
  if (regroups(step.op)) {
    all.lines = regrouped(step, reading, place);
  } else {
    all.lines = lines(step, reading, place);
  }
  // One line says all by itself.
  if (regroups(step.op) || inner_axes(step.result.shape(), place).empty()) all.formula.clear();
  return all;
}

// A line a vector.
std::vector<Equation> Lines::regrouped(const Step& step, const Reading& reading, const Place& place) const {
  if (inner_axes(step.result.shape(), place).size() < 2) return {vector(step, reading, place)};
  return deeper(&Lines::regrouped, step, reading, place);
}

std::vector<Equation> Lines::lines(const Step& step, const Reading& reading, const Place& place) const {
  const std::vector<Dim> inner = inner_axes(step.result.shape(), place);
  if (inner.empty()) return {cell(step, reading, place)};
  if (inner.size() == 1 && shares_a_number(step.op) && !is_position(inner[0].axis)) {
    return {vector(step, reading, place)};
  }
  return deeper(&Lines::lines, step, reading, place);
}

// The lines of each index along the next axis.
std::vector<Equation> Lines::deeper(LinesOf of, const Step& step, const Reading& reading, const Place& place) const {
  const Dim next = inner_axes(step.result.shape(), place).front();
  std::vector<Equation> all;
  for (std::size_t i = 0; i < next.size; ++i) {
    const Place there = with(place, next.axis, i);
    for (Equation& line : (this->*of)(step, reading, there)) {
      if (is_position(next.axis)) line.label = label(step, there);
      all.push_back(std::move(line));
    }
  }
  return all;
}

Equation Lines::cell(const Step& step, const Reading& reading, const Place& place) const {
  Equation line{{}, {{"", {{symbols_.part(step.heading, step.result.shape(), place)}}}}, {}};
  Working worked = working(step, reading, place);
  for (Expression& side : worked.sides) line.sides.push_back(std::move(side));
  line.remark = std::move(worked.remark);
  line.shares = shares(step, {step.heading.id, offset_at(step.result.shape(), place)});
  return line;
}

Working Lines::working(const Step& step, const Reading& reading, const Place& place) const {
  const Shape& shape = step.result.shape();
  const std::size_t at = offset_at(shape, place);
  Working worked = pencil_.cell(step, reading, at);
  const auto begin_with = [&](Inline text) { worked.sides.insert(worked.sides.begin(), {"=", {std::move(text)}}); };
  // "q₁·k₂": which rows are multiplied, where the cell's indices alone say it.
  const bool by_position =
      std::ranges::all_of(shape.dims(), [](const Dim& dim) { return is_outer(dim.axis) || is_position(dim.axis); });
  const auto* contract = std::get_if<Contract>(&step.op);
  if (by_position && contract) begin_with(product(*contract, step, reading, place));
  if (std::holds_alternative<Close>(step.op) && reading.operands.size() == 1 && std::isfinite(step.result[at])) {
    begin_with(operands(step, reading, place, ""));
  }
  return worked;
}

Equation Lines::vector(const Step& step, const Reading& reading, const Place& place) const {
  const Shape& shape = step.result.shape();
  const std::vector<Dim> inner = inner_axes(shape, place);
  if (inner.size() != 1) return row(step, place);
  Equation line{{}, {{"", {{symbols_.part(step.heading, shape, place)}}}}, {}};
  const Slice cells{step.heading.id, offset_at(shape, place), shape.stride(inner[0].axis), inner[0].size};
  // A list of one number is told as that number.
  const bool is_number = cells.count == 1 && shares_a_number(step.op);
  Working working = is_number ? pencil_.cell(step, reading, cells.first) : pencil_.row(step, reading, cells);
  const auto* combine = std::get_if<Combine>(&step.op);
  if (working.sides.size() > 1 && combine) {
    const bool product = combine->function == Binary::multiply;
    line.sides.push_back({"=", {operands(step, reading, place, product ? "·" : sign(combine->function))}});
  }
  for (Expression& side : working.sides) line.sides.push_back(std::move(side));
  line.remark = std::move(working.remark);
  return line;
}

// "q₁·k₂"
Inline Lines::operands(const Step& step, const Reading& reading, const Place& place, std::string_view sign) const {
  Inline text;
  for (const Reading::Source& operand : reading.operands) {
    if (!text.empty()) text.emplace_back(sign == "·" ? std::string(sign) : " " + std::string(sign) + " ");
    text.push_back(symbols_.part(trace_.heading(operand.id), operand.shape, place));
    if (text.size() == 1 && step.operands.size() != reading.operands.size()) break;
  }
  return text;
}

// "q₁·k₂", and what is added to it or divides it: "q₁·k₂ + B[1,2]", "q₁·k₂ / (n₁·m₂)".
Inline Lines::product(const Contract& sum, const Step& step, const Reading& reading, const Place& place) const {
  const auto named = [&](std::size_t i) {
    const Reading::Source& operand = reading.operands[i];
    return symbols_.part(trace_.heading(operand.id), operand.shape, place);
  };
  if (reading.operands.size() < 2 || reading.operands.size() < step.operands.size()) {
    return operands(step, reading, place, "·");
  }
  Inline text = {named(0), "·", named(1)};
  std::size_t added = 2;
  if (sum.then == Contract::Then::divide) {
    for (Span& span : Inline{" / (", named(2), "·", named(3), ")"}) text.push_back(std::move(span));
    added = 4;
  }
  for (std::size_t i = added; i < reading.operands.size(); ++i) {
    text.emplace_back(" + ");
    text.push_back(named(i));
  }
  return text;
}

// The token that a line is about, where it says more than the line's indices.
Inline Lines::label(const Step& step, const Place& place) const {
  const Shape& shape = step.result.shape();
  for (auto at = place.rbegin(); at != place.rend(); ++at) {
    const auto& [axis, index] = *at;
    if (!is_position(axis)) continue;
    const std::string text = axis_label(trace_, step.heading, {axis, shape.size(axis)}, place, index);
    return is_numbered(text, index) ? Inline{} : Inline{text};
  }
  return {};
}

}  // namespace attn
