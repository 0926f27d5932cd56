#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace attn {

// What the program's exit code says.
enum class Exit { done = 0, differs = 1, wrong_input = 2, wrong_environment = 3 };

// One command of the program.
struct Command {
  std::string name;
  std::string summary;  // one line, for --help

  // Declares the command's options on its own command line, and returns what runs it
  // once they are parsed.
  std::function<std::function<Exit()>(CommandLine& line)> declare;
};

// Every command, in the order in which --help lists them: the rows that
// cli/commands/CMakeLists.txt names.
const std::vector<Command>& commands();

}  // namespace attn
