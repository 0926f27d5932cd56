#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "tensor/nested.h"

namespace attn {

struct JsonValue;

struct JsonNumber {
  double value = 0;
  std::optional<std::int64_t> whole = std::nullopt;  // set where it is an integer that fits
};

// A list of numbers, or of lists of numbers. Texts that spell a number
// (base/expression.h), and "nan", are numbers among them; true and false are 1
// and 0.
struct JsonNumbers {
  NestedNumbers numbers;
  std::optional<ListPlace> first_boolean = std::nullopt;

  // The first element that does not fit: a text, say, or a number where the
  // others are lists. Nothing is kept of what follows it.
  struct Odd {
    ListPlace place;
    std::string what;       // "a number", "an object", …
    std::string elsewhere;  // what stands there otherwise: "a list"
    std::string text = {};  // what it says, if it is a text
  };
  std::optional<Odd> odd = std::nullopt;
};

// Any other list; every empty one too. Of numbers, booleans and nulls among its
// elements only the first is kept.
using JsonList = std::vector<JsonValue>;

struct JsonMember;
struct JsonObject {
  JsonObject();
  JsonObject(JsonObject&&) noexcept;
  JsonObject& operator=(JsonObject&&) noexcept;
  ~JsonObject();

  std::vector<JsonMember> members;  // in the order of the text

  const JsonValue* find(std::string_view key) const;
};

// What a JSON text says.
struct JsonValue {
  std::variant<std::nullptr_t, bool, JsonNumber, std::string, std::unique_ptr<JsonNumbers>, JsonList, JsonObject> held =
      nullptr;

  const JsonNumber* number() const { return std::get_if<JsonNumber>(&held); }
  const bool* boolean() const { return std::get_if<bool>(&held); }
  const std::string* text() const { return std::get_if<std::string>(&held); }
  const JsonList* list() const { return std::get_if<JsonList>(&held); }
  const JsonObject* object() const { return std::get_if<JsonObject>(&held); }
  JsonObject* object() { return std::get_if<JsonObject>(&held); }
  const JsonNumbers* numbers() const {
    const auto found = std::get_if<std::unique_ptr<JsonNumbers>>(&held);
    return found ? found->get() : nullptr;
  }
  JsonNumbers* numbers() {
    const auto found = std::get_if<std::unique_ptr<JsonNumbers>>(&held);
    return found ? found->get() : nullptr;
  }
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

// The value as a sentence names it: 2.5, true, null, "a text", a list, an object.
std::string in_words(const JsonValue& value);

struct ParsedJson {
  JsonValue root;

  // Keys given twice: the first value holds.
  Diagnostics faults;
};

// Reads a JSON text, `//` comments and a byte order mark allowed. Needs memory
// in proportion to the text, about 16 bytes a number.
//
// `text_members` are members of the outermost object whose lists hold texts:
// there "inf" and "2" are words like any other.
//
// Whatever the bytes are, faults have a place, and no message repeats what is
// not printable.
Result<ParsedJson> parse_json(std::string_view text, std::span<const std::string_view> text_members = {});

// "/weights/key" and "query" make "/weights/key/query".
std::string pointer(std::string_view parent, std::string_view key);
std::string pointer(std::string_view parent, const ListPlace& place);

}  // namespace attn
