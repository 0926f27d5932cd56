#include "tokenizers/json_place.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "files/json_text.h"

namespace attn {
namespace {

constexpr std::size_t most_faults = 16;
constexpr char fetch_again[] = "fetch the model's files again";

Diagnostic bad_json(const std::string& name, const std::string& what) {
  return {.code = "bad-tokenizer", .message = name + " " + what, .help = fetch_again};
}

// A name as JSON Pointer has it (RFC 6901).
std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string readable(std::string_view text) { return "`" + shortened(visible(text.substr(0, 200)), 40) + "`"; }

Result<JsonFile> parse_json_file(std::string name, const std::string& text) {
  if (const std::string wrong = wrong_with_json(text); !wrong.empty()) return bad_json(name, wrong);
  JsonFile file{.name = std::move(name), .value = nlohmann::json::parse(text, nullptr, false)};
  if (!file.value.is_object()) return bad_json(file.name, "is no object of JSON");
  return file;
}

JsonPlace JsonPlace::operator[](std::string_view member) const {
  const std::string pointer = pointer_ + "/" + escaped(member);
  if (!is_object()) return {*file_, nullptr, pointer};
  const auto found = value_->find(std::string(member));
  return {*file_, found == value_->end() ? nullptr : &*found, pointer};
}

std::string JsonPlace::text() const {
  if (is_text()) return value_->get<std::string>();
  must_be("a text");
  return "";
}

bool JsonPlace::flag() const {
  if (value_ != nullptr && value_->is_boolean()) return value_->get<bool>();
  must_be("true or false");
  return false;
}

std::size_t JsonPlace::whole() const {
  if (value_ != nullptr && value_->is_number_unsigned() && value_->get<std::uint64_t>() < 0xFFFFFFFF)
    return value_->get<std::size_t>();
  must_be("a whole number from 0 to 4294967294");
  return 0;
}

double JsonPlace::number() const {
  if (value_ != nullptr && value_->is_number()) {
    const auto number = value_->get<double>();
    if (std::isfinite(number)) return number;
  }
  must_be("a number");
  return 0;
}

JsonElements JsonPlace::elements() const {
  if (!is_list()) must_be("a list");
  return {*this, is_list() ? value_->size() : 0};
}

JsonMembers JsonPlace::members() const {
  static const nlohmann::json none = nlohmann::json::object();
  if (!is_object()) must_be("an object");
  return {*this, is_object() ? *value_ : none};
}

JsonPlace JsonPlace::element(std::size_t index) const {
  return {*file_, &(*value_)[index], pointer_ + "/" + std::to_string(index)};
}

JsonPlace JsonPlace::member(const std::string& name, const nlohmann::json& value) const {
  return {*file_, &value, pointer_ + "/" + escaped(name)};
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
  for (const auto& [name, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (is_enough()) {
      ++file_->faults.back().unkept;
    } else {
      member(name, value).not_computed("is not computed");
    }
  }
}

void JsonPlace::remember(std::string_view code, const std::string& what) const {
  if (file_->faults.size() == most_faults) {
    ++file_->faults.back().unkept;
    return;
  }
  const bool is_right = code == "tokenizer-not-computed" || code == "bad-pattern";
  file_->faults.push_back(
      {.code = std::string(code),
       .where = pointer_,
       .message = "what " + file_->name + " has at " + readable(pointer_) + " " + what,
       .help = is_right ? "attn computes the tokens of BERT, GPT-2, Llama and their like; give ids instead of a text"
                        : fetch_again});
}

void JsonPlace::must_be(std::string_view what) const {
  refuse((value_ == nullptr ? "is missing; it must be " : "must be ") + std::string(what));
}

}  // namespace attn
