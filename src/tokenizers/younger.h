#pragma once

namespace attn {

// Characters that are younger than the tables of the reference library (tokenizers 0.23.3), which has one for each
// question, of different years. It takes them for characters that nobody has given a meaning yet, and so do we,
// whatever the year of utf8proc's table. Ranges may reach over characters that the question is never asked of.

bool is_younger_punctuation(char32_t point);       // than Unicode 8
bool is_younger_nonspacing_mark(char32_t point);   // than Unicode 8: what strip_accents leaves
bool is_younger_control(char32_t point);           // than Unicode 8
bool is_younger_mark(char32_t point);              // to StripAccents, and to the order of marks
bool is_younger_decomposition(char32_t point);     // which stays whole in every normalisation form
char32_t small_letter_of_younger(char32_t point);  // here the reference is younger: the letter itself where it is not

}  // namespace attn
