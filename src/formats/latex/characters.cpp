#include <cstddef>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
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

// Characters that are mathematics: what they are in math mode.
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
)");
  return all;
}

// What ASCII has that means something to TeX, in math mode.
const Spellings& special_in_math() {
  static const Spellings all = spelled_in(R"(
' \text{'}   \ \backslash   { \{   } \}   $ \$   & \&   # \#   _ \_   % \%   ~ {\sim}   ^ {}^{\wedge}
/ \mathbin{/}
)");
  return all;
}

// And in text: also what fonts of 1982 have other characters for, and what
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

}  // namespace

std::string_view latex_mathematics(char32_t value) { return spelling(mathematics(), value); }

std::string_view latex_special(char32_t value) { return spelling(special_in_math(), value); }

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

namespace {

// How many characters there are up to the next space.
std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size() && text[at] != ' '; ++length) at += code_point(text, at).bytes;
  return length;
}

}  // namespace

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

}  // namespace attn
