#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/document.h"

namespace attn {

// A formula as formats that set mathematics see it: "q₁" is a q with a 1 below,
// "e^(S″ − m)" an e with a difference above.
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

// Always a row. Never fails: what is no formula is words. Spans that have no
// pieces are taken apart as they are typed. Nothing of the text is lost but the
// parentheses of an exponent or a root, the marks that kinds stand for ("_", "^",
// "√"), and spaces beside signs that have their own.
FormulaPart formula_tree(const Inline& text);

}  // namespace attn
