#include "cli/completion.h"

#include <string>

#include "cli/options.h"

namespace attn {
namespace {

struct CompletionOptions {
  std::string shell;

  void declare(CommandLine& line) {
    line.add_option("SHELL", shell, "the shell", {.choices = names_of(shells()), .is_required = true});
  }
  Exit run() const { return print(shells()[choice("SHELL", shell, names_of(shells()))].script(usages())); }
};

}  // namespace

Command completion_command() {
  return command<CompletionOptions>({.name = "completion",
                                     .summary = "Print what teaches a shell to complete attn's words",
                                     .group = "Look up",
                                     .examples = {"source <(attn completion bash)"}});
}

}  // namespace attn
