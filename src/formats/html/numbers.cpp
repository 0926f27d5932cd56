#include "formats/html/numbers.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"
#include "formats/markup.h"

namespace attn {
namespace {

std::string_view name(Binary function) {
  switch (function) {
    case Binary::add:
      return "add";
    case Binary::subtract:
      return "subtract";
    case Binary::multiply:
      return "multiply";
    case Binary::divide:
      return "divide";
    case Binary::minimum:
      return "minimum";
  }
  return "";
}

std::string_view name(Unary function) {
  switch (function) {
    case Unary::multiply:
      return "multiply";
    case Unary::divide:
      return "divide";
    case Unary::add:
      return "add";
    case Unary::tanh:
      return "tanh";
    case Unary::softcap:
      return "softcap";
    case Unary::exp:
      return "exp";
    case Unary::square:
      return "square";
    case Unary::sqrt:
      return "sqrt";
  }
  return "";
}

std::string_view name(Reducer function) {
  switch (function) {
    case Reducer::sum:
      return "sum";
    case Reducer::maximum:
      return "maximum";
    case Reducer::norm:
      return "norm";
  }
  return "";
}

std::string_view name(Waves::Kind kind) {
  switch (kind) {
    case Waves::Kind::sine:
      return "sine";
    case Waves::Kind::cosine:
      return "cosine";
    case Waves::Kind::alternating:
      return "alternating";
  }
  return "";
}

std::string_view name(Contract::Then then) {
  switch (then) {
    case Contract::Then::add:
      return "add";
    case Contract::Then::divide:
      return "divide";
  }
  return "";
}

std::string_view name(Softmax::Part part) {
  switch (part) {
    case Softmax::Part::maximum:
      return "maximum";
    case Softmax::Part::exponentials:
      return "exponentials";
    case Softmax::Part::sum:
      return "sum";
    case Softmax::Part::weights:
      return "weights";
    case Softmax::Part::shares:
      return "shares";
  }
  return "";
}

std::string json(const Reading& reading) {
  const auto kind = [](std::string_view text) { return fmt::format(R"({{"kind":"{}"}})", text); };
  const auto with_function = [](std::string_view of, std::string_view function) {
    return fmt::format(R"({{"kind":"{}","function":"{}"}})", of, function);
  };
  return std::visit(
      Overloaded{
          [&](const Given&) { return kind("given"); },
          [&](const Copy&) { return kind("copy"); },
          [&](const Split&) { return kind("split"); },
          [&](const Merge&) { return kind("merge"); },
          [&](const Join&) { return kind("join"); },
          [&](const Repeat&) { return kind("repeat"); },
          [&](const Pick&) { return kind("pick"); },
          [&](const Waves& waves) {
            return fmt::format(
                R"({{"kind":"waves","function":"{}","positions":{},"features":{},"first":{},"base":{},"width":{}}})",
                name(waves.kind), json_string(waves.positions.axis), json_string(waves.features.axis), waves.first,
                shortest(waves.base), waves.width);
          },
          [&](const Rotate& rotate) {
            return fmt::format(R"({{"kind":"rotate","axis":{},"interleaved":{},"pairs":{}}})", json_string(rotate.axis),
                               rotate.interleaved, reading.operands[1].shape.size(rotate.pair));
          },
          [&](const Contract& sum) { return fmt::format(R"({{"kind":"contract","then":"{}"}})", name(sum.then)); },
          [&](const Combine& combine) { return with_function("combine", name(combine.function)); },
          [&](const Map& map) {
            return fmt::format(R"({{"kind":"map","function":"{}","parameter":{},"spelling":{}}})", name(map.function),
                               std::isfinite(map.parameter) ? shortest(map.parameter) : "null",
                               json_string(map.spelling));
          },
          [&](const Reduce& reduce) { return with_function("reduce", name(reduce.function)); },
          [&](const Close&) { return kind("close"); },
          [&](const Softmax& softmax) {
            return fmt::format(R"({{"kind":"softmax","part":"{}","over":{},"base":{}}})", name(softmax.part),
                               json_string(softmax.over), shortest(softmax.base));
          },
      },
      reading.op);
}

// What a factor, an angle or a summand of which is not in the document cannot be written.
bool is_told(const Reading& reading) {
  if (std::holds_alternative<Waves>(reading.op)) return true;
  if (std::holds_alternative<Rotate>(reading.op)) return reading.operands.size() == 3;
  if (const auto* sum = std::get_if<Contract>(&reading.op)) {
    return reading.operands.size() >= (sum->then == Contract::Then::divide ? 4 : 2);
  }
  return !reading.operands.empty();
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
  const bool told = is_told(matrix.reading) && one.shown.rows > 0 && one.shown.columns > 0;
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
      told ? json(matrix.reading) : R"({"kind":"given"})", operands, open);
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
