#include "trace/enclosure.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "ops/regroups.h"

namespace attn {
namespace {

bool is_closed(const Interval& score) { return score.high == -infinity; }

// The part's share of it and the rest, rounded down, and up.
double share_below(double part, double rest) {
  return part <= 0 ? 0 : std::max(0.0, (Interval(part) / Interval(sum_above(part, rest))).low);
}
double share_above(double part, double rest) {
  return part <= 0 ? 0 : std::min(1.0, (Interval(part) / Interval(sum_below(part, rest))).high);
}

// Calls make(row) with each row of `from` along `over`, and puts what it returns
// there in the result.
template <class Make>
Tensor<Interval> row_by_row(const Tensor<Interval>& from, const Axis& over, Make make) {
  Tensor<Interval> result(from.shape());
  const std::size_t count = from.shape().size(over);
  const std::size_t stride = from.shape().stride(over);
  std::vector<Interval> row(count);
  for (std::size_t first = 0; first < from.size(); ++first) {
    if (first / stride % count != 0) continue;
    for (std::size_t i = 0; i < count; ++i) row[i] = from[first + i * stride];
    const std::vector<Interval> made = make(row);
    for (std::size_t i = 0; i < count; ++i) result[first + i * stride] = made[i];
  }
  return result;
}

// The largest number of a row but for one of its places.
class LargestBut {
 public:
  void add(double number) {
    if (number > first_)
      second_ = std::exchange(first_, number);
    else
      second_ = std::max(second_, number);
  }
  double operator()(double number) const { return number == first_ ? second_ : first_; }

 private:
  double first_ = -infinity, second_ = -infinity;
};

// e^(sᵢ − max s), the maximum being one of the scores.
std::vector<Interval> exponentials_of(const std::vector<Interval>& scores) {
  LargestBut low_but, high_but;
  for (const Interval& score : scores) {
    low_but.add(score.low);
    high_but.add(score.high);
  }
  std::vector<Interval> made;
  for (const Interval& score : scores) {
    const double low = sum_below(score.low, -std::max(score.low, high_but(score.high)));
    const double high = sum_above(score.high, -std::max(score.high, low_but(score.low)));
    made.push_back(is_closed(score) ? 0 : Interval(exp(Interval(low)).low, std::min(1.0, exp(Interval(high)).high)));
  }
  return made;
}

const Softmax* softmax_part(const Recipe& recipe, std::size_t line, Softmax::Part part) {
  const auto* op = std::get_if<Softmax>(&recipe.instruction(line).op);
  return op && op->part == part ? op : nullptr;
}

// The scores whose exponentials the line makes, closed ones at −∞, if it makes
// them in the usual way: from scores and their own maximum, without a sink. To
// another base, what e would have to be taken to the power of.
std::optional<Tensor<Interval>> scores_behind(const Recipe& recipe, std::size_t line, const Values<Interval>& computed,
                                              const Values<Interval>& carried) {
  const Softmax* op = softmax_part(recipe, line, Softmax::Part::exponentials);
  if (!op) return std::nullopt;
  const std::size_t scores = recipe.operands(line)[0];
  const std::size_t maximum = recipe.operands(line)[1];
  const Softmax* most = softmax_part(recipe, maximum, Softmax::Part::maximum);
  if (!most || most->over != op->over || recipe.operands(maximum)[0] != scores) return std::nullopt;
  if (recipe.operands(maximum).size() > 1) return std::nullopt;  // a sink
  if (carried[maximum] != computed[maximum] || recipe.open(maximum) != recipe.open(line)) return std::nullopt;

  Tensor<Interval> open_scores = *carried[scores];
  if (open_scores.shape() != recipe.shape(line)) return std::nullopt;
  if (op->base != 0) {
    // base^s is e^(s·log(base)).
    const Interval steepness = hull(next_below(log(op->base)), next_above(log(op->base)));
    for (Interval& score : open_scores.data()) score = score * steepness;
  }
  if (const auto open = recipe.open(line)) {
    const Tensor<Interval>& mask = *carried[*open];
    if (mask.shape() != open_scores.shape()) return std::nullopt;
    for (std::size_t at = 0; at < mask.size(); ++at) {
      if (mask[at].high == 0) open_scores[at] = -infinity;
    }
  }
  return open_scores;
}

}  // namespace

namespace {

// e^(x − most), rounded up or down.
double power_of(double x, double most, bool up) {
  const Interval below(sum_below(x, -most), sum_above(x, -most));
  return up ? exp(Interval(below.high)).high : exp(Interval(below.low)).low;
}

// The largest weight that score i may have, or the least: its own end against the others' opposite ones.
double extreme_weight(const std::vector<Interval>& scores, std::size_t i, bool largest) {
  const auto end = [&](std::size_t j) { return (j == i) == largest ? scores[j].high : scores[j].low; };
  double most = -infinity;
  for (std::size_t j = 0; j < scores.size(); ++j) most = std::max(most, end(j));
  if (std::isinf(most)) return largest ? 1 : 0;
  const double part = power_of(end(i), most, largest);
  double rest = 0;
  bool is_alone = true;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (j == i || is_closed(scores[j])) continue;
    const double power = power_of(end(j), most, !largest);
    rest = largest ? sum_below(rest, power) : sum_above(rest, power);
    is_alone = false;
  }
  return is_alone ? 1 : largest ? share_above(part, rest) : share_below(part, rest);
}

}  // namespace

