#include "reading/json/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "base/numbers.h"
#include "base/text.h"
#include "base/utf8.h"

namespace attn {
namespace {

bool opens(Token::Kind kind) { return kind == Token::Kind::open_object || kind == Token::Kind::open_list; }

std::optional<std::int64_t> whole(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::abs(value) > exact || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// The four hexadecimal digits of an escape.
char32_t code_unit(std::string_view digits) {
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + 4, value, 16);
  return value;
}

// Adds what an escape stands for, and returns how many bytes it takes.
std::size_t append_escaped(std::string_view escape, std::string& text) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  if (escape[1] != 'u') {
    text += meant[letters.find(escape[1])];
    return 2;
  }
  const char32_t unit = code_unit(escape.substr(2));
  const bool is_half = unit >= 0xD800 && unit < 0xDC00;
  append_utf8(is_half ? 0x10000 + ((unit - 0xD800) << 10) + (code_unit(escape.substr(8)) - 0xDC00) : unit, text);
  return is_half ? 12 : 6;
}

// A key as a step of a JSON Pointer.
std::string escaped(std::string_view step) {
  std::string result;
  for (const char c : step) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

JsonValue::Kind JsonValue::kind() const {
  switch (spelling_.front()) {
    case '{':
      return Kind::object;
    case '[':
      return Kind::list;
    case '"':
      return Kind::text;
    case 't':
    case 'f':
      return Kind::boolean;
    case 'n':
      return Kind::null;
    default:
      return Kind::number;
  }
}

std::optional<JsonNumber> JsonValue::number() const {
  return kind() == Kind::number ? std::optional(number_spelled(spelling_)) : std::nullopt;
}

std::optional<bool> JsonValue::boolean() const {
  if (kind() != Kind::boolean) return std::nullopt;
  return spelling_.front() == 't';
}

std::optional<std::string> JsonValue::text() const {
  if (kind() != Kind::text) return std::nullopt;
  return unquoted(spelling_);
}

std::optional<JsonObject> JsonValue::object() const {
  if (kind() != Kind::object) return std::nullopt;
  std::vector<JsonMember> members;
  std::vector<std::string_view> keys;
  for (JsonWalk walk(*this); walk.next();) {
    keys.push_back(walk.key_spelling());
    members.push_back({unquoted(keys.back()), keys.back(), walk.value()});
  }
  const std::vector<std::size_t> repeated = repeated_keys(keys);
  if (repeated.empty()) return JsonObject{std::move(members)};
  JsonObject object;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!std::ranges::binary_search(repeated, i)) object.members.push_back(std::move(members[i]));
  }
  return object;
}

std::optional<std::vector<JsonValue>> JsonValue::elements() const {
  if (kind() != Kind::list) return std::nullopt;
  std::vector<JsonValue> all;
  for (JsonWalk walk(*this); walk.next();) all.push_back(walk.value());
  return all;
}

std::optional<std::vector<JsonValue>> JsonValue::list() const {
  return kind() == Kind::list && !holds_numbers() ? elements() : std::nullopt;
}

std::optional<JsonValue> JsonObject::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &JsonMember::key);
  return found == members.end() ? std::nullopt : std::optional(found->value);
}

JsonWalk::JsonWalk(const JsonValue& whole) : text_(whole.spelling()), scanner_(text_), value_(text_) {
  scanner_.next();  // the bracket
}

bool JsonWalk::next() {
  Token token = scanner_.next();
  if (token.kind == Token::Kind::comma) token = scanner_.next();
  if (token.kind == Token::Kind::close_list || token.kind == Token::Kind::close_object) return false;
  if (text_.front() == '{') {
    key_ = spelled(text_, token.range);
    scanner_.next();  // the colon
    token = scanner_.next();
  }
  const std::size_t end = opens(token.kind) ? scanner_.skip_rest() : token.range.end;
  value_ = JsonValue(spelled(text_, {token.range.begin, end}));
  return true;
}

