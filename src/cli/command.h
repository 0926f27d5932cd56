#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace attn {

// What the program's exit code says; of several, the largest counts.
enum class Exit { done = 0, differs = 1, wrong_input = 2, wrong_environment = 3 };

// One command of the program.
struct Command {
  std::string name;
  std::string summary;  // one line, for --help

  // Declares the command's options on its own command line, and returns what runs it
  // once they are parsed.
  std::function<std::function<Exit()>(CommandLine& line)> declare;
};

// A command with the options of a struct, which declares them, `void declare(CommandLine&)`,
// and runs as they say, `Exit run() const`.
template <class Options>
Command command(std::string name, std::string summary) {
  const auto declare = [](CommandLine& line) {
    const auto options = std::make_shared<Options>();
    options->declare(line);
    return [options] { return options->run(); };
  };
  return {std::move(name), std::move(summary), declare};
}

// Every command, in the order in which --help lists them: the rows that
// cli/commands/CMakeLists.txt names.
const std::vector<Command>& commands();

}  // namespace attn
