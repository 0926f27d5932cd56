#include "tokenizers/unicode.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <utf8proc.h>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tokenizers/younger.h"

namespace attn {
namespace {

utf8proc_int32_t signed_point(char32_t point) { return static_cast<utf8proc_int32_t>(point); }

bool is_younger(utf8proc_int32_t point) { return is_younger_mark(static_cast<char32_t>(point)); }

int combining_class(utf8proc_int32_t point) {
  return is_younger(point) ? 0 : utf8proc_get_property(point)->combining_class;
}

// Letters and their marks become one character where there is one. Behind a mark that the reference does not know
// it begins anew, as behind a letter.
void compose(std::vector<utf8proc_int32_t>& points) {
  constexpr auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  auto end = points.begin();
  for (auto from = points.begin(); from != points.end();) {
    const auto to = std::find_if(from + 1, points.end(), is_younger);
    const auto size = utf8proc_normalize_utf32(&*from, to - from, options);
    end = std::copy(from, from + size, end);
    from = to;
  }
  points.erase(end, points.end());
}

}  // namespace

bool is_white_space(char32_t point) {
  return (point >= 0x9 && point <= 0xD) || point == ' ' || point == 0x85 || point == 0xA0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 || point == 0x202F ||
         point == 0x205F || point == 0x3000;
}

bool is_of_category(char32_t point, char category) {
  return utf8proc_category_string(signed_point(point))[0] == category;
}

bool is_nonspacing_mark(char32_t point) {
  const bool is_mark =
      utf8proc_category(signed_point(point)) == UTF8PROC_CATEGORY_MN && !is_younger_nonspacing_mark(point);
  return is_mark || point == 0x1734;  // which was one
}

bool is_mark(char32_t point) {
  return (is_of_category(point, 'M') && !is_younger_mark(point)) || point == 0x1CF2 || point == 0x1CF3;  // which were
}

bool is_word_character(char32_t point) {
  constexpr std::pair<char32_t, char32_t> letters_in_circles[] = {
      {0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
  const utf8proc_category_t category = utf8proc_category(signed_point(point));
  return is_of_category(point, 'L') || is_of_category(point, 'M') || category == UTF8PROC_CATEGORY_ND ||
         category == UTF8PROC_CATEGORY_NL || category == UTF8PROC_CATEGORY_PC || point == 0x200C || point == 0x200D ||
         std::ranges::any_of(letters_in_circles,
                             [&](const auto& range) { return point >= range.first && point <= range.second; });
}

bool is_control(char32_t point) {
  const utf8proc_category_t category = utf8proc_category(signed_point(point));
  return (category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO) &&
         !is_younger_control(point);
}

bool is_bert_punctuation(char32_t point) {
  if (point < 0x80) return point > ' ' && point < 0x7F && !is_ascii_alnum(static_cast<char>(point));
  return (is_of_category(point, 'P') && !is_younger_punctuation(point)) || point == 0x166D || point == 0x111C9;
}

std::string in_small_letters(std::string_view text) {
  std::string small;
  small.reserve(text.size());
  for_each_point(text, [&](char32_t point) {
    if (point == 0x130) {
      small += "i\u0307";  // the one letter whose small letter is two code points
    } else {
      append_utf8(static_cast<char32_t>(utf8proc_tolower(signed_point(small_letter_of_younger(point)))), small);
    }
  });
  return small;
}

std::string normalised(std::string_view text, NormalForm form) {
  const bool composes = form == NormalForm::nfc || form == NormalForm::nfkc;
  const bool compatible = form == NormalForm::nfkc || form == NormalForm::nfkd;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  std::vector<utf8proc_int32_t> points;
  points.reserve(text.size());
  for_each_point(text, [&](char32_t point) {
    if (is_younger_decomposition(point)) return points.push_back(signed_point(point));
    std::array<utf8proc_int32_t, 32> decomposed;  // the longest there is has 18
    int last_class = 0;
    const auto count = utf8proc_decompose_char(signed_point(point), decomposed.data(),
                                               static_cast<utf8proc_ssize_t>(decomposed.size()), options, &last_class);
    assert(count >= 0 && static_cast<std::size_t>(count) <= decomposed.size());
    points.insert(points.end(), decomposed.begin(), decomposed.begin() + count);
  });

  // Marks behind a letter get their order. utf8proc would do it, too, in time that grows with the square of
  // how many marks there are.
  for (auto from = points.begin(); from != points.end();) {
    from = std::find_if(from, points.end(), [](auto point) { return combining_class(point) != 0; });
    const auto to = std::find_if(from, points.end(), [](auto point) { return combining_class(point) == 0; });
    std::stable_sort(from, to, [](auto one, auto other) { return combining_class(one) < combining_class(other); });
    from = to;
  }

  if (composes) compose(points);
  std::string result;
  result.reserve(text.size());
  for (const utf8proc_int32_t point : points) append_utf8(static_cast<char32_t>(point), result);
  return result;
}

}  // namespace attn
