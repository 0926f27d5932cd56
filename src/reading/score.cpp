#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "reading/known_keys.h"
#include "reading/values.h"

namespace attn {
namespace {

const ChoiceSpec* spec_named(const std::string& name, const std::string& where, const Catalog& catalog,
                             Faults& faults) {
  if (const ChoiceSpec* spec = find(catalog.scores, name)) return spec;
  std::vector<std::string> names;
  std::string all;
  for (const ChoiceSpec& spec : catalog.scores) {
    names.push_back(spec.name);
    all += (all.empty() ? "" : ", ") + spec.name;
  }
  constexpr std::string_view later[] = {"cosine", "general", "additive", "concat"};
  if (std::ranges::count(later, std::string_view(name)) > 0) {
    faults.add("not-supported", where, "the score \"" + name + "\" is not supported yet", "there are " + all);
    return nullptr;
  }
  const auto meant = closest(name, names);
  faults.add("unknown-choice", where, shown(where) + " is \"" + shown(name) + "\", and no score is called so",
             (meant ? "did you mean \"" + *meant + "\"? There are " : "there are ") + all);
  return nullptr;
}

void read_parameters(JsonObject& object, const ChoiceSpec& spec, RawScore& score, Faults& faults) {
  std::vector<std::string> known = {"type"};
  for (const Parameter& parameter : spec.parameters) known.push_back(parameter.name);
  for (const JsonMember& member : object.members) {
    if (is_free_key(member.key) || std::ranges::count(known, member.key) > 0) continue;
    const std::string place = pointer(score.where, member.key);
    const auto meant = closest(member.key, known);
    faults.add_at_key("unknown-key", place, shown(place) + " is no parameter of the score " + spec.name,
                      meant ? "did you mean " + *meant + "?" : "");
  }
  for (const Parameter& parameter : spec.parameters) {
    const auto found = std::ranges::find(object.members, parameter.name, &JsonMember::key);
    const std::string place = pointer(score.where, parameter.name);
    const bool given = found != object.members.end();
    if (!given && !parameter.fallback) {
      faults.add("missing-member", score.where,
                 "the score " + spec.name + " needs its parameter \"" + parameter.name + "\"", parameter.summary);
    }
    if (parameter.axes.empty()) {
      score.numbers[parameter.name] = given                ? read_finite_number(found->value, place, faults)
                                      : parameter.fallback ? Stated<double>(*parameter.fallback)
                                                           : Stated<double>::faulty();
    } else {
      score.tensors[parameter.name] = given ? read_tensor(found->value, place, faults) : Stated<RawTensor>::faulty();
    }
  }
}

}  // namespace

Stated<RawScore> read_score(JsonValue& value, const std::string& where, const Catalog& catalog, Faults& faults) {
  JsonObject* object = value.object();
  std::string name_where = where;
  const JsonValue* name = &value;
  if (object) {
    name = object->find("type");
    name_where = pointer(where, "type");
    if (!name) {
      faults.add("missing-member", where, shown(where) + " has no \"type\"",
                 R"(a score is written "dot", or {"type": "dot"})");
      return Stated<RawScore>::faulty();
    }
  }
  if (!name->text()) {
    report_kind(*name, name_where, "the name of a score is wanted", faults);
    return Stated<RawScore>::faulty();
  }
  const ChoiceSpec* spec = spec_named(*name->text(), name_where, catalog, faults);
  if (!spec) return Stated<RawScore>::faulty();
  RawScore score{.where = where, .name = spec->name, .numbers = {}, .tensors = {}};
  JsonObject none;
  read_parameters(object ? *object : none, *spec, score, faults);
  return score;
}

}  // namespace attn
