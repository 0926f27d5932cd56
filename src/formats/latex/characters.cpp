#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "formats/formula/tree.h"
#include "formats/latex/math.h"
#include "formula/letters.h"

namespace attn {
namespace {

using Spellings = std::map<char32_t, std::string_view>;

// Pairs of a character and what it is, blanks between all of them.
Spellings spelled_in(std::string_view pairs) {
  constexpr std::string_view blanks = " \n";
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; (begin = pairs.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
    const std::size_t end = pairs.find_first_of(blanks, begin);
    words.push_back(pairs.substr(begin, end - begin));
    begin = end;
  }
  Spellings all;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) all.emplace(code_point(words[i], 0).value, words[i + 1]);
  return all;
}

// What characters are in math mode: mathematics, and what ASCII has that means something to TeX there.
const Spellings& mathematics() {
  static const Spellings all = spelled_in(R"(
· \cdot   × \times   − -   ± \pm   ÷ \div   √ \surd   Σ \Sigma   ∑ \sum   ∏ \prod   → \to   ← \leftarrow
↔ \leftrightarrow   ⇒ \Rightarrow   ↑ \uparrow   ↓ \downarrow   ≈ \approx   ≤ \le   ≥ \ge   ≠ \ne   ∞ \infty   ∈ \in
∉ \notin   ∀ \forall   ∃ \exists   ∂ \partial   ∇ \nabla   ∅ \emptyset   ∪ \cup   ∩ \cap   ⊂ \subset   ⊆ \subseteq
⊙ \odot   ⊕ \oplus   ⊗ \otimes   ∘ \circ   ≡ \equiv   ∝ \propto   ∧ \wedge   ∨ \vee   ¬ \neg   ⟨ \langle   ⟩ \rangle
‖ \|   ✓ \checkmark   ↳ \hookrightarrow   … \ldots   ′ {}'   ″ {}''   ‴ {}'''   ⋅ \cdot   ᵀ {}^{\top}   ° {}^{\circ}
α \alpha   β \beta   γ \gamma   δ \delta   ε \varepsilon   ζ \zeta   η \eta   θ \theta   ι \iota   κ \kappa
λ \lambda   μ \mu   ν \nu   ξ \xi   ο o   π \pi   ρ \rho   ς \varsigma   σ \sigma   τ \tau   υ \upsilon   φ \varphi
χ \chi   ψ \psi   ω \omega   Γ \Gamma   Δ \Delta   Θ \Theta   Λ \Lambda   Ξ \Xi   Π \Pi   Υ \Upsilon   Φ \Phi
Ψ \Psi   Ω \Omega   Α \mathrm{A}   Β \mathrm{B}   Ε \mathrm{E}   Ζ \mathrm{Z}   Η \mathrm{H}   Ι \mathrm{I}
Κ \mathrm{K}   Μ \mathrm{M}   Ν \mathrm{N}   Ο \mathrm{O}   Ρ \mathrm{P}   Τ \mathrm{T}   Χ \mathrm{X}   µ \mu
' \text{'}   \ \backslash   { \{   } \}   $ \$   & \&   # \#   _ \_   % \%   ~ {\sim}   ^ {}^{\wedge}
/ \mathbin{/}
)");
  return all;
}

// And what they are in text: also what fonts of 1982 have other characters for, and what
// would run together with its neighbour ("--").
const Spellings& special_in_text() {
  static const Spellings all = spelled_in(R"(
\ \textbackslash{}   { \{   } \}   $ \$   & \&   # \#   _ \_   % \%   ~ \textasciitilde{}   ^ \textasciicircum{}
< \textless{}   > \textgreater{}   | \textbar{}   " {\char34}   ` \textasciigrave{}   – \textendash{}
— \textemdash{}   ‘ \textquoteleft{}   ’ \textquoteright{}   “ \textquotedblleft{}   ” \textquotedblright{}
• \textbullet{}   € \texteuro{}   ✗ \ensuremath{\boldsymbol{\times}}
)");
  return all;
}

std::string_view spelling(const Spellings& table, char32_t value) {
  const auto found = table.find(value);
  return found == table.end() ? std::string_view{} : found->second;
}

// Letters that every LaTeX of this century writes itself, from its own accents.
bool is_native_letter(char32_t c) {
  static constexpr std::u32string_view missing = U"ÐðÞþ";  // in fonts in TeX's first encoding
  if (c >= U'À' && c <= U'ÿ') return missing.find(c) == std::u32string_view::npos && c != U'×' && c != U'÷';
  static constexpr std::u32string_view more = U"ăĂćĆčČďĎěĚğĞıİłŁńŃňŇőŐœŒřŘśŚşŞšŠťŤůŮűŰźŹżŻžŽŸāĀēĒīĪōŌūŪ";
  return more.find(c) != std::u32string_view::npos || c == U'¡' || c == U'¿';
}

