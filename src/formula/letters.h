#pragma once

#include <string>
#include <string_view>

// What the characters of a formula are to its parser.

namespace attn::formula_letters {

// What a lowered or raised character stands for: "1" for "₁"; "" for all others.
std::string lowered_plain(char32_t value);
std::string raised_plain(char32_t value);

bool is_sign(char32_t c);

// Signs that keep their distance by themselves.
bool is_spaced(std::string_view sign);

inline bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
inline bool is_prime(char32_t c) { return c == U'′' || c == U'″' || c == U'‴'; }
inline bool is_letter(char32_t c) { return c > U' ' && !is_digit(c) && !is_sign(c) && !is_prime(c); }

// REQUIRES: it is no sign, as Σ is.
inline bool is_greek(char32_t c) { return c >= U'Α' && c <= U'ω'; }

inline bool is_latin(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'); }

}  // namespace attn::formula_letters
