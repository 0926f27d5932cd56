#include <string>
#include <utility>

#include "reading/json/schema_pieces.h"
#include "reading/schemas.h"

// Of what commands print for programs, besides traces and reports.

namespace attn {
namespace {

Json any_text() { return {{"type", "string"}}; }

Json or_null(Json schema) { return any_of({std::move(schema), {{"type", "null"}}}); }

}  // namespace

std::string golden_schema() {
  const Json count = whole_number(0);
  Json defs;
  defs["number"] = written_number_schema();
  const Json worst =
      whole_object({{"index", described(list_of(whole_number(1)), "counts from 1, one an axis")},
                    {"expected", reference("number")},
                    {"got", reference("number")},
                    {"ulps", described(or_null(count), "how many numbers of the dtype the two are apart")}});
  const Json difference = whole_object({{"step", described(or_null(any_text()), "null: of the whole trace")},
                                        {"message", any_text()},
                                        {"worst", described(or_null(worst), "the cell that is farthest off")}});
  const Json file =
      whole_object({{"file", any_text()},
                    {"golden", any_text()},
                    {"verdict", one_of_words({"ok", "differs", "error", "created", "updated", "unchanged"})},
                    {"message", or_null(any_text())},
                    {"first_different", described(or_null(any_text()), "the first step that differs")},
                    {"differences", list_of(difference)}});
  const Json members = {
      {"schema", {{"const", "attn/golden/1"}}}, {"passed", count}, {"failed", count}, {"files", list_of(file)}};
  return schema_text("What attn golden says of problems", whole_object(members), std::move(defs));
}

std::string error_schema() {
  const Json count = whole_number(1);
  const Json error = whole_object({{"file", described(or_null(any_text()), "null: it is no file that is wrong")},
                                   {"line", or_null(count)},
                                   {"column", described(or_null(count), "in characters, from 1")},
                                   {"pointer", described(or_null(any_text()), "a JSON Pointer into the file")},
                                   {"message", any_text()},
                                   {"help", described(or_null(any_text()), "what to do")}});
  Json members = {{"schema", {{"const", "attn/error/1"}}},
                  {"errors", list_of(error)},
                  {"unkept", described(count, "how many more there are, where there are")}};
  return schema_text("What attn says is wrong", object_of(std::move(members), {"schema", "errors"}), Json::object());
}

}  // namespace attn
