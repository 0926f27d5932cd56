#include <algorithm>
#include <cmath>
#include <iterator>
#include <list>
#include <optional>
#include <string>
#include <string_view>
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
constexpr double narrowest_caption = 104;
constexpr double row_height = 12.1, rules_height = 11;
constexpr double words_height = 12.5;                             // of a line above or below a table
constexpr double box_width = 46.5, box_height = 31, box_gap = 3;  // of a sheet, as the macros have them

struct Column {
  std::string name;
  std::vector<std::string> cells;
  double width = 0;
};

// How much darker than paper a cell is where its weight is 1, in per cent: black is easily read on it, and it
// can be told from the others where there is no colour.
constexpr int darkest = 55;

constexpr double caption_on_slide = 0.76;  // smaller than text

class Layout {
 public:
  // Both stay alive.
  Layout(const Matrix& matrix, const LatexPage& page)
      : matrix_(matrix), page_(page), scale_(is_sheet() ? 1 : page.numbers.wide) {
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

  // Beside another place of its step whose rows have the same names it has none.
  bool continues(const Layout& other) const {
    return is_like(other) && matrix_.row_axis == other.matrix_.row_axis &&
           matrix_.row_labels == other.matrix_.row_labels;
  }
  void lie() { is_lying_ = true; }
  void show_labels(bool shown) { has_labels_ = shown; }

  const Matrix& matrix() const { return matrix_; }
  int steps() const { return page_.overlays && is_computed() ? 1 + row_steps() : 1; }

  // Of all columns side by side and the caption, where it stands beside others.
  double width() const {
    // A formula is not broken.
    const double formula = (latex_math_width(matrix_.name()) * 1.15 + 3) * (page_.is_slide() ? 0.86 : 1);
    return std::max(
               {width(0, columns_.size()), std::min(first_line(), narrowest_caption), std::min(formula, page_.width)}) +
           1;
  }

  // Where no line of it is broken.
  double caption_width() const { return std::max(first_line(), latex_text_width(matrix_.sizes + matrix_.words) + 6); }

  std::string caption() const { return caption(matrix_.caption()); }
  std::string name() const { return latex_short_title(matrix_.title); }

  // Lines between tokens, where there is room for them below its own table.
  LatexPieces arcs_within(double width) const {
    LatexPage page = page_;
    page.width = width;
    return latex_arcs_width(matrix_) <= width ? latex_arcs(matrix_, page) : LatexPieces();
  }
  std::string caption_of_all() const { return caption(matrix_.title); }  // places
  std::string place() const { return "\\attnplace{" + latex_text(matrix_.place) + "}\\attnclose "; }

  // Of the table alone, under its place.
  double table_width() const { return std::max(width(0, columns_.size()), 0.95 * latex_text_width(matrix_.place)) + 1; }
  bool is_like(const Layout& other) const {
    return matrix_.step == other.matrix_.step && !matrix_.place.empty() && !is_sheet() && matrix_.handed_in.empty();
  }

  double caption_height(double width) const {
    LatexPage page = page_;
    page.width = width;
    const double words = latex_text_width(matrix_.sizes + ", " + matrix_.words);
    if (!page_.is_slide()) return latex_height(first_line(), page) + latex_height(0.92 * words, page);
    page.width /= 0.86;
    return caption_on_slide * (latex_height(first_line(), page) + latex_height(words, page));
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
        std::string text = pieces.empty() || page_.is_slide() ? caption() : "";
        double above = text.empty() ? 4 : head;
        if (!which.empty()) {
          text += (text.empty() ? "" : "\n") + ("\\attncolumns{" + latex_text(which) + "}");
          above += words_height;
        }
        text += "\\attnclose\n" + table(begin, end, row, last, 0);
        pieces.push_back({std::move(text), above + height(last - row), steps()});
      }
      begin = std::max(end, begin + 1);
    }
    for (const std::string& line : elided()) {
      pieces.back().text += "\\par\\attncolumns{" + latex_text(line) + "}\n";
      pieces.back().height += words_height;
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

  std::string caption(const std::string& title) const {
    return "\\attncaption{" + latex_inline_math(matrix_.name()) + "}{" + latex_prose(title) + "}{" + meaning() + "}";
  }
  double gap() const { return is_sheet() ? box_gap : page_.numbers.gap; }
  double height_of_row() const { return is_sheet() ? box_height : row_height * page_.numbers.high; }

  double label_gap() const { return std::clamp(page_.numbers.gap * 1.5, 6.0, 10.0); }

  // How wide the names of the rows are.
  double labels() const { return has_labels_ ? label_width_ + label_gap() : 0; }

  // Of a table with its names of columns.
  double height(std::size_t rows) const {
    return height_of_row() * static_cast<double>(rows + (is_sheet() ? 3 : 1)) + (is_sheet() ? 0 : rules_height);
  }

  std::size_t most_rows() const {
    if (!page_.is_slide()) return is_sheet() ? rows_of_a_sheet : rows_of_a_page;
    // Lines between tokens stand below their weights.
    const LatexPieces arcs = latex_arcs(matrix_, page_);
    const double left_out = words_height * static_cast<double>(elided().size());
    const double room =
        page_.height - caption_height(page_.width) - 4 - height(0) - left_out - (arcs.empty() ? 0 : arcs[0].height);
    const bool is_wide = block_end(0, columns_.size()) < columns_.size();
    const std::size_t most = rows_in(is_wide ? room - words_height : room);
    return most < rows_ && !is_wide ? rows_in(room - words_height) : most;
  }
  std::size_t rows_in(double room) const {
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

  // Padding, which nobody reads, is fainter than words.
  static std::string faint(bool is_faint, const std::string& text) {
    return is_faint ? "\\attnfaint{" + text + "}" : text;
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
    Column column{faint(matrix_.is_padding_column(at), latex_label(matrix_.column_labels[at])), {}, 0};
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
      column.cells.push_back(faint(matrix_.is_padding_row(row) || matrix_.is_padding_column(at), cell));
    }
    if (matrix_.handed_in.empty() && !fraction.empty())
      column.width = std::max(column.width, scale_ * latex_text_width("0" + fraction));
    column.width = std::max(column.width, scale_ * latex_label_width(matrix_.column_labels[at]));
    return column;
  }

  // What is behind a number: the darker, the larger the attention weight.
  std::string shade(const Heat& heat, std::size_t row, std::size_t column, int step) const {
    const bool is_unread = matrix_.is_padding_row(row) || matrix_.is_padding_column(column);
    if (matrix_.role != Role::attention_weight || is_sheet() || is_unread) return "";
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
    std::string text = is_sheet() ? "\\attnfit{" : is_lying_ ? "\\attnlying{" : "\\attnnumbers{";
    text += std::string("\\begin{tabular}[t]{@{}") +
            (has_labels_ ? "l@{\\hspace{" + latex_length(label_gap()) + "}}" : std::string()) + "*{" +
            std::to_string(end - begin) + (is_sheet() ? "}{@{}c@{\\hspace{1mm}}}@{}}\n" : "}{r}}\n\\attntop\n");
    if (is_sheet()) text += "\\rule{0pt}{15pt}";  // below the caption
    const Heat heat(matrix_);
    const auto separator = [&](std::size_t column) { return has_labels_ || column > begin ? " & " : ""; };
    for (std::size_t i = begin; i < end; ++i) text += separator(i) + ("\\attnhead{" + columns_[i].name + "}");
    text += is_sheet() ? " \\\\[1mm]\n" : " \\\\\n\\attnmid\n";
    for (std::size_t row = first_row; row < last_row; ++row) {
      if (has_labels_)
        text += "\\attnhead{" + faint(matrix_.is_padding_row(row), latex_label(matrix_.row_labels[row])) + "}";
      const int step = after + step_of_row(row - first_row);
      for (std::size_t i = begin; i < end; ++i) {
        text += separator(i) + shade(heat, row, i, step) + latex_from_step(step, columns_[i].cells[row], page_);
      }
      text += " \\\\\n";
    }
    return text + (is_sheet() ? "" : "\\attnbottom\n") + "\\end{tabular}}";
  }

  std::vector<std::string> elided() const { return words_of_cut(matrix_, {rows_, columns_.size()}); }

  const Matrix& matrix_;
  const LatexPage& page_;
  double scale_;
  bool has_labels_ = true;
  bool is_lying_ = false;  // a vector that is a row
  std::size_t rows_ = 0;
  double label_width_ = 0;
  std::vector<Column> columns_;
};

// A long vector lies down, where that is not too wide: it is of one number a row.
Matrix turned(Matrix matrix) {
  std::swap(matrix.row_labels, matrix.column_labels);
  std::swap(matrix.row_axis, matrix.column_axis);
  constexpr std::string_view rows = "rows";
  if (matrix.words.starts_with(rows)) matrix.words.replace(0, rows.size(), "columns");
  return matrix;
}

Layout laid_out(const Matrix& matrix, const LatexPage& page, std::list<Matrix>& lying) {
  constexpr std::size_t long_vector = 5;
  const bool is_vector =
      matrix.columns() == 1 && matrix.column_axis.empty() && matrix.boxes.empty() && matrix.handed_in.empty();
  if (is_vector && matrix.rows() >= long_vector && !page.full) {
    lying.push_back(turned(matrix));
    if (Layout layout(lying.back(), page); layout.is_whole()) {
      layout.lie();
      return layout;
    }
  }
  return Layout(matrix, page);
}

// What all of them have in common, then the places and their tables.
LatexPiece places_side_by_side(const std::vector<Layout>& layouts, const LatexPage& page) {
  std::string columns, tables;
  double table = 0;
  int steps = 0;
  for (const Layout& layout : layouts) {
    columns += (columns.empty() ? "" : "@{\\hspace{18pt}}") + std::string("l");
    tables += (tables.empty() ? "" : " &\n") + ("\\begin{minipage}[t]{" + latex_length(layout.table_width())) + "}" +
              layout.place() + layout.whole_table(steps) + "\\end{minipage}";
    table = std::max(table, layout.table_height());
    steps += layout.steps();
  }
  return {"\\attnmatrix{" + layouts[0].caption_of_all() + "\\begin{tabular}[t]{@{}" + columns + "@{}}\n" + tables +
              "\n\\end{tabular}}\n",
          layouts[0].caption_height(page.width) + words_height + table + 4, steps};
}

// How wide each of some matrices on one line is: captions may be wider than their tables.
std::vector<double> widths_of(const std::vector<Layout>& layouts, const LatexPage& page) {
  double left = page.width + between;
  for (const Layout& layout : layouts) left -= between + layout.width();
  const double more = std::max(left / static_cast<double>(layouts.size()), 0.0);
  std::vector<double> widths;
  for (const Layout& layout : layouts)
    widths.push_back(layout.width() + std::clamp(layout.caption_width() - layout.width(), 0.0, more));
  return widths;
}

// Some matrices on one line: their captions, then their tables.
LatexPiece side_by_side(const std::vector<Layout>& layouts, const LatexPage& page) {
  const std::vector<double> widths = widths_of(layouts, page);
  std::string columns, captions, tables;
  double caption = 0, table = 0;
  int steps = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const double wide = widths[i];
    const std::string width = latex_length(wide);
    const std::string separator = i == 0 ? "" : " &\n";
    columns += (i == 0 ? "" : "@{\\hspace{18pt}}") + std::string("l");
    captions += separator + "\\begin{minipage}[t]{" + width + "}" + layouts[i].caption() + "\\attnclose\\end{minipage}";
    const LatexPieces arcs = layouts[i].arcs_within(wide);
    tables += separator + "\\begin{minipage}[t]{" + width + "}" + layouts[i].whole_table(steps) +
              (arcs.empty() ? "" : arcs[0].text) + "\\end{minipage}";
    caption = std::max(caption, layouts[i].caption_height(wide));
    table = std::max(table, layouts[i].table_height() + (arcs.empty() ? 0 : arcs[0].height));
    steps += layouts[i].steps();
  }
  return {"\\attnmatrix{\\begin{tabular}[t]{@{}" + columns + "@{}}\n" + captions + " \\\\[2pt]\n" + tables +
              "\n\\end{tabular}}\n",
          caption + table + 4, steps};
}

