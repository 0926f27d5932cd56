#include "explain/arithmetic/cell_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "explain/telling/closing.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// "max(1, 2, 3)", of terms that end in a comma.
std::vector<Inline> listed_in(const std::string& function, std::vector<Inline> terms) {
  terms.front().insert(terms.front().begin(), function + "(");
  terms.back().back() = ")";
  return terms;
}

Inline none_open() { return {language().telling.every_cell_closed}; }

}  // namespace

CellArithmetic::CellArithmetic(const Trace& trace, const Step& step, const Reading& reading, std::size_t cell,
                               const Numerals& numerals, std::size_t most_terms)
    : trace_(trace),
      step_(step),
      cell_(cell),
      numerals_(numerals),
      made_(provenance(reading, cell)),
      line_(numerals, most_terms) {}

bool CellArithmetic::is_closed(std::size_t term) const {
  if (!made_.open) return false;
  const std::size_t i = made_.open->count > 1 ? term : 0;
  return trace_.value(made_.open->tensor)[made_.open->cell(i)] == 0;
}

NumberInLine CellArithmetic::read(std::size_t operand, std::size_t term) const {
  const Slice& cells = made_.operands[operand];
  return {trace_.value(cells.tensor)[cells.cell(term)], trace_.heading(cells.tensor).role,
          numerals_.decimals_of(cells.tensor)};
}

NumberInLine CellArithmetic::result() const {
  return {step_.result[cell_], step_.heading.role, numerals_.decimals_of(step_.heading.id)};
}

Working CellArithmetic::closed() {
  Working working = only_the_number();
  working.remark = {language().telling.closed};
  // The reason is said once, where the cell is closed.
  if (std::holds_alternative<Close>(step_.op)) working.remark = {closed_by(trace_, *made_.open)};
  return working;
}

void CellArithmetic::add_row(std::vector<Inline>& terms, double& sum) {
  for (std::size_t i = 0; i < count(0); ++i) {
    if (is_closed(i)) continue;
    const NumberInLine n = read(0, i);
    terms.push_back(terms.empty() ? Inline{line_.number(n)} : joined({"+ "}, line_.guarded(n)));
    sum += n.value;
  }
}

void CellArithmetic::add_further(std::size_t first, std::vector<Inline>& terms, double& sum) {
  for (std::size_t i = first; i < made_.operands.size(); ++i) {
    terms.push_back(joined({terms.empty() ? "" : "+ "}, line_.guarded(read(i))));
    sum += read(i).value;
  }
}

Working CellArithmetic::sum_of_all() {
  std::vector<Inline> terms;
  double sum = 0;
  add_row(terms, sum);
  add_further(1, terms, sum);
  return sum_of(std::move(terms), sum);
}

Working CellArithmetic::sum_of(std::vector<Inline> terms, double sum) {
  if (terms.empty()) return equals(sum, none_open());
  line_.side(std::move(terms));
  return equals(sum);
}

// (1×2 + 0×1) / (1 × 2.236)
Working CellArithmetic::quotient(std::vector<Inline> terms, double sum) {
  if (terms.empty()) return equals(0, none_open());
  const NumberInLine a = read(2);
  const NumberInLine b = read(3);
  const double divisor = a.value * b.value;
  if (terms.size() > 1) {
    terms.front().insert(terms.front().begin(), "(");
    terms.back().emplace_back(")");
  }
  terms.push_back(joined(joined({"/ ("}, line_.guarded(a)), joined({" × "}, joined(line_.guarded(b), {")"}))));
  double value = divisor == 0 ? 0 : sum / divisor;
  add_further(4, terms, value);
  line_.side(std::move(terms));
  return equals(value, divisor == 0 ? Inline{language().telling.zero_divisor} : Inline{});
}

Working CellArithmetic::largest() {
  std::vector<Inline> terms;
  double most = -infinity;
  for (std::size_t i = 0; i < count(0); ++i) {
    if (is_closed(i)) continue;
    terms.push_back({line_.number(read(0, i)), ","});
    most = std::max(most, read(0, i).value);
  }
  for (std::size_t i = 1; i < made_.operands.size(); ++i) {
    terms.push_back({language().telling.sink_number, line_.number(read(i)), ","});
    most = std::max(most, read(i).value);
  }
  if (terms.empty()) return equals(result().value, none_open());
  line_.side(listed_in("max", std::move(terms)));
  return equals(most);
}

Working CellArithmetic::smallest() {
  std::vector<Inline> terms;
  double least = infinity;
  for (std::size_t i = 0; i < made_.operands.size(); ++i) {
    terms.push_back({line_.number(read(i)), ","});
    least = std::min(least, read(i).value);
  }
  if (terms.size() == 1) return only_the_number();
  line_.side(listed_in("min", std::move(terms)));
  return equals(least);
}

// √(1² + 2²) = √5 ≈ 2.2361
Working CellArithmetic::norm() {
  std::vector<Inline> terms;
  double sum = 0;
  for (std::size_t i = 0; i < count(0); ++i) {
    const NumberInLine n = read(0, i);
    terms.push_back(joined({terms.empty() ? "√(" : "+ "}, joined(line_.guarded(n), {"²"})));
    sum += n.value * n.value;
  }
  if (terms.empty()) return only_the_number();
  terms.back().emplace_back(")");
  line_.side(std::move(terms));
  line_.side(Inline{"√", line_.number({sum})});
  return equals(std::sqrt(sum));
}

}  // namespace attn
