#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

class JsonElements;
class JsonMembers;

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
  JsonElements elements() const;
  JsonMembers members() const;

  // Whether so much is wrong that reading on is of no use: no more faults are kept.
  bool is_enough() const;

  // Which of these a text is; the first where it is none.
  std::size_t one_of(std::initializer_list<std::string_view> known) const;

  // Remembers every other member as what is not computed.
  void has_only(std::initializer_list<std::string_view> known) const;

  // Remembers a fault here: "… must be at least 1".
  void refuse(const std::string& what) const { remember("bad-tokenizer", what); }
  void not_computed(const std::string& what) const { remember("tokenizer-not-computed", what); }
  void remember(std::string_view code, const std::string& what) const;

 private:
  friend class JsonElements;
  friend class JsonMembers;

  JsonPlace(JsonFile& file, const nlohmann::json* value, std::string pointer)
      : file_(&file), value_(value), pointer_(std::move(pointer)) {}

  JsonPlace element(std::size_t index) const;
  JsonPlace member(const std::string& name, const nlohmann::json& value) const;
  void must_be(std::string_view what) const;

  JsonFile* file_;
  const nlohmann::json* value_;  // none where it is missing
  std::string pointer_;
};

// The elements of a list, each made when it is asked for: there may be millions.
class JsonElements {
 public:
  JsonElements(JsonPlace list, std::size_t size) : list_(std::move(list)), size_(size) {}

  class Iterator {
   public:
    Iterator(const JsonPlace& list, std::size_t index) : list_(&list), index_(index) {}
    JsonPlace operator*() const { return list_->element(index_); }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const JsonPlace* list_;
    std::size_t index_;
  };

  Iterator begin() const { return {list_, 0}; }
  Iterator end() const { return {list_, size_}; }
  std::size_t size() const { return size_; }
  JsonPlace operator[](std::size_t index) const { return list_.element(index); }

 private:
  JsonPlace list_;
  std::size_t size_;
};

// The same of an object's members and their names.
class JsonMembers {
 public:
  JsonMembers(JsonPlace object, const nlohmann::json& members) : object_(std::move(object)), members_(&members) {}

  class Iterator {
   public:
    Iterator(const JsonPlace& object, nlohmann::json::const_iterator at) : object_(&object), at_(std::move(at)) {}
    std::pair<std::string, JsonPlace> operator*() const { return {at_.key(), object_->member(at_.key(), at_.value())}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const JsonPlace* object_;
    nlohmann::json::const_iterator at_;
  };

  Iterator begin() const { return {object_, members_->begin()}; }
  Iterator end() const { return {object_, members_->end()}; }

 private:
  JsonPlace object_;
  const nlohmann::json* members_;
};

// A text of somebody's file, for a sentence: printable, and not long.
std::string readable(std::string_view text);

}  // namespace attn
