#include "explain/arithmetic/pencil.h"

#include <algorithm>
#include <utility>

#include "words/language.h"

namespace attn {

Pencil::Pencil(const Trace& trace, const Numerals& numerals, std::size_t most_terms)
    : trace_(trace), numerals_(numerals), most_terms_(std::max<std::size_t>(most_terms, 4)) {}

Working Pencil::cell(const Step& step, const Reading& reading, std::size_t cell) const {
  return worked_cell(trace_, step, reading, cell, numerals_, most_terms_);
}

std::vector<Inline> Pencil::list(const Tensor<double>& tensor, const Slice& cells, Role role) const {
  std::vector<Inline> terms;
  const std::size_t shown = cells.count <= most_terms_ ? cells.count : most_terms_ - 1;
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
bool Pencil::is_rounded(const Step& step, const Reading& reading, const Slice& cells) const {
  if (!trace_.arithmetic.hand_rounding) return false;
  for (std::size_t i = 0; i < cells.count; ++i) {
    if (cell(step, reading, cells.cell(i)).rounded) return true;
  }
  return false;
}

// "0.25 × [1, 2, 3]": the operands of a row of cells, each a number where it is
// the same all along the row, else a list.
Expression Pencil::operands(const Step& step, const Reading& reading, const Slice& cells, Binary function) const {
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

Working Pencil::row(const Step& step, const Reading& reading, const Slice& cells) const {
  Working working;
  const auto* combine = std::get_if<Combine>(&step.op);
  const bool can_be_written = combine && combine->function != Binary::minimum && cells.count > 1 &&
                              reading.operands.size() == step.operands.size();
  if (can_be_written) {
    const bool closed = reading.open && trace_.value(reading.open->id)[reading.open_cell(cells.first)] == 0;
    if (closed) {
      working.remark = {language().telling.closed};
    } else {
      working.sides.push_back(operands(step, reading, cells, combine->function));
    }
  }
  bool exact = !is_rounded(step, reading, cells);
  for (std::size_t i = 0; i < cells.count; ++i) exact = exact && numerals_.exact(step.result[cells.cell(i)]);
  working.sides.push_back({exact ? "=" : "≈", list(step.result, cells, step.heading.role)});
  return working;
}

}  // namespace attn
