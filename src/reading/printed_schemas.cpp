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
