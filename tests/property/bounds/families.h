#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace attn::bounds {

// What is hard for arithmetic.
enum class Family {
  plain,
  exponents_30,
  exponents_1000,
  cancels_1e8,
  cancels_1e15,
  ill_conditioned,
  edges_of_exp,
  equal_scores,
  one_dominant,
  two_maxima,
  overflows,
  subnormal,
  whole_and_zeros,
  behind_the_mask,
};
inline constexpr std::string_view family_names[] = {"plain",
                                                    "exponents 2^±30",
                                                    "exponents 2^±1000",
                                                    "cancellation at 1e8",
                                                    "cancellation at 1e15",
                                                    "ill-conditioned dot products",
                                                    "scores at the edges of exp",
                                                    "equal scores",
                                                    "one dominant score",
                                                    "two tied maxima",
                                                    "1e150 × 1e150 and 1e308",
                                                    "subnormal numbers",
                                                    "whole numbers and −0",
                                                    "infinities and NaN behind the mask"};
inline constexpr std::size_t family_count = std::size(family_names);

// Numbers that are the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 0x1234567) {}
  std::uint64_t bits();
  std::size_t below(std::size_t count) { return bits() % count; }
  double unit() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }  // from 0 to 1
  double signed_unit() { return 2 * unit() - 1; }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

// An attention about to be computed.
struct Drawn {
  Family family = Family::plain;
  Dtype dtype = Dtype::f64;
  std::size_t heads = 1, queries = 1, keys = 1, features = 1, values = 1;
  Tensor<double> q, k, v, open;  // [head, query, feature], [head, key, feature], [head, key, value], [query, key]
  Tensor<double> cells, others;  // [cell]: for functions of one number, and of two
  Tensor<double> gain, bias;     // [feature]
};

// The same for the same seed on every machine; one family after another.
Drawn drawn(std::uint64_t seed);

}  // namespace attn::bounds