std::vector<Interval> softmax_of(const std::vector<Interval>& scores) {
  constexpr std::size_t few = 32;
  std::vector<Interval> made;
  for (std::size_t i = 0; i < scores.size() && scores.size() <= few; ++i) {
    const bool closed = is_closed(scores[i]);
    made.push_back(closed ? 0 : Interval(extreme_weight(scores, i, false), extreme_weight(scores, i, true)));
  }
  if (!made.empty()) return made;
  // Of many scores, not quite as narrow: powers of one maximum.
  Interval most(-infinity);
  for (const Interval& score : scores) most = larger(most, score);
  for (const Interval& score : scores) {
    const Interval below(sum_below(score.low, -most.high), sum_above(score.high, -most.high));
    made.push_back(is_closed(score) ? 0 : std::isinf(most.high) ? Interval(0, infinity) : exp(below));
  }
  return share_of_sum(made);
}

std::vector<Interval> share_of_sum(const std::vector<Interval>& exponentials) {
  Interval sum = 0;
  std::size_t open = 0;
  for (const Interval& e : exponentials) {
    sum += larger(e, Interval(0));
    open += e.high > 0 ? 1 : 0;
  }
  std::vector<Interval> shares;
  for (const Interval& e : exponentials) {
    const Interval own = larger(e, Interval(0));
    if (own == Interval(0)) {
      shares.emplace_back(0);
    } else if (std::isinf(sum.high)) {
      shares.emplace_back(0, 1);
    } else if (open == 1) {
      shares.emplace_back(own.low > 0 ? 1 : 0, 1);
    } else {
      const double least_of_others = std::max(0.0, sum_below(sum.low, -own.low));
      const double most_of_others = sum_above(sum.high, -own.high);
      shares.emplace_back(share_below(own.low, most_of_others), share_above(own.high, least_of_others));
    }
  }
  return shares;
}

Tensor<Interval> enclosed(const Recipe& recipe, std::size_t line, const Values<Interval>& computed,
                          const Values<Interval>& carried) {
  // Where the inner lines of softmax are rounded each for itself, it is not the exact one.
  if (rounds_once_a_step(recipe.dtype())) return run_line(recipe, line, carried);
  return enclosed_exactly(recipe, line, computed, carried);
}

Tensor<Interval> enclosed_exactly(const Recipe& recipe, std::size_t line, const Values<Interval>& computed,
                                  const Values<Interval>& carried) {
  if (const auto scores = scores_behind(recipe, line, computed, carried)) {
    return row_by_row(*scores, std::get<Softmax>(recipe.instruction(line).op).over, exponentials_of);
  }
  if (const Softmax* op = softmax_part(recipe, line, Softmax::Part::weights)) {
    const std::size_t exponentials = recipe.operands(line)[0];
    const std::size_t sum = recipe.operands(line)[1];
    const Softmax* summed = softmax_part(recipe, sum, Softmax::Part::sum);
    const bool plain_sum = summed && recipe.operands(sum).size() == 1;
    const bool same_rows = plain_sum && summed->over == op->over && recipe.operands(sum)[0] == exponentials &&
                           carried[sum] == computed[sum] && carried[exponentials]->shape() == recipe.shape(line);
    const auto worked_out = carried[exponentials] == computed[exponentials];
    const auto scores = worked_out ? scores_behind(recipe, exponentials, computed, carried) : std::nullopt;
    if (same_rows && scores) return row_by_row(*scores, op->over, softmax_of);
    if (same_rows && recipe.open(line) == recipe.open(exponentials)) {
      return row_by_row(*carried[exponentials], op->over, share_of_sum);
    }
  }
  return run_line_exactly(recipe, line, carried);
}

namespace {

bool is_read_plainly(std::size_t) { return false; }

// What the line makes of one number of each interval that it reads, with a minus before those of the lines that are
// `turned`.
template <class Number, class Turned = bool (*)(std::size_t)>
Tensor<double> run_on(const Recipe& recipe, std::size_t line, const Values<Interval>& carried, Number number,
                      Turned turned = is_read_plainly) {
  const std::vector<std::size_t> read = lines_read_by(recipe, line);
  Values<double> numbers(carried.size());
  std::vector<Tensor<double>> own;
  own.reserve(read.size());
  for (const std::size_t operand : read) {
    if (numbers[operand]) continue;
    own.emplace_back(carried[operand]->shape());
    std::ranges::transform(carried[operand]->data(), own.back().data().begin(), number);
    if (turned(operand)) std::ranges::transform(own.back().data(), own.back().data().begin(), std::negate<>());
    numbers[operand] = &own.back();
  }
  return run_line(recipe, line, numbers);
}

}  // namespace

