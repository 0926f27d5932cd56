#include "cli/usage.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "catch.h"
#include "cli/completion.h"
#include "cli/man_page.h"

namespace attn {
namespace {

CommandUsage command_of(const std::string& summary, const std::vector<std::string>& examples) {
  return {.name = "weigh", .summary = summary, .group = "Others", .words = {}, .examples = examples};
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string completion_for(const std::string& shell, const CommandUsage& command) {
  const std::array<CommandUsage, 1> commands = {command};
  return std::ranges::find(shells(), shell, &Shell::name)->script(commands);
}

TEST_CASE("a command without examples has no headline for them", "[cli]") {
  const CommandUsage none = command_of("Weigh it", {}), some = command_of("Weigh it", {"attn weigh x"});
  CHECK_FALSE(says(command_help(none, 80), "For example:"));
  CHECK(command_help(some, 80) == command_help(none, 80) + "\nFor example:\n  attn weigh x\n");
  CHECK_FALSE(says(man_page(none), "EXAMPLES"));
  CHECK(says(man_page(some), ".SH EXAMPLES\n.EX\nattn weigh x\n.EE\n"));
}

TEST_CASE("what troff would take for a request or an escape is written as text", "[cli]") {
  // groff_char(7): \e is a backslash; \& is nothing, and no request begins behind it.
  CHECK(says(man_page(command_of("Read C:\\x", {})), "\n.SH DESCRIPTION\nRead C:\\ex.\n"));
  CHECK(says(man_page(command_of(".x files", {})), "\n.SH DESCRIPTION\n\\&.x files.\n"));
  CHECK(says(man_page(command_of("It's x-y", {})), "\n.SH DESCRIPTION\nIt\\(aqs x\\-y.\n"));
}

TEST_CASE("what would end a description of zsh stands behind a backslash", "[cli]") {
  CHECK(says(completion_for("zsh", command_of("a[1]: b\\c", {})), "'weigh:a\\[1\\]\\: b\\\\c'\n"));
  CHECK(says(completion_for("fish", command_of("it's", {})), " -a weigh -d 'it'\\''s'\n"));
}

}  // namespace
}  // namespace attn
