#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "explain/arithmetic/symbols.h"
#include "explain/document.h"
#include "explain/numerals.h"
#include "trace/trace.h"

namespace attn {

// Makes matrices out of tensors: those of a step at one place (this head of
// this sequence), with their labels, sizes and words.
//
// A tensor with more than two axes there becomes several matrices. `query`,
// where it is there, leaves only that row of queries.
class MatrixMaker {
 public:
  // REQUIRES: both outlive the maker.
  MatrixMaker(const Trace& trace, const Numerals& numerals) : trace_(trace), numerals_(numerals) {}

  std::vector<Matrix> of(const Step& step, const Place& place, std::optional<std::size_t> query = std::nullopt) const;
  std::vector<Matrix> of(const GivenTensor& given, const Place& place) const;

 private:
  const Trace& trace_;
  const Numerals& numerals_;
};

// Where the cells of a matrix stand in its step's row-major numbers, row by row.
std::vector<std::size_t> places_of_cells(const Matrix& matrix);

}  // namespace attn
