#include "reading/problem/schema.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tensor/dtype.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* draft = "https://json-schema.org/draft/2020-12/schema";

Json reference(const char* name) { return {{"$ref", std::string("#/$defs/") + name}}; }

Json described(Json schema, const char* words) {
  schema["description"] = words;
  return schema;
}

Json any_of(std::initializer_list<Json> schemas) { return {{"anyOf", Json(std::vector<Json>(schemas))}}; }

Json one_of_dtypes() { return {{"enum", dtype_names}}; }

Json one_of_words(std::initializer_list<const char*> words) {
  return {{"enum", Json(std::vector<std::string>(words.begin(), words.end()))}};
}

// Lists may be empty: a sequence of a batch can have no keys at all.
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

// An object that has these members and no others.
Json object_of(Json members, std::vector<std::string> required = {}) {
  Json schema = {{"type", "object"}, {"properties", std::move(members)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

// The same, where all of them are always there.
Json whole_object(Json members) {
  std::vector<std::string> all;
  for (const auto& [name, schema] : members.items()) all.push_back(name);
  return object_of(std::move(members), std::move(all));
}

// The same in a problem, where keys that begin with x- are free everywhere.
Json problem_object(Json members, std::vector<std::string> required = {}) {
  Json schema = object_of(std::move(members), std::move(required));
  schema["patternProperties"] = {{"^x-", Json::object()}};
  return schema;
}

Json whole_number(int minimum) { return {{"type", "integer"}, {"minimum", minimum}}; }

// Numbers in lists of lists, the outermost of which is a list.
Json nested_numbers() { return list_of(any_of({reference("number"), reference("numbers")})); }

// A number as a program writes one.
Json written_number() {
  return described(any_of({{{"type", "number"}}, one_of_words({"inf", "-inf", "nan", "-∞"})}),
                   "a number; what JSON cannot hold is spelled as text");
}

// A number as a person writes one: what is spelled with these signs and words.
// That it is a number only its reader can tell.
Json spelled_number_schema() {
  const char* signs = R"(^([-0-9.+−–*·×⋅∙/÷∕⁄^()%√π∞⁰¹²³⁴⁵⁶⁷⁸⁹⁻\s]|[eE]|pi|sqrt|exp|ln|inf|infinity|Infinity|nan)+$)";
  return described(any_of({{{"type", "number"}}, {{"type", "string"}, {"pattern", signs}}}),
                   "a number, or a text that spells one: \"0.50\", \"2/3\", \"sqrt(3)\", \"-inf\"");
}

Json definitions() {
  Json defs;
  defs["number"] = written_number();
  defs["numbers"] = nested_numbers();
  defs["random"] = described(problem_object({{"random", one_of_words({"normal", "xavier", "kaiming", "integers"})},
                                             {"shape", list_of(whole_number(1))},
                                             {"seed", whole_number(0)}},
                                            {"random", "shape"}),
                             "numbers drawn at random, the same on every machine");
  defs["file"] = described(problem_object({{"file", described({{"type", "string"}, {"minLength", 1}},
                                                              "relative to the problem's folder, and within it")},
                                           {"tensor", described({{"type", "string"}}, "its name in the file")}},
                                          {"file"}),
                           "numbers of a .npy, .npz or .safetensors file");
  defs["tensor"] = any_of({reference("numbers"), reference("random"), reference("file")});
  defs["weight"] = any_of({reference("tensor"), {{"const", "identity"}}});
  defs["flags"] = any_of({{{"type", "boolean"}}, {{"enum", {0, 1}}}, list_of(reference("flags"))});
  const Json cells = any_of({reference("flags"), reference("random"), reference("file")});
  defs["mask"] = described(any_of({
                               problem_object({{"allow", cells}}, {"allow"}),
                               problem_object({{"block", cells}}, {"block"}),
                               problem_object({{"add", any_of({reference("number"), reference("tensor")})}}, {"add"}),
                           }),
                           "booleans (or 0 and 1) that say which cells are open or closed, or numbers to add to the "
                           "scores; broadcast, aligned right, to the shape of the scores");
  defs["words"] = list_of({{"type", "string"}});
  defs["labels"] = any_of({reference("words"), list_of(reference("words"))});
  return defs;
}

Json parameter_schema(const Parameter& parameter) {
  Json schema = reference("number");
  if (parameter.kind == Parameter::Kind::whole) schema = whole_number(0);
  if (parameter.kind == Parameter::Kind::boolean) schema = {{"type", "boolean"}};
  if (!parameter.axes.empty()) schema = reference("tensor");
  if (parameter.may_be_one_number) schema = any_of({reference("number"), reference("tensor")});
  return described(std::move(schema), parameter.summary.c_str());
}

// A choice by its name, or, where it takes parameters, as an object with them.
Json choice_schema(const std::vector<ChoiceSpec>& specs) {
  std::vector<Json> ways;
  for (const ChoiceSpec& spec : specs) {
    Json members = {{"type", {{"const", spec.name}}}};
    std::vector<std::string> required = {"type"};
    for (const Parameter& parameter : spec.parameters) {
      members[parameter.name] = parameter_schema(parameter);
      if (!parameter.fallback && !parameter.may_be_left_out) required.push_back(parameter.name);
    }
    if (required.size() == 1) ways.push_back(described({{"const", spec.name}}, spec.summary.c_str()));
    if (spec.by_parameter) {
      Json short_members = members;
      short_members.erase("type");
      ways.push_back(described(problem_object(std::move(short_members), {spec.name}), spec.summary.c_str()));
    }
    ways.push_back(described(problem_object(std::move(members), std::move(required)), spec.summary.c_str()));
  }
  return {{"anyOf", Json(ways)}};
}

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
    case OptionSpec::Kind::masks:
      schema = any_of({reference("mask"), list_of(reference("mask"))});
      break;
  }
  return spec.written.empty() ? schema : described(std::move(schema), spec.written.c_str());
}

Json by_role(const Json& schema, std::vector<std::string> required, bool with_value = true) {
  Json members = {{"query", schema}, {"key", schema}};
  if (with_value) members["value"] = schema;
  return problem_object(std::move(members), std::move(required));
}

Json problem_members(const Catalog& catalog) {
  const Json tensor = reference("tensor");
  Json members;
  const auto add_option = [&](const char* name) {
    if (const OptionSpec* spec = find(catalog.options, name)) members[name] = option_schema(*spec);
  };
  members["$schema"] = Json::object();
  members["title"] = described(Json::object(), "shown above everything else, if it is a text");
  members["notes"] = described(Json::object(), "for people: a text, or a list of lines");
  members["inputs"] = described(any_of({tensor, by_role(tensor, {"query", "key"})}),
                                "[N][d_model]; a batch [B][N][d_model]; or an object for cross-attention");
  members["tokens"] = described(any_of({reference("labels"), by_role(reference("labels"), {}, false)}),
                                "a label a row; with embeddings they are the inputs");
  members["embeddings"] = described({{"type", "object"}, {"additionalProperties", tensor}}, "token to vector");
  members["max_tokens"] = described(whole_number(1), "longer sequences are cut before all else");
  members["vectors"] =
      described(one_of_words({"rows", "columns"}), "whether a token is a row (y = x·W) or a column (y = W·x)");
  for (const auto& [name, schema] : {std::pair("weights", reference("weight")), {"biases", tensor}}) {
    members[name] = problem_object({{"query", schema}, {"key", schema}, {"value", schema}, {"output", schema}});
  }
  members["weight_layout"] =
      described(one_of_words({"in_out", "out_in"}), "y = x·W, or y = x·Wᵀ as nn.Linear stores it");
  for (const char* name : {"queries", "keys", "values"}) {
    members[name] = described(tensor, "given directly instead of inputs and weights");
  }
  members["heads"] = described(whole_number(1), "query heads");
  members["kv_heads"] = described(whole_number(1), "key and value heads, where several query heads share one");
  const Json pairs = problem_object({{"keys", tensor}, {"values", tensor}}, {"keys", "values"});
  members["past"] = described(pairs, "a cache, as it is stored: projected and rotated already");
  members["appended"] = described(pairs, "put after all others, always open");
  add_option("softcap");
  members["split"] =
      described(one_of_words({"projection", "input"}), "whether projections or inputs are split into heads");
  members["score"] = choice_schema(catalog.scores);
  // Those that the schema has had in this order; any other follows.
  for (const char* name : {"scale", "offset", "causal", "mask", "lengths", "window"}) add_option(name);
  for (const OptionSpec& spec : catalog.options) add_option(spec.name.c_str());
  members["softmax"] = described(choice_schema(catalog.softmaxes), "how a row of scores becomes attention weights");
  members["positions"] = described(choice_schema(catalog.positions), "how positions enter");
  members["arithmetic"] = problem_object(
      {{"dtype", one_of_dtypes()},
       {"hand_rounding",
        any_of({{{"type", "null"}},
                {{"type", "string"}, {"pattern", "^[0-9]+(:(half-up|half-even|truncate|keep-sum))?$"}}})}});
  members["digits"] =
      described({{"type", "integer"}, {"minimum", 0}, {"maximum", 17}}, "decimals that answers are expected to have");
  return members;
}

Json with_head(const char* title, Json schema, Json defs) {
  Json whole = {{"$schema", draft}, {"title", title}};
  whole.update(schema);
  whole["$defs"] = std::move(defs);
  return whole;
}

std::string text_of(const Json& schema) { return schema.dump(2) + "\n"; }

}  // namespace

