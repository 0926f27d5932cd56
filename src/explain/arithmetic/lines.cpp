#include "explain/arithmetic/lines.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/regroups.h"
#include "words/language.h"

namespace attn {
namespace {

// Whether cells along the last axis are told together: they have a factor or a
// summand in common.
bool shares_a_number(const Op& op) {
  const auto* combine = std::get_if<Combine>(&op);
  return combine && combine->function != Binary::minimum;
}

// Whether the cells along that last axis are one line.
bool is_vector(const Op& op, const Dim& last) {
  return regroups(op) || (shares_a_number(op) && !is_position(last.axis));
}

// The numbers of the cells, where they are parts of 1.
std::vector<double> shares(const Step& step, const Slice& cells) {
  std::vector<double> numbers;
  if (step.heading.role != Role::attention_weight) return numbers;
  for (std::size_t i = 0; i < cells.count; ++i) numbers.push_back(step.result[cells.cell(i)]);
  return numbers;
}

}  // namespace

Lines::Lines(const Trace& trace, const Numerals& numerals, TermLimit limit, std::size_t most_lines)
    : trace_(trace),
      numerals_(numerals),
      limit_(limit.kept == TermLimit::Kept::ends ? std::max<std::size_t>(limit.most, 4) : limit),
      most_listed_(std::max<std::size_t>(limit.most, 4)),
      most_lines_(most_lines),
      symbols_(trace) {}

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
    line.sides.push_back(worked_row(step, reading, cells).sides.back());
    line.shares = shares(step, cells);
  }
  return line;
}

Derivation Lines::cells(const Step& step, const Place& place) const {
  Derivation all{symbols_.formula(step, place), step.heading.title, lines(step, reading_of(trace_, step), place)};
  // One line says all by itself.
  if (regroups(step.op) || inner_axes(step.result.shape(), place).empty()) all.formula.clear();
  return all;
}

std::size_t Lines::left_out(const Step& step, const Place& place) const {
  const std::vector<Dim> inner = inner_axes(step.result.shape(), place);
  std::size_t all = 1;
  for (const Dim& dim : inner) {
    const bool is_one_line = &dim == &inner.back() && is_vector(step.op, dim);
    if (!is_one_line) all *= dim.size;
  }
  return all - std::min(all, most_lines_);
}

// A line a cell, or a vector where that says as much; of more, the lines of each index along the next axis.
std::vector<Equation> Lines::lines(const Step& step, const Reading& reading, const Place& place) const {
  const std::vector<Dim> inner = inner_axes(step.result.shape(), place);
  if (inner.size() == 1 && is_vector(step.op, inner[0])) return {vector(step, reading, place)};
  if (inner.empty()) return {regroups(step.op) ? vector(step, reading, place) : cell(step, reading, place)};
  std::vector<Equation> all;
  for (std::size_t i = 0; i < inner[0].size; ++i) {
    if (all.size() >= most_lines_) break;
    const Place there = with(place, inner[0].axis, i);
    for (Equation& line : lines(step, reading, there)) {
      if (is_position(inner[0].axis)) line.label = label(step, there);
      all.push_back(std::move(line));
    }
  }
  if (all.size() > most_lines_) all.resize(most_lines_);
  return all;
}

Equation Lines::cell(const Step& step, const Reading& reading, const Place& place) const {
  Equation line{{}, {{"", {{symbols_.part(step.heading, step.result.shape(), place)}}}}, {}};
  Working told = working(step, reading, place);
  for (Expression& side : told.sides) line.sides.push_back(std::move(side));
  line.remark = told.remark.empty() ? written_terms(step, told, place) : std::move(told.remark);
  line.shares = shares(step, {step.heading.id, offset_at(step.result.shape(), place)});
  return line;
}

Working Lines::working(const Step& step, const Reading& reading, const Place& place) const {
  const Shape& shape = step.result.shape();
  const std::size_t at = offset_at(shape, place);
  Working told = worked(step, reading, at);
  // What a hidden step made has no name.
  if (reading.operands.size() < step.operands.size()) return told;
  const auto begin_with = [&](Inline text) { told.sides.insert(told.sides.begin(), {"=", {std::move(text)}}); };
  // "q₁·k₂": which rows are multiplied, where the cell's indices alone say it.
  const bool by_position =
      std::ranges::all_of(shape.dims(), [](const Dim& dim) { return is_outer(dim.axis) || is_position(dim.axis); });
  const auto* contract = std::get_if<Contract>(&step.op);
  if (by_position && contract) begin_with(product(*contract, reading, place));
  if (std::holds_alternative<Close>(step.op) && reading.operands.size() == 1 && std::isfinite(step.result[at])) {
    begin_with(operands(reading, place, ""));
  }
  return told;
}

Equation Lines::vector(const Step& step, const Reading& reading, const Place& place) const {
  const Shape& shape = step.result.shape();
  const std::vector<Dim> inner = inner_axes(shape, place);
  if (inner.size() != 1) return row(step, place);
  Equation line{{}, {{"", {{symbols_.part(step.heading, shape, place)}}}}, {}};
  const Slice cells{step.heading.id, offset_at(shape, place), shape.stride(inner[0].axis), inner[0].size};
  // A list of one number is told as that number.
  const bool is_number = cells.count == 1 && shares_a_number(step.op);
  Working working = is_number ? worked(step, reading, cells.first) : worked_row(step, reading, cells);
  if (const auto* combine = std::get_if<Combine>(&step.op); combine && working.sides.size() > 1) {
    const bool product = combine->function == Binary::multiply;
    line.sides.push_back({"=", {operands(reading, place, product ? "·" : sign(combine->function))}});
  }
  for (Expression& side : working.sides) line.sides.push_back(std::move(side));
  line.remark = std::move(working.remark);
  return line;
}

