#include "formats/svg/grid.h"

#include <algorithm>

#include <fmt/core.h>

#include "formats/cut.h"

namespace attn {
namespace {

constexpr double widest_row_label = 130, widest_column_label = 92;

constexpr std::string_view padding_words = "padding";

constexpr double widest_square = 12, narrowest_square = 2;

// What to add to the middle of a line of that font size for its base line.
double to_base(double size) { return size * 0.35; }

}  // namespace

Grid::Grid(const Matrix& matrix, const Theme& theme, const GridLook& look)
    : matrix_(matrix), theme_(theme), look_(look), format_(matrix.format) {
  share_decimals();
  const double small = look.size - 2;
  double longest = 0;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    longest = std::max(longest, std::min(widest_row_label, text_width(row_label(row), small)));
  }
  label_width_ = look.bare_rows ? 0 : longest + 7;
  label_height_ = small + 7;
  cell_height_ = look.size + (look.is_tight ? 6 : 10);
  width_ = label_width_;
  const bool many = matrix.rows() > look.most_rows || matrix.columns() > look.most_columns;
  has_numbers_ = look.full || look.cut || !many;
  const auto [rows, columns] = cut_of(matrix, look.full || !look.cut);
  rows_ = rows;
  if (has_numbers_) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double label = std::min(widest_column_label, text_width(column_label(i), small));
      const double numbers = widest_number(i);
      columns_.push_back(
          {width_, std::max({numbers, label, text_width("00", look.size)}) + (look.is_tight ? 8 : 12), numbers});
      if (!look.cut && !look.full && columns_.size() > 3 && width_ + columns_.back().width > look.widest) {
        columns_.pop_back();
        break;
      }
      width_ += columns_.back().width;
    }
    height_ = label_height_ + static_cast<double>(rows_) * cell_height_;
    left_out_ = words_of_cut(matrix, {rows_, columns_.size()});
    height_ += static_cast<double>(left_out_.size()) * (look_.size + 5);
    for (const std::string& words : left_out_) width_ = std::max(width_, text_width(words, look_.size));
    return;
  }
  Palette palette = theme.palette();
  if (!look.tinted) palette.heat = theme.of(matrix.role).ink;
  const double sides = static_cast<double>(std::max(matrix.rows(), matrix.columns()));
  const double narrowest = look.is_tight ? 1 : narrowest_square;
  if (!look.tinted) {
    label_width_ = label_height_ = 0;
    square_ = std::clamp(look.widest_map / sides, narrowest, widest_square);
  } else {
    const double digits = text_width(std::to_string(matrix.rows()) + " ", small);
    label_width_ = std::min(longest + digits, widest_row_label + digits) + 7;
    square_ = std::clamp(look.widest / 2 / sides, narrowest, look.size + 2);
  }
  if (look.largest_square > 0) square_ = std::min(square_, look.largest_square);
  map_ = small_map_drawing(matrix, palette, square_);
  width_ = label_width_ + map_.width;
  height_ = label_height_ + map_.height;
}

// A map that stands alone says where its squares are: rows by number and name,
// columns by number, as many as there is room for.
std::string Grid::map_labels(double x, double y) const {
  const double small = look_.size - 2;
  const auto every = [&](double room) { return std::max<std::size_t>(1, static_cast<std::size_t>(room / square_)); };
  const std::size_t down = every(small + square_ - 1), across = every(text_width("0000", small) + square_);
  std::string drawn;
  for (std::size_t row = 0; row < matrix_.rows(); row += down) {
    const std::string number = std::to_string(row + 1);
    const std::string& label = matrix_.row_labels[row];
    drawn += svg_text(
        x + label_width_ - 7, y + label_height_ + (static_cast<double>(row) + 0.5) * square_ + to_base(small),
        label == number ? number : number + " " + label, {.size = small, .anchor = Anchor::end, .fill = theme_.faint},
        label_width_ - 6);  // not cut by a rounding
  }
  for (std::size_t column = 0; column < matrix_.columns(); column += across) {
    drawn += svg_text(x + label_width_ + (static_cast<double>(column) + 0.5) * square_, y + label_height_ - 6,
                      std::to_string(column + 1), {.size = small, .anchor = Anchor::middle, .fill = theme_.faint});
  }
  return drawn;
}

bool Grid::pads_row(std::size_t row) const { return look_.pads || matrix_.is_padding_row(row); }

std::string_view Grid::row_label(std::size_t row) const {
  return matrix_.is_padding_row(row) ? padding_words : std::string_view(matrix_.row_labels[row]);
}

std::string_view Grid::column_label(std::size_t column) const {
  return matrix_.is_padding_column(column) ? padding_words : std::string_view(matrix_.column_labels[column]);
}

// Slanting lines behind the cells of rows and columns that stand for no token.
std::string Grid::hatching(double x, double top) const {
  constexpr double between_lines = 7;
  std::string lines;
  for (std::size_t row = 0; row < rows_; ++row) {
    const double bottom = top + static_cast<double>(row + 1) * cell_height_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!pads_row(row) && !matrix_.is_padding_column(i)) continue;
      const double left = x + columns_[i].left, right = left + columns_[i].width;
      for (double at = left + between_lines / 2; at < right; at += between_lines) {
        const double rise = std::min(cell_height_, right - at);
        lines += svg("M{} {}l{} {}", at, bottom, rise, -rise);
      }
    }
  }
  if (lines.empty()) return "";
  return fmt::format("<path class=\"padding\" d=\"{}\" stroke=\"{}\" stroke-width=\"0.75\" fill=\"none\"/>\n", lines,
                     theme_.grid);
}

