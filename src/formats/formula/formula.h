#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/document.h"

namespace attn {

// A formula taken apart, for formats that set mathematics. Formulas reach a
// format as people type them: "s₁ = q₁·Kᵀ", "S[1,2] = 1×4 + 0×4", "E = e^(S″ − m)",
// "S′ = S / √d_k", "u_ij = A_ij · v_j", "K* = X·W_K + b_K", "0.0000061", "1.5e+20",
// "m = max of each row of S″", "… 3 more …".
struct FormulaPart {
  enum class Kind {
    row,          // children side by side
    identifier,   // one letter, with its primes and stars: "S″", "K*"
    number,       // "0.1353", "1.5e+20", "∞", "NaN"; a minus sign before it is a sign of its own
    sign,         // "=", "≈", "+", "−", "×", "·", "/", "(", ")", "[", "]", ",", "→", "…"
    word,         // "softmax", "max", "sum of each row of ": set upright, spaces kept
    subscript,    // children: base, index
    superscript,  // children: base, exponent; of "e^(x)" without the parentheses
    root,         // child: what is under it; of "√(x)" without the parentheses
  };
  Kind kind = Kind::row;
  std::string text = {};
  std::vector<FormulaPart> children = {};
  std::optional<Role> role = std::nullopt;  // of all of it; then its children have none
};

// Always a row. Never fails: what is no formula is words. Nothing of the text is
// lost but the parentheses of an exponent or a root, the marks that kinds stand
// for ("_", "^", "√"), and spaces beside signs that have their own.
FormulaPart parse_formula(std::string_view text);

// The same with roles, also where a formula runs across spans: "e^(", "2", " − ", "4", ")".
FormulaPart parse_formula(const Inline& text);

}  // namespace attn
