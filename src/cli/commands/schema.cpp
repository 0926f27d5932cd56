#include "reading/problem/schema.h"

#include <memory>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/console.h"
#include "model/attention.h"

namespace attn {
namespace {

// The formats that have a schema.
struct Described {
  const char* name;
  std::string (*schema)();
};

const Described formats[] = {
    {"problem", [] { return problem_schema(catalog()); }},
    {"answers", answers_schema},
    {"trace", trace_schema},
    {"report", report_schema},
};

Exit print_schema(const std::string& name) {
  std::vector<std::string> names;
  std::string all;
  for (const Described& format : formats) {
    if (format.name == name) return print(format.schema()) ? Exit::done : Exit::wrong_environment;
    names.emplace_back(format.name);
    all += (all.empty() ? "attn schema " : ", attn schema ") + names.back();
  }
  return complain("no file format is called `" + name + "`" + did_you_mean(name, names), all);
}

}  // namespace

Command schema_command() {
  return {.name = "schema",
          .summary = "Print the JSON Schema of a file format: problem, answers, trace, report",
          .declare = [](CommandLine& line) {
            const auto name = std::make_shared<std::string>();
            line.add_option("NAME", *name, "problem, answers, trace or report").required();
            return [name] { return print_schema(*name); };
          }};
}

}  // namespace attn
