#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference_backend.h"
#include "trace/trace.h"
#include "unit/trace/by_hand.h"

namespace attn {

// A trace of one step and what it reads, for tests of single operations.
struct OneStep {
  std::string name;
  Op op;
  std::vector<Tensor<double>> operands = {};
  std::optional<Tensor<double>> open = {};
};

// The operands are given as "a", "b", …, the mask as "mask"; the step is "made".
inline void add_to(RecipeBuilder& work, const OneStep& one) {
  std::vector<Operand> operands;
  for (const Tensor<double>& operand : one.operands) {
    const std::string id(1, static_cast<char>('a' + operands.size()));
    operands.emplace_back(work.given({.id = id, .symbol = id, .title = id, .role = Role::input}, LateTensor(operand)));
  }
  std::optional<Operand> open;
  if (one.open) {
    open = work.given({.id = "mask", .symbol = "M", .title = "mask", .role = Role::mask}, LateTensor(*one.open));
  }
  work.step({.id = "made", .symbol = "Y", .title = "made", .formula = "Y", .role = Role::score}, one.op,
            std::move(operands), std::move(open));
}

inline Recipe recipe_of(const OneStep& one) {
  RecipeBuilder work(Arithmetic{});
  add_to(work, one);
  return work.take();
}

inline Trace traced(const OneStep& one, Arithmetic arithmetic = {}) {
  RecipeBuilder work(arithmetic);
  add_to(work, one);
  return worked_out(work);
}

// What it makes.
inline Tensor<double> made(const OneStep& one, Arithmetic arithmetic = {}) {
  return traced(one, arithmetic).steps.back().result;
}

// Numbers between −3 and 3, the same for the same seed.
inline Tensor<double> drawn(const Shape& shape, std::uint32_t seed) {
  Tensor<double> tensor(shape);
  for (double& number : tensor.data()) {
    seed = seed * 1664525U + 1013904223U;
    number = static_cast<double>(seed >> 8U) / 16777216.0 * 6 - 3;
  }
  return tensor;
}

// Open in all cells but every `nth`, the first of all open.
inline Tensor<double> closed_every(const Shape& shape, std::size_t nth) {
  Tensor<double> mask(shape);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % nth == nth - 1 ? 0 : 1;
  return mask;
}

// Every operation once or more, on small tensors that a test can go through.
inline std::vector<OneStep> every_operation() {
  const Shape queries{{"batch", 2}, {"query", 3}, {"d_k", 4}};
  const Shape scores{{"batch", 2}, {"query", 3}, {"key", 4}};
  const Shape rows{{"batch", 2}, {"query", 3}};
  const Shape keys{{"key", 4}, {"d_k", 4}};
  const Shape angles{{"query", 3}, {"pair", 1}};
  const Shape angles_a_batch{{"batch", 2}, {"query", 3}, {"pair", 2}};
  const Tensor<double> mask = closed_every(scores, 3);
  const auto part = [](Softmax::Part which, double base = 0) { return Softmax{which, "key", base}; };
  const auto positive = [](Tensor<double> tensor) {
    for (double& number : tensor.data()) number = number * number + 0.25;
    return tensor;
  };
  const Rows picked(Tensor<std::int64_t>(Shape{{"query", 3}, {"key", 4}}, {0, 1, 2, -1, 2, 2, 1, 0, -1, 0, 0, 1}));
  const Rows turned(Tensor<std::int64_t>(Shape{{"key", 3}}, {3, -1, 0}));
  using enum Softmax::Part;
  using norm = Normalize::Part;
  return {
      {"join of different sizes",
       Join{"key"},
       {drawn({{"key", 2}, {"d_k", 3}}, 1), drawn({{"key", 1}, {"d_k", 3}}, 2), drawn({{"key", 3}, {"d_k", 3}}, 3)}},
      {"join of what varies along other axes",
       Join{"d_pair"},
       {drawn({{"query", 2}, {"d_pair", 3}}, 4), drawn({{"key", 3}, {"d_pair", 2}}, 5)}},
      {"repeat", Repeat{"head", 3, false}, {drawn({{"head", 2}, {"key", 2}, {"d_k", 2}}, 6)}},
      {"repeat, tiled", Repeat{"head", 3, true}, {drawn({{"head", 2}, {"key", 2}, {"d_k", 2}}, 7)}},
      {"pick", Pick{"distance", picked}, {drawn({{"distance", 3}, {"d_k", 2}}, 8)}},
      {"pick along the same axis", Pick{"key", turned}, {drawn({{"key", 4}, {"d_k", 2}}, 9)}},
      {"waves", Waves{Waves::Kind::alternating, {"token", 4}, {"d_model", 5}, 2, 10000, 5}},
      {"waves, sine", Waves{Waves::Kind::sine, {"query", 4}, {"pair", 2}, 0, 100, 4}},
      {"waves, cosine", Waves{Waves::Kind::cosine, {"query", 4}, {"pair", 2}, 7, 100, 4}},
      {"rotate", Rotate{"d_k", "pair", false}, {drawn(queries, 10), drawn(angles, 11), drawn(angles, 12)}},
      {"rotate, interleaved",
       Rotate{"d_k", "pair", true},
       {drawn(queries, 13), drawn(angles_a_batch, 14), drawn(angles_a_batch, 15)}},
      {"contract and add two",
       Contract{"d_k"},
       {drawn(queries, 16), drawn(keys, 17), drawn(scores, 18), drawn(rows, 19)}},
      {"contract behind a mask and add",
       Contract{"key"},
       {drawn(scores, 20), drawn({{"key", 4}, {"d_v", 2}}, 21), drawn({{"query", 3}, {"d_v", 2}}, 22)},
       mask},
      {"contract and divide",
       Contract{"d_k", Contract::Then::divide},
       {drawn(queries, 23), drawn(keys, 24), positive(drawn(rows, 25)), positive(drawn({{"key", 4}}, 26))}},
      {"add", Map{Unary::add, -0.75, ""}, {drawn(rows, 27)}},
      {"tanh", Map{Unary::tanh, 0, ""}, {drawn(rows, 28)}},
      {"softcap", Map{Unary::softcap, 2, ""}, {drawn(scores, 29)}, mask},
      {"norm", Reduce{Reducer::norm, "d_k"}, {drawn(queries, 30)}},
      {"relu", Map{Unary::relu, 0, ""}, {drawn(rows, 46)}},
      {"gelu", Map{Unary::gelu, 0, ""}, {drawn(rows, 47)}},
      {"gelu by tanh", Map{Unary::gelu_tanh, 0, ""}, {drawn(rows, 48)}},
      {"silu", Map{Unary::silu, 0, ""}, {drawn(rows, 49)}},
      {"gate", Gate{Unary::silu}, {drawn(queries, 50), drawn(queries, 51)}},
      {"gate by gelu", Gate{Unary::gelu}, {drawn(queries, 52), drawn(queries, 53)}},
      {"mean", Normalize{norm::mean, "d_k"}, {drawn(queries, 54)}},
      {"variance", Normalize{norm::variance, "d_k"}, {drawn(queries, 55), drawn(rows, 56)}},
      {"variance by one fewer",
       Normalize{.part = norm::variance, .over = "d_k", .fewer = 1},
       {drawn(queries, 57), drawn(rows, 58)}},
      {"mean square", Normalize{norm::mean_square, "d_k"}, {drawn(queries, 59)}},
      {"normalized",
       Normalize{norm::normalized, "d_k", 0.5},
       {drawn(queries, 60), drawn(rows, 61), positive(drawn(rows, 62))}},
      {"normalized with eps outside the root",
       Normalize{norm::normalized, "d_k", 0.5, true},
       {drawn(queries, 63), drawn(rows, 64), positive(drawn(rows, 65))}},
      {"normalized by the mean square",
       Normalize{norm::normalized, "d_k", 0.5},
       {drawn(queries, 66), positive(drawn(rows, 67))}},
      {"gain and bias",
       Normalize{norm::affine, "d_k"},
       {drawn(queries, 68), drawn({{"d_k", 4}}, 69), drawn({{"d_k", 4}}, 70)}},
      {"sum and more", Reduce{Reducer::sum, "key"}, {drawn(scores, 31), drawn(rows, 32), drawn({{"batch", 2}}, 33)}},
      {"maximum with a sink", part(maximum), {drawn(scores, 34), drawn({{"batch", 2}}, 35)}, mask},
      {"exponentials to another base", part(exponentials, 3), {drawn(scores, 36), drawn(rows, 37)}, mask},
      {"sum with a sink", part(sum), {positive(drawn(scores, 38)), drawn({{"batch", 2}}, 39), drawn(rows, 40)}},
      {"sum with a sink to another base", part(sum, 3), {positive(drawn(scores, 41)), drawn({}, 42), drawn(rows, 43)}},
      {"shares", part(shares), {positive(drawn(scores, 44))}, mask},
      {"shares of a column", Softmax{shares, "query"}, {positive(drawn(scores, 45))}},
  };
}

}  // namespace attn
