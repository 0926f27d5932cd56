#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "formats/cut.h"
#include "formats/figures.h"
#include "formats/latex/blocks.h"
#include "formats/latex/math.h"
#include "formats/looks.h"

namespace attn {
namespace {

constexpr std::size_t rows_of_a_page = 44, rows_of_a_sheet = 19;
constexpr double between = 18;  // between matrices side by side
constexpr double narrowest_caption = 115, widest_caption = 210;
constexpr double row_height = 13, rules_height = 12;
constexpr double box_width = 46.5, box_height = 31, box_gap = 3;  // of a sheet, as the macros have them

struct Column {
  std::string name;
  std::vector<std::string> cells;
  double width = 0;
};

// How much darker than paper a cell is where its weight is 1, in per cent: black is easily read on it, and it
// can be told from the others where there is no colour.
constexpr int darkest = 55;

class Layout {
 public:
  Layout(Matrix matrix, const LatexPage& page)
      : matrix_(std::move(matrix)), page_(page), scale_(is_sheet() ? 1 : page.numbers.scale) {
    const auto [rows, columns] = cut_of(matrix_, page.full);
    rows_ = rows;
    for (std::size_t column = 0; column < columns; ++column) columns_.push_back(laid_out(column));
    for (std::size_t row = 0; row < rows_; ++row) {
      label_width_ = std::max(label_width_, scale_ * latex_label_width(matrix_.row_labels[row]));
    }
  }

  bool is_whole() const {
    const bool high = page_.is_slide() && rows_ > most_rows();
    return columns_.empty() || (block_end(0, columns_.size()) == columns_.size() && !high);
  }

  // Beside one whose rows have the same names it has none.
  bool continues(const Layout& other) const {
    return !is_sheet() && matrix_.row_axis == other.matrix_.row_axis && matrix_.row_labels == other.matrix_.row_labels;
  }
  void show_labels(bool shown) { has_labels_ = shown; }

  const Matrix& matrix() const { return matrix_; }
  int steps() const { return page_.overlays && is_computed() ? 1 + row_steps() : 1; }

  // Of all columns side by side and the caption, where it stands beside others.
  double width() const {
    const double caption = first_line() <= widest_caption ? first_line() : narrowest_caption;
    // Of a narrow box all of the formula is above it.
    const double formula = is_sheet() ? latex_math_width(matrix_.name()) * 1.15 + 3 : 0;
    return std::max({width(0, columns_.size()), caption, narrowest_caption, std::min(formula, page_.width)});
  }

  std::string caption() const {
    return "\\attncaption{" + latex_inline_math(matrix_.name()) + "}{" + latex_prose(matrix_.caption()) + "}{" +
           meaning() + "}";
  }

  double caption_height(double width) const {
    LatexPage page = page_;
    page.width = width;
    const double both = latex_height(first_line(), page) +
                        latex_height(0.9 * latex_text_width(matrix_.sizes + matrix_.words), page);
    return page_.is_slide() ? both - 10 : both;
  }

  // All of it: tables of some columns, of some rows each.
  LatexPieces pieces() const {
    LatexPieces pieces;
    const double head = caption_height(page_.width) + 4;
    const std::size_t most = rows_of_each(most_rows());
    const std::size_t columns = columns_of_each();
    for (std::size_t begin = 0; begin < columns_.size() || begin == 0;) {
      const std::size_t end = block_end(begin, columns);
      for (std::size_t row = 0; row < rows_ || row == 0; row += most) {
        const std::size_t last = std::min(row + most, rows_);
        std::string which = words_of_part("column", begin, end, matrix_.columns());
        if (row > 0 || last < rows_) {
          which += (which.empty() ? "" : ", ") + words_of_part("row", row, last, matrix_.rows());
        }
        std::string text = pieces.empty() || page_.is_slide() ? caption() + "\n" : "";
        if (!which.empty()) text += "\\attncolumns{" + latex_text(which) + "}\n";
        text += table(begin, end, row, last, 0);
        pieces.push_back({std::move(text), head + height(last - row), steps()});
      }
      begin = std::max(end, begin + 1);
    }
    for (const std::string& line : elided()) {
      pieces.back().text += "\\par\\attncolumns{" + latex_text(line) + "}\n";
      pieces.back().height += height_of_row();
    }
    for (LatexPiece& piece : pieces) piece.text = "\\attnmatrix{" + piece.text + "}\n";
    return pieces;
  }

