#include "reading/json/json.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/expression.h"
#include "base/numbers.h"
#include "base/text.h"
#include "reading/json/syntax.h"

namespace attn {
namespace {

// Deeper nesting has no meaning in any file of ours, and recursion over it
// would need a stack as deep.
constexpr std::size_t deepest = 64;

// Nobody reads more, and a file can have one every few bytes.
constexpr std::size_t most_duplicates = 1000;

// Numbers that JSON cannot hold are spelled as texts, and so may all others be.
std::optional<double> number_in_text(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const Result<SpelledNumber> number = spelled_number(text);
  if (!number) return std::nullopt;
  return number.value().value;
}

// Negative zero becomes zero, as a trace writes it.
double without_sign_of_zero(double value) { return value == 0 ? 0 : value; }

std::optional<std::int64_t> whole(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::abs(value) > exact || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// An iterator over bytes that says how far the parser has read.
struct Reading {
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** furthest;

  reference operator*() const { return *at; }
  Reading& operator++() {
    *furthest = ++at;
    return *this;
  }
  Reading operator++(int) {
    const Reading before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Reading& other) const { return at == other.at; }
  bool operator!=(const Reading& other) const { return at != other.at; }
};

// A list, still open, that holds numbers as far as is known.
struct OpenNumbers {
  std::unique_ptr<JsonNumbers> made = std::make_unique<JsonNumbers>();
  ListPlace open;                   // how many elements each open list has so far
  std::size_t depth_of_values = 0;  // 0 until the first value comes

  bool is_odd() const { return made->odd.has_value(); }
  void set_odd(std::string what, std::string elsewhere) {
    if (!is_odd()) made->odd = JsonNumbers::Odd{open, std::move(what), std::move(elsewhere)};
  }

  void open_list() {
    if (depth_of_values != 0 && open.size() >= depth_of_values) set_odd("a list", "a number");
    open.push_back(0);
    if (!is_odd() && open.size() > made->numbers.rank()) made->numbers.open_level();
  }

  void close_list() {
    if (!is_odd()) made->numbers.finish_list(open.size() - 1, open.back());
    open.pop_back();
    if (!open.empty() && !is_odd()) ++open.back();
  }

  void add(double value) {
    if (is_odd()) return;
    if (made->numbers.rank() != open.size()) return set_odd("a number", "a list");
    depth_of_values = open.size();
    made->numbers.append(value);
    ++open.back();
  }
};

struct OpenObject {
  JsonObject made;
  std::string key;                    // of the member that comes next
  std::vector<std::size_t> key_ends;  // where in the text each key ends
};

struct OpenList {
  JsonList made;
  std::size_t count = 0;
  bool has_plain = false;  // a number, boolean or null is among them
};

using Open = std::variant<OpenNumbers, OpenObject, OpenList>;

bool is_plain(const JsonValue& value) {
  return value.number() || value.boolean() || std::holds_alternative<std::nullptr_t>(value.held);
}

// Builds the tree while nlohmann's parser calls it.
class Builder {
 public:
  Builder(std::string_view text, std::span<const std::string_view> text_members)
      : text_(text), text_members_(text_members), furthest_(text.data()) {}

  const char** furthest() { return &furthest_; }
  std::size_t position() const { return static_cast<std::size_t>(furthest_ - text_.data()); }
  std::size_t gave_up_at() const { return gave_up_at_; }
  std::optional<Diagnostic> too_deep() const { return too_deep_; }
  ParsedJson take() { return {std::move(root_), std::move(faults_)}; }

  // What nlohmann's parser calls. Returning false stops it.

  bool null() { return other(JsonValue{nullptr}, "null"); }
  bool boolean(bool value) {
    OpenNumbers* numbers = open_numbers();
    if (!numbers) return put(JsonValue{value});
    if (!numbers->is_odd() && !numbers->made->first_boolean) numbers->made->first_boolean = numbers->open;
    numbers->add(value ? 1 : 0);
    return true;
  }
  bool number_integer(std::int64_t value) { return number({static_cast<double>(value), value}); }
  bool number_unsigned(std::uint64_t value) {
    const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return number({static_cast<double>(value), fits ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt});
  }
  bool number_float(double value, const std::string&) { return number({without_sign_of_zero(value), whole(value)}); }
  bool string(std::string& value) {
    OpenNumbers* const numbers = open_numbers();
    if (!numbers || numbers->is_odd()) return other(JsonValue{std::move(value)}, "a text");
    if (const std::optional<double> number = number_in_text(value)) {
      numbers->add(*number);
      return true;
    }
    if (numbers->made->numbers.values().empty()) return other(JsonValue{std::move(value)}, "a text");
    numbers->set_odd("a text", "a number");
    numbers->made->odd->text = std::move(value);
    return true;
  }
  bool binary(const std::vector<std::uint8_t>&) { return false; }

  bool start_object(std::size_t) {
    if (!deeper()) return false;
    if (OpenNumbers* numbers = open_numbers()) no_numbers(*numbers, "an object");
    open_.emplace_back(OpenObject{});
    return true;
  }
  bool key(std::string& name) {
    auto& object = std::get<OpenObject>(open_.back());
    object.key = std::move(name);
    object.key_ends.push_back(position());
    if (open_.size() == 1) {
      in_texts_ = std::ranges::find(text_members_, std::string_view(object.key)) != text_members_.end();
    }
    return true;
  }
  bool end_object() {
    --depth_;
    remove_duplicates(std::get<OpenObject>(open_.back()));
    JsonValue value{std::move(std::get<OpenObject>(open_.back()).made)};
    open_.pop_back();
    return put(std::move(value));
  }

  bool start_array(std::size_t) {
    if (!deeper()) return false;
    if (OpenNumbers* numbers = open_numbers()) {
      numbers->open_list();
    } else if (in_texts_) {
      open_.emplace_back(OpenList{});
    } else {
      open_.emplace_back(OpenNumbers{});
      open_numbers()->open_list();
    }
    return true;
  }
  bool end_array() {
    --depth_;
    JsonValue value;
    if (OpenNumbers* numbers = open_numbers()) {
      numbers->close_list();
      if (!numbers->open.empty()) return true;
      if (numbers->made->numbers.rank() == 1 && numbers->made->numbers.values().empty() && !numbers->is_odd()) {
        value.held = JsonList();
      } else {
        value.held = std::move(numbers->made);
      }
    } else {
      value.held = std::move(std::get<OpenList>(open_.back()).made);
    }
    open_.pop_back();
    return put(std::move(value));
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    gave_up_at_ = position;
    return false;
  }

 private:
  OpenNumbers* open_numbers() { return open_.empty() ? nullptr : std::get_if<OpenNumbers>(&open_.back()); }

  bool deeper() {
    if (++depth_ <= deepest) return true;
    too_deep_ = {.code = "too-deep",
                 .where = "",
                 .message = "lists and objects are nested more than " + std::to_string(deepest) + " deep here",
                 .help = "no part of a file needs more than a few levels",
                 .range = TextRange{position() - 1, position()}};
    return false;
  }

  bool number(JsonNumber number) {
    if (OpenNumbers* numbers = open_numbers()) {
      numbers->add(number.value);
      return true;
    }
    return put(JsonValue{number});
  }

  // A value that is no number, nor spells one.
  bool other(JsonValue value, const char* what) {
    if (OpenNumbers* numbers = open_numbers()) no_numbers(*numbers, what);
    return put(std::move(value));
  }

  // The open list that was taken for numbers has something else. Where it has
  // no number yet it becomes a list of anything.
  void no_numbers(OpenNumbers& numbers, const char* what) {
    if (numbers.is_odd() || !numbers.made->numbers.values().empty()) return numbers.set_odd(what, "a number");
    const ListPlace counts = numbers.open;
    open_.pop_back();
    for (const std::size_t count : counts) {
      OpenList list;
      list.count = count;
      for (std::size_t i = 0; i < count; ++i) list.made.push_back(JsonValue{JsonList()});
      open_.emplace_back(std::move(list));
    }
  }

  // Hands a finished value to what holds it.
  bool put(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto* object = std::get_if<OpenObject>(&open_.back())) {
      object->made.members.push_back({std::move(object->key), std::move(value)});
    } else if (auto* list = std::get_if<OpenList>(&open_.back())) {
      ++list->count;
      const bool plain = is_plain(value);
      if (!plain || !list->has_plain) list->made.push_back(std::move(value));
      list->has_plain = list->has_plain || plain;
    }
    return true;
  }

  void remove_duplicates(OpenObject& object) {
    std::vector<JsonMember>& members = object.made.members;
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const std::string& { return members[i].key; });

    std::vector<bool> again(members.size());
    bool any = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (members[order[i]].key != members[order[i - 1]].key) continue;
      again[order[i]] = any = true;
    }
    if (!any) return;