std::optional<Tensor<Interval>> made_of_points(const Recipe& recipe, std::size_t line,
                                               const Values<Interval>& carried) {
  if (rounds_once_a_step(recipe.dtype())) return std::nullopt;
  const bool are_points = std::ranges::all_of(lines_read_by(recipe, line), [&](std::size_t operand) {
    return std::ranges::all_of(carried[operand]->data(), &Interval::is_point);
  });
  if (!are_points) return std::nullopt;
  const Tensor<double> numbers = run_on(recipe, line, carried, &Interval::low);
  Tensor<Interval> made(numbers.shape());
  for (std::size_t at = 0; at < made.size(); ++at) {
    if (std::isnan(numbers[at])) return std::nullopt;
    made[at] = numbers[at];
  }
  return made;
}

namespace {

double magnitude(const Interval& number) { return std::max(std::abs(number.low), std::abs(number.high)); }

// What each number would be if none of its summands took from another: of that much single precision loses a part.
// Nothing where there are no summands, or not of both signs.
std::optional<Tensor<double>> without_cancelling(const Recipe& recipe, std::size_t line,
                                                 const Values<Interval>& carried) {
  using Found = std::optional<Tensor<double>>;
  const auto of_magnitudes = [&] { return run_on(recipe, line, carried, magnitude); };
  const std::vector<std::size_t>& operands = recipe.operands(line);
  return std::visit(
      Overloaded{
          [&](const Reduce& op) { return op.function == Reducer::sum ? Found(of_magnitudes()) : std::nullopt; },
          [&](const Contract&) { return Found(of_magnitudes()); },
          [&](const Combine& op) -> Found {
            if (op.function == Binary::add) return of_magnitudes();
            if (op.function != Binary::subtract) return std::nullopt;
            return run_on(recipe, line, carried, magnitude, [&](std::size_t read) { return read != operands[0]; });
          },
          [&](const Rotate&) {
            // One of a pair is a difference of products, and the other is their sum.
            Tensor<double> most = of_magnitudes();
            const Tensor<double> turned =
                run_on(recipe, line, carried, magnitude, [&](std::size_t read) { return read == operands[2]; });
            std::ranges::transform(most.data(), turned.data(), most.data().begin(),
                                   [](double a, double b) { return std::max(a, b); });
            return Found(std::move(most));
          },
          [&](const Normalize& op) {
            const bool adds = op.part == Normalize::Part::mean || op.part == Normalize::Part::affine;
            return adds ? Found(of_magnitudes()) : std::nullopt;
          },
          // 1 + erf and 1 + tanh cancel below 0, and do not above.
          [&](const Map& op) -> Found {
            if (op.function == Unary::gelu || op.function == Unary::gelu_tanh) return of_magnitudes();
            if (op.function != Unary::add) return std::nullopt;
            return run_on(recipe, line, carried, magnitude, [&](std::size_t) { return op.parameter < 0; });
          },
          [&](const Gate& op) {
            const bool adds = op.function == Unary::gelu || op.function == Unary::gelu_tanh;
            return adds ? Found(of_magnitudes()) : std::nullopt;
          },
          [&](const Close&) { return Found(of_magnitudes()); },
          [&](const Online& op) { return op.part == Online::Part::context ? Found(of_magnitudes()) : std::nullopt; },
          [](const auto&) { return Found(); },
      },
      recipe.instruction(line).op);
}

}  // namespace

void widen_to_single(const Recipe& recipe, std::size_t line, const Values<Interval>& carried, Tensor<Interval>& made) {
  constexpr double gamma = 0x1p-19 / (1 - 0x1p-19);  // γ₃₂ for units of 2⁻²⁴
  const Instruction& instruction = recipe.instruction(line);
  if (regroups(instruction.op)) return;
  const auto* reduce = std::get_if<Reduce>(&instruction.op);
  const auto* contract = std::get_if<Contract>(&instruction.op);
  const auto* combine = std::get_if<Combine>(&instruction.op);
  const bool adds_up =
      (reduce && reduce->function == Reducer::sum) || (contract && contract->then == Contract::Then::add);
  Tensor<double> reach(made.shape());
  std::ranges::transform(made.data(), reach.data().begin(), magnitude);
  if (const auto whole = without_cancelling(recipe, line, carried)) {
    std::ranges::transform(reach.data(), whole->data(), reach.data().begin(),
                           [](double a, double b) { return std::max(a, std::abs(b)); });
  }
  // Small whole numbers are added and multiplied without loss.
  const bool is_whole = std::ranges::all_of(lines_read_by(recipe, line), [&](std::size_t operand) {
    return std::ranges::all_of(carried[operand]->data(),
                               [](const Interval& number) { return number.is_point() && is_small_whole(number.low); });
  });
  const bool is_exact = is_whole && (adds_up || (combine && combine->function != Binary::divide));
  constexpr double largest_whole = 0x1p24;
  for (std::size_t at = 0; at < made.size(); ++at) {
    if (!std::isfinite(reach[at]) || (is_exact && reach[at] <= largest_whole)) continue;
    made[at] = {made[at].low - gamma * reach[at], made[at].high + gamma * reach[at]};
  }
}

}  // namespace attn
