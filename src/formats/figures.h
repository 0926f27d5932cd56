#pragma once

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
};

// Colours that a page can set: --faint, --query, --key, --heat, --grid.
const Palette& page_palette();

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
// Of more than 64 rows or columns, neighbours share a square, as dark as the largest of them.
std::string small_map(const Matrix& matrix);
Drawing small_map_drawing(const Matrix& matrix, const Palette& palette, double cell);

// The numbers between which a matrix is shaded, those of its cells that are open
// and finite.
struct HeatRange {
  HeatRange() = default;  // of shares
  explicit HeatRange(const Matrix& matrix);

  // Where a number stands between the ends, from 0 to 1. REQUIRES: they differ.
  double share(double number) const {
    // Halves, so that the difference of the two largest numbers there are is one.
    return (number / 2 - least / 2) / (most / 2 - least / 2);
  }

  double least = 0, most = 1;
  bool any = false;  // number to shade
};

// How dark the cells of a matrix are, from 0 to 1: attention weights as they are,
// other numbers between the smallest and the largest. 0 for what is no number.
class Heat {
 public:
  explicit Heat(const Matrix& matrix);  // which stays alive
  double of(std::size_t row, std::size_t column) const;
  double smallest() const { return range_.least; }
  double largest() const { return range_.most; }

 private:
  const Matrix& matrix_;
  HeatRange range_;
};

}  // namespace attn
