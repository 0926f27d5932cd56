#include <algorithm>
#include <string>
#include <vector>

#include "cli/options.h"
#include "model/attention.h"
#include "reading/schemas.h"

namespace attn {
namespace {

// A file format that has a schema.
struct Described {
  std::string name;
  std::string (*schema)();
};

const std::vector<Described> described = {
    {"problem", [] { return problem_schema(catalog()); }},
    {"answers", answers_schema},
    {"trace", trace_schema},
    {"report", report_schema},
};

struct SchemaOptions {
  std::string name;

  void declare(CommandLine& line) {
    line.add_option("NAME", name, "the file format", {.choices = names_of(described), .is_required = true});
  }
  Exit run() const {
    const auto found = std::ranges::find(described, name, &Described::name);
    if (found != described.end()) return print(found->schema());
    throw unknown("no file format is called", name, names_of(described),
                  "attn schema problem, attn schema answers, attn schema trace, attn schema report");
  }
};

}  // namespace

Command schema_command() {
  return command<SchemaOptions>({.name = "schema",
                                 .summary = "Print the JSON Schema of a file format",
                                 .group = "Look up",
                                 .examples = {"attn schema problem"}});
}

}  // namespace attn
