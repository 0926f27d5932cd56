#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "base/text.h"
#include "base/utf8.h"
#include "formats/formula/tree.h"
#include "formats/latex/math.h"

namespace attn {
namespace {

using Kind = FormulaPart::Kind;

// The printable characters of ASCII in Computer Modern Roman.
constexpr std::array<float, 95> widths = {
    3.4F, 2.8F, 5.0F, 8.4F, 5.0F, 8.4F, 7.8F, 2.8F,  3.9F, 3.9F, 5.0F, 7.8F, 2.8F, 3.4F, 2.8F, 5.0F,  // space to /
    5.0F, 5.0F, 5.0F, 5.0F, 5.0F, 5.0F, 5.0F, 5.0F,  5.0F, 5.0F, 2.8F, 2.8F, 7.8F, 7.8F, 7.8F, 4.8F,  // 0 to ?
    7.8F, 7.5F, 7.1F, 7.3F, 7.7F, 6.9F, 6.6F, 7.9F,  7.5F, 3.7F, 5.2F, 7.8F, 6.3F, 9.2F, 7.5F, 7.8F,  // @ to O
    6.9F, 7.8F, 7.4F, 5.6F, 7.3F, 7.5F, 7.5F, 10.3F, 7.5F, 7.5F, 6.2F, 2.8F, 5.0F, 2.8F, 5.0F, 5.0F,  // P to _
    5.0F, 5.0F, 5.6F, 4.5F, 5.6F, 4.5F, 3.1F, 5.0F,  5.6F, 2.8F, 3.1F, 5.3F, 2.8F, 8.4F, 5.6F, 5.0F,  // ` to o
    5.6F, 5.3F, 4.0F, 4.0F, 3.9F, 5.6F, 5.3F, 7.3F,  5.3F, 5.3F, 4.5F, 5.0F, 2.8F, 5.0F, 5.0F};       // p to ~

constexpr double spelled_out = 24;  // "U+1F600" in small type

double width_of(char32_t value) {
  if (value >= U' ' && value <= U'~') return static_cast<double>(widths[value - U' ']);
  if (value < U'\u0180') return 7.8;
  if (value >= U'Α' && value <= U'ω') return 7.5;
  static constexpr std::u32string_view narrow = U"·⋅′‘’₀₁₂₃₄₅₆₇₈₉⁰⁴⁵⁶⁷⁸⁹";
  if (narrow.find(value) != std::u32string_view::npos) return 4.5;
  if (value == U'−') return 7.8;
  static constexpr std::u32string_view known = U"×−√ΣᵀΣ→≈≤≥≠∞″…–—“”•✗↳€";
  return known.find(value) != std::u32string_view::npos ? 12 : spelled_out;
}

double sign_width(std::string_view text) {
  static constexpr std::u32string_view relations = U"=≈≤≥≠<>→←∈:";
  static constexpr std::u32string_view operators = U"+−-×·/±";
  const char32_t value = code_point(text, 0).value;
  if (relations.find(value) != std::u32string_view::npos) return (value == U'→' ? 10.0 : 7.8) + 5.6;
  if (value == U'·' || value == U'/') return 5.0 + 4.5;
  if (operators.find(value) != std::u32string_view::npos) return 7.8 + 4.5;
  if (value == U',') return 4.5;
  return value == U'…' ? 13.5 : width_of(value);
}

double width_of(const FormulaPart& part) {
  constexpr double smaller = 0.75;
  double width = 0;
  switch (part.kind) {
    case Kind::row:
      for (const FormulaPart& child : part.children) width += width_of(child);
      return width;
    case Kind::identifier:
      return latex_text_width(part.text) + 1;
    case Kind::number:
      return part.text == "∞" ? 10 : latex_text_width(part.text);
    case Kind::sign:
      return sign_width(part.text);
    case Kind::word:
      return latex_text_width(part.text) + 1;
    case Kind::subscript:
    case Kind::superscript:
      return width_of(part.children[0]) + smaller * width_of(part.children[1]) + 0.6;
    case Kind::root:
      return 8.4 + width_of(part.children[0]);
  }
  return width;
}

}  // namespace

double latex_text_width(std::string_view text) {
  const std::string safe = printable(text);
  double width = 0;
  for (std::size_t at = 0; at < safe.size();) {
    const CodePoint point = code_point(safe, at);
    at += point.bytes;
    width += width_of(point.value);
  }
  return width;
}

double latex_math_width(const Inline& formula) { return width_of(formula_tree(formula)); }

}  // namespace attn
