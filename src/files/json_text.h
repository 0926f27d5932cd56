#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attn {

// What is wrong with a text that some other program wrote as JSON, as the end of a sentence that begins with the file's
// name: "is no JSON from its byte 7 on". Empty where nothing is. Said, too, is what a reader would take in silence or
// with much memory: the byte NUL, a name that an object has twice, and what is nested deeper than 64.
std::string wrong_with_json(const std::string& text);

// What a text says, from its spelling with quotes.
std::string unescaped_json(std::string_view spelling);

// An element of a list, or a member of an object: the pieces of the text that spell it.
struct JsonPart {
  std::string_view name = {};  // with its quotes; empty in a list
  std::string_view value = {};
};

// Such a text as it is: what it says is read from it where it is asked for, so that it takes no more memory than its
// file does, whatever is in it. It stays where it is while there are pieces of it.
class JsonText {
 public:
  // REQUIRES: nothing is wrong with it.
  explicit JsonText(std::string text);

  std::string_view root() const;

  // The first part of a list or an object, and the part behind one; nothing where there is none. Each costs in
  // proportion to the part's length at most.
  std::optional<JsonPart> first_of(std::string_view whole) const;
  std::optional<JsonPart> behind(const JsonPart& part) const;

 private:
  JsonPart part_at(std::size_t begin, bool is_member) const;
  std::string_view value_at(std::size_t begin) const;
  std::size_t behind_blanks(std::size_t begin) const;
  std::size_t place(const char* in_text) const { return static_cast<std::size_t>(in_text - text_.data()); }

  std::string text_;
  std::vector<std::pair<std::size_t, std::size_t>> long_ones_;  // where lists and objects begin and end
};

}  // namespace attn
