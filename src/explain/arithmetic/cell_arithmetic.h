#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "explain/arithmetic/worked_line.h"
#include "explain/worked_cell.h"

namespace attn {

// The arithmetic of one cell in the making: the numbers that it reads, and what
// several operations write alike.
class CellArithmetic {
 public:
  // REQUIRES: trace, step and numerals outlive it.
  CellArithmetic(const Trace& trace, const Step& step, const Reading& reading, std::size_t cell,
                 const Numerals& numerals, std::size_t most_terms);

  const Step& step() const { return step_; }
  std::size_t cell() const { return cell_; }
  const Provenance& made() const { return made_; }
  WorkedLine& line() { return line_; }

  // How many cells of an operand count at most; those that are closed do not.
  std::size_t count(std::size_t operand) const { return made_.operands[operand].count; }
  bool is_closed(std::size_t term) const;
  NumberInLine read(std::size_t operand, std::size_t term = 0) const;
  NumberInLine result() const;

  // The line ends with the number, of which the arithmetic makes `computed`.
  Working equals(double computed, Inline remark = {}) { return line_.equals(result(), computed, std::move(remark)); }
  Working only_the_number() { return equals(result().value); }
  Working closed();

  // Adds the open numbers of the row as terms, and to the sum.
  void add_row(std::vector<Inline>& terms, double& sum);
  // Each operand from `first` on.
  void add_further(std::size_t first, std::vector<Inline>& terms, double& sum);

  Working sum_of_all();
  Working sum_of(std::vector<Inline> terms, double sum);
  Working quotient(std::vector<Inline> terms, double sum);  // by the product of the third and the fourth operand
  Working largest();                                        // of the row and of sinks
  Working smallest();                                       // of all operands
  Working norm();

 private:
  const Trace& trace_;
  const Step& step_;
  std::size_t cell_;
  const Numerals& numerals_;
  Provenance made_;
  WorkedLine line_;
};

// One part of a softmax.
Working worked_softmax(const Softmax& op, CellArithmetic& cell);

}  // namespace attn