// Matrices of one step have as many decimals as that of them with the most.
void Grid::share_decimals() {
  if (!look_.alike || !matrix_.handed_in.empty() || !matrix_.boxes.empty()) return;
  for (const ToldMatrix& other : *look_.alike) {
    if (format_.scientific) return;
    const NumberFormat& format = other.matrix->format;
    if (format.scientific || format.decimals > format_.decimals) format_ = format;
  }
}

std::string Grid::text(std::size_t row, std::size_t column) const {
  const bool is_written = matrix_.handed_in.empty() && matrix_.boxes.empty();
  return is_written ? written(matrix_.number(row, column), format_, matrix_.is_closed(row, column))
                    : matrix_.cell(row, column);
}

Heat Grid::heat() const {
  Heat heat(matrix_);
  if (look_.alike) {
    for (const ToldMatrix& other : *look_.alike) heat.share_with(*other.matrix);
  }
  return heat;
}

double Grid::widest_number(std::size_t column) const {
  double widest = text_width("0", look_.size);
  for (std::size_t row = 0; row < matrix_.rows(); ++row) {
    widest = std::max(widest, text_width(text(row, column), look_.size));
  }
  return widest;
}

std::string Grid::cell(double x, double y, std::size_t row, std::size_t column, const Heat& heat) const {
  const Column& place = columns_[column];
  const bool closed = matrix_.is_closed(row, column);
  const bool pads = pads_row(row) || matrix_.is_padding_column(column);
  const double shade = look_.tinted && !pads ? heat.of(row, column) : 0;
  std::string drawn;
  if (closed || shade > 0) {
    drawn = svg_rect(x, y, place.width, cell_height_,
                     fmt::format(R"(fill="{}")", closed ? "#e9e9e9" : theme_.shade(shade)));
  }
  const std::string text = this->text(row, column);
  TextLook look{.size = look_.size, .anchor = Anchor::end, .fill = theme_.ink};
  if (closed || pads) look.fill = theme_.faint;
  if (shade > 0) look.fill = theme_.ink_on_shade(shade);
  if (!matrix_.marks.empty()) {
    const Mark mark = matrix_.mark(row, column);
    look.fill = theme_.ink_of(mark);
    look.bold = mark == Mark::wrong;
  }
  const double base = y + cell_height_ / 2 + to_base(look_.size);
  // Numbers that all have decimals end on one line; "0" and "−∞" among them stand in the middle.
  const bool aligned = format_.decimals == 0 || text.find('.') != std::string::npos;
  if (!aligned) look.anchor = Anchor::middle;
  return drawn + svg_text(x + place.width / 2 + (aligned ? place.numbers / 2 : 0), base, text, look);
}

std::string Grid::drawn(double x, double y) const {
  if (!has_numbers_) {
    return (look_.tinted ? map_labels(x, y) : "") + svg_moved(x + label_width_, y + label_height_, map_.content);
  }
  const double small = look_.size - 2;
  const TextLook row_look{.size = small, .anchor = Anchor::end, .fill = theme_.faint};
  const TextLook column_look{.size = small, .anchor = Anchor::middle, .fill = theme_.faint};
  const double left = x + label_width_, top = y + label_height_;
  const double right = columns_.empty() ? left : x + columns_.back().left + columns_.back().width;
  const double bottom = top + static_cast<double>(rows_) * cell_height_;
  std::string drawn = svg_rect(left, top, right - left, bottom - top, fmt::format(R"(fill="{}")", theme_.paper));
  drawn += hatching(x, top);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    drawn += svg_text(x + columns_[i].left + columns_[i].width / 2, top - 6, column_label(i), column_look,
                      widest_column_label);
  }
  const Heat heat = this->heat();
  std::string lines;
  for (std::size_t row = 0; row < rows_; ++row) {
    const double line = top + static_cast<double>(row) * cell_height_;
    if (!look_.bare_rows) {
      drawn += svg_text(left - 7, line + cell_height_ / 2 + to_base(small), row_label(row), row_look, widest_row_label);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) drawn += cell(x + columns_[i].left, line, row, i, heat);
    if (row > 0) lines += svg("M{} {}H{}", left, line, right);
  }
  for (std::size_t i = 1; i < columns_.size(); ++i) lines += svg("M{} {}V{}", x + columns_[i].left, top, bottom);
  if (!lines.empty()) {
    drawn += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"0.75\" fill=\"none\"/>\n", lines, theme_.grid);
  }
  drawn += svg_rect(left, top, right - left, bottom - top,
                    fmt::format(R"(fill="none" stroke="{}")", theme_.of(matrix_.role).line));
  double line = bottom;
  for (const std::string& words : left_out_) {
    line += look_.size + 5;
    drawn += svg_text(x, line - 1, words, {.size = look_.size, .fill = theme_.faint});
  }
  return drawn;
}

}  // namespace attn
