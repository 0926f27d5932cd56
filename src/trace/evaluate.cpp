#include "trace/evaluate.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "backend/cpu/cpu.h"
#include "ops/run.h"

namespace attn {
namespace {

// The mask as numbers, whatever kind of number the rest is.
const Tensor<double>& as_mask(const Tensor<double>& open, Tensor<double>&) { return open; }

const Tensor<double>& as_mask(const Tensor<Interval>& open, Tensor<double>& room) {
  room = Tensor<double>(open.shape());
  for (std::size_t i = 0; i < open.size(); ++i) room[i] = open[i].high;
  return room;
}

double rounded_to(Dtype dtype, double number) { return stored(number, dtype); }

Interval rounded_to(Dtype dtype, const Interval& number) {
  return hull(number, {stored(number.low, dtype), stored(number.high, dtype)});
}

std::shared_ptr<const Tensor<double>> numbers(const GivenNumbers& given, double) { return given.points.shared(); }
std::shared_ptr<const Tensor<Interval>> numbers(const GivenNumbers& given, Interval) {
  return given.intervals.shared();
}

template <class Number>
std::shared_ptr<const Tensor<Number>> kept(Tensor<Number> made) {
  return std::make_shared<const Tensor<Number>>(std::move(made));
}

// The line of the original whose numbers can be taken over.
template <class Number>
std::optional<std::size_t> twin(const Recipe& recipe, std::size_t line, const Original<Number>* original,
                                const std::vector<bool>& reused) {
  if (!original || !original->same[line]) return std::nullopt;
  const std::size_t same = *original->same[line];
  if (same >= original->evaluation.computed.size() || !original->evaluation.computed[same]) return std::nullopt;
  const bool reads_the_same = std::ranges::all_of(recipe.operands(line), [&](std::size_t i) { return reused[i]; }) &&
                              (!recipe.open(line) || reused[*recipe.open(line)]);
  return reads_the_same ? std::optional(same) : std::nullopt;
}

}  // namespace

template <class Number>
SharedTensor<Number> Policy<Number>::make(const Recipe& recipe, std::size_t line, const Values<Number>& carried) {
  const auto& given = recipe.instruction(line).given;
  return given ? numbers(*given, Number()) : kept(compute(recipe, line, carried));
}

namespace {

// By line those that nobody reads behind it and nobody keeps.
template <class Number>
std::vector<std::vector<std::size_t>> given_up_behind(const Recipe& recipe, const Policy<Number>& policy) {
  std::vector<std::size_t> last(recipe.size());
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    last[line] = line;
    if (!policy.is_wanted(line)) continue;
    for (const std::size_t operand : recipe.operands(line)) last[operand] = line;
    if (const auto open = recipe.open(line)) last[*open] = line;
  }
  std::vector<std::vector<std::size_t>> behind(recipe.size());
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    if (policy.is_wanted(line) && !policy.is_kept(line)) behind[last[line]].push_back(line);
  }
  return behind;
}

// Its numbers are not needed any more.
template <class Number>
void give_up(const std::vector<std::size_t>& lines, std::vector<std::size_t>& owned, Evaluation<Number>& result) {
  for (const std::size_t line : lines) {
    result.computed[line] = result.carried[line] = nullptr;
    if (owned[line] < result.own.size()) result.own[owned[line]].reset();
  }
}

}  // namespace

template <class Number>
Evaluation<Number> evaluate(const Recipe& recipe, Policy<Number>& policy, const Original<Number>* original) {
  assert(recipe.fits());
  const std::vector<std::vector<std::size_t>> behind = given_up_behind(recipe, policy);
  constexpr auto nobodys = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> owned(recipe.size(), nobodys);
  Evaluation<Number> result;
  result.computed.resize(recipe.size());
  result.carried.resize(recipe.size());
  result.own.reserve(original ? 8 : 2 * recipe.size());
  std::vector<bool> reused(recipe.size());

  for (std::size_t line = 0; line < recipe.size(); ++line) {
    if (!policy.is_wanted(line)) continue;
    const auto same = policy.is_touched(line) ? std::nullopt : twin(recipe, line, original, reused);
    reused[line] = same.has_value();
    if (same) {
      result.computed[line] = original->evaluation.computed[*same];
      result.carried[line] = original->evaluation.carried[*same];
    } else {
      owned[line] = result.own.size();
      result.own.push_back(policy.make(recipe, line, result.carried));
      const Tensor<Number>& computed = *result.own.back();
      result.computed[line] = result.carried[line] = &computed;
      if (auto other = policy.carry(line, computed, result.carried)) {
        result.own.push_back(kept(std::move(*other)));
        result.carried[line] = result.own.back().get();
      }
    }
    if (!policy.go_on(line, result, reused[line])) {
      result.stopped = true;
      break;
    }
    give_up(behind[line], owned, result);
  }
  return result;
}

