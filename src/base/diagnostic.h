#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// A range of bytes in a file's text: [begin, end).
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const TextRange&) const = default;
};

// What to do about a fault. There is always something, so none is without: it
// has no default, and an empty one does not compile, or is a defect.
class Help {
 public:
  template <std::size_t Size>
  Help(const char (&text)[Size]) : Help(std::string_view(text, Size - 1)) {  // NOLINT(google-explicit-constructor)
    static_assert(Size > 1, "a fault says what to do");
  }
  template <class Text>
  requires std::same_as<Text, const char*> Help(const Text& text)
      : Help(std::string_view(text)) {}                            // NOLINT(google-explicit-constructor)
  Help(const std::string& text) : Help(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)

  const std::string& text() const { return text_; }

 private:
  explicit Help(std::string_view text);

  std::string text_;
};

// One fault in what a person gave us, as data: nothing here prints.
//
// `message` says what was observed and what was expected: lower case, no final
// full stop. `help` says what to do.
struct Diagnostic {
  std::string code;        // stable name, e.g. "shape-mismatch"; tests match on it
  std::string where = {};  // JSON Pointer into the file, e.g. "/weights/key/1"; "" is the whole file
  std::string message = {};
  Help help;

  // Set where a pointer cannot say the place: syntax errors, a key given twice.
  std::optional<TextRange> range = std::nullopt;

  // Whether the key at `where` is meant rather than its value.
  bool at_key = false;

  // How many more faults were found behind this one, and not kept.
  std::size_t unkept = 0;
};

using Diagnostics = std::vector<Diagnostic>;

// One fault as all there are.
Diagnostics only(Diagnostic fault);

}  // namespace attn
