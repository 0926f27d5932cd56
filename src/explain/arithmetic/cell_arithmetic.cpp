#include "explain/arithmetic/cell_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "explain/telling/closing.h"
#include "words/language.h"

namespace attn {
namespace {

// "max(1, 2, 3)", of terms that end in a comma.
std::vector<Inline> listed_in(const std::string& function, std::vector<Inline> terms) {
  terms.front().insert(terms.front().begin(), function + "(");
  terms.back().back() = ")";
  return terms;
}

std::vector<Inline> shortened(std::vector<Inline> terms, std::size_t most) {
  if (terms.size() <= most) return terms;
  constexpr std::size_t kept_at_end = 2;
  const std::size_t left_out = terms.size() - most;
  const auto cut = terms.begin() + static_cast<std::ptrdiff_t>(most - kept_at_end);
  *cut = {"… " + std::to_string(left_out) + " more …"};
  terms.erase(cut + 1, terms.end() - kept_at_end);
  return terms;
}

Inline none_open() { return {language().telling.every_cell_closed}; }

}  // namespace

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

Span CellArithmetic::number(NumberInLine n) {
  all_exact_ = all_exact_ && numerals_.exact(n.value);
  return {numerals_.in_line(n.value, n.decimals), n.role};
}

Inline CellArithmetic::guarded(NumberInLine n) {
  if (n.value < 0) return {"(", number(n), ")"};
  return {number(n)};
}

void CellArithmetic::side(std::vector<Inline> terms) {
  sides_.push_back({sides_.empty() || all_exact_ ? "=" : "≈", shortened(std::move(terms), most_terms_)});
}

Working CellArithmetic::equals(double computed, Inline remark) {
  const Span shown = number(result());
  const bool rounded = !numerals_.same(result().value, computed);
  sides_.push_back({all_exact_ && !rounded ? "=" : "≈", {{shown}}});
  return {std::move(sides_), std::move(remark), rounded, computed};
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
    terms.push_back(terms.empty() ? Inline{number(n)} : joined({"+ "}, guarded(n)));
    sum += n.value;
  }
}

void CellArithmetic::add_further(std::size_t first, std::vector<Inline>& terms, double& sum) {
  for (std::size_t i = first; i < made_.operands.size(); ++i) {
    terms.push_back(joined({terms.empty() ? "" : "+ "}, guarded(read(i))));
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
  side(std::move(terms));
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
  terms.push_back(joined(joined({"/ ("}, guarded(a)), joined({" × "}, joined(guarded(b), {")"}))));
  double value = divisor == 0 ? 0 : sum / divisor;
  add_further(4, terms, value);
  side(std::move(terms));
  return equals(value, divisor == 0 ? Inline{language().telling.zero_divisor} : Inline{});
}

Working CellArithmetic::largest() {
  std::vector<Inline> terms;
  double most = -infinity;
  for (std::size_t i = 0; i < count(0); ++i) {
    if (is_closed(i)) continue;
    terms.push_back({number(read(0, i)), ","});
    most = std::max(most, read(0, i).value);
  }
  for (std::size_t i = 1; i < made_.operands.size(); ++i) {
    terms.push_back({language().telling.sink_number, number(read(i)), ","});
    most = std::max(most, read(i).value);
  }
  if (terms.empty()) return equals(result().value, none_open());
  side(listed_in("max", std::move(terms)));
  return equals(most);
}

Working CellArithmetic::smallest() {
  std::vector<Inline> terms;
  double least = infinity;
  for (std::size_t i = 0; i < made_.operands.size(); ++i) {
    terms.push_back({number(read(i)), ","});
    least = std::min(least, read(i).value);
  }
  if (terms.size() == 1) return only_the_number();
  side(listed_in("min", std::move(terms)));
  return equals(least);
}

// √(1² + 2²) = √5 ≈ 2.2361
Working CellArithmetic::norm() {
  std::vector<Inline> terms;
  double sum = 0;
  for (std::size_t i = 0; i < count(0); ++i) {
    const NumberInLine n = read(0, i);
    terms.push_back(joined({terms.empty() ? "√(" : "+ "}, joined(guarded(n), {"²"})));
    sum += n.value * n.value;
  }
  if (terms.empty()) return only_the_number();
  terms.back().emplace_back(")");
  side(std::move(terms));
  side(Inline{"√", number({sum})});
  return equals(std::sqrt(sum));
}

}  // namespace attn