// Matrices in rows, as many in each as there is room for.
class MatrixRows {
 public:
  explicit MatrixRows(const LatexPage& page) : page_(page) {}

  // `next` follows it, where it is there.
  void add(const Matrix& matrix, const Matrix* next) {
    Layout layout = laid_out(matrix, page_, lying_);
    // On a slide lines between tokens that are wider than their weights need the room beside them.
    const bool takes_all =
        page_.is_slide() && !latex_arcs(matrix, page_).empty() && layout.arcs_within(layout.width()).empty();
    if (takes_all) flush();
    if (!waiting_.empty()) {
      layout.show_labels(!layout.continues(waiting_.back()));
      if (is_mixed(layout, next) || !fits(layout)) {
        flush();
        layout.show_labels(true);
      }
    }
    used_ += waiting_.empty() ? layout.width() : added_width(layout);
    waiting_.push_back(std::move(layout));
    if (takes_all) flush();
  }

  LatexPieces take() {
    flush();
    return std::move(pieces_);
  }

 private:
  // REQUIRES: one waits.
  bool is_like_last(const Layout& layout) const { return layout.is_like(waiting_.back()); }
  double added_width(const Layout& layout) const {
    return between + (is_like_last(layout) ? layout.table_width() : layout.width());
  }

  // Whether it is not of the kind of those that wait: the places of one step stand together.
  bool is_mixed(const Layout& layout, const Matrix* next) const {
    const bool is_like = is_like_last(layout);
    const bool begins_places = !is_like && next && next->step == layout.matrix().step;
    return begins_places || (waiting_.size() > 1 && is_like != waiting_[1].is_like(waiting_[0]));
  }