std::string problem_schema(const Catalog& catalog) {
  Json defs = definitions();
  defs["number"] = spelled_number_schema();
  return text_of(with_head("A problem of attn", problem_object(problem_members(catalog)), std::move(defs)));
}

std::string trace_schema() {
  const Json text = {{"type", "string"}};
  const Json arithmetic = whole_object({{"dtype", one_of_dtypes()}, {"hand_rounding", {{"type", {"string", "null"}}}}});
  const Json labels = list_of(any_of({text, reference("words")}));
  const Json note =
      whole_object({{"step", text}, {"index", list_of(whole_number(0))}, {"kind", text}, {"message", text}});
  const Json step = whole_object({{"id", text},
                                  {"symbol", text},
                                  {"title", text},
                                  {"formula", text},
                                  {"axes", reference("words")},
                                  {"shape", list_of(whole_number(1))},
                                  {"data", reference("numbers")}});
  const Json members = {{"schema", {{"const", "attn/trace/1"}}},
                        {"title", text},
                        {"statement", {{"type", "string"}, {"pattern", "^sha256:[0-9a-f]{64}$"}}},
                        {"arithmetic", arithmetic},
                        {"backend", text},
                        {"labels", whole_object({{"query", labels}, {"key", labels}})},
                        {"result", text},
                        {"notes", list_of(note)},
                        {"steps", list_of(step)}};
  return text_of(with_head("A trace of attn", whole_object(members), definitions()));
}

