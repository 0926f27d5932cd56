#include "reading/schemas.h"

#include <string>
#include <utility>

#include "reading/json/schema_pieces.h"
#include "tensor/dtype.h"

namespace attn {

std::string trace_schema() {
  const Json text = {{"type", "string"}};
  const Json arithmetic = whole_object({{"dtype", one_of_words({dtype_names.begin(), dtype_names.end()})},
                                        {"hand_rounding", {{"type", {"string", "null"}}}}});
  const Json labels = list_of(any_of({text, reference("words")}));
  const Json note =
      whole_object({{"step", text}, {"index", list_of(whole_number(0))}, {"kind", text}, {"message", text}});
  const Json distance = {{"type", {"number", "null"}}, {"minimum", 0}};
  const Json bound = described(
      whole_object({{"absolute", distance}, {"digits", {{"type", {"integer", "null"}}}}, {"own", distance}}),
      "how far its numbers are from exact ones at most, and to how many digits the worst is good: null where that is "
      "not known, of digits where all are exact; own, made of the numbers that the step reads. Only with --bounds");
  const Json step = object_of({{"id", text},
                               {"symbol", text},
                               {"title", text},
                               {"formula", text},
                               {"axes", reference("words")},
                               {"shape", list_of(whole_number(1))},
                               {"bound", bound},
                               {"data", reference("numbers")}},
                              {"id", "symbol", "title", "formula", "axes", "shape", "data"});
  const Members members = {{"schema", {{"const", "attn/trace/1"}}},
                           {"title", text},
                           {"statement", {{"type", "string"}, {"pattern", "^sha256:[0-9a-f]{64}$"}}},
                           {"arithmetic", arithmetic},
                           {"backend", text},
                           {"labels", whole_object({{"query", labels}, {"key", labels}})},
                           {"result", text},
                           {"notes", list_of(note)},
                           {"steps", list_of(step)}};
  return schema_text("A trace of attn", whole_object(members), tensor_definitions());
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
  members["name"] = described(Json::object(), "whose answers they are, which is shown with the marks");
  members["problem"] = described(Json::object(), "the statement of the problem they are of, as its trace has it");
  for (const char* free : {"title", "notes"}) members[free] = described(Json::object(), "for people");
  members["steps"] =
      described(std::move(steps), "by the ids of the trace, \"scores\", or by symbols of the problem, \"S\"");
  return schema_text("Answers to a problem of attn", problem_object(members, {"steps"}), std::move(defs));
}

std::string scheme_schema() {
  const Json number = {{"type", "number"}, {"minimum", 0}, {"maximum", 1000000}};
  const Json numbers = {{"type", "object"}, {"additionalProperties", number}};
  Json rounding = number;
  rounding["minimum"] = 0.001;
  Json members;
  members["$schema"] = Json::object();
  members["schema"] = {{"const", "attn/scheme/1"}};
  for (const char* free : {"title", "notes"}) members[free] = described(Json::object(), "for people");
  members["points"] = described(numbers, "of each step that is asked for; else 1 of each that is handed in");
  members["per"] = described(one_of_words({"cell", "step"}), "in proportion to right cells; or all or nothing");
  members["follow_through"] =
      described({{"type", "boolean"}}, "whether what follows from earlier numbers of one's own counts as right");
  members["deduct"] = described(numbers, "what a diagnosis costs, by ids of mistakes, or patterns: \"rounding.*\"");
  members["too_coarse"] = described(one_of_words({"right", "wrong", "ask"}), "numbers with too few digits to tell");
  members["round_to"] = described(std::move(rounding), "the sum is rounded to a multiple of it, the middle up");
  return schema_text("How attn grade gives points", problem_object(members), Json::object());
}

std::string report_schema() {
  const Json text = {{"type", "string"}};
  const Json count = whole_number(0);
  Json defs;
  defs["number"] = written_number_schema();
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
       {"files", described(list_of(text), "where one hand-in is several")},
       {"name", described(text, "whose it is, where that is known")},
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
  return schema_text("What attn check says of answers", any_of({one, list_of(one)}), std::move(defs));
}

}  // namespace attn
