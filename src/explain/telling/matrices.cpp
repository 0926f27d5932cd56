#include "explain/telling/matrices.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "explain/telling/closing.h"
#include "explain/telling/exactness.h"
#include "words/language.h"

namespace attn {
namespace {

// Of a tensor, along each axis in each sequence, as far as somebody asked for them.
using LabelsFound = std::map<std::pair<Axis, std::optional<std::size_t>>, SharedLabels>;

// What matrices are made of.
struct Shown {
  const Trace& trace;
  const Numerals& numerals;
  const Heading& heading;
  const Tensor<double>& tensor;
  Reading reading;
  LabelsFound& labels;
};

// What the rows or the columns are: an axis, or nothing for a vector's one row.
struct Edge {
  Axis axis = {};
  SharedLabels labels = {};
  std::size_t stride = 0, first = 0;
};

std::string bracketed(const std::vector<Dim>& dims) {
  return dims.empty() ? "[1]" : "[" + to_string(Shape(dims)) + "]";
}

// Axes of an operand that the matrix at hand shows, batch, head and all else
// that stands still left out.
std::vector<Dim> shown_axes(const Shape& shape, const Place& place) {
  std::vector<Dim> dims = inner_axes(shape, place);
  std::erase_if(dims, [](const Dim& dim) { return is_outer(dim.axis); });
  return dims;
}

// [3 × 4]·[4 × 3] → [3 × 3]: the left one has the rows of the result, the right
// one its columns, turned as the formula turns them.
std::string product_sizes(const Contract& sum, const Reading& reading, const std::vector<Dim>& result,
                          const Place& place) {
  std::vector<Dim> left = shown_axes(reading.operands[0].shape, place);
  std::vector<Dim> right = shown_axes(reading.operands[1].shape, place);
  const auto carries = [](const std::vector<Dim>& dims, const Axis& axis) {
    return std::ranges::find(dims, axis, &Dim::axis) != dims.end();
  };
  if (result.size() == 2 && left.size() == 2 && right.size() == 2) {
    if (carries(right, result[0].axis) && !carries(left, result[0].axis)) std::swap(left, right);
    if (left[0].axis == sum.over) std::swap(left[0], left[1]);
    if (right[1].axis == sum.over) std::swap(right[0], right[1]);
  }
  std::string text = bracketed(left) + "·" + bracketed(right);
  const auto further = [&](std::size_t i) { return bracketed(shown_axes(reading.operands[i].shape, place)); };
  std::size_t added = 2;
  if (sum.then == Contract::Then::divide && reading.operands.size() >= 4) {
    text += " / (" + further(2) + "·" + further(3) + ")";
    added = 4;
  }
  for (std::size_t i = added; i < reading.operands.size(); ++i) text += " + " + further(i);
  return text + " → " + bracketed(result);
}

// A sum of products that an earlier step made, as the one product that it is.
std::optional<Reading> as_product(const Trace& trace, const Reading& reading) {
  const auto* reduce = std::get_if<Reduce>(&reading.op);
  if (!reduce || reduce->function != Reducer::sum || reading.operands.size() != 1) return std::nullopt;
  const Step* products = trace.find(reading.operands[0].id);
  const auto* combine = products ? std::get_if<Combine>(&products->op) : nullptr;
  if (!combine || combine->function != Binary::multiply || products->operands.size() != 2) return std::nullopt;
  Reading product = reading_of(trace, *products);
  if (product.operands.size() != 2) return std::nullopt;
  product.op = Contract{reduce->over};
  product.result = reading.result;
  return product;
}

std::string sizes(const Trace& trace, const Reading& reading, const Place& place) {
  if (const auto product = as_product(trace, reading)) return sizes(trace, *product, place);
  const std::vector<Dim> result = shown_axes(reading.result, place);
  if (reading.operands.empty()) return bracketed(result);
  if (const auto* sum = std::get_if<Contract>(&reading.op); sum && reading.operands.size() >= 2) {
    return product_sizes(*sum, reading, result, place);
  }
  const std::vector<Dim> first = shown_axes(reading.operands[0].shape, place);
  if (const auto* merge = std::get_if<Merge>(&reading.op); merge && is_outer(merge->outer)) {
    const std::size_t parts = reading.operands[0].shape.size(merge->outer);
    return std::to_string(parts) + " × " + bracketed(first) + " → " + bracketed(result);
  }
  return first == result ? bracketed(result) : bracketed(first) + " → " + bracketed(result);
}

std::string axes_words(const Matrix& matrix) {
  const TellingWords& said = language().telling;
  // The axes of a weight matrix are named as formulas name them.
  const auto words = [&](const Axis& axis) { return matrix.role == Role::weight_matrix ? axis : said.axis(axis); };
  if (matrix.row_axis.empty() && matrix.column_axis.empty()) return said.one_number;
  if (matrix.column_axis.empty()) return said.rows_are(words(matrix.row_axis));
  if (matrix.row_axis.empty()) return said.columns_are(words(matrix.column_axis));
  return said.rows_and_columns_are(words(matrix.row_axis), words(matrix.column_axis));
}

// What the rows of weights sum to, if that can be said in a few words.
std::string sums_words(const Matrix& matrix, const Numerals& numerals) {
  if (matrix.role != Role::attention_weight || matrix.column_axis != "key") return "";
  bool any_closed = false;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    double sum = 0;
    bool closed = !matrix.closed.empty();
    for (std::size_t column = 0; column < matrix.columns(); ++column) {
      sum += matrix.number(row, column);
      closed = closed && matrix.is_closed(row, column);
    }
    if (!closed && !numerals.same(sum, 1)) return "";
    any_closed = any_closed || closed;
  }
  return any_closed ? language().telling.each_row_1_or_0 : language().telling.each_row_1;
}

// Which of several matrices it is: "Head 2 of 8 · query 1 · the".
std::string place_of(const Shown& source, const Place& place) {
  std::string words = place_words(source.tensor.shape(), place);
  for (const auto& [axis, index] : place) {
    if (is_outer(axis)) continue;
    const Dim dim{axis, source.tensor.shape().size(axis)};
    const std::string label = axis_label(source.trace, source.heading, dim, place, index);
    words = dotted(words, axis + " " + std::to_string(index + 1));
    if (!is_numbered(label, index)) words += " · " + label;
  }
  return words;
}

Edge side(const Shown& source, const Place& place, const Dim* dim, std::optional<std::size_t> query) {
  if (!dim) return {.labels = {source.heading.symbol.text()}};
  const std::size_t stride = source.tensor.shape().stride(dim->axis);
  if (query && dim->axis == "query") {
    return {dim->axis, {axis_label(source.trace, source.heading, *dim, place, *query)}, stride, *query * stride};
  }
  const auto [known, is_new] = source.labels.try_emplace({dim->axis, index_along(place, "batch")});
  if (is_new) known->second = axis_labels(source.trace, source.heading, *dim, place);
  return {dim->axis, known->second, stride, 0};
}

// Which of these cells the mask closes, where it says so cell by cell.
std::vector<bool> closed_cells(const Shown& source, const std::vector<std::size_t>& cells) {
  const auto& mask = source.reading.open;
  const bool cell_by_cell = mask && std::ranges::all_of(mask->shape.dims(), [&](const Dim& dim) {
                              return source.tensor.shape().has(dim.axis);
                            });
  if (!cell_by_cell) return {};
  const Tensor<double>& open = source.trace.value(mask->id);
  std::vector<bool> closed;
  closed.reserve(cells.size());
  for (const std::size_t cell : cells) closed.push_back(open[source.reading.open_cell(cell)] == 0);
  return closed;
}

// The rules that close any of these cells.
std::vector<std::string> rules_of_mask(const Shown& source, const std::vector<std::size_t>& cells,
                                       const std::vector<bool>& closed) {
  std::vector<std::size_t> closed_in_mask;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (closed[i]) closed_in_mask.push_back(source.reading.open_cell(cells[i]));
  }
  return rules_that_close(source.trace, source.reading.open->id, closed_in_mask);
}

