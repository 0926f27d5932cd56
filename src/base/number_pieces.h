#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace attn {

// What a number that a person spelled is made of.
struct NumberPiece {
  // An exponent is written in superscripts; an odd piece means nothing.
  enum class Kind { number, name, plus, minus, times, divide, power, root, open, close, exponent, infinity, end, odd };
  Kind kind = Kind::end;
  TextRange range;
};

// The piece that begins at `at`, or after the blanks there. At the end of the
// text it is `end`, of no bytes.
NumberPiece number_piece_at(std::string_view text, std::size_t at);

// The text without the blanks at its beginning and its end: spaces of every width.
std::string_view without_blanks(std::string_view text);

inline constexpr char how_numbers_are_spelled[] = "a number is written 2, -0.5, 1e-3 or 2/3";

// What to write instead of an odd piece of a text.
std::string help_with_odd(std::string_view text, TextRange place);

struct Decimal {
  double value = 0;
  int decimals = 0;  // that it was written with, at most 400
};

// A decimal number times 10^shift; nothing where no double is as large.
// REQUIRES: decimal_size(text) == text.size().
std::optional<Decimal> decimal(std::string_view text, int shift = 0);

// What the piece `exponent` says: 12 for "¹²", -1 for "⁻¹", infinity where no
// double is as large; nothing where no digit follows the minus.
std::optional<double> superscript_value(std::string_view text);

}  // namespace attn
