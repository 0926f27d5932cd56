#pragma once

#include <string>
#include <string_view>

namespace attn {

// What tokenizers ask Unicode, answered by utf8proc as the reference library (tokenizers 0.23.3) answers it.
//
// The two have tables of different years. What is younger than those of the reference is in younger.h. The other way
// round, utf8proc's of Debian 12 is of Unicode 15 and PCRE2's of 14: letters, numbers and marks in patterns differ on
// 10,295 code points, nearly all of them what Unicode 15 and 16 added: 4,815 rare Chinese characters, 3,995
// hieroglyphs, and scripts of small communities. tests/tokenizers/unicode_differences.txt lists every one; agree.py,
// beside it, finds no other.

// The 25 characters with the property White_Space.
bool is_white_space(char32_t point);

// Of a category that begins so: 'P' punctuation, 'M' marks, 'N' numbers.
bool is_of_category(char32_t point, char category);

// Mn: a mark that takes no room of its own.
bool is_nonspacing_mark(char32_t point);

// A mark of any kind.
bool is_mark(char32_t point);

// What \w stands for: letters, marks, decimal digits, "_" and what joins.
bool is_word_character(char32_t point);

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
