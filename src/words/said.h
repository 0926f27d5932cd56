#pragma once

#include <string>
#include <string_view>

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

// A sentence about something: a function of what it is about.
template <class... About>
class Saying {
 public:
  template <class Words>
  constexpr Saying(Words words) : words_(words) {}  // NOLINT(google-explicit-constructor)

  std::string operator()(About... about) const { return words_(about...); }

 private:
  std::string (*words_)(About...);
};

}  // namespace attn