// How many characters there are up to the next space.
std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size() && text[at] != ' '; ++length) at += code_point(text, at).bytes;
  return length;
}

using Kind = FormulaPart::Kind;

// The printable characters of ASCII in Computer Modern Roman.
constexpr std::array<float, 95> letter_widths = {
    3.4F, 2.8F, 5.0F, 8.4F, 5.0F, 8.4F, 7.8F, 2.8F,  3.9F, 3.9F, 5.0F, 7.8F, 2.8F, 3.4F, 2.8F, 5.0F,  // space to /
    5.0F, 5.0F, 5.0F, 5.0F, 5.0F, 5.0F, 5.0F, 5.0F,  5.0F, 5.0F, 2.8F, 2.8F, 7.8F, 7.8F, 7.8F, 4.8F,  // 0 to ?
    7.8F, 7.5F, 7.1F, 7.3F, 7.7F, 6.9F, 6.6F, 7.9F,  7.5F, 3.7F, 5.2F, 7.8F, 6.3F, 9.2F, 7.5F, 7.8F,  // @ to O
    6.9F, 7.8F, 7.4F, 5.6F, 7.3F, 7.5F, 7.5F, 10.3F, 7.5F, 7.5F, 6.2F, 2.8F, 5.0F, 2.8F, 5.0F, 5.0F,  // P to _
    5.0F, 5.0F, 5.6F, 4.5F, 5.6F, 4.5F, 3.1F, 5.0F,  5.6F, 2.8F, 3.1F, 5.3F, 2.8F, 8.4F, 5.6F, 5.0F,  // ` to o
    5.6F, 5.3F, 4.0F, 4.0F, 3.9F, 5.6F, 5.3F, 7.3F,  5.3F, 5.3F, 4.5F, 5.0F, 2.8F, 5.0F, 5.0F};       // p to ~

constexpr double spelled_out = 24;  // "U+1F600" in small type

double width_of(char32_t value) {
  if (value >= U' ' && value <= U'~') return static_cast<double>(letter_widths[value - U' ']);
  if (value < U'\u0180') return 7.8;
  if (value >= U'Α' && value <= U'ω') return 7.5;
  static constexpr std::u32string_view narrow = U"·⋅′‘’₀₁₂₃₄₅₆₇₈₉⁰⁴⁵⁶⁷⁸⁹";
  if (narrow.find(value) != std::u32string_view::npos) return 4.5;
  if (value == U'−') return 7.8;
  static constexpr std::u32string_view known = U"×−√ΣᵀΣ→≈≤≥≠∞″…–—“”•✗✓↳€";
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
    case Kind::number:
      return part.text == "∞" ? 10 : latex_text_width(part.text);
    case Kind::sign:
      return sign_width(part.text);
    case Kind::identifier:
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

std::string_view latex_mathematics(char32_t value) { return spelling(mathematics(), value); }

std::string latex_character(const CodePoint& point, std::string_view character) {
  const char32_t value = point.value;
  if (const std::string_view known = spelling(special_in_text(), value); !known.empty()) return std::string(known);
  if (value == U'\u00a0') return "~";
  if (value < 0x80 || is_native_letter(value)) return std::string(character);
  if (const std::string_view known = spelling(mathematics(), value); !known.empty()) {
    return "\\ensuremath{" + std::string(known) + "}";
  }
  if (const std::string raised = formula_letters::raised_plain(value); !raised.empty()) {
    return "\\ensuremath{{}^{" + latex_math(raised) + "}}";
  }
  if (const std::string lowered = formula_letters::lowered_plain(value); !lowered.empty()) {
    return "\\ensuremath{{}_{" + latex_math(lowered) + "}}";
  }
  return fmt::format("\\attnchar{{{:X}}}{{{}}}", static_cast<unsigned>(value), character);
}

std::string latex_text(std::string_view text) {
  constexpr std::size_t long_word = 24, unbroken = 8;
  const std::string safe = printable(text);
  std::string escaped;
  char before = ' ';
  std::size_t since_break = 0;
  bool is_long = false;
  for (std::size_t at = 0; at < safe.size();) {
    const CodePoint point = code_point(safe, at);
    const std::string_view character = std::string_view(safe).substr(at, point.bytes);
    if (before == ' ') {
      is_long = word_length(std::string_view(safe).substr(at)) > long_word;
      since_break = 0;
    }
    at += point.bytes;
    // "--", "''", ",," would become one sign.
    const bool joins = point.bytes == 1 && character[0] == before && (before == '-' || before == '\'' || before == ',');
    if (joins) escaped += "{}";
    before = point.bytes == 1 ? character[0] : '\0';
    escaped += latex_character(point, character);
    if (is_long && ++since_break % unbroken == 0) escaped += "\\attnbreak{}";
  }
  return escaped;
}

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
