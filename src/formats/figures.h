#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "explain/document.h"

namespace attn {

// Drawings of one matrix as SVG elements: <svg> with a viewBox, to be placed in a
// page or a larger figure. They take their colours from the custom properties of
// the page around (--heat, --faint, …) or from their own presentation attributes.

// The colours of a drawing, as they stand in fill="…".
struct Palette {
  std::string faint;  // text
  std::string query, key;
  std::string heat;  // of the largest number
  std::string grid;  // behind and between cells
  std::string paper = "#ffffff";
};

// A drawing that is part of another one, from (0, 0) on.
struct Drawing {
  double width = 0, height = 0;
  std::string content;
};

// Attention as people know it: the queries on one side, the keys on the other,
// between them arcs as wide as the weight. Each query's arcs are a <g> with the
// class "of-query" and data-row. REQUIRES: rows are queries, columns keys, or the
// other way round.
std::string arcs(const Matrix& weights);
Drawing arcs_drawing(const Matrix& weights, const Palette& palette);

// A map without numbers, for an overview: one square a cell, as dark as the number is large.
// Of more than 64 (or `most`) rows or columns, neighbours share a square, as dark as the largest of them.
std::string small_map(const Matrix& matrix);
Drawing small_map_drawing(const Matrix& matrix, const Palette& palette, double cell, std::size_t most = 64);

// How dark the cells of a matrix are: attention weights and masks as they are,
// other numbers between the smallest and the largest.
class Heat {
 public:
  explicit Heat(const Matrix& matrix);  // which stays alive

  // The shades are those of both: of the other matrix, too, the largest number is no darker than the darkest.
  void share_with(const Matrix& other);

  // From 0 to 1. None where the cell is closed, or no finite number; 0 where all numbers are one.
  std::optional<double> size(std::size_t row, std::size_t column) const;
  // The same; but 0 for none, and 0.5 for one number that is not 0.
  double of(std::size_t row, std::size_t column) const;

  double smallest() const { return smallest_; }
  double largest() const { return largest_; }
  bool is_one() const { return smallest_ / 2 == largest_ / 2; }
  bool any() const { return any_; }  // number to shade

 private:
  const Matrix* matrix_;
  double smallest_ = 0, largest_ = 1;
  bool any_ = false;
};

}  // namespace attn
