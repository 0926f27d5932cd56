#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "formats/cut.h"
#include "formats/latex/blocks.h"
#include "formats/latex/math.h"
#include "formats/looks.h"

namespace attn {
namespace {

constexpr std::size_t rows_of_a_page = 44, rows_of_a_slide = 12, rows_of_a_sheet = 19;
constexpr double between = 24;  // between matrices side by side
constexpr double narrowest_caption = 115, widest_caption = 210;
constexpr double row_height = 13;

constexpr LatexNumbers sizes_of_numbers[] = {
    {1, 12, ""},
    {0.9, 9, "\\renewcommand\\attnnumbers{\\small\\tabcolsep=4.5pt }\\renewcommand\\attnheads{\\footnotesize}\n"},
    {0.8, 7, "\\renewcommand\\attnnumbers{\\footnotesize\\tabcolsep=3.5pt }\\renewcommand\\attnheads{\\scriptsize}\n"},
    {0.7, 5, "\\renewcommand\\attnnumbers{\\scriptsize\\tabcolsep=2.5pt }\\renewcommand\\attnheads{\\scriptsize}\n"}};
constexpr std::size_t longest_column = 6;                         // a longer vector lies down
constexpr double box_width = 46.5, box_height = 31, box_gap = 3;  // of a sheet, as the macros have them
constexpr double longest_formula = 170;
constexpr double narrow = 250;  // a caption may be broken into lines of this width

struct Column {
  std::string name;
  std::vector<std::string> cells;
  double width = 0;
};

class Layout {
 public:
  Layout(const Matrix& matrix, const LatexPage& page)
      : matrix_(matrix), page_(page), numbers_(page.numbers ? *page.numbers : sizes_of_numbers[0]) {
    const auto [rows, columns] = cut_of(matrix, page.full);
    rows_ = rows;
    for (std::size_t column = 0; column < columns; ++column) columns_.push_back(laid_out(column));
    for (std::size_t row = 0; row < rows_; ++row) {
      label_width_ = std::max(label_width_, numbers_.size * latex_label_width(matrix.row_labels[row]));
    }
  }

  // Of all columns side by side and the caption, where it stands beside others.
  double width() const {
    const double caption = first_line() <= widest_caption ? first_line() : narrowest_caption;
    // Of a narrow box all of the formula is above it.
    const double formula = formula_is_long() ? 0 : latex_math_width(matrix_.name()) * 1.15 + 3;
    return std::max({width(0, columns_.size()), caption, narrowest_caption, std::min(formula, page_.width)});
  }

  // Beside another, a long formula stands below in words, which can be broken.
  std::string caption(bool is_beside = false) const {
    const bool in_words = is_beside && formula_is_long();
    const std::string name =
        in_words ? latex_inline_math({Span(matrix_.symbol, matrix_.role)}) : latex_inline_math(matrix_.name());
    return "\\attncaption{" + name + "}{" + latex_prose(matrix_.caption()) + "}{" + meaning(in_words) + "}";
  }

  double caption_height(double width) const {
    LatexPage page = page_;
    page.width = width;
    return latex_height(first_line(), page) + latex_height(latex_text_width(matrix_.sizes + matrix_.words), page);
  }

  // All of it: tables of some columns, of some rows each.
  LatexPieces pieces() const {
    LatexPieces pieces;
    const double head = caption_height(page_.width) + 4;
    const std::size_t most = rows_of_each(page_.is_slide() ? rows_of_a_slide
                                          : is_sheet()     ? rows_of_a_sheet
                                                           : rows_of_a_page);
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
        text += table(begin, end, row, last);
        const double height = head + height_of_row() * static_cast<double>(last - row + 3);
        pieces.push_back({std::move(text), height, std::max(width(begin, end), std::min(first_line(), narrow)),
                          last == row ? 1 : step_of(last - row - 1, last - row) + 1});
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

  // Which of the lines that come after one another a row is: of many rows some come together.
  static std::size_t step_of(std::size_t row, std::size_t rows) {
    constexpr std::size_t most_steps = 6;
    return rows <= most_steps ? row : row * most_steps / rows;
  }

  // Whether all columns stand beside each other.
  bool is_whole() const { return block_end(0, columns_.size()) >= columns_.size(); }

  std::string whole_table() const {
    std::string text = table(0, columns_.size(), 0, rows_);
    for (const std::string& line : elided()) text += "\\par\\attncolumns{" + latex_text(line) + "}";
    return text;
  }

  double table_height() const { return height_of_row() * static_cast<double>(rows_ + 3); }

 private:
  bool is_sheet() const { return !matrix_.boxes.empty(); }
  double gap() const { return is_sheet() ? box_gap : numbers_.gap; }
  double height_of_row() const { return is_sheet() ? box_height : row_height * numbers_.size; }

  double width(std::size_t begin, std::size_t end) const {
    double total = label_width_ + gap();
    for (std::size_t i = begin; i < end; ++i) total += gap() + columns_[i].width;
    return total;
  }

  bool formula_is_long() const { return !is_sheet() && latex_math_width(matrix_.name()) * 1.15 > longest_formula; }

  // Of the caption: its formula and its title.
  double first_line() const {
    return std::min(latex_math_width(matrix_.name()) * 1.1 + 15 + latex_text_width(matrix_.caption()), page_.width);
  }

  std::string meaning(bool with_formula) const {
    std::string text = with_formula ? latex_prose(matrix_.name()) : "";
    if (!text.empty() && !matrix_.sizes.empty()) text += ", ";
    text += latex_inline_math({matrix_.sizes});
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
        cell = shaded(cell, row, at);
        column.width = std::max(column.width, latex_text_width(text));
      } else {
        cell = latex_label(text);
        column.width = std::max(column.width, latex_label_width(text) + 2);
      }
      if (const std::string_view command = look_of(matrix_.mark(row, at)).command; !command.empty()) {
        cell = std::string(command) + "{" + cell + "}";
      }
      column.cells.push_back(std::move(cell));
    }
    if (matrix_.handed_in.empty() && !fraction.empty())
      column.width = std::max(column.width, latex_text_width("0" + fraction));
    column.width = std::max(column.width, latex_label_width(matrix_.column_labels[at]) * 0.95) * numbers_.size;
    return column;
  }