  bool fits(const Layout& layout) {
    if (is_like_last(layout) && waiting_.size() == 1) used_ = waiting_[0].table_width();
    return used_ + added_width(layout) <= page_.width;
  }

  void flush() {
    if (waiting_.empty()) return;
    const std::size_t first = pieces_.size();
    const bool are_places = waiting_.size() > 1 && waiting_[1].is_like(waiting_[0]);
    if (waiting_.size() == 1) {
      std::ranges::move(waiting_[0].pieces(), std::back_inserter(pieces_));
    } else {
      pieces_.push_back(are_places ? places_side_by_side(waiting_, page_) : side_by_side(waiting_, page_));
    }
    for (std::size_t i = first; i < pieces_.size(); ++i) {
      for (const Layout& layout : waiting_) pieces_[i].names.push_back(layout.name());
    }
    const std::vector<double> widths = widths_of(waiting_, page_);
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const bool stand_below = waiting_.size() > 1 && !are_places && !waiting_[i].arcs_within(widths[i]).empty();
      if (!stand_below) add_arcs(waiting_[i].matrix());
    }
    waiting_.clear();
    used_ = 0;
  }

  // Below all that waits. They stay with their weights where there is room.
  void add_arcs(const Matrix& matrix) {
    const bool stand_alone = waiting_.size() == 1;
    LatexPieces arcs = latex_arcs(matrix, page_, !stand_alone);
    if (arcs.empty()) return;
    LatexPiece& last = pieces_.back();
    if (page_.is_slide() && last.height + arcs[0].height > page_.height) {
      arcs = latex_arcs(matrix, page_, true);
      arcs[0].names = last.names;
      pieces_.push_back(std::move(arcs[0]));
      return;
    }
    last.text.insert(last.text.rfind('}'), arcs[0].text);
    last.height += arcs[0].height;
  }

  const LatexPage& page_;
  LatexPieces pieces_;
  std::list<Matrix> lying_;
  std::vector<Layout> waiting_;
  double used_ = 0;
};

}  // namespace

LatexPieces latex_pieces(const std::vector<const Matrix*>& beside, const LatexPage& page) {
  MatrixRows rows(page);
  for (std::size_t i = 0; i < beside.size(); ++i) rows.add(*beside[i], i + 1 < beside.size() ? beside[i + 1] : nullptr);
  return rows.take();
}

std::size_t latex_whole_matrices(const Document& document, const LatexPage& page) {
  return static_cast<std::size_t>(std::ranges::count_if(document.blocks, [&](const Block& block) {
    const auto* matrix = std::get_if<Matrix>(&block);
    std::list<Matrix> lying;
    return matrix && laid_out(*matrix, page, lying).is_whole();
  }));
}

}  // namespace attn
