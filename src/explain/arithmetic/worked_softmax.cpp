#include "base/math.h"
#include "explain/arithmetic/cell_arithmetic.h"
#include "ops/functions.h"

namespace attn {
namespace {

// "e", or the base of a softmax that has another.
std::string base_of(const Softmax& op, CellArithmetic& cell) {
  return op.base == 0 ? "e" : cell.number({op.base}).text;
}

// "e^(2 − 4)". No power of e can be written in full, but for e^0 = 1.
Inline power_of(const Softmax& op, const NumberInLine& score, const NumberInLine& maximum, CellArithmetic& cell) {
  return joined({base_of(op, cell) + "^(", cell.number(score), " − "}, joined(cell.guarded(maximum), {")"}));
}

// e^(2 − 4) = e^(−2) ≈ 0.1353
Working exponential(const Softmax& op, CellArithmetic& cell) {
  if (cell.is_closed(0)) return cell.closed();
  const NumberInLine score = cell.read(0);
  const NumberInLine maximum = cell.read(1);
  if (maximum.value == -infinity) return cell.closed();
  const double difference = score.value - maximum.value;
  const Inline start = {base_of(op, cell) + "^"};
  cell.side(power_of(op, score, maximum, cell));
  if (difference == 0) {
    cell.start_exact();
    cell.side(joined(start, {"0"}));
  } else {
    cell.side(joined(start, cell.guarded({difference, score.role})));
    if (op.base == 0) cell.never_exact();
  }
  return cell.equals(power(op.base, difference));
}

// 0.1353 + 1 + e^(1 − 4)
Working sum_with_sink(const Softmax& op, CellArithmetic& cell) {
  std::vector<Inline> terms;
  double sum = 0;
  cell.add_row(terms, sum);
  const NumberInLine sink = cell.read(1);
  const NumberInLine maximum = cell.read(2);
  if (maximum.value == -infinity) return cell.sum_of(std::move(terms), sum);
  terms.push_back(joined({terms.empty() ? "" : "+ "}, power_of(op, sink, maximum, cell)));
  if (sink.value != maximum.value && op.base == 0) cell.never_exact();
  return cell.sum_of(std::move(terms), sum + power(op.base, sink.value - maximum.value));
}

Working weight(CellArithmetic& cell) {
  if (cell.is_closed(0)) return cell.closed();
  const NumberInLine sum = cell.read(1);
  if (sum.value == 0) return cell.closed();
  cell.side(Inline{cell.number(cell.read(0)), " / ", cell.number(sum)});
  return cell.equals(cell.read(0).value / sum.value);
}

// 2 / (2 + 1 + 3)
Working share(CellArithmetic& cell) {
  const std::size_t own_term = *cell.made().own_term;
  if (cell.is_closed(own_term)) return cell.closed();
  const NumberInLine own = cell.read(0, own_term);
  const Inline start = {cell.number(own), " / ("};
  std::vector<Inline> terms;
  double sum = 0;
  cell.add_row(terms, sum);
  terms.front() = joined(start, terms.front());
  terms.back().emplace_back(")");
  cell.side(std::move(terms));
  return cell.equals(own.value / sum);
}

}  // namespace

Working worked_softmax(const Softmax& op, CellArithmetic& cell) {
  switch (op.part) {
    case Softmax::Part::maximum:
      return cell.largest();
    case Softmax::Part::exponentials:
      return exponential(op, cell);
    case Softmax::Part::sum:
      return cell.made().operands.size() > 1 ? sum_with_sink(op, cell) : cell.sum_of_all();
    case Softmax::Part::weights:
      return weight(cell);
    case Softmax::Part::shares:
      return share(cell);
  }
  return cell.only_the_number();
}

}  // namespace attn