std::string answers_schema() {
  Json defs;
  defs["number"] = spelled_number_schema();
  defs["cell"] = described(any_of({reference("number"), {{"type", "null"}}, {{"const", ""}}}), "a blank is null");
  defs["lists"] = list_of(any_of({reference("cell"), reference("lists")}));
  defs["lists"]["minItems"] = 1;
  const char* index = R"(^ *[\[(]? *[1-9][0-9]*( *, *[1-9][0-9]*)* *[\])]? *$)";
  defs["cells"] = described({{"type", "object"},
                             {"patternProperties", {{index, reference("cell")}}},
                             {"additionalProperties", false},
                             {"minProperties", 1}},
                            "single cells by their indices, which count from 1: {\"1,2\": 6.68}");
  const Json step = any_of({reference("cell"), reference("lists"), reference("cells")});
  Json steps = {{"type", "object"}, {"additionalProperties", step}, {"minProperties", 1}};
  Json members;
  members["$schema"] = Json::object();
  members["schema"] = {{"const", "attn/answers/1"}};
  for (const char* free : {"title", "name", "notes"}) members[free] = described(Json::object(), "for people");
  members["steps"] = described(std::move(steps), "by the ids of the trace: \"scores\", \"attention_weights\", …");
  return text_of(with_head("Answers to a problem of attn", problem_object(members, {"steps"}), std::move(defs)));
}

std::string report_schema() {
  const Json text = {{"type", "string"}};
  const Json count = whole_number(0);
  Json defs;
  defs["number"] = written_number();
  defs["index"] = described(list_of(whole_number(1)), "counts from 1, one an axis");
  defs["cell"] = object_of({{"index", reference("index")},
                            {"state", one_of_words({"wrong", "blank", "consistent", "too_coarse"})},
                            {"given", described(any_of({text, {{"type", "null"}}}), "as it was written")},
                            {"expected", reference("number")},
                            {"accepted", described(list_of(reference("number")), "the least and the most")}},
                           {"index", "state"});
  defs["step"] = object_of({{"id", text},
                            {"right", count},
                            {"wrong", count},
                            {"blank", count},
                            {"consistent", count},
                            {"too_coarse", count},
                            {"width", described(reference("number"), "of the widest range of right values of a cell")},
                            {"given_shape", described(list_of(count), "where it is not the shape of the step")},
                            {"cells", described(list_of(reference("cell")), "those that are not right")}},
                           {"id", "right", "wrong", "blank", "consistent", "too_coarse"});
  defs["diagnosis"] = object_of({{"mistake", text},
                                 {"kind", one_of_words({"error", "convention", "note"})},
                                 {"step", text},
                                 {"cells", list_of(reference("index"))},
                                 {"variant", text},
                                 {"ties", list_of(text)},
                                 {"evidence", text},
                                 {"message", text},
                                 {"hint", text}},
                                {"mistake", "kind", "step", "cells", "variant", "ties", "evidence", "message"});
  defs["report"] = object_of(
      {{"schema", {{"const", "attn/report/1"}}},
       {"file", text},
       {"verdict", one_of_words({"right", "wrong", "incomplete"})},
       {"first_wrong", described(any_of({text, {{"type", "null"}}}), "the first step handed in with a wrong cell")},
       {"rounding", described(any_of({text, {{"type", "null"}}}), "the way of rounding that explains the numbers")},
       {"steps", list_of(reference("step"))},
       {"diagnoses", list_of(reference("diagnosis"))},
       {"notes", list_of(text)}},
      {"schema", "verdict", "first_wrong", "steps"});
  defs["unreadable"] = described(
      object_of({{"schema", {{"const", "attn/report/1"}}}, {"file", text}, {"error", text}}, {"file", "error"}),
      "answers that could not be read");
  const Json one = any_of({reference("report"), reference("unreadable")});
  return text_of(with_head("What attn check says of answers", any_of({one, list_of(one)}), std::move(defs)));
}

}  // namespace attn
