#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "backend/backend.h"
#include "base/random.h"
#include "ops/shapes.h"

// Random operations of every kind, with which a backend is held against the reference.

namespace attn::drawn {

// Operations on random tensors: the same for the same seed.
class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : random_(seed) {}

  bool one_in(int many) { return random_.integer(1, many) == 1; }
  std::size_t between(std::size_t least, std::size_t most) {
    return static_cast<std::size_t>(random_.integer(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
  }

  double number() {
    switch (random_.bits() % (specials_ ? 401 : 8)) {
      case 0:
        return 0;
      case 1:
        return -0.0;
      case 2:
        return 1e3 * random_.uniform();
      case 3:
        return 1e-30 * random_.uniform();
      case 398:
        return std::numeric_limits<double>::infinity();
      case 399:
        return -std::numeric_limits<double>::infinity();
      case 400:
        return std::numeric_limits<double>::quiet_NaN();
      default:
        return 4 * random_.uniform() - 2;
    }
  }

  // Some of these axes in any order, each as likely as not where it is not wanted.
  Shape some_of(std::vector<Dim> dims, const std::vector<Axis>& wanted = {}) {
    Shape shape;
    while (!dims.empty()) {
      const auto at = dims.begin() + static_cast<std::ptrdiff_t>(between(0, dims.size() - 1));
      const bool needed = std::ranges::find(wanted, at->axis) != wanted.end();
      if (needed || !one_in(3)) shape.append(*at);
      dims.erase(at);
    }
    return shape;
  }

  Tensor<double> tensor(const Shape& shape, Dtype dtype) {
    specials_ = one_in(4);
    Tensor<double> made(shape);
    for (double& one : made.data()) one = stored(number(), dtype);
    return made;
  }

  Tensor<double> mask(const Shape& shape) {
    const int rare = static_cast<int>(between(1, 5));
    Tensor<double> made(shape);
    for (double& one : made.data()) one = one_in(rare) ? 0 : 1;
    return made;
  }

 private:
  Random random_;
  bool specials_ = false;
};

struct Call {
  Op op;
  std::vector<Tensor<double>> operands = {};
  std::optional<Tensor<double>> open = {};
};

inline Tensor<double> made_by(Backend& backend, const Call& call, Dtype dtype, Vectors vectors) {
  std::vector<View> views;
  std::vector<Shape> shapes;
  for (const auto& operand : call.operands) {
    views.push_back({operand.shape(), operand.data()});
    shapes.push_back(operand.shape());
  }
  if (!fits(call.op, shapes)) throw std::logic_error("the operands of a drawn operation do not fit");
  const View open = call.open ? View{call.open->shape(), call.open->data()} : View{};
  return backend.run(call.op, views, call.open ? &open : nullptr, result_shape(call.op, shapes, vectors), dtype);
}

// The first cell whose bits differ, a NaN being like any other.
inline std::optional<std::size_t> first_other(const Tensor<double>& one, const Tensor<double>& other) {
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (std::isnan(one[i]) && std::isnan(other[i])) continue;
    if (std::bit_cast<std::uint64_t>(one[i]) != std::bit_cast<std::uint64_t>(other[i])) return i;
  }
  return std::nullopt;
}

inline constexpr int kinds = 17;

// Sizes that make few or many rows, and pieces that do and do not end where vectors do.
inline std::vector<Dim> axes(Drawn& drawn) {
  const auto size = [&] { return drawn.one_in(3) ? drawn.between(1, 3) : drawn.between(4, 40); };
  return {{"batch", drawn.between(1, 3)},
          {"head", drawn.between(1, 4)},
          {"query", size()},
          {"key", size()},
          {"d_k", size()}};
}

inline Shape without(const Shape& shape, const Axis& axis) {
  Shape rest;
  for (const Dim& dim : shape.dims()) {
    if (dim.axis != axis) rest.append(dim);
  }
  return rest;
}

inline Call drawn_call(Drawn& drawn, int kind, Dtype dtype) {
  const std::vector<Dim> all = axes(drawn);
  const Shape whole = drawn.some_of(all, {"query", "key"});
  const auto some = [&](const std::vector<Axis>& wanted = {}) {
    return drawn.tensor(drawn.some_of(whole.dims(), wanted), dtype);
  };
  const auto mask = [&](const Shape& of) {
    return drawn.one_in(2) ? std::optional(drawn.mask(drawn.some_of(of.dims()))) : std::nullopt;
  };
  switch (kind) {
    case 0: {
      const Contract op{"d_k", drawn.one_in(4) ? Contract::Then::divide : Contract::Then::add};
      const Shape cells = without(whole, "d_k");
      std::vector<Dim> terms = cells.dims();
      terms.push_back({"d_k", drawn.one_in(4) ? drawn.between(120, 300) : drawn.between(1, 40)});
      Call call{
          op, {drawn.tensor(drawn.some_of(terms, {"d_k"}), dtype), drawn.tensor(drawn.some_of(terms, {"d_k"}), dtype)}};
      const std::size_t more = drawn.between(op.then == Contract::Then::divide ? 2 : 0, 3);
      for (std::size_t i = 0; i < more; ++i) call.operands.push_back(drawn.tensor(drawn.some_of(cells.dims()), dtype));
      // A mask knows the axes of the result, and perhaps that of the terms.
      Shape made = call.operands[0].shape();
      for (const Dim& dim : call.operands[1].shape().dims()) {
        if (!made.has(dim.axis)) made.append(dim);
      }
      call.open = mask(made);
      return call;
    }
    case 1: {
      constexpr Binary functions[] = {Binary::add, Binary::subtract, Binary::multiply, Binary::divide, Binary::minimum};
      Call call{Combine{functions[drawn.between(0, 4)], whole}};
      for (std::size_t i = drawn.between(1, 4); i-- > 0;) call.operands.push_back(some());
      call.open = mask(whole);
      return call;
    }
    case 2: {
      constexpr Unary functions[] = {Unary::multiply, Unary::divide,  Unary::add,       Unary::exp,
                                     Unary::tanh,     Unary::softcap, Unary::square,    Unary::sqrt,
                                     Unary::relu,     Unary::gelu,    Unary::gelu_tanh, Unary::silu};
      return {Map{functions[drawn.between(0, 11)], 1 + std::abs(drawn.number()), ""},
              {drawn.tensor(whole, dtype)},
              mask(whole)};
    }
    case 3: {
      constexpr Reducer functions[] = {Reducer::sum, Reducer::maximum, Reducer::norm};
      const Reduce op{functions[drawn.between(0, 2)], "key"};
      Call call{op, {drawn.tensor(whole, dtype)}};
      const Shape cells = without(whole, "key");
      if (op.function == Reducer::sum && drawn.one_in(2))
        call.operands.push_back(drawn.tensor(drawn.some_of(cells.dims()), dtype));
      if (op.function == Reducer::maximum) call.open = mask(whole);
      return call;
    }
    case 4: {
      Call call{Close{}, {drawn.tensor(whole, dtype)}};
      if (drawn.one_in(2)) call.operands.push_back(some());
      call.open = mask(whole);
      return call;
    }
    case 5: {
      const Shape row = without(whole, "key");
      const double base = drawn.one_in(12) ? 2 : 0;
      constexpr Softmax::Part parts[] = {Softmax::Part::maximum, Softmax::Part::exponentials, Softmax::Part::sum,
                                         Softmax::Part::weights, Softmax::Part::shares};
      const Softmax op{parts[drawn.between(0, 4)], "key", base};
      Call call{op, {drawn.tensor(whole, dtype)}};
      const bool sink = drawn.one_in(3);
      if (op.part == Softmax::Part::maximum && sink)
        call.operands.push_back(drawn.tensor(drawn.some_of(row.dims()), dtype));
      if (op.part == Softmax::Part::sum && sink) {
        call.operands.push_back(drawn.tensor(drawn.some_of(row.dims()), dtype));
        call.operands.push_back(drawn.tensor(row, dtype));
      }
      if (op.part == Softmax::Part::exponentials || op.part == Softmax::Part::weights) {
        call.operands.push_back(drawn.tensor(row, dtype));
      }
      if (op.part != Softmax::Part::sum) call.open = mask(whole);
      return call;
    }
    case 6: {
      Shape split = without(whole, "head");
      split.append({"d_concat", 4 * drawn.between(1, 12)});
      const Tensor<double> operand = drawn.tensor(drawn.some_of(split.dims(), {"d_concat"}), dtype);
      constexpr std::size_t parts[] = {1, 2, 4};
      return {Split{"d_concat", "head", "d_pair", parts[drawn.between(0, 2)]}, {operand}};
    }
    case 7: {
      const Tensor<double> operand = drawn.tensor(drawn.some_of(all, {"head", "key", "query", "d_k"}), dtype);
      return {Merge{"head", "d_k", "d_concat"}, {operand}};
    }
    case 8:
      return {Repeat{"key", drawn.between(1, 5), drawn.one_in(2)}, {drawn.tensor(whole, dtype)}};
    case 9:
      return {Copy{whole}, {some()}};
    case 10: {
      Call call{Join{"key"}};
      for (std::size_t i = drawn.between(1, 3); i-- > 0;) {
        Shape part = without(drawn.some_of(whole.dims()), "key");
        part.append({"key", drawn.between(1, 30)});
        call.operands.push_back(drawn.tensor(part, dtype));
      }
      return call;
    }
    case 11: {
      // As weights meet values: a mask along the terms, and not along the columns.
      const std::vector<Dim> cells = without(whole, "d_k").dims();
      std::vector<Dim> terms = without(whole, "query").dims();
      if (!whole.has("d_k")) terms.push_back({"d_k", drawn.between(1, 100)});
      const Shape values = drawn.some_of(terms, {"key", "d_k"});
      return {Contract{"key"},
              {drawn.tensor(drawn.some_of(cells, {"query", "key"}), dtype), drawn.tensor(values, dtype)},
              drawn.mask(drawn.some_of(cells, {"key"}))};
    }
    case 12: {
      const Waves::Kind waves[] = {Waves::Kind::sine, Waves::Kind::cosine, Waves::Kind::alternating};
      const Dim positions{drawn.one_in(2) ? "token" : "batch", drawn.between(1, 6)};
      const std::size_t width = 2 * drawn.between(1, 6);
      Waves op{waves[drawn.between(0, 2)], positions, {"d_model", width}, drawn.between(0, 50), 10000, width};
      if (op.kind != Waves::Kind::alternating) op.features = {"pair", width / 2};
      return {op};
    }
    case 13: {
      const std::size_t pairs = drawn.between(1, 9);
      std::vector<Dim> cells = without(whole, "d_k").dims();
      std::vector<Dim> numbers = cells;
      numbers.push_back({"d_k", 2 * pairs + drawn.between(0, 3)});
      cells.push_back({"pair", pairs});
      const auto table = [&] { return drawn.tensor(drawn.some_of(cells, {"pair"}), dtype); };
      Call call{Rotate{"d_k", "pair", drawn.one_in(2)}, {drawn.tensor(drawn.some_of(numbers, {"d_k"}), dtype)}};
      call.operands.push_back(table());
      call.operands.push_back(table());
      return call;
    }
    case 14: {
      constexpr Unary functions[] = {Unary::relu, Unary::gelu, Unary::gelu_tanh, Unary::silu};
      return {
          Gate{functions[drawn.between(0, 3)]}, {drawn.tensor(whole, dtype), drawn.tensor(whole, dtype)}, mask(whole)};
    }
    case 15: {
      using Part = Normalize::Part;
      constexpr Part parts[] = {Part::mean, Part::variance, Part::mean_square, Part::normalized, Part::affine};
      Normalize op{parts[drawn.between(0, 4)], "key", drawn.one_in(2) ? 0 : 0.5, drawn.one_in(2), drawn.between(0, 1)};
      if (whole.size("key") == 1) op.fewer = 0;
      Call call{op, {drawn.tensor(whole, dtype)}};
      const Shape row = without(whole, "key");
      const std::size_t rows = op.part == Part::variance ? 1 : op.part == Part::normalized ? drawn.between(1, 2) : 0;
      for (std::size_t i = 0; i < rows; ++i) call.operands.push_back(drawn.tensor(drawn.some_of(row.dims()), dtype));
      for (std::size_t i = 0; op.part == Part::affine && i < 2; ++i) call.operands.push_back(some());
      return call;
    }
    default: {
      const Shape table = drawn.some_of({{"distance", 20}, {"head", 3}, {"d_k", 17}}, {"distance"});
      Tensor<std::int64_t> rows(drawn.some_of({{"query", drawn.between(1, 40)}, {"key", drawn.between(1, 40)}}));
      for (std::int64_t& row : rows.data()) row = static_cast<std::int64_t>(drawn.between(0, 20)) - 1;
      return {Pick{"distance", Rows(rows)}, {drawn.tensor(table, dtype)}};
    }
  }
}

}  // namespace attn::drawn
