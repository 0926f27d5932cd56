#include "explain/worked_cell.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/interval.h"
#include "base/math.h"
#include "explain/arithmetic/cell_arithmetic.h"
#include "ops/functions.h"
#include "ops/one_of.h"
#include "words/language.h"

namespace attn {
namespace {

// "e", or the base of a softmax that has another.
std::string spelled_base(double base, CellArithmetic& cell) { return base == 0 ? "e" : cell.number({base}).text; }

// "e^(2 − 4)". No power of e can be written in full, but for e^0 = 1.
Inline power_of(double base, const NumberInLine& score, const NumberInLine& maximum, CellArithmetic& cell) {
  return joined({spelled_base(base, cell) + "^(", cell.number(score), " − "}, joined(cell.guarded(maximum), {")"}));
}

// e^(2 − 4) = e^(−2) ≈ 0.1353
Working power_of_difference(double base, const NumberInLine& score, const NumberInLine& maximum, CellArithmetic& cell) {
  const double difference = score.value - maximum.value;
  const Inline start = {spelled_base(base, cell) + "^"};
  cell.side(power_of(base, score, maximum, cell));
  if (difference == 0) {
    cell.start_exact();
    cell.side(joined(start, {"0"}));
  } else {
    cell.side(joined(start, cell.guarded({difference, score.role})));
    if (base == 0) cell.never_exact();
  }
  return cell.equals(power(base, difference));
}

Working exponential(double base, CellArithmetic& cell) {
  if (cell.is_closed(0)) return cell.closed();
  const NumberInLine maximum = cell.read(1);
  // A row of scores −∞ that no rule closes: there is no difference to take.
  if (maximum.value == -infinity) {
    cell.side(joined({spelled_base(base, cell) + "^"}, cell.guarded(maximum)));
    return cell.equals(0);
  }
  return power_of_difference(base, cell.read(0), maximum, cell);
}

// max(4, 3): of the blocks before, and of this one.
Working largest_so_far(CellArithmetic& cell) {
  if (cell.count(1) == 0) return cell.only_the_number();
  const NumberInLine before = cell.read(1), now = cell.read(0);
  cell.side(Inline{"max(", cell.number(before), ", ", cell.number(now), ")"});
  return cell.equals(std::max(before.value, now.value));
}

// What is left of a sum of the blocks before once a larger maximum is subtracted.
Working rescale(double base, CellArithmetic& cell) {
  if (cell.count(0) == 1 || cell.read(0).value == -infinity) return cell.equals(0, {language().online.nothing_before});
  return power_of_difference(base, cell.read(0), cell.read(0, 1), cell);
}

// 1.1353 × 0.3679 + 0.1353 + 1, or with products in place of the numbers: what the blocks
// before gave, rescaled, and what this one adds.
Working carried_on(bool products, CellArithmetic& cell) {
  const std::size_t last = cell.made().operands.size() - 1;
  std::vector<Inline> terms;
  double sum = 0;
  const bool carries = cell.count(last) > 0;
  if (carries) {
    const NumberInLine before = cell.read(last), by = cell.read(last - 1);
    terms.push_back(joined(joined(cell.guarded(before), {" × "}), cell.guarded(by)));
    sum = before.value * by.value;
  }
  products ? cell.add_products(terms, sum, carries ? 1 : 0) : cell.add_row(terms, sum, carries ? 1 : 0);
  return cell.sum_of(std::move(terms), sum);
}

// 0.1353 + 1 + e^(1 − 4)
Working sum_with_sink(const Softmax& op, CellArithmetic& cell) {
  std::vector<Inline> terms;
  double sum = 0;
  cell.add_row(terms, sum, 1);
  const NumberInLine sink = cell.read(1);
  const NumberInLine maximum = cell.read(2);
  if (maximum.value == -infinity) return cell.sum_of(std::move(terms), sum);
  terms.push_back(joined({terms.empty() ? "" : "+ "}, power_of(op.base, sink, maximum, cell)));
  if (sink.value != maximum.value && op.base == 0) cell.never_exact();
  return cell.sum_of(std::move(terms), sum + power(op.base, sink.value - maximum.value));
}

Working weight(CellArithmetic& cell) {
  if (cell.is_closed(0)) return cell.closed();
  const NumberInLine sum = cell.read(1);
  if (sum.value == 0) return cell.equals(0, {language().telling.zero_divisor});
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
  cell.also_writes(own_term);
  terms.front() = joined(start, terms.front());
  terms.back().emplace_back(")");
  cell.side(std::move(terms));
  return cell.equals(own.value / sum);
}

// What a person writes for f(number), where that is more than a name: "max(2, 0)". In as many terms as a
// narrow page may need lines.
std::vector<Inline> activation(Unary function, const NumberInLine& n, CellArithmetic& cell) {
  switch (function) {
    case Unary::relu:
      return {Inline{"max(", cell.number(n), ", 0)"}};
    case Unary::gelu:
      return {joined(cell.guarded(n), {" × ½"}), Inline{"× (1 + erf(", cell.number(n), " / √2))"}};
    case Unary::gelu_tanh:
      return {joined(cell.guarded(n), {" × ½"}), Inline{"× (1 + tanh(√(2/π)"},
              joined({"× (", cell.number(n), " + 0.044715 × "}, joined(cell.guarded(n), {"³)))"}))};
    default:
      return {Inline{cell.number(n), " / (1 + e^(", cell.number({-n.value, n.role, n.decimals}), "))"}};
  }
}

// Whether its results can be written in full.
bool is_endless(Unary function, double a) {
  const bool is_rational = function == Unary::multiply || function == Unary::divide || function == Unary::add ||
                           function == Unary::square || function == Unary::sqrt || function == Unary::relu;
  return !is_rational && a != 0;
}

// (1 − 2) / √(0.6667 + 0.00001)
Working normalized_number(const Normalize& op, CellArithmetic& cell) {
  const bool centred = cell.made().operands.size() == 3;
  const NumberInLine x = cell.read(0);
  const NumberInLine variance = cell.read(centred ? 2 : 1);
  double deviation = x.value;
  Inline upper = cell.guarded(x);
  if (centred) {
    const NumberInLine mean = cell.read(1);
    deviation -= mean.value;
    upper = joined({"(", cell.number(x), " − "}, joined(cell.guarded(mean), {")"}));
  }
  const double divisor = normalized(1.0, variance.value, op.eps, op.eps_outside);
  Inline lower = {"√", cell.number(variance)};
  if (op.eps != 0) {
    const Span eps = cell.number({op.eps});
    lower = op.eps_outside ? Inline{"(√", cell.number(variance), " + ", eps, ")"}
                           : Inline{"√(", cell.number(variance), " + ", eps, ")"};
  }
  cell.side(joined(joined(std::move(upper), {" / "}), std::move(lower)));
  const double value = normalized(deviation, variance.value, op.eps, op.eps_outside);
  return cell.equals(value, divisor == 0 ? Inline{language().telling.zero_divisor} : Inline{});
}

// 1.2 × 2 + 0.5
Working affine(CellArithmetic& cell) {
  const NumberInLine x = cell.read(0), gain = cell.read(1), bias = cell.read(2);
  cell.side(std::vector<Inline>{joined(joined(cell.guarded(x), {" × "}), cell.guarded(gain)),
                                joined({"+ "}, cell.guarded(bias))});
  return cell.equals(x.value * gain.value + bias.value);
}

// Writes what each operation does for one cell.
struct OpWriter {
  CellArithmetic& cell;

