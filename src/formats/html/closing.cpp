#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "formats/html/elements.h"

namespace attn {
namespace {

// A number of a mask that stands in the page.
struct Found {
  const Matrix* matrix;
  double number;
};

std::optional<Found> find(const std::vector<PageMatrix>& masks, const std::string& step, std::size_t place) {
  for (const PageMatrix& one : masks) {
    const Matrix& matrix = *one.matrix;
    if (matrix.step != step) continue;
    for (std::size_t row = 0; row < matrix.rows() && matrix.place_of(row, 0) <= place; ++row) {
      const std::size_t along = place - matrix.place_of(row, 0);
      const std::size_t column = matrix.column_stride == 0 ? 0 : along / matrix.column_stride;
      if (column < matrix.columns() && matrix.place_of(row, column) == place)
        return Found{&matrix, matrix.number(row, column)};
    }
  }
  return std::nullopt;
}

// The place of the mask that says whether a number counts. REQUIRES: made.open.
std::size_t open_place(const Provenance& made) {
  return made.open->cell(made.open->count == 1 ? 0 : made.own_term.value_or(0));
}

// The rules that a mask is put together from, at one of its places; itself, where it is given.
std::vector<Found> rules_of(const std::vector<PageMatrix>& masks, const std::string& mask, std::size_t place) {
  const std::optional<Found> self = find(masks, mask, place);
  if (!self) return {};
  if (operation_of(self->matrix->reading).is_given()) return {*self};
  std::vector<Found> rules;
  for (const Slice& read : provenance(self->matrix->reading, place).operands) {
    if (read.count == 0) continue;
    if (const auto rule = find(masks, read.tensor, read.cell(0))) rules.push_back(*rule);
  }
  return rules;
}

}  // namespace

std::vector<const Matrix*> closing_rules(const Matrix& matrix, Extent shown, const std::vector<PageMatrix>& page) {
  std::vector<const Matrix*> closing;
  if (matrix.closed.empty() || !matrix.reading.open) return closing;
  std::vector<PageMatrix> masks;
  std::ranges::copy_if(page, std::back_inserter(masks),
                       [](const PageMatrix& one) { return one.matrix->role == Role::mask; });
  for (std::size_t i = 0; i < shown.rows * shown.columns; ++i) {
    const std::size_t row = i / shown.columns, column = i % shown.columns;
    if (!matrix.is_closed(row, column)) continue;
    const Provenance made = provenance(matrix.reading, matrix.place_of(row, column));
    const std::vector<Found> rules = rules_of(masks, made.open->tensor, open_place(made));
    for (const Found& rule : rules) {
      const bool is_new = std::ranges::find(closing, rule.matrix->title, &Matrix::title) == closing.end();
      if (rule.number == 0 && is_new && !rule.matrix->title.empty()) closing.push_back(rule.matrix);
    }
    if (closing.size() == rules.size()) break;  // there are no others
  }
  return closing;
}

}  // namespace attn
