#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explain/document.h"
#include "formats/figures.h"
#include "formats/places.h"
#include "formats/svg/pen.h"

namespace attn {

struct GridLook {
  std::size_t most_rows = 12, most_columns = 12;   // with their numbers; more become a map without
  double widest_map = 200;                         // without numbers
  double widest = 620;                             // with its numbers: columns that are beyond it are left out
  bool tinted = false;                             // cells as dark as their numbers are large
  bool full = false;                               // numbers, however many
  bool cut = false;                                // the first rows and columns, not a map
  double size = 13;                                // of the numbers
  double largest_square = 0;                       // of a map, unless it is 0
  bool is_tight = false;                           // little room around numbers
  bool bare_rows = false;                          // without their labels
  bool pads = false;                               // all of it stands for no token
  const std::vector<ToldMatrix>* alike = nullptr;  // that have its decimals and shades: of one step
};

// The numbers of one matrix in their rows and columns, or a map of them.
class Grid {
 public:
  Grid(const Matrix& matrix, const Theme& theme, const GridLook& look);

  double width() const { return width_; }
  double height() const { return height_; }
  bool has_numbers() const { return has_numbers_; }

  std::string drawn(double x, double y) const;

  NumberFormat format() const { return format_; }
  Heat heat() const;  // what its shades mean

 private:
  struct Column {
    double left = 0, width = 0;
    double numbers = 0;  // the widest of them
  };

  // What stands for no token is called so, and hatched.
  bool pads_row(std::size_t row) const;
  std::string_view row_label(std::size_t row) const;
  std::string_view column_label(std::size_t column) const;
  std::string hatching(double x, double top) const;

  std::string text(std::size_t row, std::size_t column) const;
  void share_decimals();
  double widest_number(std::size_t column) const;
  std::string map_labels(double x, double y) const;
  std::string cell(double x, double y, std::size_t row, std::size_t column, const Heat& heat) const;

  const Matrix& matrix_;
  const Theme& theme_;
  GridLook look_;
  NumberFormat format_;
  bool has_numbers_ = true;
  double label_width_ = 0, label_height_ = 0, cell_height_ = 0;
  std::size_t rows_ = 0;  // that are drawn
  std::vector<Column> columns_;
  std::vector<std::string> left_out_;  // words for it
  Drawing map_;
  double square_ = 0;  // of the map
  double width_ = 0, height_ = 0;
};

}  // namespace attn
