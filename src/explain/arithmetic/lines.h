#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/place.h"
#include "explain/provenance.h"
#include "explain/worked_cell.h"
#include "trace/trace.h"

namespace attn {

// Writes out the arithmetic of a trace, as a person would on paper: the lines of
// one row of a step, what is left of it at a place.
class Lines {
 public:
  // Sums and lists of more terms are cut, and say so; of the lines of a row so many are written.
  // REQUIRES: trace and numerals outlive the lines.
  Lines(const Trace& trace, const Numerals& numerals, TermLimit limit,
        std::size_t most_lines = static_cast<std::size_t>(-1));

  // The whole row in one line: "s₁ = q₁·Kᵀ = [2, 4, 4]".
  Equation row(const Step& step, const Place& place) const;

  // Every cell of it on a line of its own: "S[1,2] = q₁·k₂ = 1×4 + 0×4 + 2×0 = 4".
  // Where the cells of a line are made alike out of one number and a row, they
  // share it: "U[1,2] = A[1,2]·v₂ = 0.25·[2, 8, 0] = [0.5, 2, 0]".
  Derivation cells(const Step& step, const Place& place) const;

  // How many lines more that row has than are written.
  std::size_t left_out(const Step& step, const Place& place) const;

  // What comes behind the name of one cell: "= q₁·k₂ = 1×4 + 0×4 + 2×0 = 4".
  Working working(const Step& step, const Reading& reading, const Place& place) const;

  // The arithmetic of one cell alone, by its place in the step's row-major result.
  Working worked(const Step& step, const Reading& reading, std::size_t cell) const;

  // "[0, 1, 1]", a term a number.
  std::vector<Inline> list(const Tensor<double>& tensor, const Slice& cells, Role role) const;

 private:
  std::vector<Equation> lines(const Step& step, const Reading& reading, const Place& place) const;
  Equation cell(const Step& step, const Reading& reading, const Place& place) const;
  Equation vector(const Step& step, const Reading& reading, const Place& place) const;
  Working worked_row(const Step& step, const Reading& reading, const Slice& cells) const;
  Expression operands(const Step& step, const Reading& reading, const Slice& cells, Binary function) const;
  Inline operands(const Reading& reading, const Place& place, std::string_view sign) const;
  Inline product(const Contract& sum, const Reading& reading, const Place& place) const;
  Inline label(const Step& step, const Place& place) const;
  Inline written_terms(const Step& step, const Working& told, const Place& place) const;
  bool is_rounded(const Step& step, const Reading& reading, const Slice& cells) const;

  const Trace& trace_;
  const Numerals& numerals_;
  TermLimit limit_;
  std::size_t most_listed_, most_lines_;
  Symbols symbols_;
};

}  // namespace attn
