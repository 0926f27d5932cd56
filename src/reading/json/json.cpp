#include "reading/json/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json_spelling.h"
#include "base/numbers.h"
#include "base/text.h"

namespace attn {
namespace {

bool opens(Token::Kind kind) { return kind == Token::Kind::open_object || kind == Token::Kind::open_list; }

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
  return unescaped_json(spelling_);
}

std::optional<JsonObject> JsonValue::object() const {
  if (kind() != Kind::object) return std::nullopt;
  JsonObject object;
  JsonKeys keys(spelling_);
  for (JsonWalk walk(*this); walk.next();) {
    keys.add(walk.key_spelling());
    object.members.push_back({walk.key_spelling(), walk.value()});
  }
  const std::vector<std::uint32_t> repeated = keys.repeated();
  if (repeated.empty()) return object;
  std::erase_if(object.members, [&](const JsonMember& member) {
    return std::ranges::binary_search(repeated, place_in(spelling_, member.key_spelling).begin);
  });
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

std::string JsonMember::key() const { return unescaped_json(key_spelling); }

bool JsonMember::is_called(std::string_view wanted) const {
  const std::string_view inside = key_spelling.substr(1, key_spelling.size() - 2);
  // An escape takes at least one byte more than what it stands for, and at most six times as many.
  constexpr std::size_t most_a_byte = 6;
  if (inside.size() < wanted.size() || inside.size() > most_a_byte * wanted.size()) return false;
  const bool has_escapes = inside.find('\\') != std::string_view::npos;
  return has_escapes ? key() == wanted : inside == wanted;
}

std::optional<JsonValue> JsonObject::find(std::string_view key) const {
  const auto found = std::ranges::find_if(members, [&](const JsonMember& member) { return member.is_called(key); });
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

void find_members(const JsonValue& object, std::span<const std::string_view> keys,
                  std::span<std::optional<JsonValue>> found) {
  std::size_t missing = keys.size();
  for (JsonWalk walk(object); missing > 0 && walk.next();) {
    const JsonMember member{walk.key_spelling(), walk.value()};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (found[i] || !member.is_called(keys[i])) continue;
      found[i] = member.value;
      --missing;
    }
  }
}

std::size_t size_of(const JsonValue& whole) {
  std::size_t count = 0;
  for (JsonWalk walk(whole); walk.next();) ++count;
  return count;
}

std::optional<std::int64_t> whole_of(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::abs(value) > exact || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
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
  return {value, whole_of(value)};
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

std::string pointer(std::string_view parent, std::string_view key) {
  return std::string(parent) + "/" + pointer_step(key);
}

std::string pointer(std::string_view parent, const ListPlace& place) {
  std::string where(parent);
  for (const std::size_t index : place) where += "/" + std::to_string(index);
  return where;
}

}  // namespace attn
