#include "formula/letters.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace attn::formula_letters {
namespace {

// What a raised or lowered character stands for.
struct Shifted {
  char32_t value;
  std::string_view plain;
};

constexpr auto lowered = std::to_array<Shifted>({{U'ₐ', "a"},
                                                 {U'ₑ', "e"},
                                                 {U'ₒ', "o"},
                                                 {U'ₓ', "x"},
                                                 {U'ₕ', "h"},
                                                 {U'ₖ', "k"},
                                                 {U'ₗ', "l"},
                                                 {U'ₘ', "m"},
                                                 {U'ₙ', "n"},
                                                 {U'ₚ', "p"},
                                                 {U'ₛ', "s"},
                                                 {U'ₜ', "t"},
                                                 {U'ᵢ', "i"},
                                                 {U'ⱼ', "j"},
                                                 {U'ᵣ', "r"},
                                                 {U'ᵥ', "v"},
                                                 {U'₊', "+"},
                                                 {U'₋', "−"}});

constexpr auto raised = std::to_array<Shifted>({{U'ᵀ', "T"},
                                                {U'¹', "1"},
                                                {U'²', "2"},
                                                {U'³', "3"},
                                                {U'⁰', "0"},
                                                {U'⁺', "+"},
                                                {U'⁻', "−"},
                                                {U'ⁱ', "i"},
                                                {U'ⁿ', "n"}});

std::string digit(char32_t value) { return {static_cast<char>(U'0' + value)}; }

}  // namespace

std::string lowered_plain(char32_t value) {
  if (value >= U'₀' && value <= U'₉') return digit(value - U'₀');
  const auto* found = std::ranges::find(lowered, value, &Shifted::value);
  return found == lowered.end() ? "" : std::string(found->plain);
}

std::string raised_plain(char32_t value) {
  if (value >= U'⁴' && value <= U'⁹') return digit(value - U'⁰');
  const auto* found = std::ranges::find(raised, value, &Shifted::value);
  return found == raised.end() ? "" : std::string(found->plain);
}

bool is_spaced(std::string_view sign) {
  static constexpr std::u32string_view spaced = U"=≈+−-×·/→←≤≥≠<>±∈,;:∑Σ√^";
  const CodePoint point = code_point(sign, 0);
  return point.bytes == sign.size() && spaced.find(point.value) != std::u32string_view::npos;
}

bool is_sign(char32_t c) {
  static constexpr std::u32string_view others = U"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~×·÷±¬…√∑Σ⟨⟩•–—";
  return others.find(c) != std::u32string_view::npos || (c >= U'←' && c <= U'⋿');
}

}  // namespace attn::formula_letters
