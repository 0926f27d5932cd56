#include "tokenizers/unicode.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <utf8proc.h>
#include <vector>

#include "base/text.h"

namespace attn {
namespace {

utf8proc_int32_t signed_point(char32_t point) { return static_cast<utf8proc_int32_t>(point); }

int combining_class(utf8proc_int32_t point) { return utf8proc_get_property(point)->combining_class; }

}  // namespace

bool is_white_space(char32_t point) {
  return (point >= 0x9 && point <= 0xD) || point == ' ' || point == 0x85 || point == 0xA0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 || point == 0x202F ||
         point == 0x205F || point == 0x3000;
}

bool is_of_category(char32_t point, char category) {
  return utf8proc_category_string(signed_point(point))[0] == category;
}

bool is_nonspacing_mark(char32_t point) { return utf8proc_category(signed_point(point)) == UTF8PROC_CATEGORY_MN; }

bool is_control(char32_t point) {
  const utf8proc_category_t category = utf8proc_category(signed_point(point));
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO;
}

bool is_bert_punctuation(char32_t point) {
  if (point < 0x80) return point > ' ' && point < 0x7F && !is_ascii_alnum(static_cast<char>(point));
  return is_of_category(point, 'P');
}

std::string in_small_letters(std::string_view text) {
  std::string small;
  small.reserve(text.size());
  for_each_point(text, [&](char32_t point) {
    if (point == 0x130) {
      small += "i\u0307";  // the one letter whose small letter is two code points
    } else {
      append_utf8(static_cast<char32_t>(utf8proc_tolower(signed_point(point))), small);
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

  auto size = static_cast<utf8proc_ssize_t>(points.size());
  if (composes && size > 0) {
    size = utf8proc_normalize_utf32(points.data(), size,
                                    static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  }
  std::string result;
  result.reserve(text.size());
  for (utf8proc_ssize_t i = 0; i < size; ++i) {
    append_utf8(static_cast<char32_t>(points[static_cast<std::size_t>(i)]), result);
  }
  return result;
}

}  // namespace attn
