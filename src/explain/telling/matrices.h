#pragma once

#include <cstddef>
#include <optional>
#include <string>
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
  struct Source;

  // What the rows or the columns are: an axis, or nothing for a vector's one row.
  struct Side {
    Axis axis = {};
    std::vector<std::string> labels = {};
    std::size_t stride = 0;
    std::size_t first = 0;
  };

  std::vector<Matrix> made(const Source& source, const Place& place, std::optional<std::size_t> query) const;
  Matrix one(const Source& source, const Place& place, std::optional<std::size_t> query) const;
  std::string place_of(const Source& source, const Place& place) const;
  Side side(const Source& source, const Place& place, const Dim* dim, std::optional<std::size_t> query) const;
  void mark_closed(const Source& source, Matrix& matrix) const;

  const Trace& trace_;
  const Numerals& numerals_;
};

}  // namespace attn
