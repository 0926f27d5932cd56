#include <cassert>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "reading/json/schema_pieces.h"
#include "reading/json/values.h"
#include "reading/problem/block.h"
#include "reading/problem/keys.h"
#include "reading/schemas.h"

namespace attn {
namespace {

Json option_schema(const OptionSpec& spec) {
  Json whole = {{"type", "integer"}};
  if (spec.least > std::numeric_limits<std::int64_t>::min()) whole["minimum"] = spec.least;
  Json schema;
  switch (spec.kind) {
    case OptionSpec::Kind::boolean:
      schema = {{"type", "boolean"}};
      break;
    case OptionSpec::Kind::number:
      schema = reference("number");
      break;
    case OptionSpec::Kind::integers:
      schema = whole;
      if (spec.count > 1)
        schema = {{"type", "array"}, {"items", whole}, {"minItems", spec.count}, {"maxItems", spec.count}};
      break;
    case OptionSpec::Kind::per_sequence:
      schema = any_of({whole, list_of(whole)});
      break;
    case OptionSpec::Kind::masks: {
      Json several = list_of(reference("mask"));
      several["maxItems"] = most_masks;
      schema = any_of({reference("mask"), several});
      break;
    }
  }
  return described(std::move(schema), spec.written);
}

// What stands at the keys whose pointers begin with `parent` and a slash.
Json members_below(std::string_view parent, const std::vector<ProblemKey>& keys) {
  Json members;
  for (const ProblemKey& key : keys) {
    if (key.parent() != parent) continue;
    Json below = members_below(key.pointer, keys);
    assert(!below.empty() || key.kind.schema);  // a key says something, or has keys below it
    members[std::string(key.name())] =
        described(below.empty() ? key.kind.schema() : problem_object(std::move(below)), key.summary);
  }
  return members;
}

// The options that have always stood behind a key of the problem. New ones stand
// behind the score.
std::string_view options_behind(std::string_view key) {
  if (key == "appended") return "softcap";
  return key == "score" ? "scale offset causal mask lengths window" : "";
}

Json problem_members(const Catalog& catalog) {
  Json members = {{"$schema", Json::object()}};
  const Json keys = members_below("", problem_keys(catalog));
  for (const auto& [name, schema] : keys.items()) {
    members[name] = schema;
    for (const std::string& option : split(options_behind(name), ' ')) {
      if (const OptionSpec* spec = find(catalog.options, option)) members[option] = option_schema(*spec);
    }
    if (name != "score") continue;
    for (const OptionSpec& spec : catalog.options) members[spec.name] = option_schema(spec);
  }
  return members;
}

// What one attention of a block says of itself.
Json attention_members(const Catalog& catalog) {
  Json members;
  const Json all = problem_members(catalog);
  for (const auto& [name, schema] : all.items()) {
    if (is_of_attention(name, catalog)) members[name] = schema;
  }
  return members;
}

}  // namespace

std::string problem_schema(const Catalog& catalog) {
  Json defs = tensor_definitions();
  defs["number"] = spelled_number_schema();
  defs["attention"] = problem_object(attention_members(catalog));
  return schema_text("A problem of attn", problem_object(problem_members(catalog)), std::move(defs));
}

}  // namespace attn
