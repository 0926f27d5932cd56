#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "formats/cut.h"
#include "formats/text/layout.h"

namespace attn {
namespace {

// Beside others, a caption is broken into lines of about this width.
constexpr std::size_t narrowest_caption = 23, widest_caption = 38;

// One column: its name and its cells, all of one width.
struct Column {
  std::string name;
  std::vector<std::string> cells;
  std::size_t width = 0;
  std::size_t shade = 0;  // how much of it is left of the numbers for a shade
};

class Layout {
 public:
  Layout(const Matrix& matrix, const Typesetter& typesetter, std::size_t width)
      : matrix_(matrix), typesetter_(typesetter), width_(width) {
    if (typesetter.options().has("heatmap")) heat_ = heat_of(matrix);
    const bool full = typesetter.options().full;
    const auto [rows, columns] = cut_of(matrix, full);
    rows_ = rows;
    for (std::size_t column = 0; column < columns; ++column) columns_.push_back(laid_out_column(column));
    if (heat_) add_shades();
    if (is_sheet()) make_boxes_alike();
    for (std::size_t row = 0; row < rows_; ++row) {
      row_labels_.push_back(typesetter.label(matrix.row_labels[row]));
      label_width_ = std::max(label_width_, display_width(row_labels_.back()));
    }
  }

  // Columns of the terminal that all of it takes side by side.
  std::size_t natural_width() const {
    std::size_t total = margin();
    for (const Column& column : columns_) total += gap_ + column.width;
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
    for (const std::string& words : words_of_cut(matrix_, {rows_, columns_.size()})) {
      lines_.push_back(typesetter_.line({words}, Weight::faint));
    }
    if (heat_) add_legend();
    box.body = std::move(lines_);
    return box;
  }

 private:
  // A box is so wide for any number, or wider where more decimals are asked for, or where a number that is there is
  // wider. From rule to rule it is three lines, 12 mm on paper.
  static constexpr std::size_t narrowest_box = 8, around_decimals = 5;

  bool is_sheet() const { return !matrix_.boxes.empty(); }

  // What stands left of the columns, and with backgrounds their right edge.
  std::size_t margin() const { return label_width_ + (heat_ && typesetter_.options().color ? 3 : 2); }

  // All boxes of a sheet have one size, whatever stands above them.
  void make_boxes_alike() {
    std::size_t widest = 0;
    for (const Column& column : columns_) {
      widest = std::max(widest, column.width);
      for (const std::string& cell : column.cells) widest = std::max(widest, display_width(cell));
    }
    for (Column& column : columns_) column.width = widest;
    gap_ = 1;
  }

  Column column_of_boxes(std::size_t at) const {
    Column column;
    column.width = std::max(narrowest_box, static_cast<std::size_t>(matrix_.format.decimals) + around_decimals);
    column.name = typesetter_.label(matrix_.column_labels[at], column.width);
    for (std::size_t row = 0; row < rows_; ++row) {
      column.cells.push_back(typesetter_.spelled(matrix_.cell(row, at)));
    }
    return column;
  }

  Column laid_out_column(std::size_t at) const {
    if (is_sheet()) return column_of_boxes(at);
    Column column{typesetter_.label(matrix_.column_labels[at]), {}};
    for (std::size_t row = 0; row < rows_; ++row) {
      std::string cell = typesetter_.spelled(matrix_.cell(row, at));
      if (!matrix_.handed_in.empty()) cell = typesetter_.label(matrix_.cell(row, at));
      // A number without decimals stands where the others have their whole part.
      if (cell.find('.') == std::string::npos) cell += std::string(matrix_.fraction(), ' ');
      column.width = std::max(column.width, display_width(cell));
      column.cells.push_back(std::move(cell));
    }
    column.width = std::max(column.width, display_width(column.name));
    return column;
  }

  // Room for a shade left of the numbers, and as much of it in columns that are
  // as wide.
  void add_shades() {
    std::size_t numbers = 0;
    for (const Column& column : columns_) {
      for (const std::string& cell : column.cells) numbers = std::max(numbers, display_width(cell));
    }
    for (Column& column : columns_) {
      column.width = std::max(column.width, numbers + (typesetter_.options().color ? 2 : 3));
      column.shade = column.width - numbers - 1;
    }
  }

  std::size_t block_end(std::size_t begin) const {
    std::size_t used = margin();
    std::size_t end = begin;
    while (end < columns_.size() && (end == begin || used + gap_ + columns_[end].width <= width_)) {
      used += gap_ + columns_[end].width;
      ++end;
    }
    return end;
  }

  std::vector<StyledLine> caption() const {
    std::vector<StyledLine> lines = typesetter_.wrapped(matrix_.name(), width_, Weight::bold);
    add_title(matrix_.caption(), typesetter_, width_, lines);
    append(typesetter_.wrapped({matrix_.meaning()}, width_, Weight::faint), lines);
    return lines;
  }