std::size_t bytes_held(const Recipe& recipe, const Policy<double>& policy) {
  constexpr auto saturated = std::numeric_limits<std::size_t>::max();
  if (recipe.bytes() == saturated) return saturated;
  const auto bytes = [&](std::size_t line) { return recipe.shape(line).count() * sizeof(double); };
  const auto is_given = [&](std::size_t line) { return recipe.instruction(line).given.has_value(); };
  const std::vector<std::vector<std::size_t>> behind = given_up_behind(recipe, policy);
  std::size_t given = 0, made = 0, most = 0;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    if (!policy.is_wanted(line)) continue;
    (is_given(line) ? given : made) += bytes(line);
    most = std::max(most, made);
    for (const std::size_t other : behind[line]) {
      if (!is_given(other)) made -= bytes(other);
    }
  }
  return given + most;
}

namespace {

// A line that takes so much work is left to this machine's vectors, which make the same bits of it.
bool is_large(const Recipe& recipe, std::size_t at) {
  constexpr std::size_t much = 20'000;
  const auto* sum = std::get_if<Contract>(&recipe.instruction(at).op);
  return sum && recipe.layout(at).shape.count() * recipe.layout(at).read[0].size(sum->over) >= much;
}

Tensor<double> run_large_line(const Recipe& recipe, std::size_t at, const Values<double>& carried) {
  CpuBackend vectors(1);
  return run_line_on(vectors, recipe, at, carried, Dtype::f64);
}

// The others by the plain loops, which are there for every kind of number; `own` is one
// operand more.
template <class Number>
Tensor<Number> run_plain_line(const Recipe& recipe, std::size_t at, const Values<Number>& carried,
                              const Tensor<Number>* own = nullptr) {
  const LaidOut& layout = recipe.layout(at);
  const std::vector<std::size_t>& operands = recipe.operands(at);
  std::vector<Cells<Number>> cells;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    cells.push_back({&layout.read[i], std::as_const(*carried[operands[i]]).data().data()});
  }
  Tensor<double> room;
  Cells<double> mask;
  if (recipe.open(at)) mask = {&layout.open_read, as_mask(*carried[*recipe.open(at)], room).data().data()};
  const Cells<double>* closing = recipe.open(at) ? &mask : nullptr;
  const Op& op = recipe.instruction(at).op;
  if (!own) return std::visit(Run<Number>(layout.walk, cells, closing, layout.shape), op);
  cells.push_back({&layout.shape, own->data().data()});
  const Walk walk(layout.shape, std::span<const Cells<Number>>(cells), closing);
  return std::visit(Run<Number>(walk, cells, closing, layout.shape), op);
}

}  // namespace

std::vector<View> views_of(const Recipe& recipe, std::size_t at, const Values<double>& carried) {
  const LaidOut& layout = recipe.layout(at);
  std::vector<View> views;
  for (std::size_t i = 0; i < layout.read.size(); ++i) {
    const Tensor<double>* numbers = carried[recipe.operands(at)[i]];
    views.push_back({layout.read[i], numbers ? numbers->data() : std::span<const double>()});
  }
  return views;
}

Tensor<double> run_line_on(Backend& backend, const Recipe& recipe, std::size_t at, const Values<double>& carried,
                           Dtype dtype) {
  const LaidOut& layout = recipe.layout(at);
  const std::vector<View> views = views_of(recipe, at, carried);
  const auto open = recipe.open(at);
  const View mask = open ? View{layout.open_read, carried[*open]->data()} : View{};
  return backend.run(recipe.instruction(at).op, views, open ? &mask : nullptr, layout.shape, dtype);
}

template <class Number>
Tensor<Number> run_line(const Recipe& recipe, std::size_t at, const Values<Number>& carried) {
  Tensor<Number> result;
  if constexpr (std::is_same_v<Number, double>) {
    result = is_large(recipe, at) ? run_large_line(recipe, at, carried) : run_plain_line(recipe, at, carried);
  } else {
    result = run_plain_line(recipe, at, carried);
  }
  if (rounds_once_a_step(recipe.dtype())) {
    for (Number& number : result.data()) number = rounded_to(recipe.dtype(), number);
  }
  return result;
}

