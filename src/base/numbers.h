#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

// The fewest digits that read back to the same bits; "0" for negative zero;
// "inf", "-inf", "nan".
std::string shortest(double value);

// The fewest digits that read back to the same float: for numbers of dtype f32.
std::string shortest(float value);

// The same at the end of a text.
void append_shortest(double value, std::string& text);
void append_shortest(float value, std::string& text);

// With exactly `decimals` digits after the point; never "-0.00". REQUIRES: 0 <= decimals <= 17.
std::string fixed(double value, int decimals);

// A natural number without sign, strictly: "7", not "-1", "010", "7.5" or "1e3".
// Returns false where it is not one or does not fit.
bool parse_natural(std::string_view text, std::size_t& value);

// How many bytes of the text are a decimal number: digits with or without a
// point, and an exponent only where digits follow it, so that 2e4 is a number
// and the 2 of 2e^4 is one.
std::size_t decimal_size(std::string_view text);

// Whether the text is a number in JSON's spelling, however large, and nothing else.
bool spells_number(std::string_view text);

// A finite number in JSON's spelling and nothing after it.
bool parse_number(std::string_view text, double& value);

}  // namespace attn