  template <OneOf<Given, Copy, Split, Merge, Join, Repeat> Moved>
  Working operator()(const Moved&) {
    return cell.only_the_number();
  }

  Working operator()(const Pick&) {
    if (cell.count(0) > 0) return cell.only_the_number();
    return cell.equals(0, {language().telling.no_row});
  }

  // sin(2 / 10000^(0/4)) = sin(2) ≈ 0.9093
  Working operator()(const Waves& op) {
    const Shape& shape = cell.step().result.shape();
    const std::vector<std::size_t> index = shape.index(cell.cell());
    const std::size_t i = index[*shape.position(op.positions.axis)];
    const WavePlace place(op, index[*shape.position(op.features.axis)]);
    const std::string name = place.is_sine ? "sin(" : "cos(";
    const Span position = cell.number({static_cast<double>(op.first + i)});
    const std::string exponent = std::to_string(2 * place.pair) + "/" + std::to_string(op.width);
    cell.side(Inline{name, position, " / ", cell.number({op.base}), "^(" + exponent + "))"});
    const double angle = static_cast<double>(op.first + i) /
                         attn::pow(op.base, static_cast<double>(2 * place.pair) / static_cast<double>(op.width));
    cell.side(Inline{name, cell.number({angle}), ")"});
    if (angle != 0) cell.never_exact();
    return cell.equals(place.is_sine ? attn::sin(angle) : attn::cos(angle));
  }

