#include "formula/letters.h"

#include "base/utf8.h"

namespace attn::formula_letters {
namespace {

// What shifted characters stand for, each in the same place.
constexpr std::u32string_view lowered = U"₀₁₂₃₄₅₆₇₈₉ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵥ₊₋",
                              on_line_of_lowered = U"0123456789aeoxhklmnpstijrv+−";
constexpr std::u32string_view raised = U"⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ⁺⁻ⁱⁿ", on_line_of_raised = U"0123456789T+−in";
static_assert(lowered.size() == on_line_of_lowered.size() && raised.size() == on_line_of_raised.size());

std::string plain(char32_t value, std::u32string_view shifted, std::u32string_view on_line) {
  std::string text;
  if (value < 0x80) return text;  // most are
  if (const std::size_t at = shifted.find(value); at != std::u32string_view::npos) append_utf8(on_line[at], text);
  return text;
}

}  // namespace

std::string lowered_plain(char32_t value) { return plain(value, lowered, on_line_of_lowered); }

std::string raised_plain(char32_t value) { return plain(value, raised, on_line_of_raised); }

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
