#pragma once

#include <cstddef>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/provenance.h"
#include "explain/worked_cell.h"
#include "trace/trace.h"

namespace attn {

// Writes out the arithmetic of a trace, as a person would on paper.
class Pencil {
 public:
  // Sums and lists of more than `most_terms` are cut in the middle, and say so.
  // REQUIRES: the others outlive the pencil.
  Pencil(const Trace& trace, const Numerals& numerals, std::size_t most_terms);

  // The arithmetic of one cell, by its place in the step's row-major result.
  Working cell(const Step& step, const Reading& reading, std::size_t cell) const;

  // The same for `cells` of one row at once, where they have a number in
  // common: "= 0.25·[1, 2, 3] = [0.25, 0.5, 0.75]"; otherwise only the numbers.
  Working row(const Step& step, const Reading& reading, const Slice& cells) const;

  // "[0, 1, 1]", a term a number.
  std::vector<Inline> list(const Tensor<double>& tensor, const Slice& cells, Role role) const;

 private:
  Expression operands(const Step& step, const Reading& reading, const Slice& cells, Binary function) const;
  bool is_rounded(const Step& step, const Reading& reading, const Slice& cells) const;

  const Trace& trace_;
  const Numerals& numerals_;
  std::size_t most_terms_;
};

}  // namespace attn
