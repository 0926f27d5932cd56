#include "formats/latex/characters.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "formats/latex/math.h"
#include "formula/letters.h"

namespace attn {
namespace {

using Spelling = std::pair<char32_t, std::string_view>;

// Characters that are mathematics: what they are in math mode.
constexpr auto mathematics = std::to_array<Spelling>({
    {U'·', "\\cdot"},
    {U'×', "\\times"},
    {U'−', "-"},
    {U'±', "\\pm"},
    {U'÷', "\\div"},
    {U'√', "\\surd"},
    {U'Σ', "\\Sigma"},
    {U'∑', "\\sum"},
    {U'∏', "\\prod"},
    {U'→', "\\to"},
    {U'←', "\\leftarrow"},
    {U'↔', "\\leftrightarrow"},
    {U'⇒', "\\Rightarrow"},
    {U'↑', "\\uparrow"},
    {U'↓', "\\downarrow"},
    {U'≈', "\\approx"},
    {U'≤', "\\le"},
    {U'≥', "\\ge"},
    {U'≠', "\\ne"},
    {U'∞', "\\infty"},
    {U'∈', "\\in"},
    {U'∉', "\\notin"},
    {U'∀', "\\forall"},
    {U'∃', "\\exists"},
    {U'∂', "\\partial"},
    {U'∇', "\\nabla"},
    {U'∅', "\\emptyset"},
    {U'∪', "\\cup"},
    {U'∩', "\\cap"},
    {U'⊂', "\\subset"},
    {U'⊆', "\\subseteq"},
    {U'⊙', "\\odot"},
    {U'⊕', "\\oplus"},
    {U'⊗', "\\otimes"},
    {U'∘', "\\circ"},
    {U'≡', "\\equiv"},
    {U'∝', "\\propto"},
    {U'∧', "\\wedge"},
    {U'∨', "\\vee"},
    {U'¬', "\\neg"},
    {U'⟨', "\\langle"},
    {U'⟩', "\\rangle"},
    {U'‖', "\\|"},
    {U'✓', "\\checkmark"},
    {U'↳', "\\hookrightarrow"},
    {U'…', "\\ldots"},
    {U'′', "{}'"},
    {U'″', "{}''"},
    {U'‴', "{}'''"},
    {U'⋅', "\\cdot"},
    {U'ᵀ', "{}^{\\top}"},
    {U'°', "{}^{\\circ}"},
    {U'α', "\\alpha"},
    {U'β', "\\beta"},
    {U'γ', "\\gamma"},
    {U'δ', "\\delta"},
    {U'ε', "\\varepsilon"},
    {U'ζ', "\\zeta"},
    {U'η', "\\eta"},
    {U'θ', "\\theta"},
    {U'ι', "\\iota"},
    {U'κ', "\\kappa"},
    {U'λ', "\\lambda"},
    {U'μ', "\\mu"},
    {U'ν', "\\nu"},
    {U'ξ', "\\xi"},
    {U'ο', "o"},
    {U'π', "\\pi"},
    {U'ρ', "\\rho"},
    {U'ς', "\\varsigma"},
    {U'σ', "\\sigma"},
    {U'τ', "\\tau"},
    {U'υ', "\\upsilon"},
    {U'φ', "\\varphi"},
    {U'χ', "\\chi"},
    {U'ψ', "\\psi"},
    {U'ω', "\\omega"},
    {U'Γ', "\\Gamma"},
    {U'Δ', "\\Delta"},
    {U'Θ', "\\Theta"},
    {U'Λ', "\\Lambda"},
    {U'Ξ', "\\Xi"},
    {U'Π', "\\Pi"},
    {U'Υ', "\\Upsilon"},
    {U'Φ', "\\Phi"},
    {U'Ψ', "\\Psi"},
    {U'Ω', "\\Omega"},
    {U'Α', "\\mathrm{A}"},
    {U'Β', "\\mathrm{B}"},
    {U'Ε', "\\mathrm{E}"},
    {U'Ζ', "\\mathrm{Z}"},
    {U'Η', "\\mathrm{H}"},
    {U'Ι', "\\mathrm{I}"},
    {U'Κ', "\\mathrm{K}"},
    {U'Μ', "\\mathrm{M}"},
    {U'Ν', "\\mathrm{N}"},
    {U'Ο', "\\mathrm{O}"},
    {U'Ρ', "\\mathrm{P}"},
    {U'Τ', "\\mathrm{T}"},
    {U'Χ', "\\mathrm{X}"},
    {U'µ', "\\mu"},
});

// What ASCII has that means something to TeX, in math mode.
constexpr auto special_in_math = std::to_array<Spelling>({
    {U'\'', "\\text{'}"},
    {U'\\', "\\backslash"},
    {U'{', "\\{"},
    {U'}', "\\}"},
    {U'$', "\\$"},
    {U'&', "\\&"},
    {U'#', "\\#"},
    {U'_', "\\_"},
    {U'%', "\\%"},
    {U'~', "{\\sim}"},
    {U'^', "{}^{\\wedge}"},
    {U'/', "\\mathbin{/}"},
});

// And in text: also what fonts of 1982 have other characters for, and what
// would run together with its neighbour ("--").
constexpr auto special_in_text = std::to_array<Spelling>({
    {U'\\', "\\textbackslash{}"},
    {U'{', "\\{"},
    {U'}', "\\}"},
    {U'$', "\\$"},
    {U'&', "\\&"},
    {U'#', "\\#"},
    {U'_', "\\_"},
    {U'%', "\\%"},
    {U'~', "\\textasciitilde{}"},
    {U'^', "\\textasciicircum{}"},
    {U'<', "\\textless{}"},
    {U'>', "\\textgreater{}"},
    {U'|', "\\textbar{}"},
    {U'"', "{\\char34}"},
    {U'`', "\\textasciigrave{}"},
    {U'–', "\\textendash{}"},
    {U'—', "\\textemdash{}"},
    {U'‘', "\\textquoteleft{}"},
    {U'’', "\\textquoteright{}"},
    {U'“', "\\textquotedblleft{}"},
    {U'”', "\\textquotedblright{}"},
    {U'•', "\\textbullet{}"},
    {U'€', "\\texteuro{}"},
    {U'✗', "\\ensuremath{\\boldsymbol{\\times}}"},
    {U'\u00a0', "~"},
});

std::string_view spelling(const auto& table, char32_t value) {
  const auto* found = std::ranges::find(table, value, &Spelling::first);
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

std::string_view latex_mathematics(char32_t value) { return spelling(mathematics, value); }

std::string_view latex_special(char32_t value) { return spelling(special_in_math, value); }

std::string latex_character(const CodePoint& point, std::string_view character) {
  const char32_t value = point.value;
  if (const std::string_view known = spelling(special_in_text, value); !known.empty()) return std::string(known);
  if (value < 0x80 || is_native_letter(value)) return std::string(character);
  if (const std::string_view known = spelling(mathematics, value); !known.empty()) {
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
