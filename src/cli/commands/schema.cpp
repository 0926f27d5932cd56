#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
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
    {"scheme", scheme_schema},
    {"grades", grades_schema},
    {"golden", golden_schema},
    {"diff", diff_schema},
    {"bench", bench_schema},
    {"cost", cost_schema},
    {"scaling", scaling_schema},
    {"heads", heads_schema},
    {"lint", lint_schema},
    {"list", list_schema},
    {"error", error_schema},
};

struct SchemaOptions {
  std::string name;

  void declare(CommandLine& line) {
    line.add_option("NAME", name, "the file format", {.choices = names_of(described), .is_required = true});
  }
  Exit run() const {
    const auto found = std::ranges::find(described, name, &Described::name);
    if (found != described.end()) return print(found->schema());
    const std::vector<std::string> names = names_of(described);
    throw unknown("no file format is called", name, names, "attn schema takes " + listed(names));
  }
};

}  // namespace

Command schema_command() {
  return command<SchemaOptions>({.name = "schema",
                                 .summary = "Print the JSON Schema of a file format, or of what a command prints",
                                 .group = "Look up",
                                 .examples = {"attn schema problem"}});
}

}  // namespace attn