JsonNumber number_spelled(std::string_view spelling) {
  const char* const end = spelling.data() + spelling.size();
  std::int64_t integer = 0;
  const auto whole_read = std::from_chars(spelling.data(), end, integer);
  if (whole_read.ec == std::errc() && whole_read.ptr == end) return {static_cast<double>(integer), integer};
  double value = 0;
  // What is out of range is too small: parse_json has refused what is too large.
  const bool is_small = std::from_chars(spelling.data(), end, value).ec != std::errc();
  // Negative zero becomes zero, as a trace writes it.
  if (is_small || value == 0) value = 0;
  return {value, whole(value)};
}

std::string unquoted(std::string_view spelling) {
  const std::string_view inside = spelling.substr(1, spelling.size() - 2);
  std::string text;
  for (std::size_t at = 0; at < inside.size();) {
    const std::size_t escape = std::min(inside.find('\\', at), inside.size());
    text += inside.substr(at, escape - at);
    at = escape;
    if (at < inside.size()) at += append_escaped(inside.substr(at), text);
  }
  return text;
}

std::vector<std::size_t> repeated_keys(std::span<const std::string_view> spellings) {
  std::vector<std::size_t> repeated;
  if (spellings.size() < 2) return repeated;
  std::map<std::size_t, std::string> unescaped;  // by their places
  const auto text = [&](std::size_t place) {
    const auto found = unescaped.find(place);
    return found == unescaped.end() ? spellings[place].substr(1, spellings[place].size() - 2) : found->second;
  };
  std::vector<std::pair<std::size_t, std::size_t>> places;  // by hashes: sooner sorted than a table is made
  places.reserve(spellings.size());
  for (std::size_t place = 0; place < spellings.size(); ++place) {
    if (spellings[place].find('\\') != std::string_view::npos) unescaped.emplace(place, unquoted(spellings[place]));
    places.emplace_back(std::hash<std::string_view>()(text(place)), place);
  }
  std::ranges::sort(places);
  for (auto first = places.begin(); first != places.end();) {
    const auto last = std::find_if(first, places.end(), [&](const auto& place) { return place.first != first->first; });
    // Sorted, not compared each with each: a file can be made whose keys all have one hash.
    std::sort(first, last, [&](const auto& one, const auto& other) {
      const int order = text(one.second).compare(text(other.second));
      return order != 0 ? order < 0 : one.second < other.second;
    });
    while (++first != last) {
      if (text(first->second) == text(std::prev(first)->second)) repeated.push_back(first->second);
    }
  }
  std::ranges::sort(repeated);
  return repeated;
}

TextRange place_in(std::string_view text, std::string_view piece) {
  const auto begin = static_cast<std::size_t>(piece.data() - text.data());
  return {begin, begin + piece.size()};
}

std::pair<JsonValue, std::string> first_leaf(JsonValue value, std::string where) {
  while (value.kind() == JsonValue::Kind::list && !value.is_hollow()) {
    std::size_t index = 0;
    JsonWalk walk(value);
    while (walk.next() && walk.value().is_hollow()) ++index;
    where = pointer(where, ListPlace{index});
    value = walk.value();
  }
  return {value, where};
}

std::string in_words(const JsonValue& value) {
  switch (value.kind()) {
    case JsonValue::Kind::number:
      return shortest(value.number()->value);
    case JsonValue::Kind::text:
      return "\"" + shortened(printable(*value.text()), 30) + "\"";
    case JsonValue::Kind::object:
      return "an object";
    case JsonValue::Kind::list:
      return "a list";
    case JsonValue::Kind::boolean:
    case JsonValue::Kind::null:
      break;
  }
  return std::string(value.spelling());
}

std::string pointer(std::string_view parent, std::string_view key) { return std::string(parent) + "/" + escaped(key); }

std::string pointer(std::string_view parent, const ListPlace& place) {
  std::string where(parent);
  for (const std::size_t index : place) where += "/" + std::to_string(index);
  return where;
}

}  // namespace attn
