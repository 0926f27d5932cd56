#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "reading/json/scanner.h"
#include "tensor/nested.h"

namespace attn {

struct JsonMember;
struct JsonObject;

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
  // others are lists. Nothing is read of what follows it.
  struct Odd {
    ListPlace place;
    std::string what;       // "a number", "an object", …
    std::string elsewhere;  // what stands there otherwise: "a list"
    std::string text = {};  // what it says, if it is a text
  };
  std::optional<Odd> odd = std::nullopt;
};

// A value of a JSON text: the piece of the text that spells it, so that it has
// its place. What it says is read from there whenever it is asked for, at a cost
// in proportion to the piece. The text has to outlive it.
class JsonValue {
 public:
  enum class Kind { object, list, text, number, boolean, null };

  // REQUIRES: a value of a text that parse_json reads, without blanks around it.
  explicit JsonValue(std::string_view spelling) : spelling_(spelling) {}

  Kind kind() const;
  std::string_view spelling() const { return spelling_; }

  // Each is nothing where the value is of another kind.
  std::optional<JsonNumber> number() const;
  std::optional<bool> boolean() const;
  std::optional<std::string> text() const;
  std::optional<JsonObject> object() const;
  std::optional<std::vector<JsonValue>> elements() const;

  // A list is one of numbers, or of anything: the first element that is no list,
  // however deep, says which. An empty list is one of anything; lists with
  // nothing but empty ones in them are of numbers.
  std::optional<JsonNumbers> numbers() const;
  std::optional<std::vector<JsonValue>> list() const;

  // Whether it is a list with nothing but lists in it, or with nothing at all.
  bool is_hollow() const;

  // Whether it is a list of numbers. REQUIRES: a list.
  bool holds_numbers() const;

 private:
  Token first_leaf() const;

  std::string_view spelling_;
};

struct JsonMember {
  std::string_view key_spelling;  // with its quotes
  JsonValue value;

  std::string key() const;
  bool is_called(std::string_view wanted) const;
};

struct JsonObject {
  std::deque<JsonMember> members;  // in the order of the text; of a key given twice the first

  std::optional<JsonValue> find(std::string_view key) const;
};

// Goes through the elements of a list, or the members of an object, a key that
// is given again among them. REQUIRES: a list or an object.
class JsonWalk {
 public:
  explicit JsonWalk(const JsonValue& whole);

  bool next();

  JsonValue value() const { return value_; }
  std::string_view key_spelling() const { return key_; }  // of a member: with its quotes

 private:
  std::string_view text_;
  Scanner scanner_;
  std::string_view key_;
  JsonValue value_;
};

// The values of members, by their keys; nothing where there is none. REQUIRES: an object; as many of both, and `found`
// holds nothing.
void find_members(const JsonValue& object, std::span<const std::string_view> keys,
                  std::span<std::optional<JsonValue>> found);

// The same: const auto [id, data] = members_called(step, {"id", "data"}). Takes no memory for others.
template <std::size_t Count>
std::array<std::optional<JsonValue>, Count> members_called(const JsonValue& object,
                                                           const std::string_view (&keys)[Count]) {
  std::array<std::optional<JsonValue>, Count> found;
  find_members(object, keys, found);
  return found;
}

// How many elements a list has, or members an object, a key that is given again among them. REQUIRES: one of both.
std::size_t size_of(const JsonValue& whole);

// The integer that a number is; nothing where it is none, or beyond 2^53, where it may have been rounded.
std::optional<std::int64_t> whole_of(double value);

// What a number says, from its spelling. REQUIRES: one of a text that parse_json reads.
JsonNumber number_spelled(std::string_view spelling);

// Where in the text a piece of it stands.
TextRange place_in(std::string_view text, std::string_view piece);

// The first value in a list that is no list, and its pointer; any other value itself.
std::pair<JsonValue, std::string> first_leaf(JsonValue value, std::string where);

// The value as a sentence names it: 2.5, true, null, "a text", a list, an object.
std::string in_words(const JsonValue& value);

struct ParsedJson {
  JsonValue root;

  // Keys given twice: the first value holds.
  Diagnostics faults;
};

// Reads a JSON text, `//` comments and a byte order mark allowed, and keeps
// nothing of it.
//
// Whatever the bytes are, faults have a place, and no message repeats what is
// not printable.
Result<ParsedJson> parse_json(std::string_view text);

// "/weights/key" and "query" make "/weights/key/query".
std::string pointer(std::string_view parent, std::string_view key);
std::string pointer(std::string_view parent, const ListPlace& place);

}  // namespace attn
