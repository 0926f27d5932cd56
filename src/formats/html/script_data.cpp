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

// A string of JSON, quoted, with nothing in it that HTML would read.
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

// Which cells of one operand each cell of the matrix reads.
class Read {
 public:
  using Pick = std::function<const Slice&(const Provenance&)>;

  Read(const PageMatrix& of, const Pick& pick) : shown_(of.shown) {
    for (std::size_t row = 0; row < shown_.rows; ++row) {
      for (std::size_t column = 0; column < shown_.columns; ++column) {
        cells_.push_back(pick(provenance(of.matrix->reading, of.matrix->place_of(row, column))));
      }
    }
  }

  std::string json() const {
    return fmt::format(R"({{"step":{},{},{},{}}})", json_string(cells_[0].tensor), firsts(),
                       listed("stride", &Slice::stride), listed("count", &Slice::count));
  }

 private:
  std::ptrdiff_t first(std::size_t cell) const { return static_cast<std::ptrdiff_t>(cells_[cell].first); }

  // How far apart neighbours read, where that is the same all over the matrix.
  std::string firsts() const {
    const std::ptrdiff_t row = shown_.rows > 1 ? first(shown_.columns) - first(0) : 0;
    const std::ptrdiff_t column = shown_.columns > 1 ? first(1) - first(0) : 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const auto down = static_cast<std::ptrdiff_t>(i / shown_.columns);
      const auto across = static_cast<std::ptrdiff_t>(i % shown_.columns);
      if (first(i) != first(0) + down * row + across * column) return listed("first", &Slice::first);
    }
    return fmt::format(R"("first":{},"row":{},"column":{})", first(0), row, column);
  }

  // "count":3 where it is the same all over the matrix, "counts":[3,0,…] where it is not.
  std::string listed(const char* what, std::size_t Slice::*number) const {
    const std::size_t start = cells_[0].*number;
    if (std::ranges::all_of(cells_, [&](const Slice& cell) { return cell.*number == start; })) {
      return fmt::format("\"{}\":{}", what, start);
    }
    std::string all;
    for (const Slice& cell : cells_) all += (all.empty() ? "" : ",") + std::to_string(cell.*number);
    return fmt::format("\"{}s\":[{}]", what, all);
  }

  Extent shown_;
  std::vector<Slice> cells_;  // row by row
};

std::string json(const PageMatrix& one) {
  const Matrix& matrix = *one.matrix;
  std::string shape, axes, operands, open = "null";
  for (const Dim& dim : matrix.reading.result.dims()) {
    shape += (shape.empty() ? "" : ",") + std::to_string(dim.size);
    axes += (axes.empty() ? "" : ",") + json_string(dim.axis);
  }
  const Operation operation = operation_of(matrix.reading);
  const bool told = !operation.is_given() && one.shown.rows > 0 && one.shown.columns > 0;
  if (told) {
    for (std::size_t i = 0; i < matrix.reading.operands.size(); ++i) {
      const Read read(one, [i](const Provenance& made) -> const Slice& { return made.operands[i]; });
      operands += (operands.empty() ? "" : ",") + read.json();
    }
    if (matrix.reading.open) {
      open = Read(one, [](const Provenance& made) -> const Slice& { return *made.open; }).json();
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

std::string numbers_json(const Document& document, const std::vector<PageMatrix>& matrices) {
  std::string listed;
  for (const PageMatrix& one : matrices) listed += (listed.empty() ? "\n" : ",\n") + json(one);
  return fmt::format(R"({{"precision":{},"tolerance":{},"matrices":[{}]}})", document.precision,
                     shortest(document.tolerance), listed);
}

}  // namespace attn
