#pragma once

#include <optional>
#include <string_view>

namespace attn {

// The numbers that a computation is done in.
enum class Dtype { f64, f32 };

constexpr std::string_view name(Dtype dtype) { return dtype == Dtype::f64 ? "f64" : "f32"; }

constexpr std::optional<Dtype> dtype_named(std::string_view text) {
  if (text == "f64") return Dtype::f64;
  if (text == "f32") return Dtype::f32;
  return std::nullopt;
}

// The number as the dtype holds it.
constexpr double stored(double number, Dtype dtype) {
  return dtype == Dtype::f32 ? static_cast<double>(static_cast<float>(number)) : number;
}

}  // namespace attn