  // 1 × 0.5403 − 0 × 0.8415
  Working operator()(const Rotate&) {
    if (cell.count(1) == 0) return cell.equals(cell.read(0).value, {language().telling.not_turned});
    const bool is_first = cell.made().own_term == 0U;
    const NumberInLine own = cell.read(0, is_first ? 0 : 1);
    const NumberInLine other = cell.read(0, is_first ? 1 : 0);
    const NumberInLine cosine = cell.read(1);
    const NumberInLine sine = cell.read(2);
    const auto product = [&](const NumberInLine& a, const NumberInLine& b, bool leads) {
      const Inline left = leads ? Inline{cell.number(a)} : cell.guarded(a);
      return joined(joined(left, {" × "}), cell.guarded(b));
    };
    cell.side(
        std::vector<Inline>{product(own, cosine, true), joined({is_first ? "− " : "+ "}, product(other, sine, false))});
    const double turned = own.value * cosine.value;
    const double by = other.value * sine.value;
    return cell.equals(is_first ? turned - by : turned + by);
  }

  Working operator()(const Contract& op) {
    switch (op.then) {
      case Contract::Then::add:
        return cell.sum_of_products();
      case Contract::Then::divide:
        return cell.quotient_of_products();
    }
    return cell.only_the_number();
  }

  Working operator()(const Combine& op) {
    if (cell.is_closed(0)) return cell.closed();
    if (op.function == Binary::minimum) return cell.smallest();
    std::vector<Inline> terms = {{cell.number(cell.read(0))}};
    double value = cell.read(0).value;
    for (std::size_t i = 1; i < cell.made().operands.size(); ++i) {
      terms.push_back(joined({std::string(sign(op.function)) + " "}, cell.guarded(cell.read(i))));
      value = applied(op.function, value, cell.read(i).value);
    }
    cell.side(std::move(terms));
    return cell.equals(value);
  }

  Working operator()(const Map& op) {
    if (cell.is_closed(0)) return cell.closed();
    const NumberInLine a = cell.read(0);
    const Span plain = op.spelling.empty() ? Span(cell.number({op.parameter}).text) : Span(op.spelling);
    const Span parameter = op.parameter < 0 ? Span("(" + plain.text + ")") : plain;
    const Span number = cell.number(a);
    const auto side = [&]() -> Inline {
      switch (op.function) {
        case Unary::multiply:
          return {number, " × ", parameter};
        case Unary::divide:
          return {number, " / ", parameter};
        case Unary::add:
          return {number, " + ", parameter};
        case Unary::tanh:
          return {"tanh(", number, ")"};
        case Unary::softcap:
          return {plain, " × tanh(", number, " / ", parameter, ")"};
        case Unary::exp:
          return joined({"e^"}, cell.guarded(a));
        case Unary::square:
          return joined(cell.guarded(a), {"²"});
        case Unary::sqrt:
          return joined({"√"}, cell.guarded(a));
        case Unary::relu:
        case Unary::gelu:
        case Unary::gelu_tanh:
        case Unary::silu:
          break;
      }
      return {};
    };
    Inline one_term = side();
    cell.side(one_term.empty() ? activation(op.function, a, cell) : std::vector<Inline>{std::move(one_term)});
    // Of these only what 0 makes can be written in full.
    if (is_endless(op.function, a.value)) cell.never_exact();
    return cell.equals(applied(op.function, a.value, op.parameter));
  }

