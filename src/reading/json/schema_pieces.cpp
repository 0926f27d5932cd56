#include "reading/json/schema_pieces.h"

#include <utility>

namespace attn {

Json reference(std::string_view name) { return {{"$ref", "#/$defs/" + std::string(name)}}; }

Json described(Json schema, std::string_view words) {
  if (!words.empty()) schema["description"] = words;
  return schema;
}

Json any_of(std::initializer_list<Json> schemas) { return {{"anyOf", Json(std::vector<Json>(schemas))}}; }

Json one_of_words(const std::vector<std::string>& words) { return {{"enum", words}}; }

// Lists may be empty: a sequence of a batch can have no keys at all.
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json whole_number(int minimum) { return {{"type", "integer"}, {"minimum", minimum}}; }

Members::Members(std::initializer_list<Member> members) {
  for (const Member& member : members) json_[member.name] = member.schema;
}

Json object_of(const Members& members, const std::vector<std::string>& required) {
  Json schema = {{"type", "object"}, {"properties", members.json()}};
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

Json whole_object(const Members& members) {
  std::vector<std::string> all;
  for (const auto& [name, schema] : members.json().items()) all.push_back(name);
  return object_of(members, all);
}

Json problem_object(const Members& members, const std::vector<std::string>& required) {
  Json schema = object_of(members, required);
  schema["patternProperties"] = {{"^x-", Json::object()}};
  return schema;
}

Json written_number_schema() {
  return described(any_of({{{"type", "number"}}, one_of_words({"inf", "-inf", "nan", "-∞"})}),
                   "a number; what JSON cannot hold is spelled as text");
}

// What is spelled with these signs and words. That it is a number only its reader can tell.
Json spelled_number_schema() {
  const char* signs = R"(^([-0-9.+−–*·×⋅∙/÷∕⁄^()%√π∞⁰¹²³⁴⁵⁶⁷⁸⁹⁻\s]|[eE]|pi|sqrt|exp|ln|inf|infinity|Infinity|nan)+$)";
  return described(any_of({{{"type", "number"}}, {{"type", "string"}, {"pattern", signs}}}),
                   "a number, or a text that spells one: \"0.50\", \"2/3\", \"sqrt(3)\", \"-inf\"");
}

Json tensor_definitions() {
  Json defs;
  defs["number"] = written_number_schema();
  defs["numbers"] = list_of(any_of({reference("number"), reference("numbers")}));
  defs["random"] = described(problem_object({{"random", one_of_words({"normal", "xavier", "kaiming", "integers"})},
                                             {"shape", list_of(whole_number(1))},
                                             {"seed", whole_number(0)}},
                                            {"random", "shape"}),
                             "numbers drawn at random, the same on every machine");
  Json range = list_of(whole_number(0));
  range["minItems"] = range["maxItems"] = 2;
  defs["range"] = described(range, "the first, and the one behind the last; counted from 0");
  defs["file"] = described(problem_object({{"file", described({{"type", "string"}, {"minLength", 1}},
                                                              "relative to the problem's folder, and within it")},
                                           {"tensor", described({{"type", "string"}}, "its name in the file")},
                                           {"rows", described(reference("range"), "of the last axis but one")},
                                           {"columns", described(reference("range"), "of the last axis")},
                                           {"take", described(list_of(whole_number(0)), "these rows, in this order")},
                                           {"transpose", described({{"type", "boolean"}}, "the last two axes, last")}},
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

std::string schema_text(std::string_view title, const Json& schema, Json definitions) {
  Json whole = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  whole.update(schema);
  whole["$defs"] = std::move(definitions);
  return whole.dump(2) + "\n";
}

}  // namespace attn
