#include "reading/schema.h"

#include <memory>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/console.h"
#include "model/attention.h"

namespace attn {
namespace {

Exit print_schema(const std::string& name) {
  if (name == "problem") return print(problem_schema(catalog())) ? Exit::done : Exit::wrong_environment;
  if (name == "trace") return print(trace_schema()) ? Exit::done : Exit::wrong_environment;
  return complain(
      "no file format is called `" + name + "`" + did_you_mean(name, std::vector<std::string>{"problem", "trace"}),
      "attn schema problem, attn schema trace");
}

}  // namespace

Command schema_command() {
  return {.name = "schema",
          .summary = "Print the JSON Schema of a file format: problem, trace",
          .declare = [](CLI::App& app) {
            const auto name = std::make_shared<std::string>();
            app.add_option("NAME", *name, "problem or trace")->required();
            return [name] { return print_schema(*name); };
          }};
}

}  // namespace attn
