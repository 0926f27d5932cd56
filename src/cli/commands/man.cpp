#include <algorithm>
#include <string>
#include <vector>

#include "cli/man_page.h"
#include "cli/options.h"

namespace attn {
namespace {

struct ManOptions {
  std::string name;

  void declare(CommandLine& line) { line.add_option("COMMAND", name, "one command; else the program"); }
  Exit run() const {
    const std::vector<CommandUsage> all = usages();
    if (name.empty()) return print(man_page(all));
    const auto found = std::ranges::find(all, name, &CommandUsage::name);
    if (found == all.end())
      throw unknown("no command is called", name, names_of(all), "attn --help lists the commands");
    return print(man_page(*found));
  }
};

}  // namespace

Command man_command() {
  return command<ManOptions>({.name = "man",
                              .summary = "Print a page of the manual, for man(1)",
                              .group = "Look up",
                              .examples = {"attn man run > attn-run.1"}});
}

}  // namespace attn