    std::vector<JsonMember> kept;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (again[i]) {
        if (faults_.size() < most_duplicates) faults_.push_back(given_twice(members[i].key, object.key_ends[i]));
      } else {
        kept.push_back(std::move(members[i]));
      }
    }
    members = std::move(kept);
  }

  Diagnostic given_twice(const std::string& key, std::size_t key_end) const {
    const std::string where = pointer(place(), key);
    std::size_t begin = key_end - 1;
    const auto is_escaped = [&](std::size_t quote) {
      std::size_t slashes = 0;
      while (text_[quote - 1 - slashes] == '\\') ++slashes;
      return slashes % 2 == 1;
    };
    do {
      --begin;
    } while (text_[begin] != '"' || is_escaped(begin));
    return {.code = "duplicate-key",
            .where = where,
            .message = shortened(printable(where), 60) + " is given twice",
            .help = "keep one of the two",
            .range = TextRange{begin, key_end},
            .at_key = true};
  }

  // The pointer to the object that is open innermost.
  std::string place() const {
    std::string where;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      if (const auto* object = std::get_if<OpenObject>(&open_[i])) where = pointer(where, object->key);
      if (const auto* list = std::get_if<OpenList>(&open_[i])) where = pointer(where, std::to_string(list->count));
      if (const auto* numbers = std::get_if<OpenNumbers>(&open_[i])) where = pointer(where, numbers->open);
    }
    return where;
  }

  std::string_view text_;
  std::span<const std::string_view> text_members_;
  const char* furthest_;
  std::vector<Open> open_;
  std::size_t depth_ = 0;
  bool in_texts_ = false;  // below a member whose lists hold texts
  JsonValue root_;
  Diagnostics faults_;
  std::optional<Diagnostic> too_deep_;
  std::size_t gave_up_at_ = 0;
};

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

