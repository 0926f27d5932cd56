#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attn {

// An element of a list, or a member of an object: the pieces of the text that spell it.
struct JsonPart {
  std::string_view name = {};  // with its quotes; empty in a list
  std::string_view value = {};
};

struct ReadJsonText;

// A text of JSON as it is: what it says is read from it where it is asked for, so that it takes no more memory than its
// file does, whatever is in it. It stays where it is while there are pieces of it.
class JsonText {
 public:
  std::string_view root() const;

  // The first part of a list or an object, and the part behind one; nothing where there is none. Each costs in
  // proportion to the part's length at most.
  std::optional<JsonPart> first_of(std::string_view whole) const;
  std::optional<JsonPart> behind(const JsonPart& part) const;

 private:
  friend ReadJsonText read_json_text(std::string text);

  JsonPart part_at(std::size_t begin, bool is_member) const;
  std::string_view value_at(std::size_t begin) const;
  std::size_t behind_blanks(std::size_t begin) const;
  std::size_t place(const char* in_text) const { return static_cast<std::size_t>(in_text - text_.data()); }

  std::string text_;
  std::vector<std::pair<std::size_t, std::size_t>> long_ones_;  // where lists and objects begin and end
};

struct ReadJsonText {
  // As the end of a sentence that begins with the file's name: "is no JSON from its byte 7 on". Empty where nothing is.
  std::string wrong = {};
  JsonText text = {};  // if nothing is wrong
};

// Reads a text that some other program wrote as JSON. Wrong, too, is what a reader would take in silence or with much
// memory: the byte NUL, a name that an object has twice, and what is nested deeper than 64.
ReadJsonText read_json_text(std::string text);

}  // namespace attn