  // Whose first row appears after so many steps of others beside it.
  std::string whole_table(int after) const {
    std::string text = table(0, columns_.size(), 0, rows_, after);
    for (const std::string& line : elided()) text += "\\par\\attncolumns{" + latex_text(line) + "}";
    return text;
  }

  double table_height() const { return height(rows_); }

 private:
  bool is_sheet() const { return !matrix_.boxes.empty(); }
  double gap() const { return is_sheet() ? box_gap : page_.numbers.gap; }
  double height_of_row() const { return is_sheet() ? box_height : row_height * scale_; }

  // How wide the names of the rows are.
  double labels() const { return has_labels_ ? label_width_ + 10 : 0; }

  // Of a table with its names of columns.
  double height(std::size_t rows) const {
    return height_of_row() * static_cast<double>(rows + (is_sheet() ? 3 : 1)) + (is_sheet() ? 0 : rules_height);
  }

  std::size_t most_rows() const {
    if (!page_.is_slide()) return is_sheet() ? rows_of_a_sheet : rows_of_a_page;
    const double room = page_.height - caption_height(page_.width) - 4 - height(0);
    return std::max<std::size_t>(static_cast<std::size_t>(std::max(room, 0.0) / height_of_row()), 1);
  }

  bool is_computed() const { return matrix_.role != Role::input && matrix_.role != Role::weight_matrix; }

  // In how many steps the rows of a computed matrix appear: one by one, or of many some together.
  int row_steps() const { return static_cast<int>(std::clamp<std::size_t>(rows_, 1, 6)); }
  int step_of_row(std::size_t row) const {
    return is_computed() ? 1 + static_cast<int>(row) * row_steps() / static_cast<int>(std::max<std::size_t>(rows_, 1))
                         : 0;
  }

  double width(std::size_t begin, std::size_t end) const {
    double total = labels();
    for (std::size_t i = begin; i < end; ++i) total += gap() + columns_[i].width;
    return total;
  }

  // Of the caption: its formula and its title.
  double first_line() const {
    return std::min(latex_math_width(matrix_.name()) * 1.1 + 15 + latex_text_width(matrix_.caption()), page_.width);
  }

  std::string meaning() const {
    std::string text = latex_inline_math({matrix_.sizes});
    if (!matrix_.words.empty()) text += (text.empty() ? "" : ", ") + latex_prose(matrix_.words);
    return text;
  }

  // All boxes of a sheet have one size, whatever stands in them or above.
  Column column_of_boxes(std::size_t at) const {
    Column column{latex_label(matrix_.column_labels[at], box_width), {}, box_width};
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::string text = matrix_.cell(row, at);
      column.cells.push_back((matrix_.box(row, at) == Box::none ? "\\attnthere{" : "\\attnbox{") +
                             (text.empty() ? "" : latex_inline_math({text})) + "}");
    }
    return column;
  }

