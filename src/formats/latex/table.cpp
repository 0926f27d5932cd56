#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "formats/latex/blocks.h"
#include "formats/latex/math.h"

namespace attn {
namespace {

// How wide each column of a table is: as wide as its cells, but that the last
// one has a third of all where the others would leave it less.
std::vector<double> column_widths(const std::vector<std::vector<Inline>>& rows, double width) {
  std::vector<double> widths;
  for (const auto& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], latex_text_width(plain(row[i])) * 1.05 + 3);
    }
  }
  if (widths.empty()) return widths;
  double left = width - std::max(width / 3, 100.0);
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    widths[i] = std::max(std::min(widths[i], left), 20.0);
    left = std::max(left - widths[i] - column_gap, 0.0);
  }
  double others = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) others += widths[i] + column_gap;
  widths.back() = std::min(widths.back(), std::max(width - others, 60.0));
  return widths;
}

std::string row_text(const std::vector<Inline>& row, std::string_view command) {
  std::string text;
  for (const Inline& cell : row)
    text += fmt::format("{}\\{}{{{}}}", text.empty() ? "" : " & ", command, latex_prose(cell));
  return text + " \\\\\n";
}

double lines_of_row(const std::vector<Inline>& row, const std::vector<double>& widths, LatexPage page) {
  double height = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    page.width = widths[i];
    height = std::max(height, latex_height(latex_text_width(plain(row[i])), page) - 4);
  }
  return height;
}

}  // namespace

LatexPieces latex_pieces(const Table& table, const LatexPage& page) {
  std::vector<std::vector<Inline>> all = table.rows;
  if (!table.header.empty()) all.push_back(table.header);
  const std::vector<double> widths = column_widths(all, page.width);
  std::string top;
  double head = 10;
  if (!table.caption.empty()) {
    top = "\\attntablecaption{" + latex_prose(table.caption) + "}\n";
    head += latex_height(latex_text_width(plain(table.caption)), page);
  }
  if (widths.empty()) {  // LaTeX knows no table without columns
    return top.empty() ? LatexPieces() : LatexPieces{{"\\attnmatrix{" + top + "}\n", head}};
  }
  std::string begin = "{\\begin{tabular}{@{}";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    begin += fmt::format("{}p{{{}}}", i == 0 ? "" : "@{\\hspace{12pt}}", latex_length(widths[i]));
  }
  begin += "@{}}\n\\attntop\n";
  top += begin;
  if (!table.header.empty()) {
    top += row_text(table.header, "attntablehead") + "\\attnmid\n";
    head += lines_of_row(table.header, widths, page);
  }
  constexpr double page_height = 560;
  const double most = page.is_slide() ? page.height : page_height;
  const std::string bottom = "\\attnbottom\n\\end{tabular}}";
  LatexPieces pieces;
  std::string now;
  double height = head;
  const auto flush = [&] {
    pieces.push_back({"\\attnmatrix{" + top + now + bottom + "}\n", height});
    now.clear();
    height = head;
  };
  for (const std::vector<Inline>& row : table.rows) {
    const double lines = lines_of_row(row, widths, page);
    if (!now.empty() && height + lines > most) flush();
    now += row_text(row, "attncell");
    height += lines;
  }
  flush();
  return pieces;
}

}  // namespace attn
