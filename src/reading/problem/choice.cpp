#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/suggest.h"
#include "reading/json/values.h"
#include "reading/problem/known_keys.h"

namespace attn {
namespace {

// The longest of the names that the typed one goes on from: "dot" for "dot-product".
std::optional<std::string> shortened(std::string_view typed, const std::vector<std::string>& names) {
  constexpr auto plain = [](std::string_view name) {
    return plain_name(name, [](char c) { return c == '-' || c == '_' || c == ' '; });
  };
  const std::string meant = plain(typed);
  std::optional<std::string> longest;
  for (const std::string& name : names) {
    if (meant.starts_with(plain(name)) && (!longest || name.size() > longest->size())) longest = name;
  }
  return longest;
}

class ChoiceReader {
 public:
  ChoiceReader(const std::vector<ChoiceSpec>& specs, std::string_view what, const KnownKeys& keys, Faults& faults)
      : specs_(specs), what_(what), keys_(keys), faults_(faults) {}

  std::optional<RawChoice> read(const JsonValue& value, const std::string& where) {
    auto object = value.object();
    const ChoiceSpec* spec = object ? spec_of(*object, where) : spec_of(value, where);
    if (!spec) return std::nullopt;
    RawChoice choice{.where = where, .name = spec->name, .numbers = {}, .tensors = {}};
    JsonObject none;
    read_parameters(object ? *object : none, *spec, choice);
    return choice;
  }

 private:
  const ChoiceSpec* spec_of(const JsonValue& name, const std::string& where) {
    if (name.text()) return spec_named(*name.text(), where);
    report_kind(name, where, "the name of a " + what_ + " is wanted", faults_, "there are " + all_names());
    return nullptr;
  }

  const ChoiceSpec* spec_of(const JsonObject& object, const std::string& where) {
    if (const auto type = object.find("type")) return spec_of(*type, pointer(where, "type"));
    for (const ChoiceSpec& spec : specs_) {
      if (spec.by_parameter && object.find(spec.name)) return &spec;
    }
    std::string by_parameter;
    for (const ChoiceSpec& spec : specs_) {
      if (spec.by_parameter) by_parameter += ", {\"" + spec.name + "\": …}";
    }
    faults_.add_of("missing-member", where, "has no \"type\"",
                   "a " + what_ + " is written \"" + specs_.front().name + "\"" +
                       (by_parameter.empty() ? ", or {\"type\": \"" + specs_.front().name + "\"}" : by_parameter));
    return nullptr;
  }

  const ChoiceSpec* spec_named(const std::string& name, const std::string& where) {
    if (const ChoiceSpec* spec = find(specs_, name)) return spec;
    std::vector<std::string> names;
    for (const ChoiceSpec& spec : specs_) names.push_back(spec.name);
    auto meant = closest(name, names);
    if (!meant) meant = shortened(name, names);
    faults_.add_of("unknown-choice", where, "is \"" + shown(name) + "\", and no " + what_ + " is called so",
                   (meant ? "did you mean \"" + *meant + "\"? There are " : "there are ") + all_names());
    return nullptr;
  }

  std::string all_names() const {
    std::string all;
    for (const ChoiceSpec& spec : specs_) all += (all.empty() ? "" : ", ") + spec.name;
    return all;
  }

  void read_parameters(JsonObject& object, const ChoiceSpec& spec, RawChoice& choice) {
    std::vector<std::string> known = {"type"};
    for (const Parameter& parameter : spec.parameters) known.push_back(parameter.name);
    std::map<std::string, JsonMember*> given;
    const auto is_known = [&](const std::string& key) { return std::ranges::count(known, key) > 0; };
    for (JsonMember& member : object.members) {
      if (std::string key = member.key(); is_known(key)) given.emplace(std::move(key), &member);
    }
    bool is_any_unread = false;  // one that is only counted may mean any parameter
    for (JsonMember& member : object.members) {
      const std::string key = member.key();
      if (is_free_key(key) || is_known(key)) continue;
      if (faults_.are_enough()) {
        faults_.count_one_more();
        is_any_unread = true;
        continue;
      }
      const std::string place = pointer(choice.where, key);
      const auto meant = closest(key, known);
      faults_.add_at_key("unknown-key", place, shown(place) + " is no parameter of the " + what_ + " " + spec.name,
                         meant ? "did you mean " + *meant + "?" : "known here: " + listed(known));
      // It is read as what was meant, so that one slip is told once.
      if (meant && given.emplace(*meant, &member).second) choice.elsewhere[*meant] = place;
    }
    for (const Parameter& parameter : spec.parameters) {
      const auto found = given.find(parameter.name);
      if (found == given.end() && is_any_unread) continue;
      read_parameter(found == given.end() ? nullptr : found->second, spec, parameter, choice);
    }
  }

  // A parameter that is not given has no member.
  void read_parameter(JsonMember* given, const ChoiceSpec& spec, const Parameter& parameter, RawChoice& choice) {
    const std::string place = given ? pointer(choice.where, given->key()) : "";
    if (!given && (parameter.may_be_left_out && !parameter.fallback)) return;
    if (!given && !parameter.fallback) {
      faults_.add("missing-member", choice.where,
                  "the " + what_ + " " + spec.name + " needs its parameter \"" + parameter.name + "\"",
                  parameter.summary.empty() ? "give it beside \"type\"" : parameter.summary);
    }
    if (parameter.axes.empty()) {
      choice.numbers[parameter.name] = given ? number(given->value, place, parameter) : parameter.fallback;
    } else {
      choice.tensors[parameter.name] = given ? read_tensor(given->value, place, keys_, faults_) : std::nullopt;
    }
  }

  std::optional<double> number(const JsonValue& value, const std::string& where, const Parameter& parameter) {
    if (parameter.kind == Parameter::Kind::boolean) {
      const auto boolean = read_boolean(value, where, faults_);
      return boolean ? std::optional(*boolean ? 1.0 : 0.0) : std::nullopt;
    }
    if (parameter.kind == Parameter::Kind::whole) {
      const auto whole = read_integer(value, where, 0, std::int64_t{1} << 53, faults_);
      return whole ? above(static_cast<double>(*whole), where, parameter) : std::nullopt;
    }
    const auto found = read_finite_number(value, where, faults_);
    return found ? above(*found, where, parameter) : found;
  }

  std::optional<double> above(double value, const std::string& where, const Parameter& parameter) {
    if (value > parameter.above) return value;
    return faults_.add_of("out-of-range", where,
                          "is " + shortest(value) + "; more than " + shortest(parameter.above) + " is wanted",
                          parameter.summary);
  }

  const std::vector<ChoiceSpec>& specs_;
  std::string what_;
  const KnownKeys& keys_;
  Faults& faults_;
};

}  // namespace

std::optional<RawChoice> read_named_choice(const JsonValue& value, const std::string& where,
                                           const std::vector<ChoiceSpec>& specs, std::string_view what,
                                           const KnownKeys& keys, Faults& faults) {
  return ChoiceReader(specs, what, keys, faults).read(value, where);
}

}  // namespace attn