Matrix one_matrix(const Shown& source, const Place& place, std::optional<std::size_t> query) {
  const Shape& shape = source.tensor.shape();
  const std::vector<Dim> inner = inner_axes(shape, place);
  // A vector of positions is a column, one of features a row.
  const bool is_row = inner.size() == 1 && !is_position(inner[0].axis);
  const Edge down = side(source, place, inner.empty() || is_row ? nullptr : &inner.front(), query);
  const Edge across = side(source, place, inner.size() == 2 || is_row ? &inner.back() : nullptr, query);

  Matrix matrix;
  matrix.step = source.heading.id;
  matrix.role = source.heading.role;
  matrix.symbol = source.heading.symbol;
  matrix.title = source.heading.title;
  const bool given = std::holds_alternative<Given>(source.reading.op);
  matrix.formula = given ? source.heading.symbol : source.heading.formula;
  matrix.place = place_of(source, place);
  matrix.sizes = sizes(source.trace, source.reading, place);
  matrix.row_axis = down.axis;
  matrix.row_labels = down.labels;
  matrix.row_stride = down.stride;
  matrix.column_axis = across.axis;
  matrix.column_labels = across.labels;
  matrix.column_stride = across.stride;
  matrix.first = offset_at(shape, place) + down.first + across.first;
  matrix.reading = source.reading;

  const std::vector<std::size_t> cells = places_of_cells(matrix);
  matrix.cells.reserve(cells.size());
  for (const std::size_t cell : cells) matrix.cells.push_back(source.tensor[cell]);
  matrix.closed = closed_cells(source, cells);
  if (!matrix.closed.empty()) matrix.closed_by = rules_of_mask(source, cells, matrix.closed);
  matrix.decimals_in_lines = source.numerals.decimals_of(matrix.step);
  matrix.format = source.numerals.format(matrix.cells, matrix.decimals_in_lines);
  matrix.words = axes_words(matrix) + sums_words(matrix, source.numerals);
  if (const Step* step = source.trace.find(matrix.step)) {
    if (const std::string words = exactness_words(source.trace, *step); !words.empty()) {
      matrix.words += "; " + words;
    }
  }
  if (query && (down.axis == "query" || across.axis == "query")) {
    matrix.words += language().telling.here_only(*query + 1);
  }
  return matrix;
}

