#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attn {

// The numbers that a computation is done in: binary64, binary32 and binary16 of
// IEEE 754, and bfloat16, which is the upper half of a binary32. A double holds
// each of them.
enum class Dtype { f64, f32, bf16, f16 };

inline constexpr std::array<Dtype, 4> dtypes = {Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16};
inline constexpr std::array<std::string_view, 4> dtype_names = {"f64", "f32", "bf16", "f16"};

constexpr std::string_view name(Dtype dtype) { return dtype_names[static_cast<std::size_t>(dtype)]; }

// The one of that name: what we write.
constexpr std::optional<Dtype> dtype_named(std::string_view text) {
  for (const Dtype dtype : dtypes) {
    if (text == name(dtype)) return dtype;
  }
  return std::nullopt;
}

// What frameworks call them.
struct DtypeAlias {
  std::string_view name;
  Dtype dtype;
};
inline constexpr std::array<DtypeAlias, 11> dtype_aliases = {{
    {"float64", Dtype::f64},
    {"double", Dtype::f64},
    {"fp64", Dtype::f64},
    {"float32", Dtype::f32},
    {"float", Dtype::f32},
    {"single", Dtype::f32},
    {"fp32", Dtype::f32},
    {"bfloat16", Dtype::bf16},
    {"half", Dtype::f16},
    {"float16", Dtype::f16},
    {"fp16", Dtype::f16},
}};

// The one of that name or alias: what people write.
constexpr std::optional<Dtype> dtype_called(std::string_view text) {
  for (const DtypeAlias& alias : dtype_aliases) {
    if (text == alias.name) return alias.dtype;
  }
  return dtype_named(text);
}

// Bytes that one number of the dtype is stored in.
constexpr std::size_t bytes_of(Dtype dtype) {
  return std::array<std::size_t, 4>{8, 4, 2, 2}[static_cast<std::size_t>(dtype)];
}

// The step from 1 to the next number of the dtype, and how many decimal digits that is.
double step_at_one(Dtype dtype);
constexpr int significant_digits(Dtype dtype) { return std::array{16, 7, 2, 3}[static_cast<std::size_t>(dtype)]; }

// Whether operations compute in f64 and round their result once, as the wide
// accumulators of processors do; else each product, sum and function is rounded.
constexpr bool rounds_once_a_step(Dtype dtype) { return dtype == Dtype::bf16 || dtype == Dtype::f16; }

// The number as the dtype holds it: rounded once, to the nearest, ties to an
// even last bit; infinite from half a step beyond the largest number on. NaN and
// the sign of zero stay.
double stored(double number, Dtype dtype);

// The fewest digits that read back to the number as the dtype holds it, spelled
// as by shortest(double).
std::string shortest(double number, Dtype dtype);

// How many numbers of the dtype stand between 0 and this one, with it; negative
// below 0. Infinity follows the largest. REQUIRES: stored(number, dtype) == number.
std::int64_t place_among(double number, Dtype dtype);

}  // namespace attn
