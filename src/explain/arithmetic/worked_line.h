#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/worked_cell.h"

namespace attn {

// One number of an operand: its value and whose it is.
struct NumberInLine {
  double value = 0;
  Role role = Role::score;
  int decimals = 0;  // at least
};

// One line of arithmetic in the making: what is written, what it comes to, and
// whether every number in it is written in full.
class WorkedLine {
 public:
  WorkedLine(const Numerals& numerals, std::size_t most_terms) : numerals_(numerals), most_terms_(most_terms) {}

  Span number(NumberInLine n) {
    all_exact_ = all_exact_ && numerals_.exact(n.value);
    return {numerals_.in_line(n.value, n.decimals), n.role};
  }

  // A negative number in parentheses, as behind an operator.
  Inline guarded(NumberInLine n) {
    if (n.value < 0) return {"(", number(n), ")"};
    return {number(n)};
  }

  void side(std::vector<Inline> terms) {
    sides_.push_back({sides_.empty() || all_exact_ ? "=" : "≈", shortened(std::move(terms))});
  }
  void side(Inline term) { side(std::vector<Inline>{std::move(term)}); }

  // Closes the equation: `value` is what the step says, `computed` what the
  // written arithmetic comes to.
  Working equals(NumberInLine value, double computed, Inline remark = {}) {
    const Span shown = number(value);
    const bool rounded = !numerals_.same(value.value, computed);
    const bool exact = all_exact_ && !rounded;
    sides_.push_back({exact ? "=" : "≈", {{shown}}});
    return {std::move(sides_), std::move(remark), rounded, computed};
  }

  void never_exact() { all_exact_ = false; }

  // What was written so far was rounded for the eye only and comes out even.
  void start_exact() { all_exact_ = true; }

 private:
  std::vector<Inline> shortened(std::vector<Inline> terms) const {
    if (terms.size() <= most_terms_) return terms;
    const std::size_t kept_at_end = 2;
    const std::size_t left_out = terms.size() - most_terms_;
    std::vector<Inline> kept(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(most_terms_ - kept_at_end));
    kept.push_back({"… " + std::to_string(left_out) + " more …"});
    kept.insert(kept.end(), terms.end() - kept_at_end, terms.end());
    return kept;
  }

  const Numerals& numerals_;
  std::size_t most_terms_;
  std::vector<Expression> sides_;
  bool all_exact_ = true;
};

}  // namespace attn