// "q₁·k₂"
Inline Lines::operands(const Reading& reading, const Place& place, std::string_view sign) const {
  Inline text;
  for (const Reading::Source& operand : reading.operands) {
    if (!text.empty()) text.emplace_back(sign == "·" ? std::string(sign) : " " + std::string(sign) + " ");
    text.push_back(symbols_.part(trace_.heading(operand.id), operand.shape, place));
  }
  return text;
}

// "q₁·k₂", and what is added to it or divides it: "q₁·k₂ + B[1,2]", "q₁·k₂ / (n₁·m₂)".
Inline Lines::product(const Contract& sum, const Reading& reading, const Place& place) const {
  const auto named = [&](std::size_t i) {
    const Reading::Source& operand = reading.operands[i];
    return symbols_.part(trace_.heading(operand.id), operand.shape, place);
  };
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

// Which terms of a sum are written: "key 3 (dog), 1 (it)".
Inline Lines::written_terms(const Step& step, const Working& told, const Place& place) const {
  if (told.places.empty()) return {};
  const Operand& row = step.operands.front();
  const Heading& heading = trace_.heading(row.id);
  const Axis axis = axis_over(step.op);
  const Dim dim{axis, shape_as_read(row, trace_.value(row.id).shape()).size(axis)};
  std::string words = axis;
  for (const std::size_t i : told.places) {
    const std::string label = axis_label(trace_, heading, dim, place, i);
    words += (words == axis ? " " : ", ") + std::to_string(i + 1);
    if (!is_numbered(label, i)) words += " (" + label + ")";
  }
  return {words};
}

Working Lines::worked(const Step& step, const Reading& reading, std::size_t cell) const {
  return worked_cell(trace_, step, reading, cell, numerals_, limit_);
}

std::vector<Inline> Lines::list(const Tensor<double>& tensor, const Slice& cells, Role role) const {
  std::vector<Inline> terms;
  const std::size_t shown = cells.count <= most_listed_ ? cells.count : most_listed_ - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const double number = tensor[cells.cell(i)];
    terms.push_back({{numerals_.in_line(number, numerals_.decimals_of(cells.tensor)), role}, ","});
  }
  if (shown < cells.count) terms.push_back({"… " + std::to_string(cells.count - shown) + " more", ""});
  if (terms.empty()) return {{"[]"}};
  terms.front().insert(terms.front().begin(), "[");
  terms.back().back() = "]";
  return terms;
}

// Only rounding by hand makes a result something else than what was worked out.
bool Lines::is_rounded(const Step& step, const Reading& reading, const Slice& cells) const {
  if (!trace_.arithmetic.hand_rounding) return false;
  for (std::size_t i = 0; i < cells.count; ++i) {
    if (worked(step, reading, cells.cell(i)).rounded) return true;
  }
  return false;
}

// "0.25 × [1, 2, 3]": the operands of a row of cells, each a number where it is
// the same all along the row, else a list.
Expression Lines::operands(const Step& step, const Reading& reading, const Slice& cells, Binary function) const {
  const Provenance first = provenance(reading, cells.first);
  const Provenance second = provenance(reading, cells.cell(1));
  Expression side{"=", {}};
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    const std::string& id = first.operands[i].tensor;
    const Slice read{id, first.operands[i].first, second.operands[i].first - first.operands[i].first, cells.count};
    const Tensor<double>& tensor = trace_.value(id);
    const Role role = trace_.heading(id).role;
    std::vector<Inline> operand = {{{numerals_.in_line(tensor[read.first], numerals_.decimals_of(id)), role}}};
    if (read.stride > 0) operand = list(tensor, read, role);
    if (i > 0) operand.front().insert(operand.front().begin(), std::string(sign(function)) + " ");
    side.terms.insert(side.terms.end(), operand.begin(), operand.end());
  }
  return side;
}

// The cells of one row at once, where they have a number in common:
// "= 0.25·[1, 2, 3] = [0.25, 0.5, 0.75]"; otherwise only the numbers.
Working Lines::worked_row(const Step& step, const Reading& reading, const Slice& cells) const {
  Working working;
  if (shares_a_number(step.op) && cells.count > 1 && reading.operands.size() == step.operands.size()) {
    if (reading.open && trace_.value(reading.open->id)[reading.open_cell(cells.first)] == 0) {
      working.remark = {language().telling.closed};
    } else {
      working.sides.push_back(operands(step, reading, cells, std::get<Combine>(step.op).function));
    }
  }
  bool exact = !is_rounded(step, reading, cells);
  for (std::size_t i = 0; i < cells.count; ++i) exact = exact && numerals_.exact(step.result[cells.cell(i)]);
  working.sides.push_back({exact ? "=" : "≈", list(step.result, cells, step.heading.role)});
  return working;
}

}  // namespace attn
