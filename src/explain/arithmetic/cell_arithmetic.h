#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/provenance.h"
#include "explain/worked_cell.h"
#include "trace/trace.h"

namespace attn {

// One number of an operand: its value and whose it is.
struct NumberInLine {
  double value = 0;
  Role role = Role::score;
  int decimals = 0;  // at least
};

// The arithmetic of one cell in the making: the numbers that it reads, what is
// written so far, and whether every number in it is written in full.
class CellArithmetic {
 public:
  // REQUIRES: trace, step and numerals outlive it.
  CellArithmetic(const Trace& trace, const Step& step, const Reading& reading, std::size_t cell,
                 const Numerals& numerals, TermLimit limit)
      : trace_(trace), step_(step), cell_(cell), numerals_(numerals), limit_(limit), made_(provenance(reading, cell)) {}

  const Step& step() const { return step_; }
  std::size_t cell() const { return cell_; }
  const Provenance& made() const { return made_; }

  // How many cells of an operand count at most; those that are closed do not.
  std::size_t count(std::size_t operand) const { return made_.operands[operand].count; }
  bool is_closed(std::size_t term) const;
  NumberInLine read(std::size_t operand, std::size_t term = 0) const;
  NumberInLine result() const;

  Span number(NumberInLine n);
  // A negative number in parentheses, as behind an operator.
  Inline guarded(NumberInLine n);

  void side(std::vector<Inline> terms);
  void side(Inline term) { side(std::vector<Inline>{std::move(term)}); }

  void never_exact() { all_exact_ = false; }
  // What was written so far was rounded for the eye only and comes out even.
  void start_exact() { all_exact_ = true; }

  // Closes the equation with the number, of which the arithmetic makes `computed`.
  Working equals(double computed, Inline remark = {});
  Working only_the_number() { return equals(result().value); }
  Working closed();

  // Adds the open numbers of the row as terms, and to the sum; of a long row as many as
  // the limit leaves, where so many further terms follow.
  void add_row(std::vector<Inline>& terms, double& sum, std::size_t further = 0);
  // The same with the products of the first two operands.
  void add_products(std::vector<Inline>& terms, double& sum, std::size_t further);
  // That number of the row is written, though not as a term. REQUIRES: it is open.
  void also_writes(std::size_t term);
  // Each operand from `first` on.
  void add_further(std::size_t first, std::vector<Inline>& terms, double& sum);

  Working sum_of_all();
  Working sum_of(std::vector<Inline> terms, double sum);
  Working sum_of_products();       // of the first two operands
  Working quotient_of_products();  // the same by the product of the third and the fourth
  Working largest();               // of the row and of sinks
  Working smallest();              // of all operands
  Working norm();
  Working mean();                       // of the row
  Working variance(std::size_t fewer);  // about the second operand; so many numbers fewer divide the sum
  Working mean_square();

 private:
  // What the terms of a row are: its numbers, added or listed; products with those of the
  // second operand; squares; squares of what the second operand leaves of them.
  enum class Row { numbers, listed, products, squares, deviations };
  double value(Row row, std::size_t term) const;
  double size(Row row, std::size_t term) const;  // among which the largest are written
  Inline spelled(Row row, std::size_t term, bool leads);
  Working mean_of(Row row, std::size_t fewer = 0);
  Inline others(Row row, std::size_t count, double sum);
  void write_row(Row row, std::size_t further, std::vector<Inline>& terms, double& sum);

  const Trace& trace_;
  const Step& step_;
  std::size_t cell_;
  const Numerals& numerals_;
  TermLimit limit_;
  Provenance made_;
  std::vector<Expression> sides_;
  std::vector<std::size_t> open_;     // the terms of the row that count
  std::vector<std::size_t> written_;  // which of them are written, where not all are
  bool all_exact_ = true;
};

}  // namespace attn