  Column laid_out(std::size_t at) const {
    if (is_sheet()) return column_of_boxes(at);
    Column column{latex_label(matrix_.column_labels[at]), {}, 0};
    const std::string fraction = matrix_.fraction() == 0 ? "" : "." + std::string(matrix_.fraction() - 1, '0');
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::string text = matrix_.cell(row, at);
      std::string cell;
      if (matrix_.handed_in.empty()) {
        cell = latex_inline_math({text});
        // A number without decimals stands where the others have their whole part.
        if (text.find('.') == std::string::npos && !fraction.empty()) cell += "\\phantom{" + fraction + "}";
        column.width = std::max(column.width, scale_ * latex_text_width(text));
      } else {
        cell = latex_label(text);
        column.width = std::max(column.width, scale_ * latex_label_width(text) + 2);
      }
      if (const std::string_view command = look_of(matrix_.mark(row, at)).command; !command.empty()) {
        cell = std::string(command) + "{" + cell + "}";
      }
      column.cells.push_back(std::move(cell));
    }
    if (matrix_.handed_in.empty() && !fraction.empty())
      column.width = std::max(column.width, scale_ * latex_text_width("0" + fraction));
    column.width = std::max(column.width, scale_ * latex_label_width(matrix_.column_labels[at]));
    return column;
  }

  // What is behind a number: the darker, the larger the attention weight.
  std::string shade(const Heat& heat, std::size_t row, std::size_t column, int step) const {
    if (matrix_.role != Role::attention_weight || is_sheet()) return "";
    const std::optional<double> size = heat.size(row, column);
    if (!size) return "";
    const std::string percent = "{" + std::to_string(std::lround(*size * darkest)) + "}";
    return page_.overlays ? "\\attnshadefrom{" + latex_step(step) + "}" + percent : "\\attnshade" + percent;
  }

  // Where the columns end that stand side by side from `begin` on, at most so many.
  std::size_t block_end(std::size_t begin, std::size_t most) const {
    const double room = page_.width;
    double used = labels();
    std::size_t end = begin;
    while (end < columns_.size() && end < begin + most &&
           (end == begin || used + gap() + columns_[end].width <= room)) {
      used += gap() + columns_[end].width;
      ++end;
    }
    return end;
  }

  // How many columns a table has where all have about as many.
  std::size_t columns_of_each() const {
    std::size_t tables = 0;
    for (std::size_t begin = 0; begin < columns_.size(); ++tables) begin = block_end(begin, columns_.size());
    return each(columns_.size(), tables);
  }

  static std::size_t each(std::size_t count, std::size_t parts) {
    return parts == 0 ? 1 : std::max<std::size_t>((count + parts - 1) / parts, 1);
  }

  // The same of rows, of which a table has room for `most`.
  std::size_t rows_of_each(std::size_t most) const { return each(rows_, (rows_ + most - 1) / most); }

  std::string table(std::size_t begin, std::size_t end, std::size_t first_row, std::size_t last_row, int after) const {
    std::string text = is_sheet() ? "\\attnfit{" : "\\attnnumbers{";
    text += std::string("\\begin{tabular}[t]{@{}") + (has_labels_ ? "l@{\\hspace{10pt}}" : "") + "*{" +
            std::to_string(end - begin) + (is_sheet() ? "}{@{}c@{\\hspace{1mm}}}@{}}\n" : "}{r}}\n\\attntop\n");
    if (is_sheet()) text += "\\rule{0pt}{15pt}";  // below the caption
    const Heat heat(matrix_);
    const auto separator = [&](std::size_t column) { return has_labels_ || column > begin ? " & " : ""; };
    for (std::size_t i = begin; i < end; ++i) text += separator(i) + ("\\attnhead{" + columns_[i].name + "}");
    text += is_sheet() ? " \\\\[1mm]\n" : " \\\\\n\\attnmid\n";
    for (std::size_t row = first_row; row < last_row; ++row) {
      if (has_labels_) text += "\\attnhead{" + latex_label(matrix_.row_labels[row]) + "}";
      const int step = after + step_of_row(row - first_row);
      for (std::size_t i = begin; i < end; ++i) {
        text += separator(i) + shade(heat, row, i, step) + latex_from_step(step, columns_[i].cells[row], page_);
      }
      text += " \\\\\n";
    }
    return text + (is_sheet() ? "" : "\\attnbottom\n") + "\\end{tabular}}";
  }

