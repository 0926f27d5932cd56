#include "formats/markdown/table.h"

#include <algorithm>

#include "base/text.h"
#include "formats/cut.h"
#include "formats/markdown/text.h"
#include "formats/styled.h"

namespace attn {
namespace {

// A longer cell does not make its whole column as wide.
constexpr std::size_t widest_padded = 60;

}  // namespace

std::string markdown_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
                           std::size_t right) {
  std::vector<std::size_t> widths(header.size(), 3);
  const auto measure = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], std::min(display_width(row[i]), widest_padded));
    }
  };
  measure(header);
  for (const auto& row : rows) measure(row);

  std::string text;
  const auto write = [&](const std::vector<std::string>& row) {
    text += "|";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const auto padded = i >= right ? padded_before : padded_behind;
      text += " " + padded(i < row.size() ? row[i] : "", widths[i]) + " |";
    }
    text += "\n";
  };
  write(header);
  text += "|";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    text += i >= right ? " " + std::string(widths[i] - 1, '-') + ": |" : " " + std::string(widths[i], '-') + " |";
  }
  text += "\n";
  for (const auto& row : rows) write(row);
  return text;
}

std::string matrix_table(const Matrix& matrix, const MarkdownStyle& style, bool full) {
  const auto [shown_rows, shown_columns] = cut_of(matrix, full);

  std::vector<std::string> header = {""};
  for (std::size_t column = 0; column < shown_columns; ++column) {
    header.push_back(words_of(matrix.column_labels[column], style));
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t row = 0; row < shown_rows; ++row) {
    rows.push_back({emphasised(words_of(matrix.row_labels[row], style), "**")});
    for (std::size_t column = 0; column < shown_columns; ++column) {
      const std::string cell = words_of(matrix.cell(row, column), style);
      const bool wrong = !matrix.marks.empty() && matrix.marks[row * matrix.columns() + column] == Mark::wrong;
      rows.back().push_back(wrong ? emphasised(cell, "**") : cell);
    }
  }
  std::string text = markdown_table(header, rows, 1);
  for (const std::string& words :
       {words_of_cut(matrix.rows() - shown_rows, "row"), words_of_cut(matrix.columns() - shown_columns, "column")}) {
    if (!words.empty()) text += "\n" + emphasised(words_of(words, style), "*") + "\n";
  }
  return text;
}

}  // namespace attn
