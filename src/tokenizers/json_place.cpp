#include "tokenizers/json_place.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace attn {
namespace {

constexpr std::size_t most_faults = 16;
constexpr char fetch_again[] = "fetch the model's files again";

Diagnostic bad_json(const std::string& name, const std::string& what) {
  return {.code = "bad-tokenizer", .message = name + " " + what, .help = fetch_again};
}

}  // namespace

std::string readable(std::string_view text) { return "`" + shortened(visible(text.substr(0, 200)), 40) + "`"; }

Result<JsonFile> parse_json_file(std::string name, std::string text) {
  ReadJsonText read = read_json_text(std::move(text));
  if (!read.wrong.empty()) return bad_json(name, read.wrong);
  JsonFile file{.name = std::move(name), .text = std::move(read.text)};
  if (!file.text.root().starts_with('{')) return bad_json(file.name, "is no object of JSON");
  return file;
}

JsonPlace JsonPlace::operator[](std::string_view member) const {
  const JsonText& text = file_->text;
  for (auto part = is_object() ? text.first_of(part_.value) : std::nullopt; part; part = text.behind(*part)) {
    if (unescaped_json(part->name) == member) return {*file_, *part, shared()};
  }
  JsonPlace missing(*file_, {}, shared());
  missing.missing_ = member;
  return missing;
}

std::string JsonPlace::pointer() const {
  if (!whole_) return "";
  const std::string last = missing_             ? pointer_step(*missing_)
                           : part_.name.empty() ? std::to_string(index_)
                                                : pointer_step(unescaped_json(part_.name));
  return whole_->pointer() + "/" + last;
}

std::string JsonPlace::text() const {
  if (is_text()) return unescaped_json(part_.value);
  must_be("a text");
  return "";
}

bool JsonPlace::flag() const {
  if (begins_with('t') || begins_with('f')) return begins_with('t');
  must_be("true or false");
  return false;
}

std::optional<std::size_t> JsonPlace::read_whole() const {
  std::uint32_t whole = 0;
  const char* const end = part_.value.data() + part_.value.size();
  const auto read = std::from_chars(part_.value.data(), end, whole);
  if (read.ec == std::errc() && read.ptr == end && !is_missing() && whole < 0xFFFFFFFF) return whole;
  must_be("a whole number from 0 to 4294967294");
  return std::nullopt;
}

double JsonPlace::number() const {
  double number = 0;
  const char* const end = part_.value.data() + part_.value.size();
  const auto read = std::from_chars(part_.value.data(), end, number);
  // What is out of range is too small: what is too large is no JSON to the library that has seen it.
  if (!is_missing() && read.ptr == end) return number;
  must_be("a number");
  return 0;
}

JsonPlaces JsonPlace::elements() const {
  if (is_list()) return JsonPlaces(*this);
  must_be("a list");
  return JsonPlaces({*file_, {}, nullptr});
}

std::optional<std::pair<JsonPlace, JsonPlace>> JsonPlace::pair() const {
  const JsonText& text = file_->text;
  const auto first = is_list() ? text.first_of(part_.value) : std::nullopt;
  const auto second = first ? text.behind(*first) : std::nullopt;
  if (!second || text.behind(*second)) return std::nullopt;
  const Whole whole = shared();
  return std::pair(JsonPlace(*file_, *first, whole, 0), JsonPlace(*file_, *second, whole, 1));
}

JsonPlaces JsonPlace::members() const {
  if (is_object()) return JsonPlaces(*this);
  must_be("an object");
  return JsonPlaces({*file_, {}, nullptr});
}

JsonPlaces::Iterator JsonPlaces::begin() const {
  return {&whole_, whole_->is_missing() ? std::nullopt : whole_->file_->text.first_of(whole_->part_.value)};
}

JsonPlace JsonPlaces::Iterator::operator*() const { return {*(*whole_)->file_, *part_, *whole_, index_}; }

JsonPlaces::Iterator& JsonPlaces::Iterator::operator++() {
  part_ = (*whole_)->file_->text.behind(*part_);
  ++index_;
  return *this;
}

std::size_t JsonPlaces::size() const {
  std::size_t size = 0;
  for (auto place = begin(); place != end(); ++place) ++size;
  return size;
}

bool JsonPlace::is_enough() const { return file_->faults.size() == most_faults; }

std::size_t JsonPlace::one_of(std::initializer_list<std::string_view> known) const {
  const std::string said = text();
  const auto* const found = std::find(known.begin(), known.end(), said);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  if (is_text()) not_computed("is " + readable(said) + ", which is not computed");
  return 0;
}

void JsonPlace::has_only(std::initializer_list<std::string_view> known) const {
  if (!is_object()) return must_be("an object");
  for (const JsonPlace& place : members()) {
    if (std::find(known.begin(), known.end(), place.name()) == known.end()) place.not_computed("is not computed");
  }
}

void JsonPlace::remember(std::string_view code, const std::string& what) const {
  if (file_->faults.size() == most_faults) {
    ++file_->faults.back().unkept;
    return;
  }
  const std::string where = pointer();
  const bool is_right = code == "tokenizer-not-computed" || code == "bad-pattern";
  file_->faults.push_back(
      {.code = std::string(code),
       .where = where,
       .message = (where.empty() ? file_->name : "what " + file_->name + " has at " + readable(where)) + " " + what,
       .help = is_right ? "attn computes the tokens of BERT, GPT-2, Llama and their like; give ids instead of a text"
                        : fetch_again});
}

void JsonPlace::must_be(std::string_view what) const {
  refuse((is_missing() ? "is missing; it must be " : "must be ") + std::string(what));
}

}  // namespace attn
