#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

namespace attn {

// A sentence, or a part of one, in one language. It has no default: a language
// that lacks one does not compile.
class Said {
 public:
  constexpr Said(const char* text) : text_(text) {}  // NOLINT(google-explicit-constructor)

  std::string text() const { return std::string(text_); }
  operator std::string() const { return text(); }  // NOLINT(google-explicit-constructor)

 private:
  std::string_view text_;
};

// A name or a number as it is told.
using Text = const std::string&;

// A sentence about something: a text with a place, "{}", for each thing that it
// is about, which the compiler checks; or a function, where grammar asks for more.
template <class... About>
class Saying {
 public:
  consteval Saying(const char* text) : text_(text) {  // NOLINT(google-explicit-constructor)
    (void)fmt::format_string<About...>(text);
  }
  template <std::invocable<About...> Words>
  constexpr Saying(Words words) : words_(words) {}  // NOLINT(google-explicit-constructor)

  std::string operator()(About... about) const {
    if constexpr ((fmt::is_formattable<std::remove_cvref_t<About>>::value && ...)) {
      if (text_) return fmt::vformat(text_, fmt::make_format_args(about...));
    }
    return words_(about...);
  }

 private:
  const char* text_ = nullptr;
  std::string (*words_)(About...) = nullptr;
};

}  // namespace attn
