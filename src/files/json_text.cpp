#include "files/json_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/hashed_places.h"
#include "base/text.h"

namespace attn {
namespace {

constexpr std::size_t deepest = 64;

// Goes through a text and builds nothing.
class Precaution : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string fault;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return goes_in(); }
  bool key(string_t&) override { return true; }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override { return goes_in(); }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    fault = "is no JSON from its byte " + std::to_string(position) + " on";
    return false;
  }

 private:
  bool goes_in() {
    if (++depth_ <= deepest) return true;
    fault = "is nested deeper than " + std::to_string(deepest);
    return false;
  }

  std::size_t depth_ = 0;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool opens(char mark) { return mark == '{' || mark == '['; }
bool closes(char mark) { return mark == '}' || mark == ']'; }

// Where the text ends that begins there, its quotes with it. REQUIRES: JSON.
std::size_t end_of_text(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

// Calls `action(begin, end)` with every text, bracket and comma, in order, from a place on, until it says false.
// REQUIRES: JSON.
template <class Action>
void each_mark(std::string_view text, std::size_t begin, Action action) {
  for (std::size_t at = begin; at < text.size();) {
    const char c = text[at];
    if (c != '"' && c != ',' && !opens(c) && !closes(c)) {
      ++at;
      continue;
    }
    const std::size_t end = c == '"' ? end_of_text(text, at) : at + 1;
    if (!action(at, end)) return;
    at = end;
  }
}

// The names of an object, of which there may be millions.
class Names {
 public:
  // REQUIRES: less than 4 GiB.
  explicit Names(std::string_view text) : text_(text) {}

  void add(std::size_t begin, std::size_t end) {
    std::string_view name = text_.substr(begin + 1, end - begin - 2);
    const auto place = static_cast<std::uint32_t>(begin);
    if (name.find('\\') != std::string_view::npos)
      name = unescaped_.emplace_back(place, unescaped_json(text_.substr(begin, end - begin))).second;
    names_.push_back({short_hash(name), place});
  }

  // The one that first says what one before it says.
  std::optional<std::string> repeated() {
    std::optional<std::uint32_t> first;
    put_in_order(
        names_, [&](std::uint32_t place) { return spelled(place); },
        [&](std::uint32_t place) { first = std::min(place, first.value_or(place)); });
    return first ? std::optional(std::string(spelled(*first))) : std::nullopt;
  }

 private:
  std::string_view spelled(std::uint32_t place) const {
    const std::string_view quoted = text_.substr(place, end_of_text(text_, place) - place);
    if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2);
    return std::ranges::lower_bound(unescaped_, place, {}, &std::pair<std::uint32_t, std::string>::first)->second;
  }

  std::string_view text_;
  std::vector<HashedPlace> names_;
  std::vector<std::pair<std::uint32_t, std::string>> unescaped_;  // in order of their places
};

// A name that an object has twice; nothing where there is none. REQUIRES: JSON, nested no deeper than 64.
std::optional<std::string> repeated_name(std::string_view text) {
  struct Open {
    bool is_object, is_before_a_name;
    Names names;
  };
  std::vector<Open> open;
  std::optional<std::string> repeated;
  each_mark(text, 0, [&](std::size_t begin, std::size_t end) {
    const char mark = text[begin];
    if (opens(mark)) {
      open.push_back({.is_object = mark == '{', .is_before_a_name = mark == '{', .names = Names(text)});
    } else if (closes(mark)) {
      repeated = open.back().names.repeated();
      open.pop_back();
    } else if (mark == ',') {
      open.back().is_before_a_name = open.back().is_object;
    } else if (!open.empty() && open.back().is_before_a_name) {
      open.back().names.add(begin, end);
      open.back().is_before_a_name = false;
    }
    return !repeated;
  });
  return repeated;
}

constexpr std::size_t length_of_long_ones = 4096;

}  // namespace

std::string wrong_with_json(const std::string& text) {
  // The library takes it for the end of the text.
  if (text.find('\0') != std::string::npos) return "has the byte NUL, which JSON has not";
  Precaution precaution;
  if (!nlohmann::json::sax_parse(text, &precaution)) return precaution.fault.empty() ? "is no JSON" : precaution.fault;
  const auto name = repeated_name(text);
  return name ? "says twice what `" + shown(*name) + "` is" : "";
}

std::string unescaped_json(std::string_view spelling) {
  if (spelling.find('\\') == std::string_view::npos) return std::string(spelling.substr(1, spelling.size() - 2));
  return nlohmann::json::parse(spelling).get<std::string>();
}

JsonText::JsonText(std::string text) : text_(std::move(text)) {
  std::vector<std::size_t> open;
  each_mark(text_, 0, [&](std::size_t begin, std::size_t end) {
    if (opens(text_[begin])) {
      open.push_back(begin);
    } else if (closes(text_[begin])) {
      if (end - open.back() >= length_of_long_ones) long_ones_.emplace_back(open.back(), end);
      open.pop_back();
    }
    return true;
  });
  std::ranges::sort(long_ones_);
}

std::string_view JsonText::root() const {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  return value_at(behind_blanks(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0));
}

std::optional<JsonPart> JsonText::first_of(std::string_view whole) const {
  const std::size_t begin = behind_blanks(place(whole.data()) + 1);
  return closes(text_[begin]) ? std::nullopt : std::optional(part_at(begin, whole.front() == '{'));
}

std::optional<JsonPart> JsonText::behind(const JsonPart& part) const {
  const std::size_t comma = behind_blanks(place(part.value.data()) + part.value.size());
  return text_[comma] != ',' ? std::nullopt : std::optional(part_at(behind_blanks(comma + 1), !part.name.empty()));
}

JsonPart JsonText::part_at(std::size_t begin, bool is_member) const {
  if (!is_member) return {{}, value_at(begin)};
  const std::string_view name = value_at(begin);
  const std::size_t colon = behind_blanks(begin + name.size());
  return {name, value_at(behind_blanks(colon + 1))};
}

std::string_view JsonText::value_at(std::size_t begin) const {
  const std::string_view all = text_;
  std::size_t end = begin;
  if (all[begin] == '"') {
    end = end_of_text(all, begin);
  } else if (opens(all[begin])) {
    const auto known = std::ranges::lower_bound(long_ones_, std::pair(begin, std::size_t{0}));
    if (known != long_ones_.end() && known->first == begin) return all.substr(begin, known->second - begin);
    std::size_t depth = 0;
    each_mark(all, begin, [&](std::size_t mark, std::size_t behind_it) {
      if (opens(all[mark])) ++depth;
      if (closes(all[mark])) --depth;
      end = behind_it;
      return depth > 0;
    });
  } else {
    while (end < all.size() && all[end] != ',' && !closes(all[end]) && !is_blank(all[end])) ++end;
  }
  return all.substr(begin, end - begin);
}

std::size_t JsonText::behind_blanks(std::size_t begin) const {
  while (begin < text_.size() && is_blank(text_[begin])) ++begin;
  return begin;
}

}  // namespace attn