  void block(std::size_t begin, std::size_t end) {
    const std::string which = words_of_part("column", begin, end, matrix_.columns());
    const bool whole = which.empty();
    if (begin > 0) lines_.emplace_back();
    if (!whole) lines_.push_back(typesetter_.line({which}, Weight::faint));
    if (is_sheet()) return block_of_boxes(begin, end);
    StyledLine names(label_width_);
    names.add(faint(typesetter_.spelled(" │")));
    std::size_t rule = 0;
    for (std::size_t i = begin; i < end; ++i) {
      names.add(faint(std::string(gap_, ' ') + padded_before(columns_[i].name, columns_[i].width)));
      rule += gap_ + columns_[i].width;
    }
    lines_.push_back(std::move(names));
    lines_.emplace_back().add(faint(typesetter_.spelled(repeated("─", label_width_ + 1) + "┼" + repeated("─", rule))));
    for (std::size_t row = 0; row < rows_; ++row) {
      StyledLine line;
      line.add(faint(padded_behind(row_labels_[row], label_width_)));
      line.add(faint(typesetter_.spelled(" │")));
      for (std::size_t i = begin; i < end; ++i) {
        const Column& column = columns_[i];
        if (heat_) {
          add_heated(row, i, i == begin, line);
          continue;
        }
        line.add({std::string(gap_, ' ') + padded_before(column.cells[row], column.width), matrix_.role, Weight::normal,
                  matrix_.mark(row, i)});
      }
      if (whole) add_bars(row, line);
      lines_.push_back(std::move(line));
    }
  }

  // A grid to write into, a number in the lower of the two lines of its box.
  void block_of_boxes(std::size_t begin, std::size_t end) {
    const auto ruled = [&](const char* left, const char* between, const char* right) {
      std::string text = left;
      for (std::size_t i = begin; i < end; ++i) {
        text += (i == begin ? "" : between) + repeated("─", columns_[i].width);
      }
      StyledLine line(label_width_ + 1);
      line.add({typesetter_.spelled(text + right)});
      lines_.push_back(std::move(line));
    };
    const auto row_of = [&](const std::string& label, const char* rule, const auto& content) {
      StyledLine line;
      line.add(faint(padded_behind(label, label_width_ + 1)));
      for (std::size_t i = begin; i < end; ++i) {
        const std::string text = content(columns_[i]);
        const std::size_t room = columns_[i].width - std::min(columns_[i].width, display_width(text));
        line.add({typesetter_.spelled(rule)});
        line.add({std::string(room - room / 2, ' ') + text + std::string(room / 2, ' '), matrix_.role});
      }
      line.add({typesetter_.spelled(rule)});
      lines_.push_back(std::move(line));
    };
    row_of("", " ", [](const Column& column) { return column.name; });
    ruled("┌", "┬", "┐");
    for (std::size_t row = 0; row < rows_; ++row) {
      if (row > 0) ruled("├", "┼", "┤");
      row_of("", "│", [](const Column&) { return std::string(); });
      row_of(row_labels_[row], "│", [&](const Column& column) { return column.cells[row]; });
    }
    ruled("└", "┴", "┘");
  }

  // A number on its shade; where there is no colour, beside it.
  void add_heated(std::size_t row, std::size_t at, bool is_first, StyledLine& line) const {
    const Column& column = columns_[at];
    const std::string& number = column.cells[row];
    const std::optional<double> size = heat_->size(row, at);
    const bool color = typesetter_.options().color;
    if (color && is_first) line.add(Piece{" "});
    if (color && size) {
      line.add(on_shade(" " + padded_before(number, column.width) + " ", *size));
      return;
    }
    if (!color) line.add(Piece{std::string(gap_, ' ')});
    const bool closed = matrix_.is_closed(row, at);
    std::string sign = closed ? closed_sign(typesetter_) : size ? shade(*size, column.shade, typesetter_) : "";
    if (color) sign = " " + sign;
    line.add(
        {padded_behind(sign, column.shade + (color ? 1 : 0)), std::nullopt, closed ? Weight::faint : Weight::normal});
    line.add({padded_before(number, column.width - column.shade) + (color ? " " : ""), matrix_.role,
              closed ? Weight::faint : Weight::normal});
  }

  // Under the numbers.
  void add_legend() {
    StyledLine legend_line = legend(matrix_, *heat_, typesetter_);
    const std::size_t indent = label_width_ + 2 + gap_;
    StyledLine line(indent + legend_line.width() <= width_ ? indent : 0);
    line.add(std::move(legend_line));
    lines_.emplace_back();
    lines_.push_back(std::move(line));
  }

  // How the row shares out its attention, where there is room for it.
  void add_bars(std::size_t row, StyledLine& line) const {
    const std::size_t taken = natural_width() + gap_;
    if (!heat_ || matrix_.role != Role::attention_weight || taken >= width_) return;
    const std::span<const double> cells(matrix_.cells);
    const StyledLine bars =
        column_bars(cells.subspan(row * matrix_.columns(), matrix_.columns()), width_ - taken, typesetter_);
    if (bars.width() == 0) return;
    line.pad_to(taken);
    line.add(bars);
  }

  const Matrix& matrix_;
  const Typesetter& typesetter_;
  std::size_t width_;
  std::optional<Heat> heat_;
  std::size_t rows_ = 0;
  std::size_t gap_ = 2;  // between columns
  std::size_t label_width_ = 0;
  std::vector<Column> columns_;
  std::vector<std::string> row_labels_;
  std::vector<StyledLine> lines_;
};

}  // namespace

MatrixBox laid_out(const Matrix& matrix, const Typesetter& typesetter, std::size_t width) {
  return Layout(matrix, typesetter, width).box();
}

MatrixBox laid_out_narrow(const Matrix& matrix, const Typesetter& typesetter) {
  const std::size_t natural = Layout(matrix, typesetter, typesetter.options().width).natural_width();
  const std::size_t first_line = typesetter.width(matrix.formula.text() + "   " + matrix.title);
  const std::size_t caption = first_line <= widest_caption ? first_line : narrowest_caption;
  return Layout(matrix, typesetter, std::max({natural, caption, narrowest_caption})).box();
}

}  // namespace attn