std::vector<Matrix> all_matrices(const Shown& source, const Place& place, std::optional<std::size_t> query) {
  const std::vector<Dim> inner = inner_axes(source.tensor.shape(), place);
  if (inner.size() <= 2) return {one_matrix(source, place, query)};

  std::vector<Matrix> all;
  for (std::size_t i = 0; i < inner[0].size; ++i) {
    if (query && inner[0].axis == "query" && i != *query) continue;
    std::ranges::move(all_matrices(source, with(place, inner[0].axis, i), query), std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::vector<Matrix> matrices_at(const Trace& trace, const Numerals& numerals, const std::string& id, const Place& place,
                                std::optional<std::size_t> query) {
  const Step* step = trace.find(id);
  const Tensor<double>& tensor = trace.value(id);
  const Shape& shape = tensor.shape();
  if (query && shape.has("query") && *query >= shape.size("query")) return {};
  const Reading reading = step ? reading_of(trace, *step) : Reading{Given{}, {}, std::nullopt, tensor.shape()};
  LabelsFound labels;
  std::vector<Matrix> all = all_matrices({trace, numerals, trace.heading(id), tensor, reading, labels}, place, query);
  for (Matrix& matrix : all) {
    if (step) matrix.part = part_title(trace, *step);
  }
  return all;
}

std::vector<Matrix> matrices_of(const Trace& trace, const Numerals& numerals, const std::string& id) {
  std::vector<Matrix> all;
  for (const Place& place : outer_places(trace.value(id).shape(), 0, 0)) {
    std::ranges::move(matrices_at(trace, numerals, id, place), std::back_inserter(all));
  }
  return all;
}

std::vector<std::size_t> places_of_cells(const Matrix& matrix) {
  std::vector<std::size_t> places;
  places.reserve(matrix.rows() * matrix.columns());
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (std::size_t column = 0; column < matrix.columns(); ++column) {
      places.push_back(matrix.place_of(row, column));
    }
  }
  return places;
}

}  // namespace attn
