#include "formats/html/numbers.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"
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

// Which cells of one operand each cell of the matrix reads.
class Read {
 public:
  using Pick = std::function<const Slice&(const Provenance&)>;

  Read(const PageMatrix& of, Pick pick) : matrix_(*of.matrix), shown_(of.shown), pick_(std::move(pick)) {
    start_ = at(0, 0);
    if (shown_.rows > 1) row_ = distance(1, 0);
    if (shown_.columns > 1) column_ = distance(0, 1);
  }

  std::string json() const {
    return fmt::format(R"({{"step":{},{},{},{}}})", json_string(start_.tensor), firsts(),
                       listed("stride", &Slice::stride), listed("count", &Slice::count));
  }

 private:
  Slice at(std::size_t row, std::size_t column) const { return pick_(matrix_.made_of(row, column)); }

  std::ptrdiff_t distance(std::size_t row, std::size_t column) const {
    return static_cast<std::ptrdiff_t>(at(row, column).first) - static_cast<std::ptrdiff_t>(start_.first);
  }

  std::string firsts() const {
    std::string listed;
    bool even = true;
    for (std::size_t row = 0; row < shown_.rows; ++row) {
      for (std::size_t column = 0; column < shown_.columns; ++column) {
        const std::ptrdiff_t moved = distance(row, column);
        even = even && moved == static_cast<std::ptrdiff_t>(row) * row_ + static_cast<std::ptrdiff_t>(column) * column_;
        listed += (listed.empty() ? "" : ",") + std::to_string(static_cast<std::ptrdiff_t>(start_.first) + moved);
      }
    }
    if (!even) return "\"firsts\":[" + listed + "]";
    return fmt::format(R"("first":{},"row":{},"column":{})", start_.first, row_, column_);
  }

  // "count":3 where it is the same all over the matrix, "counts":[3,0,…] where it is not.
  std::string listed(const char* what, std::size_t Slice::*number) const {
    std::string all;
    bool even = true;
    for (std::size_t row = 0; row < shown_.rows; ++row) {
      for (std::size_t column = 0; column < shown_.columns; ++column) {
        const std::size_t here = at(row, column).*number;
        even = even && here == start_.*number;
        all += (all.empty() ? "" : ",") + std::to_string(here);
      }
    }
    return even ? fmt::format("\"{}\":{}", what, start_.*number) : fmt::format("\"{}s\":[{}]", what, all);
  }

  const Matrix& matrix_;
  Extent shown_;
  Pick pick_;
  Slice start_;
  std::ptrdiff_t row_ = 0, column_ = 0;
};

std::string json(const PageMatrix& one) {
  const Matrix& matrix = *one.matrix;
  std::string shape, axes, operands, open = "null";
  for (const Dim& dim : matrix.reading.result.dims()) {
    shape += (shape.empty() ? "" : ",") + std::to_string(dim.size);
    axes += (axes.empty() ? "" : ",") + json_string(dim.axis);
  }
  const bool told = !matrix.operation.is_given() && one.shown.rows > 0 && one.shown.columns > 0;
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
      json(told ? matrix.operation : Operation{}), operands, open);
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
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
