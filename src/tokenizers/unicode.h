#pragma once

#include <string>
#include <string_view>

namespace attn {

// What tokenizers ask Unicode, answered by utf8proc as the reference library answers it.
//
// The two have tables of different years. Those of the reference (tokenizers 0.21.4) for punctuation, marks
// and what is not seen are of Unicode 8 and 9, for decomposition of 13, and for small letters of 16; those of
// Debian 12 are of Unicode 15 (utf8proc 2.8) and 14 (PCRE2 10.42). They differ on code points that one of them
// had not yet, or had otherwise:
//
//   - punctuation: 129, of which U+061D, U+1B7D, U+1B7E and U+2E43 to U+2E5D are in living use;
//   - marks that strip_accents takes off: 420, all of them of scripts such as Adlam or Newa, U+1ABF to U+1ACE,
//     U+1DF6 to U+1DFB, and a few of Indic scripts that are younger than 2015;
//   - what clean_text takes out: 20 (U+0890, U+0891, U+08E2, U+110CD, U+13430 to U+1343F);
//   - small letters of 27 capitals, decomposition of one character (U+11938), and the order of 108 marks;
//   - letters, numbers and marks in patterns: 10,295, nearly all of them what Unicode 15 and 16 added, for
//     PCRE2's table is of 14: 4,815 rare Chinese characters, 3,995 hieroglyphs, and scripts of small communities.
//
// tests/tokenizers/unicode_differences.txt lists every one; agree.py, beside it, finds no other.

// The 25 characters with the property White_Space.
bool is_white_space(char32_t point);

// Of a category that begins so: 'P' punctuation, 'M' marks, 'N' numbers.
bool is_of_category(char32_t point, char category);

// Mn: a mark that takes no room of its own.
bool is_nonspacing_mark(char32_t point);

// Cc, Cf and Co: characters that steer, are not seen, or mean what people agree on.
bool is_control(char32_t point);

// Punctuation to BERT: of category P, and every sign of ASCII ("$", "+", "~").
bool is_bert_punctuation(char32_t point);

// Each character's small letter, whatever its neighbours are: "Σ" is "σ" at the end of a word too.
// REQUIRES: valid UTF-8, here and below.
std::string in_small_letters(std::string_view text);

// The four normalisation forms.
enum class NormalForm { nfc, nfd, nfkc, nfkd };
std::string normalised(std::string_view text, NormalForm form);

// Calls something with every code point, in order.
template <class Action>
void for_each_point(std::string_view text, Action action);

}  // namespace attn

#include "base/utf8.h"

template <class Action>
void attn::for_each_point(std::string_view text, Action action) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    action(point.value);
    at += point.bytes;
  }
}
