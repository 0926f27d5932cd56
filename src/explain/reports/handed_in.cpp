#include "explain/reports/handed_in.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "base/text.h"
#include "explain/place.h"
#include "explain/telling/matrices.h"
#include "words/language.h"

namespace attn {
namespace {

// The signs that show without colour what became of a number, and what they mean.
struct Sign {
  Mark mark;
  std::string text;
  Said meaning;
};

std::array<Sign, 5> signs() {
  const VerdictWords& said = language().verdicts;
  return {{{Mark::right, "✓", said.right},
           {Mark::wrong, "✗", said.not_right_yet},
           {Mark::follows, "↳", said.follows_from_yours},
           {Mark::unsure, "?", said.too_few_to_tell},
           {Mark::blank, "·", said.blank}}};
}

std::string signed_number(Mark mark, const std::string& given) {
  const auto all = signs();
  return std::ranges::find(all, mark, &Sign::mark)->text + (given.empty() ? "" : " ") + given;
}

Mark mark_of(CellState state) {
  constexpr Mark marks[] = {Mark::right, Mark::wrong, Mark::blank, Mark::follows, Mark::unsure};
  return marks[static_cast<std::size_t>(state)];
}

using CellsByPlace = std::map<std::size_t, const MarkedCell*>;

// The marked cells by their place in the row-major step; none where one has no place there.
CellsByPlace placed(const MarkedStep& answer, const Shape& shape) {
  CellsByPlace cells;
  for (const MarkedCell& cell : answer.cells) {
    const std::vector<std::size_t> sizes = shape.sizes();
    const bool fits = cell.index.size() == sizes.size() && std::ranges::equal(cell.index, sizes, std::less<>());
    if (!fits) return {};
    cells.emplace(shape.offset(cell.index, shape), &cell);
  }
  return cells;
}

// The matrix without its numbers, and all that says how they were computed.
Matrix emptied(Matrix matrix, const std::string& title) {
  matrix.title = title;
  matrix.formula = {};
  matrix.sizes = "[" + std::to_string(matrix.rows()) + " × " + std::to_string(matrix.columns()) + "]";
  matrix.words = matrix.words.substr(0, matrix.words.find(';'));
  matrix.cells.clear();
  matrix.closed.clear();
  matrix.format = {};
  matrix.decimals_in_lines = 0;
  matrix.reading = {Given{}, {}, std::nullopt, matrix.reading.result};
  return matrix;
}

// Both matrices of one place; nothing where all is right.
void lay_out(const Matrix& matrix, const CellsByPlace& marked, const Numerals& numerals, HandedIn& handed) {
  Matrix written = emptied(matrix, language().verdicts.as_written);
  Matrix expected = emptied(matrix, language().verdicts.as_expected);
  expected.beside = true;
  std::vector<double> numbers;
  std::vector<const MarkedCell*> cells;
  for (const std::size_t place : places_of_cells(matrix)) {
    const auto found = marked.find(place);
    cells.push_back(found == marked.end() ? nullptr : found->second);
    if (cells.back()) numbers.push_back(cells.back()->expected);
  }
  const NumberFormat format = numerals.format(numbers);
  bool all_right = true;
  for (const MarkedCell* cell : cells) {
    const Mark mark = cell ? mark_of(cell->state) : Mark::not_asked;
    all_right = all_right && (mark == Mark::right || mark == Mark::not_asked);
    written.marks.push_back(mark);
    written.handed_in.push_back(cell ? signed_number(mark, cell->given) : "");
    expected.handed_in.push_back(cell ? attn::written(cell->expected, format) : "");
  }
  if (all_right) return;
  handed.written.push_back(std::move(written));
  handed.expected.push_back(std::move(expected));
}

}  // namespace

HandedIn handed_in(const MarkedStep& answer, const Step& like, const Trace& trace, const Numerals& numerals) {
  HandedIn handed;
  const CellsByPlace cells = placed(answer, like.result.shape());
  if (cells.empty()) return handed;
  for (Matrix& matrix : matrices_of(trace, numerals, like.heading.id)) {
    matrix.step = answer.id;
    if (!trace.find(answer.id)) matrix.symbol = Formula(capitalised(in_words(answer.id)));
    lay_out(matrix, cells, numerals, handed);
  }
  return handed;
}

std::string legend(const std::vector<Matrix>& matrices) {
  std::vector<std::string> words;
  for (const Sign& sign : signs()) {
    const bool shows = std::ranges::any_of(
        matrices, [&](const Matrix& m) { return std::ranges::find(m.marks, sign.mark) != m.marks.end(); });
    if (shows) words.push_back(sign.text + " " + sign.meaning.text());
  }
  return listed(words);
}

}  // namespace attn