std::vector<std::size_t> lines_read_by(const Recipe& recipe, std::size_t line) {
  std::vector<std::size_t> read = recipe.operands(line);
  if (const auto open = recipe.open(line)) read.push_back(*open);
  return read;
}

Tensor<Interval> run_line_exactly(const Recipe& recipe, std::size_t at, const Values<Interval>& carried) {
  return run_plain_line(recipe, at, carried);
}

Tensor<double> value_in(const Recipe& recipe, std::string_view id) {
  const std::size_t last = *recipe.line(id);
  if (const auto& given = recipe.instruction(last).given) return given->points.numbers();
  // Lines below are of no interest, and may read what does not fit.
  std::vector<bool> wanted(last + 1);
  wanted[last] = true;
  for (std::size_t line = last + 1; line-- > 0;) {
    if (!wanted[line]) continue;
    for (const std::size_t read : lines_read_by(recipe, line)) wanted[read] = true;
  }
  Values<double> made(last + 1);
  std::vector<SharedTensor<double>> own(last + 1);
  for (std::size_t line = 0; line <= last; ++line) {
    if (!wanted[line]) continue;
    const auto& given = recipe.instruction(line).given;
    own[line] = given ? given->points.shared() : kept(run_line(recipe, line, made));
    made[line] = own[line].get();
  }
  return *made[last];
}

namespace {

// What an operation adds up along an axis: of its first operands, as many as
// `factors`, their products.
struct Sum {
  Axis over;
  std::size_t factors = 1;
};

std::optional<Sum> sum_of(const Op& op) {
  if (const auto* contract = std::get_if<Contract>(&op)) {
    return contract->then == Contract::Then::add ? std::optional(Sum{contract->over, 2}) : std::nullopt;
  }
  if (const auto* reduce = std::get_if<Reduce>(&op)) {
    return reduce->function == Reducer::sum ? std::optional(Sum{reduce->over}) : std::nullopt;
  }
  const auto* softmax = std::get_if<Softmax>(&op);
  return softmax && softmax->part == Softmax::Part::sum ? std::optional(Sum{softmax->over}) : std::nullopt;
}

}  // namespace

std::vector<double> terms_of(const Recipe& recipe, std::size_t line, std::size_t cell, const Values<double>& carried) {
  const Op& op = recipe.instruction(line).op;
  const std::optional<Sum> sum = sum_of(op);
  if (!sum) return {};
  const LaidOut& layout = recipe.layout(line);
  const std::vector<std::size_t> index = layout.shape.index(cell);
  const auto number = [&](std::size_t operand, std::size_t i) {
    const Shape& read = layout.read[operand];
    const std::size_t place = read.offset(index, layout.shape) + i * read.stride(sum->over);
    return (*carried[recipe.operands(line)[operand]])[place];
  };
  const auto is_open = [&](std::size_t i) {
    const auto open = recipe.open(line);
    const Shape& read = layout.open_read;
    return !open || (*carried[*open])[read.offset(index, layout.shape) + i * read.stride(sum->over)] != 0;
  };

  std::vector<double> terms;
  for (std::size_t i = 0; i < layout.read[0].size(sum->over); ++i) {
    if (is_open(i)) terms.push_back(sum->factors == 2 ? number(0, i) * number(1, i) : number(0, i));
  }
  const std::size_t operands = layout.read.size();
  if (const auto* softmax = std::get_if<Softmax>(&op)) {
    if (operands == 3) terms.push_back(power(softmax->base, number(1, 0) - number(2, 0)));
    return terms;
  }
  for (std::size_t operand = sum->factors; operand < operands; ++operand) terms.push_back(number(operand, 0));
  return terms;
}

template class Policy<double>;
template class Policy<Interval>;
template Evaluation<double> evaluate(const Recipe&, Policy<double>&, const Original<double>*);
template Evaluation<Interval> evaluate(const Recipe&, Policy<Interval>&, const Original<Interval>*);
template <class Number>
Tensor<Number> run_line_after(const Recipe& recipe, std::size_t at, const Values<Number>& carried,
                              const Tensor<Number>& own) {
  return run_plain_line(recipe, at, carried, &own);
}

template Tensor<double> run_line_after(const Recipe&, std::size_t, const Values<double>&, const Tensor<double>&);
template Tensor<Interval> run_line_after(const Recipe&, std::size_t, const Values<Interval>&, const Tensor<Interval>&);
template Tensor<double> run_line(const Recipe&, std::size_t, const Values<double>&);
template Tensor<Interval> run_line(const Recipe&, std::size_t, const Values<Interval>&);

}  // namespace attn