// Here JsonMember is complete.
JsonObject::JsonObject() = default;
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject& JsonObject::operator=(JsonObject&&) noexcept = default;
JsonObject::~JsonObject() = default;

const JsonValue* JsonObject::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &JsonMember::key);
  return found == members.end() ? nullptr : &found->value;
}

std::string in_words(const JsonValue& value) {
  if (const auto* number = value.number()) return shortest(number->value);
  if (const auto* boolean = value.boolean()) return *boolean ? "true" : "false";
  if (value.text()) return "\"" + shortened(printable(*value.text()), 30) + "\"";
  if (value.object()) return "an object";
  return value.list() || value.numbers() ? "a list" : "null";
}

Result<ParsedJson> parse_json(std::string_view text, std::span<const std::string_view> text_members) {
  if (auto fault = encoding_fault(text)) return *fault;
  Builder builder(text, text_members);
  const char* const end = text.data() + text.size();
  const bool read =
      nlohmann::json::sax_parse(Reading{text.data(), builder.furthest()}, Reading{end, builder.furthest()}, &builder,
                                nlohmann::json::input_format_t::json, true, true);
  if (read) return builder.take();
  if (builder.too_deep()) return *builder.too_deep();
  return syntax_fault(text, builder.gave_up_at());
}

std::string pointer(std::string_view parent, std::string_view key) { return std::string(parent) + "/" + escaped(key); }

std::string pointer(std::string_view parent, const ListPlace& place) {
  std::string where(parent);
  for (const std::size_t index : place) where += "/" + std::to_string(index);
  return where;
}

}  // namespace attn
