#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attn {

// A piece of a formula: what people write of it, and what it is.
struct FormulaPiece {
  enum class Kind : std::uint8_t {
    letter,   // one, with its primes and stars: "S″", "K*"
    number,   // "0.1353", "1.5e+20", "∞", "NaN"; a minus sign before it is a sign of its own
    sign,     // "=", "+", "·", "(", "^", "√": what it stands for is up to who sets the formula
    word,     // "softmax", "row"
    space,    // between words, and where people like it
    index,    // "_k", "_model": below what is before it
    lowered,  // "₁₂": the same, in small characters
    raised,   // "ᵀ", "²"
    place,    // "{}": the symbol of the formula's own tensor; "{0}": that of the first operand
  };
  Kind kind = Kind::word;
  std::string text = {};
  std::string of = {};  // the id of the tensor whose symbol it belongs to; empty where it is of none

  bool operator==(const FormulaPiece&) const = default;
};

// A formula or a symbol as data, from which each format writes its own. It is
// written down with places for operands: "{} = {0}·{1}ᵀ", "{} = {0} / √d_k",
// "{} = e^({0} − {1})". A symbol has none: "S′", "W_Q", "M_causal".
class Formula {
 public:
  Formula() = default;
  template <std::convertible_to<std::string> Text>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Formula(const Text& notation) : Formula(std::string_view(std::string(notation))) {}
  explicit Formula(std::string_view notation);
  explicit Formula(std::vector<FormulaPiece> pieces) : pieces_(std::move(pieces)) {}

  const std::vector<FormulaPiece>& pieces() const { return pieces_; }
  bool empty() const { return pieces_.empty(); }

  // As people type it.
  std::string text() const;

  Formula& operator+=(const Formula& more);
  friend Formula operator+(Formula a, const Formula& b) { return a += b; }

  // The same as the symbol of that tensor.
  Formula standing_for(const std::string& id) const;

  // The same with the symbol `own` and those of operands in their places.
  // REQUIRES: an operand for each place.
  Formula with(const Formula& own, std::span<const Formula> operands) const;

  bool operator==(const Formula&) const = default;

 private:
  std::vector<FormulaPiece> pieces_;
};

// "{2} + {3}": the places of so many operands with a sign between them.
std::string places(std::size_t first, std::size_t count, std::string_view sign = " + ");

// What somebody typed, taken apart in the same way; braces are signs.
std::vector<FormulaPiece> formula_pieces(std::string_view typed);

}  // namespace attn
