#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_spelling.h"
#include "base/result.h"
#include "files/json_text.h"

namespace attn {

// A file of JSON that is being read, and what is wrong with it.
struct JsonFile {
  std::string name;  // as sentences have it: "tokenizer.json"
  JsonText text;
  Diagnostics faults = {};  // the first few
};

// Faults: "bad-tokenizer". An object, no deeper than 64, and with no name twice.
Result<JsonFile> parse_json_file(std::string name, std::string text);

class JsonPlaces;

// A place in such a file. What is asked of it and is not there is remembered as a fault of the file, and
// something given in its stead, so that who reads need not stop at the first. The file outlives its places.
class JsonPlace {
 public:
  explicit JsonPlace(JsonFile& file) : JsonPlace(file, {.value = file.text.root()}, nullptr) {}

  bool is_missing() const { return part_.value.empty(); }

  // Missing, or null.
  bool is_null() const { return is_missing() || begins_with('n'); }
  bool is_object() const { return begins_with('{'); }
  bool is_text() const { return begins_with('"'); }
  bool is_list() const { return begins_with('['); }

  // Of an object's member: what it is called.
  std::string name() const { return unescaped_json(part_.name); }

  JsonPlace operator[](std::string_view member) const;

  std::string text() const;
  std::string text_or_none() const { return is_null() ? "" : text(); }
  bool flag() const;
  bool flag_or(bool otherwise) const { return is_missing() ? otherwise : flag(); }
  std::size_t whole() const { return read_whole().value_or(0); }  // below 2³² − 1
  std::optional<std::size_t> read_whole() const;                  // nothing where it is none, which is a fault too
  double number() const;                                          // finite

  // Nothing where it is no list, or no object.
  JsonPlaces elements() const;
  JsonPlaces members() const;

  // Both elements of a list of two; nothing, and no fault, where it is something else.
  std::optional<std::pair<JsonPlace, JsonPlace>> pair() const;

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
  friend class JsonPlaces;

  using Whole = std::shared_ptr<const JsonPlace>;

  JsonPlace(JsonFile& file, JsonPart part, Whole whole, std::size_t index = 0)
      : file_(&file), part_(part), whole_(std::move(whole)), index_(index) {}

  Whole shared() const { return std::make_shared<const JsonPlace>(*this); }
  std::string pointer() const;
  bool begins_with(char c) const { return !is_missing() && part_.value.front() == c; }
  void must_be(std::string_view what) const;

  JsonFile* file_;
  JsonPart part_;                       // of no value where it is missing
  Whole whole_;                         // that it is a part of
  std::size_t index_ = 0;               // there, of an element
  std::optional<std::string> missing_;  // what a member that is not there would be called
};

// The elements of a list or the members of an object, each made when it is asked for: there may be millions.
class JsonPlaces {
 public:
  class Iterator {
   public:
    Iterator(const JsonPlace::Whole* whole, std::optional<JsonPart> part) : whole_(whole), part_(part) {}
    JsonPlace operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return part_.has_value() == other.part_.has_value(); }

   private:
    const JsonPlace::Whole* whole_;
    std::optional<JsonPart> part_;  // nothing at the end
    std::size_t index_ = 0;
  };

  // Of none at all where it is missing.
  explicit JsonPlaces(const JsonPlace& whole) : whole_(whole.shared()) {}

  Iterator begin() const;
  Iterator end() const { return {&whole_, std::nullopt}; }

  std::size_t size() const;  // goes through all of them

 private:
  JsonPlace::Whole whole_;
};

// A text of somebody's file, for a sentence: printable, and not long.
std::string readable(std::string_view text);

}  // namespace attn
