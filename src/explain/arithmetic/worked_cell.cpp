#include "explain/arithmetic/worked_cell.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/math.h"
#include "explain/arithmetic/worked_line.h"
#include "explain/telling/masks.h"
#include "ops/functions.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

  Working operator()(const Join&) { return only_the_number(); }
  Working operator()(const Repeat&) { return only_the_number(); }

  Working operator()(const Pick&) {
    if (made_.operands[0].count > 0) return only_the_number();
    return line_.equals(result(), 0, {language().telling.no_row});
  }

  // sin(2 / 10000^(0/4)) = sin(2) ≈ 0.9093
  Working operator()(const Waves& op) {
    const Shape& shape = step_.result.shape();
    const std::vector<std::size_t> index = shape.index(cell_);
    const std::size_t i = index[*shape.position(op.positions.axis)];
    const WavePlace place(op, index[*shape.position(op.features.axis)]);
    const std::string name = place.is_sine ? "sin(" : "cos(";
    const Span position = line_.number({static_cast<double>(op.first + i)});
    const std::string exponent = std::to_string(2 * place.pair) + "/" + std::to_string(op.width);
    line_.side(Inline{name, position, " / ", line_.number({op.base}), "^(" + exponent + "))"});
    const double angle = static_cast<double>(op.first + i) /
                         attn::pow(op.base, static_cast<double>(2 * place.pair) / static_cast<double>(op.width));
    line_.side(Inline{name, line_.number({angle}), ")"});
    if (angle != 0) line_.never_exact();
    return line_.equals(result(), place.is_sine ? attn::sin(angle) : attn::cos(angle));
  }

  // 1 × 0.5403 − 0 × 0.8415
  Working operator()(const Rotate&) {
    if (made_.operands[1].count == 0) return line_.equals(result(), read(0).value, {language().telling.not_turned});
    const bool is_first = made_.own_term == 0U;
    const NumberInLine own = read(0, is_first ? 0 : 1);
    const NumberInLine other = read(0, is_first ? 1 : 0);
    const NumberInLine cosine = read(1);
    const NumberInLine sine = read(2);
    const auto product = [&](const NumberInLine& a, const NumberInLine& b, bool leads) {
      const Inline left = leads ? Inline{line_.number(a)} : line_.guarded(a);
      return joined(joined(left, {" × "}), line_.guarded(b));
    };
    line_.side(
        std::vector<Inline>{product(own, cosine, true), joined({is_first ? "− " : "+ "}, product(other, sine, false))});
    const double turned = own.value * cosine.value;
    const double by = other.value * sine.value;
    return line_.equals(result(), is_first ? turned - by : turned + by);
  }

  Working operator()(const Contract& op) {
    std::vector<Inline> terms;
    double sum = 0;
    for (std::size_t i = 0; i < made_.operands[0].count; ++i) {
      if (is_closed(i)) continue;
      const NumberInLine a = read(0, i);
      const NumberInLine b = read(1, i);
      const Inline product = joined(joined(line_.guarded(a), {"×"}), line_.guarded(b));
      terms.push_back(terms.empty() ? product : joined({"+ "}, product));
      sum += a.value * b.value;
    }
    switch (op.then) {
      case Contract::Then::add:
        add_further(2, terms, sum);
        return sum_of(std::move(terms), sum);
      case Contract::Then::divide:
        return quotient(std::move(terms), sum);
    }
    return only_the_number();
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
    const NumberInLine a = read(0);
    const Span plain = op.spelling.empty() ? Span(line_.number({op.parameter}).text) : Span(op.spelling);
    const Span parameter = op.parameter < 0 ? Span("(" + plain.text + ")") : plain;
    switch (op.function) {
      case Unary::multiply:
        line_.side(Inline{line_.number(a), " × ", parameter});
        return line_.equals(result(), a.value * op.parameter);
      case Unary::divide:
        line_.side(Inline{line_.number(a), " / ", parameter});
        return line_.equals(result(), a.value / op.parameter);
      case Unary::add:
        line_.side(Inline{line_.number(a), " + ", parameter});
        return line_.equals(result(), a.value + op.parameter);
      case Unary::tanh:
        line_.side(Inline{"tanh(", line_.number(a), ")"});
        if (a.value != 0) line_.never_exact();
        return line_.equals(result(), attn::tanh(a.value));
      case Unary::softcap:
        line_.side(Inline{plain, " × tanh(", line_.number(a), " / ", parameter, ")"});
        if (a.value != 0) line_.never_exact();
        return line_.equals(result(), op.parameter * attn::tanh(a.value / op.parameter));
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

  Working operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return sum_of_all();
      case Reducer::maximum:
        return largest();
      case Reducer::norm:
        return norm();
    }
    return only_the_number();
  }

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
        return exponential(op);
      case Softmax::Part::sum:
        return made_.operands.size() > 1 ? sum_with_sink(op) : sum_of_all();
      case Softmax::Part::weights:
        return weight();
      case Softmax::Part::shares:
        return share();
    }
    return only_the_number();
  }

  // "e", or the base of a softmax that has another.
  Span base_of(const Softmax& op) { return op.base == 0 ? Span("e") : Span(line_.number({op.base}).text); }

  // "e^(2 − 4)". No power of e can be written in full, but for e^0 = 1.
  Inline power_of(const Softmax& op, const NumberInLine& score, const NumberInLine& maximum) {
    return joined({base_of(op).text + "^(", line_.number(score), " − "}, joined(line_.guarded(maximum), {")"}));
  }

  // e^(2 − 4) = e^(−2) ≈ 0.1353
  Working exponential(const Softmax& op) {
    if (is_closed(0)) return closed();
    const NumberInLine score = read(0);
    const NumberInLine maximum = read(1);
    if (maximum.value == -infinity) return closed();
    const double difference = score.value - maximum.value;
    const Inline start = {base_of(op).text + "^"};
    line_.side(power_of(op, score, maximum));
    if (difference == 0) {
      line_.start_exact();
      line_.side(joined(start, {"0"}));
    } else {
      line_.side(joined(start, line_.guarded({difference, score.role})));
      if (op.base == 0) line_.never_exact();
    }
    return line_.equals(result(), power(op.base, difference));
  }

  // 0.1353 + 1 + e^(1 − 4)
  Working sum_with_sink(const Softmax& op) {
    std::vector<Inline> terms;
    double sum = 0;
    add_row(terms, sum);
    const NumberInLine sink = read(1);
    const NumberInLine maximum = read(2);
    if (maximum.value == -infinity) return sum_of(std::move(terms), sum);
    terms.push_back(joined({terms.empty() ? "" : "+ "}, power_of(op, sink, maximum)));
    if (sink.value != maximum.value && op.base == 0) line_.never_exact();
    return sum_of(std::move(terms), sum + power(op.base, sink.value - maximum.value));
  }

  // 2 / (2 + 1 + 3)
  Working share() {
    if (is_closed(*made_.own_term)) return closed();
    std::vector<Inline> terms;
    double sum = 0;
    const NumberInLine own = read(0, *made_.own_term);
    const Inline start = {line_.number(own), " / ("};
    add_row(terms, sum);
    terms.front() = joined(start, terms.front());
    terms.back().emplace_back(")");
    line_.side(std::move(terms));
    return line_.equals(result(), own.value / sum);
  }

  Working weight() {
    if (is_closed(0)) return closed();
    const NumberInLine sum = read(1);
    if (sum.value == 0) return closed();
    line_.side(Inline{line_.number(read(0)), " / ", line_.number(sum)});
    return line_.equals(result(), read(0).value / sum.value);
  }

  Working largest() {
    std::vector<Inline> terms;
    double most = -infinity;
    for (std::size_t i = 0; i < made_.operands[0].count; ++i) {
      if (is_closed(i)) continue;
      const NumberInLine n = read(0, i);
      terms.push_back({line_.number(n), ","});
      most = std::max(most, n.value);
    }
    for (std::size_t i = 1; i < made_.operands.size(); ++i) {
      terms.push_back({language().telling.sink_number, line_.number(read(i)), ","});
      most = std::max(most, read(i).value);
    }
    if (terms.empty()) return line_.equals(result(), result().value, {language().telling.every_cell_closed});
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

  // The numbers of the row, as far as they are open.
  void add_row(std::vector<Inline>& terms, double& sum) {
    for (std::size_t i = 0; i < made_.operands[0].count; ++i) {
      if (is_closed(i)) continue;
      const NumberInLine n = read(0, i);
      terms.push_back(terms.empty() ? Inline{line_.number(n)} : joined({"+ "}, line_.guarded(n)));
      sum += n.value;
    }
  }

  // Each operand from `first` on.
  void add_further(std::size_t first, std::vector<Inline>& terms, double& sum) {
    for (std::size_t i = first; i < made_.operands.size(); ++i) {
      terms.push_back(joined({terms.empty() ? "" : "+ "}, line_.guarded(read(i))));
      sum += read(i).value;
    }
  }

  Working sum_of_all() {
    std::vector<Inline> terms;
    double sum = 0;
    add_row(terms, sum);
    add_further(1, terms, sum);
    return sum_of(std::move(terms), sum);
  }

  // √(1² + 2²) = √5 ≈ 2.2361
  Working norm() {
    std::vector<Inline> terms;
    double sum = 0;
    for (std::size_t i = 0; i < made_.operands[0].count; ++i) {
      const NumberInLine n = read(0, i);
      terms.push_back(joined({terms.empty() ? "" : "+ "}, joined(line_.guarded(n), {"²"})));
      sum += n.value * n.value;
    }
    if (terms.empty()) return only_the_number();
    terms.front().insert(terms.front().begin(), "√(");
    terms.back().emplace_back(")");
    line_.side(std::move(terms));
    line_.side(Inline{"√", line_.number({sum})});
    return line_.equals(result(), std::sqrt(sum));
  }

  // (1×2 + 0×1) / (1 × 2.236)
  Working quotient(std::vector<Inline> terms, double sum) {
    if (terms.empty()) return line_.equals(result(), 0, {language().telling.every_cell_closed});
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
    if (divisor == 0) return line_.equals(result(), value, {language().telling.zero_divisor});
    return line_.equals(result(), value);
  }

  Working sum_of(std::vector<Inline> terms, double sum) {
    if (terms.empty()) return line_.equals(result(), sum, {language().telling.every_cell_closed});
    line_.side(std::move(terms));
    return line_.equals(result(), sum);
  }

  Working only_the_number() { return line_.equals(result(), result().value); }

  Working closed() {
    Working working = only_the_number();
    working.remark = {language().telling.closed};
    // The reason is said once, where the cell is closed.
    if (std::holds_alternative<Close>(step_.op)) working.remark = {closed_by(trace_, *made_.open)};
    return working;
  }

  bool is_closed(std::size_t term) const {
    if (!made_.open) return false;
    const std::size_t i = made_.open->count > 1 ? term : 0;
    return trace_.value(made_.open->tensor)[made_.open->cell(i)] == 0;
  }

  NumberInLine read(std::size_t operand, std::size_t term = 0) const {
    const Slice& cells = made_.operands[operand];
    return {trace_.value(cells.tensor)[cells.cell(term)], trace_.heading(cells.tensor).role,
            numerals_.decimals_of(cells.tensor)};
  }

  NumberInLine result() const {
    return {step_.result[cell_], step_.heading.role, numerals_.decimals_of(step_.heading.id)};
  }

  const Trace& trace_;
  const Step& step_;
  std::size_t cell_;
  const Numerals& numerals_;
  Provenance made_;
  WorkedLine line_;
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
