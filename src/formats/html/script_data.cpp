#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <variant>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"
#include "formats/html/elements.h"
#include "formats/looks.h"

namespace attn {
namespace {

std::string json(const Operation::Fact& fact) {
  return std::visit(Overloaded{
                        [](const std::string& text) { return json_string(text); },
                        [](double number) { return std::isfinite(number) ? shortest(number) : "null"; },
                        [](auto whole_or_bool) { return fmt::format("{}", whole_or_bool); },
                    },
                    fact);
}

std::string json(const Operation& operation) {
  std::string text = fmt::format(R"({{"kind":"{}")", operation.kind);
  for (const auto& [name, fact] : operation.facts) text += fmt::format(R"(,"{}":{})", name, json(fact));
  return text + "}";
}

using PickSlice = std::function<const Slice&(const Provenance&)>;

// The same as below of a step of which the first cells say it for all: a matrix may have millions.
std::string cells_read_evenly(const PageMatrix& of, const PickSlice& pick) {
  const auto read = [&](std::size_t row, std::size_t column) {
    return pick(provenance(of.matrix->reading, of.matrix->place_of(row, column)));
  };
  const Slice slice = read(0, 0);
  const auto apart = [&](std::size_t row, std::size_t column) {
    return static_cast<std::ptrdiff_t>(read(row, column).first) - static_cast<std::ptrdiff_t>(slice.first);
  };
  return fmt::format(R"({{"step":{},"first":{},"row":{},"column":{},"stride":{},"count":{}}})",
                     json_string(slice.tensor), slice.first, of.shown.rows > 1 ? apart(1, 0) : 0,
                     of.shown.columns > 1 ? apart(0, 1) : 0, slice.stride, slice.count);
}

// Which cells of one operand each cell of the matrix reads. REQUIRES: some are shown.
std::string cells_read(const PageMatrix& of, const PickSlice& pick) {
  const auto [rows, columns] = of.shown;
  if (reads_evenly(of.matrix->reading.op)) return cells_read_evenly(of, pick);
  std::vector<Slice> cells;  // row by row
  for (std::size_t i = 0; i < rows * columns; ++i) {
    cells.push_back(pick(provenance(of.matrix->reading, of.matrix->place_of(i / columns, i % columns))));
  }
  // "count":3 where it is the same all over the matrix, "counts":[3,0,…] where it is not.
  const auto listed = [&](std::string_view what, std::size_t Slice::*number) {
    const std::size_t start = cells[0].*number;
    const bool is_same = std::ranges::all_of(cells, [&](const Slice& cell) { return cell.*number == start; });
    if (is_same) return fmt::format(R"("{}":{})", what, start);
    std::string all;
    for (const Slice& cell : cells) all += (all.empty() ? "" : ",") + std::to_string(cell.*number);
    return fmt::format(R"("{}s":[{}])", what, all);
  };
  // How far apart neighbours read, where that is the same all over the matrix.
  const auto first = [&](std::size_t cell) { return static_cast<std::ptrdiff_t>(cells[cell].first); };
  const std::ptrdiff_t row = rows > 1 ? first(columns) - first(0) : 0, column = columns > 1 ? first(1) - first(0) : 0;
  bool is_even = true;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto down = static_cast<std::ptrdiff_t>(i / columns), across = static_cast<std::ptrdiff_t>(i % columns);
    is_even = is_even && first(i) == first(0) + down * row + across * column;
  }
  return fmt::format(R"({{"step":{},{},{},{}}})", json_string(cells[0].tensor),
                     is_even ? fmt::format(R"("first":{},"row":{},"column":{})", first(0), row, column)
                             : listed("first", &Slice::first),
                     listed("stride", &Slice::stride), listed("count", &Slice::count));
}

std::string json(const PageMatrix& one) {
  const Matrix& matrix = *one.matrix;
  std::string shape, axes, operands, open = "null";
  for (const Dim& dim : matrix.reading.result.dims()) {
    shape += (shape.empty() ? "" : ",") + std::to_string(dim.size);
    axes += (axes.empty() ? "" : ",") + json_string(dim.axis);
  }
  const Operation operation = operation_of(matrix.reading);
  const bool told = !operation.is_given();
  if (told) {
    for (std::size_t i = 0; i < matrix.reading.operands.size(); ++i) {
      operands += operands.empty() ? "" : ",";
      operands += cells_read(one, [i](const Provenance& made) -> const Slice& { return made.operands[i]; });
    }
    if (matrix.reading.open) {
      open = cells_read(one, [](const Provenance& made) -> const Slice& { return *made.open; });
    }
  }
  return fmt::format(
      R"({{"step":{},"symbol":{},"role":"{}","shape":[{}],"axes":[{}],"first":{},"row":{},"column":{},"rows":{},)"
      R"("columns":{},"decimals":{},"op":{},"operands":[{}],"open":{}}})",
      json_string(matrix.step), json_string(matrix.symbol.text()), class_name(matrix.role), shape, axes, matrix.first,
      matrix.row_stride, matrix.column_stride, one.shown.rows, one.shown.columns, matrix.decimals_in_lines,
      json(told ? operation : Operation{}), operands, open);
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') {
      quoted.append({'\\', c});
    } else if (c == '<' || c == '>' || c == '&') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string numbers_json(const Document& document, const std::vector<PageMatrix>& matrices) {
  std::string listed;
  for (const PageMatrix& one : matrices) listed += (listed.empty() ? "\n" : ",\n") + json(one);
  return fmt::format(R"({{"precision":{},"tolerance":{},"matrices":[{}]}})", document.precision,
                     shortest(document.tolerance), listed);
}

}  // namespace attn
