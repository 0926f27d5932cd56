#include "formats/text_matrix.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/text.h"

namespace attn {
namespace {

// Unless all is asked for, longer matrices are cut.
constexpr std::size_t most_rows = 20, rows_kept = 16;
constexpr std::size_t most_columns = 32, columns_kept = 16;

// Beside others, a caption is broken into lines of about this width.
constexpr std::size_t narrowest_caption = 23, widest_caption = 38;

// One column: its name and its cells, all of one width.
struct Column {
  std::string name;
  std::vector<std::string> cells;
  std::size_t width = 0;
};

// The text right-aligned.
std::string right(const std::string& text, std::size_t width) {
  const std::size_t taken = display_width(text);
  return std::string(width > taken ? width - taken : 0, ' ') + text;
}

std::string left(const std::string& text, std::size_t width) {
  const std::size_t taken = display_width(text);
  return text + std::string(width > taken ? width - taken : 0, ' ');
}

class Layout {
 public:
  Layout(const Matrix& matrix, const Typesetter& typesetter, std::size_t width)
      : matrix_(matrix), typesetter_(typesetter), width_(width) {
    const bool full = typesetter.options().full;
    rows_ = full || matrix.rows() <= most_rows ? matrix.rows() : rows_kept;
    const std::size_t columns = full || matrix.columns() <= most_columns ? matrix.columns() : columns_kept;
    for (std::size_t column = 0; column < columns; ++column) columns_.push_back(laid_out_column(column));
    for (std::size_t row = 0; row < rows_; ++row) {
      row_labels_.push_back(typesetter.label(matrix.row_labels[row]));
      label_width_ = std::max(label_width_, display_width(row_labels_.back()));
    }
  }

  // Columns of the terminal that all of it takes side by side.
  std::size_t natural_width() const {
    std::size_t total = label_width_ + 2;
    for (const Column& column : columns_) total += gap + column.width;
    return total;
  }

  MatrixBox box() {
    MatrixBox box{caption(), {}};
    std::size_t begin = 0;
    do {
      const std::size_t end = block_end(begin);
      block(begin, end);
      begin = end;
    } while (begin < columns_.size());
    elided(matrix_.rows() - rows_, "row");
    elided(matrix_.columns() - columns_.size(), "column");
    box.body = std::move(lines_);
    return box;
  }

 private:
  static constexpr std::size_t gap = 2;

  Column laid_out_column(std::size_t at) const {
    Column column{typesetter_.label(matrix_.column_labels[at]), {}, 0};
    const std::size_t decimals = matrix_.format.scientific ? 0 : static_cast<std::size_t>(matrix_.format.decimals);
    const std::size_t fraction = decimals == 0 ? 0 : decimals + 1;
    for (std::size_t row = 0; row < rows_; ++row) {
      std::string cell = typesetter_.spelled(matrix_.cell(row, at));
      if (!matrix_.handed_in.empty()) cell = typesetter_.label(matrix_.cell(row, at));
      // A number without decimals stands where the others have their whole part.
      if (fraction > 0 && cell.find('.') == std::string::npos) cell += std::string(fraction, ' ');
      column.width = std::max(column.width, display_width(cell));
      column.cells.push_back(std::move(cell));
    }
    column.width = std::max(column.width, display_width(column.name));
    return column;
  }

  std::size_t block_end(std::size_t begin) const {
    std::size_t used = label_width_ + 2;
    std::size_t end = begin;
    while (end < columns_.size() && (end == begin || used + gap + columns_[end].width <= width_)) {
      used += gap + columns_[end].width;
      ++end;
    }
    return end;
  }

  std::vector<StyledLine> caption() const {
    const std::string formula = matrix_.formula.empty() ? matrix_.symbol : matrix_.formula;
    std::vector<StyledLine> lines = typesetter_.wrapped({{formula, matrix_.role}}, width_, Weight::bold);
    std::string title = matrix_.title;
    if (!matrix_.place.empty()) title += (title.empty() ? "" : " · ") + matrix_.place;
    add_title(title, typesetter_, width_, lines);
    const std::string meaning = matrix_.sizes + (matrix_.words.empty() ? "" : ", " + matrix_.words);
    for (StyledLine& line : typesetter_.wrapped({meaning}, width_, Weight::faint)) lines.push_back(std::move(line));
    return lines;
  }

  void block(std::size_t begin, std::size_t end) {
    const bool whole = begin == 0 && end == matrix_.columns();
    if (begin > 0) lines_.emplace_back();
    if (!whole) {
      lines_.push_back(typesetter_.line({(end - begin == 1 ? "column " : "columns " + std::to_string(begin + 1) + "–") +
                                         std::to_string(end) + " of " + std::to_string(matrix_.columns())},
                                        Weight::faint));
    }
    StyledLine names(label_width_);
    names.add({typesetter_.spelled(" │"), std::nullopt, Weight::faint});
    StyledLine rule;
    std::size_t rule_width = 0;
    for (std::size_t i = begin; i < end; ++i) {
      names.add({std::string(gap, ' ') + right(columns_[i].name, columns_[i].width), std::nullopt, Weight::faint});
      rule_width += gap + columns_[i].width;
    }
    rule.add({typesetter_.spelled(repeated("─", label_width_ + 1) + "┼" + repeated("─", rule_width)), std::nullopt,
              Weight::faint});
    lines_.push_back(std::move(names));
    lines_.push_back(std::move(rule));
    for (std::size_t row = 0; row < rows_; ++row) {
      StyledLine line;
      line.add({left(row_labels_[row], label_width_), std::nullopt, Weight::faint});
      line.add({typesetter_.spelled(" │"), std::nullopt, Weight::faint});
      for (std::size_t i = begin; i < end; ++i) {
        const Column& column = columns_[i];
        const Mark mark = matrix_.marks.empty() ? Mark::right : matrix_.marks[row * matrix_.columns() + i];
        line.add({std::string(gap, ' ') + right(column.cells[row], column.width), matrix_.role, Weight::normal, mark});
      }
      lines_.push_back(std::move(line));
    }
  }

  void elided(std::size_t count, const std::string& what) {
    if (count == 0) return;
    lines_.push_back(typesetter_.line({"… " + std::to_string(count) + " more " + what + (count == 1 ? "" : "s") +
                                       ", --full shows " + (count == 1 ? "it" : "them")},
                                      Weight::faint));
  }

  const Matrix& matrix_;
  const Typesetter& typesetter_;
  std::size_t width_;
  std::size_t rows_ = 0;
  std::size_t label_width_ = 0;
  std::vector<Column> columns_;
  std::vector<std::string> row_labels_;
  std::vector<StyledLine> lines_;
};

}  // namespace

std::size_t MatrixBox::width() const {
  std::size_t widest = 0;
  for (const StyledLine& line : caption) widest = std::max(widest, line.width());
  for (const StyledLine& line : body) widest = std::max(widest, line.width());
  return widest;
}

MatrixBox laid_out(const Matrix& matrix, const Typesetter& typesetter, std::size_t width) {
  return Layout(matrix, typesetter, width).box();
}

MatrixBox laid_out_narrow(const Matrix& matrix, const Typesetter& typesetter) {
  const std::size_t natural = Layout(matrix, typesetter, typesetter.options().width).natural_width();
  const std::size_t first_line = typesetter.width(matrix.formula + "   " + matrix.title);
  const std::size_t caption = first_line <= widest_caption ? first_line : narrowest_caption;
  return Layout(matrix, typesetter, std::max({natural, caption, narrowest_caption})).box();
}

}  // namespace attn
