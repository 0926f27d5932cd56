#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace attn {

// A file of JSON that is being read, and what is wrong with it.
struct JsonFile {
  std::string name;  // as sentences have it: "tokenizer.json"
  nlohmann::json value = {};
  Diagnostics faults = {};  // the first few
};

// Faults: "bad-tokenizer". No deeper than 64, and no name twice in an object: the library takes the last.
Result<JsonFile> parse_json_file(std::string name, const std::string& text);

// A place in such a file. What is asked of it and is not there is remembered as a fault of the file, and
// something given in its stead, so that who reads need not stop at the first. The file outlives its places.
class JsonPlace {
 public:
  explicit JsonPlace(JsonFile& file) : JsonPlace(file, &file.value, "") {}

  bool is_missing() const { return value_ == nullptr; }

  // Missing, or null.
  bool is_null() const { return value_ == nullptr || value_->is_null(); }
  bool is_object() const { return value_ != nullptr && value_->is_object(); }
  bool is_text() const { return value_ != nullptr && value_->is_string(); }
  bool is_list() const { return value_ != nullptr && value_->is_array(); }

  JsonPlace operator[](std::string_view member) const;

  std::string text() const;
  std::string text_or_none() const { return is_null() ? "" : text(); }
  bool flag() const;
  bool flag_or(bool otherwise) const { return value_ == nullptr ? otherwise : flag(); }
  std::size_t whole() const;  // below 2³²
  double number() const;      // finite
  std::vector<JsonPlace> elements() const;
  std::vector<std::pair<std::string, JsonPlace>> members() const;

  // Which of these a text is; the first where it is none.
  std::size_t one_of(std::initializer_list<std::string_view> known) const;

  // Remembers every other member as what is not computed.
  void has_only(std::initializer_list<std::string_view> known) const;

  // Remembers a fault here: "… must be at least 1".
  void refuse(const std::string& what) const { remember("bad-tokenizer", what); }
  void not_computed(const std::string& what) const { remember("tokenizer-not-computed", what); }
  void remember(std::string_view code, const std::string& what) const;

 private:
  JsonPlace(JsonFile& file, const nlohmann::json* value, std::string pointer)
      : file_(&file), value_(value), pointer_(std::move(pointer)) {}

  void must_be(std::string_view what) const;

  JsonFile* file_;
  const nlohmann::json* value_;  // none where it is missing
  std::string pointer_;
};

// A text of somebody's file, for a sentence: printable, and not long.
std::string readable(std::string_view text);

}  // namespace attn