  // Paper knows no options.
  std::vector<std::string> elided() const {
    std::vector<std::string> lines = words_of_cut(matrix_, {rows_, columns_.size()});
    for (std::string& line : lines) line.resize(std::min(line.find(", --"), line.size()));
    return lines;
  }

  Matrix matrix_;
  const LatexPage& page_;
  double scale_;
  bool has_labels_ = true;
  std::size_t rows_ = 0;
  double label_width_ = 0;
  std::vector<Column> columns_;
};

// A long vector lies down, where that is not too wide: it is of one number a row.
Matrix turned(Matrix matrix) {
  std::swap(matrix.row_labels, matrix.column_labels);
  std::swap(matrix.row_axis, matrix.column_axis);
  matrix.words.clear();  // which say what its rows are
  return matrix;
}

Layout laid_out(const Matrix& matrix, const LatexPage& page) {
  constexpr std::size_t long_vector = 5;
  const bool is_vector = matrix.columns() == 1 && matrix.column_axis.empty() && matrix.boxes.empty() &&
                         matrix.handed_in.empty();
  if (is_vector && matrix.rows() >= long_vector && !page.full) {
    if (Layout lying(turned(matrix), page); lying.is_whole()) return lying;
  }
  return Layout(matrix, page);
}

// Some matrices on one line: their captions, then their tables.
LatexPiece side_by_side(const std::vector<Layout>& layouts) {
  std::string columns, captions, tables;
  double caption = 0, table = 0;
  int steps = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const std::string width = latex_length(layouts[i].width() * 1.02 + 2);
    const std::string separator = i == 0 ? "" : " &\n";
    columns += (i == 0 ? "" : "@{\\hspace{18pt}}") + std::string("l");
    captions += separator + "\\begin{minipage}[t]{" + width + "}" + layouts[i].caption() + "\\end{minipage}";
    tables += separator + "\\begin{minipage}[t]{" + width + "}" + layouts[i].whole_table(steps) + "\\end{minipage}";
    caption = std::max(caption, layouts[i].caption_height(layouts[i].width()));
    table = std::max(table, layouts[i].table_height());
    steps += layouts[i].steps();
  }
  return {"\\attnmatrix{\\begin{tabular}[t]{@{}" + columns + "@{}}\n" + captions + " \\\\[2pt]\n" + tables +
              "\n\\end{tabular}}\n",
          caption + table + 4, steps};
}

}  // namespace

LatexPieces latex_pieces(const std::vector<const Matrix*>& beside, const LatexPage& page) {
  LatexPieces pieces;
  std::vector<Layout> waiting;
  double used = 0;
  const auto flush = [&] {
    if (waiting.size() == 1) {
      std::ranges::move(waiting[0].pieces(), std::back_inserter(pieces));
    } else if (!waiting.empty()) {
      pieces.push_back(side_by_side(waiting));
    }
    for (const Layout& layout : waiting) std::ranges::move(latex_arcs(layout.matrix(), page), std::back_inserter(pieces));
    waiting.clear();
    used = 0;
  };
  for (const Matrix* matrix : beside) {
    Layout layout = laid_out(*matrix, page);
    if (!waiting.empty()) {
      layout.show_labels(!layout.continues(waiting.back()));
      if (used + between + layout.width() > page.width) {
        flush();
        layout.show_labels(true);
      }
    }
    used += (waiting.empty() ? 0 : between) + layout.width();
    waiting.push_back(std::move(layout));
  }
  flush();
  return pieces;
}

std::size_t latex_whole_matrices(const Document& document, const LatexPage& page) {
  return static_cast<std::size_t>(std::ranges::count_if(document.blocks, [&](const Block& block) {
    const auto* matrix = std::get_if<Matrix>(&block);
    return matrix && laid_out(*matrix, page).is_whole();
  }));
}

}  // namespace attn