  Working operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return cell.sum_of_all();
      case Reducer::maximum:
        return cell.largest();
      case Reducer::norm:
        return cell.norm();
    }
    return cell.only_the_number();
  }

  Working operator()(const Gate& op) {
    const NumberInLine gate = cell.read(0), by = cell.read(1);
    std::vector<Inline> terms = activation(op.function, gate, cell);
    terms.push_back(joined({"× "}, cell.guarded(by)));
    cell.side(std::move(terms));
    if (is_endless(op.function, gate.value)) cell.never_exact();
    return cell.equals(applied(op.function, gate.value, 0.0) * by.value);
  }

  Working operator()(const Normalize& op) {
    switch (op.part) {
      case Normalize::Part::mean:
        return cell.mean();
      case Normalize::Part::variance:
        return cell.variance(op.fewer);
      case Normalize::Part::mean_square:
        return cell.mean_square();
      case Normalize::Part::normalized:
        return normalized_number(op, cell);
      case Normalize::Part::affine:
        return affine(cell);
    }
    return cell.only_the_number();
  }

  Working operator()(const Close&) {
    if (cell.is_closed(0)) return cell.closed();
    if (cell.made().operands.size() < 2) return cell.only_the_number();
    cell.side(std::vector<Inline>{{cell.number(cell.read(0))}, joined({"+ "}, cell.guarded(cell.read(1)))});
    return cell.equals(cell.read(0).value + cell.read(1).value);
  }

  Working operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return cell.largest();
      case Softmax::Part::exponentials:
        return exponential(op.base, cell);
      case Softmax::Part::sum:
        return cell.made().operands.size() > 1 ? sum_with_sink(op, cell) : cell.sum_of_all();
      case Softmax::Part::weights:
        return weight(cell);
      case Softmax::Part::shares:
        return share(cell);
    }
    return cell.only_the_number();
  }

  Working operator()(const Online& op) {
    switch (op.part) {
      case Online::Part::block_maximum:
        return cell.largest();
      case Online::Part::maximum:
        return largest_so_far(cell);
      case Online::Part::rescale:
        return rescale(op.base, cell);
      case Online::Part::exponentials:
        return exponential(op.base, cell);
      case Online::Part::sum:
      case Online::Part::context:
        return carried_on(op.part == Online::Part::context, cell);
      case Online::Part::result:
        return weight(cell);
    }
    return cell.only_the_number();
  }
};

}  // namespace

std::vector<std::size_t> places_of_largest(std::span<const double> sizes, std::size_t most) {
  std::vector<std::size_t> places(sizes.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto is_larger = [&](std::size_t a, std::size_t b) {
    const auto size = [&](std::size_t i) { return std::isnan(sizes[i]) ? infinity : sizes[i]; };
    return size(a) != size(b) ? size(a) > size(b) : a < b;
  };
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(std::min(most, places.size()));
  std::partial_sort(places.begin(), end, places.end(), is_larger);
  places.erase(end, places.end());
  return places;
}

std::string_view sign(Binary function) {
  constexpr std::string_view signs[] = {"+", "−", "×", "/", ","};
  return signs[static_cast<std::size_t>(function)];
}

Working worked_cell(const Trace& trace, const Step& step, const Reading& reading, std::size_t cell,
                    const Numerals& numerals, TermLimit limit) {
  CellArithmetic arithmetic(trace, step, reading, cell, numerals, limit);
  if (arithmetic.made().operands.size() < step.operands.size()) return arithmetic.only_the_number();
  return std::visit(OpWriter{arithmetic}, step.op);
}

}  // namespace attn
