#include "explain/worked_cell.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/math.h"
#include "explain/masks.h"
#include "ops/functions.h"

namespace attn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// One number of an operand: its value and whose it is.
struct Number {
  double value = 0;
  Role role = Role::score;
  int decimals = 0;  // at least
};

// One line of arithmetic in the making: what is written, what it comes to, and
// whether every number in it is written in full.
class Line {
 public:
  Line(const Numerals& numerals, std::size_t most_terms) : numerals_(numerals), most_terms_(most_terms) {}

  Span number(Number n) {
    all_exact_ = all_exact_ && numerals_.exact(n.value);
    return {numerals_.in_line(n.value, n.decimals), n.role};
  }

  // A negative number in parentheses, as behind an operator.
  Inline guarded(Number n) {
    if (n.value < 0) return {"(", number(n), ")"};
    return {number(n)};
  }

  void side(std::vector<Inline> terms) {
    sides_.push_back({sides_.empty() || all_exact_ ? "=" : "≈", shortened(std::move(terms))});
  }
  void side(Inline term) { side(std::vector<Inline>{std::move(term)}); }

  // Closes the equation: `value` is what the step says, `computed` what the
  // written arithmetic comes to.
  Working equals(Number value, double computed, Inline remark = {}) {
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

Inline joined(Inline a, const Inline& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Everything about one cell that its arithmetic is written from.
class CellWriter {
 public:
  CellWriter(const Trace& trace, const Step& step, const Reading& reading, std::size_t cell, const Numerals& numerals,
             std::size_t most_terms)
      : trace_(trace),
        step_(step),
        cell_(cell),
        numerals_(numerals),
        made_(provenance(reading, cell)),
        line_(numerals, most_terms) {}

  Working write() {
    if (made_.operands.size() < step_.operands.size()) return only_the_number();
    return std::visit([&](const auto& op) { return operator()(op); }, step_.op);
  }

 private:
  Working operator()(const Given&) { return only_the_number(); }
  Working operator()(const Copy&) { return only_the_number(); }
  Working operator()(const Split&) { return only_the_number(); }
  Working operator()(const Merge&) { return only_the_number(); }

  Working operator()(const Contract&) {
    std::vector<Inline> terms;
    double sum = 0;
    for (std::size_t i = 0; i < made_.operands[0].count; ++i) {
      if (is_closed(i)) continue;
      const Number a = read(0, i);
      const Number b = read(1, i);
      const Inline product = joined(joined(line_.guarded(a), {"×"}), line_.guarded(b));
      terms.push_back(terms.empty() ? product : joined({"+ "}, product));
      sum += a.value * b.value;
    }
    if (step_.operands.size() == 3) {
      terms.push_back(joined({terms.empty() ? "" : "+ "}, line_.guarded(read(2))));
      sum += read(2).value;
    }
    return sum_of(std::move(terms), sum);
  }

  Working operator()(const Combine& op) {
    if (is_closed(0)) return closed();
    if (op.function == Binary::minimum) return smallest();
    std::vector<Inline> terms = {{line_.number(read(0))}};
    double value = read(0).value;
    for (std::size_t i = 1; i < made_.operands.size(); ++i) {
      const Inline operand = joined({std::string(sign(op.function)) + " "}, line_.guarded(read(i)));
      terms.push_back(operand);
      value = applied(op.function, value, read(i).value);
    }
    line_.side(std::move(terms));
    return line_.equals(result(), value);
  }

  Working operator()(const Map& op) {
    if (is_closed(0)) return closed();
    const Number a = read(0);
    const Span parameter = op.spelling.empty() ? Span(line_.number({op.parameter}).text) : Span(op.spelling);
    switch (op.function) {
      case Unary::multiply:
        line_.side(
            Inline{line_.number(a), " × ", op.parameter < 0 ? Span("(" + parameter.text + ")") : parameter.text});
        return line_.equals(result(), a.value * op.parameter);
      case Unary::divide:
        line_.side(
            Inline{line_.number(a), " / ", op.parameter < 0 ? Span("(" + parameter.text + ")") : parameter.text});
        return line_.equals(result(), a.value / op.parameter);
      case Unary::exp:
        line_.side(joined({"e^"}, line_.guarded(a)));
        if (a.value != 0) line_.never_exact();
        return line_.equals(result(), attn::exp(a.value));
      case Unary::square:
        line_.side(joined(line_.guarded(a), {"²"}));
        return line_.equals(result(), a.value * a.value);
      case Unary::sqrt:
        line_.side(joined({"√"}, line_.guarded(a)));
        return line_.equals(result(), std::sqrt(a.value));
    }
    return only_the_number();
  }

  Working operator()(const Reduce& op) { return op.function == Reducer::sum ? sum_of_all() : largest(); }

  Working operator()(const Close&) {
    if (is_closed(0)) return closed();
    if (made_.operands.size() < 2) return only_the_number();
    line_.side(std::vector<Inline>{{line_.number(read(0))}, joined({"+ "}, line_.guarded(read(1)))});
    return line_.equals(result(), read(0).value + read(1).value);
  }

  Working operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return largest();
      case Softmax::Part::exponentials:
        return exponential();
      case Softmax::Part::sum:
        return sum_of_all();
      case Softmax::Part::weights:
        return weight();
    }
    return only_the_number();
  }

  // e^(2 − 4) = e^(−2) ≈ 0.1353
  Working exponential() {
    if (is_closed(0)) return closed();
    const Number score = read(0);
    const Number maximum = read(1);
    if (maximum.value == -infinity) return closed();
    const double difference = score.value - maximum.value;
    line_.side(joined({"e^(", line_.number(score), " − "}, joined(line_.guarded(maximum), {")"})));
    // No power of e can be written in full, but for e^0 = 1.
    if (difference == 0) {
      line_.start_exact();
      line_.side(Inline{"e^0"});
    } else {
      line_.side(joined({"e^"}, line_.guarded({difference, score.role})));
      line_.never_exact();
    }
    return line_.equals(result(), attn::exp(difference));
  }

  Working weight() {
    if (is_closed(0)) return closed();
    const Number sum = read(1);
    if (sum.value == 0) return closed();
    line_.side(Inline{line_.number(read(0)), " / ", line_.number(sum)});
    return line_.equals(result(), read(0).value / sum.value);
  }

  Working largest() {
    std::vector<Inline> terms;
    double most = -infinity;
    for (std::size_t i = 0; i < made_.operands[0].count; ++i) {
      if (is_closed(i)) continue;
      const Number n = read(0, i);
      terms.push_back({line_.number(n), ","});
      most = std::max(most, n.value);
    }
    if (terms.empty()) return line_.equals(result(), result().value, {"every cell is closed"});
    terms.front().insert(terms.front().begin(), "max(");
    terms.back().back() = ")";
    line_.side(std::move(terms));
    return line_.equals(result(), most);
  }

  Working smallest() {
    std::vector<Inline> terms;
    double least = infinity;
    for (std::size_t i = 0; i < made_.operands.size(); ++i) {
      terms.push_back({line_.number(read(i)), ","});
      least = std::min(least, read(i).value);
    }
    if (terms.size() == 1) return only_the_number();
    terms.front().insert(terms.front().begin(), "min(");
    terms.back().back() = ")";
    line_.side(std::move(terms));
    return line_.equals(result(), least);
  }

  Working sum_of_all() {
    std::vector<Inline> terms;
    double sum = 0;
    for (std::size_t i = 0; i < made_.operands[0].count; ++i) {
      if (is_closed(i)) continue;
      const Number n = read(0, i);
      terms.push_back(terms.empty() ? Inline{line_.number(n)} : joined({"+ "}, line_.guarded(n)));
      sum += n.value;
    }
    return sum_of(std::move(terms), sum);
  }

  Working sum_of(std::vector<Inline> terms, double sum) {
    if (terms.empty()) return line_.equals(result(), sum, {"every cell is closed"});
    line_.side(std::move(terms));
    return line_.equals(result(), sum);
  }

  Working only_the_number() { return line_.equals(result(), result().value); }

  Working closed() {
    Working working = only_the_number();
    working.remark = {"closed"};
    // The reason is said once, where the cell is closed.
    if (std::holds_alternative<Close>(step_.op)) working.remark = {closed_by(trace_, *made_.open)};
    return working;
  }

  bool is_closed(std::size_t term) const {
    if (!made_.open) return false;
    const std::size_t i = made_.open->count > 1 ? term : 0;
    return trace_.value(made_.open->tensor)[made_.open->cell(i)] == 0;
  }

  Number read(std::size_t operand, std::size_t term = 0) const {
    const Slice& cells = made_.operands[operand];
    return {trace_.value(cells.tensor)[cells.cell(term)], trace_.heading(cells.tensor).role,
            numerals_.decimals_of(cells.tensor)};
  }

  Number result() const { return {step_.result[cell_], step_.heading.role, numerals_.decimals_of(step_.heading.id)}; }

  const Trace& trace_;
  const Step& step_;
  std::size_t cell_;
  const Numerals& numerals_;
  Provenance made_;
  Line line_;
};

}  // namespace

std::string_view sign(Binary function) {
  switch (function) {
    case Binary::add:
      return "+";
    case Binary::subtract:
      return "−";
    case Binary::multiply:
      return "×";
    case Binary::divide:
      return "/";
    case Binary::minimum:
      return ",";
  }
  return "";
}

Working worked_cell(const Trace& trace, const Step& step, const Reading& reading, std::size_t cell,
                    const Numerals& numerals, std::size_t most_terms) {
  return CellWriter(trace, step, reading, cell, numerals, most_terms).write();
}

}  // namespace attn