  // A weight on paper as dark as it is large.
  std::string shaded(const std::string& cell, std::size_t row, std::size_t at) const {
    if (matrix_.role != Role::attention_weight || matrix_.is_closed(row, at)) return cell;
    const double weight = matrix_.number(row, at);
    const long percent = std::isfinite(weight) ? std::lround(100 * std::clamp(weight, 0.0, 1.0)) : 0;
    return percent == 0 ? cell : "\\attnshade{" + std::to_string(percent) + "}{" + cell + "}";
  }

  // Where the columns end that stand side by side from `begin` on, at most so many.
  std::size_t block_end(std::size_t begin, std::size_t most) const {
    // A slide shows what is a little too wide a little smaller.
    const double room = page_.is_slide() ? 1.25 * page_.width : page_.width;
    double used = label_width_ + gap();
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

  std::string table(std::size_t begin, std::size_t end, std::size_t first_row, std::size_t last_row) const {
    std::string text = is_sheet() ? "\\attnfit{" : "\\attnfit{\\attnnumbers ";
    text += "\\begin{tabular}[t]{@{}l@{\\hspace{10pt}}*{" + std::to_string(end - begin) +
            (is_sheet() ? "}{@{}c@{\\hspace{1mm}}}@{}}\n" : "}{r}@{}}\n\\attntop\n");
    if (is_sheet()) text += "\\rule{0pt}{15pt}";  // below the caption
    for (std::size_t i = begin; i < end; ++i) text += " & \\attnhead{" + columns_[i].name + "}";
    text += is_sheet() ? " \\\\[1mm]\n" : " \\\\\n\\attnmid\n";
    for (std::size_t row = first_row; row < last_row; ++row) {
      std::string line = "\\attnhead{" + latex_label(matrix_.row_labels[row]) + "}";
      for (std::size_t i = begin; i < end; ++i) line += " & " + columns_[i].cells[row];
      text += (page_.builds_up ? built_up(line, step_of(row - first_row, last_row - first_row)) : line) + " \\\\\n";
    }
    return text + (is_sheet() ? "" : "\\attnbottom\n") + "\\end{tabular}}";
  }

  std::vector<std::string> elided() const { return words_of_cut(matrix_, {rows_, columns_.size()}); }

  const Matrix& matrix_;
  const LatexPage& page_;
  const LatexNumbers& numbers_;
  std::size_t rows_ = 0;
  double label_width_ = 0;
  std::vector<Column> columns_;
};

// Some matrices on one line: their captions, then their tables.
LatexPiece side_by_side(const std::vector<Layout>& layouts) {
  std::string columns, captions, tables;
  double caption = 0, table = 0, total = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const std::string width = std::to_string(static_cast<int>(layouts[i].width())) + "pt";
    const std::string separator = i == 0 ? "" : " &\n";
    columns += (i == 0 ? "" : "@{\\hspace{24pt}}") + std::string("l");
    captions += separator + "\\begin{minipage}[t]{" + width + "}" + layouts[i].caption(true) + "\\end{minipage}";
    tables += separator + "\\begin{minipage}[t]{" + width + "}" + layouts[i].whole_table() + "\\end{minipage}";
    caption = std::max(caption, layouts[i].caption_height(layouts[i].width()));
    table = std::max(table, layouts[i].table_height());
    total += (i == 0 ? 0 : between) + layouts[i].width();
  }
  return {"\\attnmatrix{\\begin{tabular}[t]{@{}" + columns + "@{}}\n" + captions + " \\\\[2pt]\n" + tables +
              "\n\\end{tabular}}\n",
          caption + table, total};
}

}  // namespace

const LatexNumbers& numbers_that_fit(const Document& document, const LatexPage& page) {
  const LatexNumbers* best = &sizes_of_numbers[0];
  std::size_t fewest = document.blocks.size() + 1;
  for (const LatexNumbers& numbers : sizes_of_numbers) {
    LatexPage with = page;
    with.numbers = &numbers;
    const auto is_in_parts = [&](const Block& block) {
      const auto* matrix = std::get_if<Matrix>(&block);
      return matrix && matrix->boxes.empty() && !Layout(*matrix, with).is_whole();
    };
    const auto parts = static_cast<std::size_t>(std::ranges::count_if(document.blocks, is_in_parts));
    if (parts < fewest) {
      fewest = parts;
      best = &numbers;
    }
  }
  return *best;
}

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
    waiting.clear();
    used = 0;
  };
  for (const Matrix* matrix : beside) {
    Layout layout(*matrix, page);
    if (!waiting.empty() && used + between + layout.width() > page.width) flush();
    used += (waiting.empty() ? 0 : between) + layout.width();
    waiting.push_back(std::move(layout));
  }
  flush();
  return pieces;
}

}  // namespace attn
