#include "files/json_text.h"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_spelling.h"
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
    const std::size_t end = c == '"' ? end_of_json_text(text, at) : at + 1;
    if (!action(at, end)) return;
    at = end;
  }
}

constexpr std::size_t length_of_long_ones = 4096;

// Where the long lists and objects of a text begin and end, and a name that an object has twice, which ends the search.
struct Outline {
  std::vector<std::pair<std::size_t, std::size_t>> long_ones = {};
  std::optional<std::string> repeated = {};
};

// REQUIRES: JSON, nested no deeper than 64.
Outline outline_of(std::string_view text) {
  struct Open {
    std::size_t begin;
    bool is_object, is_before_a_name;
    JsonKeys keys;
  };
  std::vector<Open> open;
  Outline outline;
  each_mark(text, 0, [&](std::size_t begin, std::size_t end) {
    const char mark = text[begin];
    if (opens(mark)) {
      open.push_back({begin, mark == '{', mark == '{', JsonKeys(text)});
    } else if (closes(mark)) {
      if (end - open.back().begin >= length_of_long_ones) outline.long_ones.emplace_back(open.back().begin, end);
      if (const auto repeated = open.back().keys.repeated(); !repeated.empty())
        outline.repeated = unescaped_json(open.back().keys.spelling_at(repeated.front()));
      open.pop_back();
    } else if (mark == ',') {
      open.back().is_before_a_name = open.back().is_object;
    } else if (!open.empty() && open.back().is_before_a_name) {
      open.back().keys.add(text.substr(begin, end - begin));
      open.back().is_before_a_name = false;
    }
    return !outline.repeated;
  });
  std::ranges::sort(outline.long_ones);
  return outline;
}

}  // namespace

ReadJsonText read_json_text(std::string text) {
  // The library takes it for the end of the text.
  if (text.find('\0') != std::string::npos) return {.wrong = "has the byte NUL, which JSON has not"};
  Precaution precaution;
  if (!nlohmann::json::sax_parse(text, &precaution))
    return {.wrong = precaution.fault.empty() ? "is no JSON" : precaution.fault};
  Outline outline = outline_of(text);
  if (outline.repeated) return {.wrong = "says twice what `" + shown(*outline.repeated) + "` is"};
  ReadJsonText read;
  read.text.text_ = std::move(text);
  read.text.long_ones_ = std::move(outline.long_ones);
  return read;
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
    end = end_of_json_text(all, begin);
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
