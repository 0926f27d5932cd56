#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace attn {

// What else is said of an option.
struct Takes {
  std::string value = {};  // "N": what stands behind it in --help
  bool is_required = false;
  bool is_single = false;      // of a list: one word each time that it is given
  bool splits_commas = false;  // of a list: several in one word
  bool shows_default = false;
};

// The words that a program, or one of its commands, takes: declared, parsed and
// listed by --help. CLI11 is known behind this header and nowhere else.
class CommandLine {
 public:
  // Of a program.
  CommandLine(const std::string& summary, const std::string& name, const std::string& version,
              const std::string& footer);
  // Of a command of it.
  explicit CommandLine(CLI::App& command);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Lives as long as this.
  CommandLine& add_command(const std::string& name, const std::string& summary);

  // "--dtype", "-o,--output", or "FILE" for a word by its place.
  void add_option(const std::string& names, std::string& typed, const std::string& help, const Takes& takes = {});
  void add_option(const std::string& names, std::vector<std::string>& typed, const std::string& help,
                  const Takes& takes = {});
  void add_option(const std::string& names, const std::function<void(const std::string&)>& take,
                  const std::string& help, const Takes& takes = {});
  void add_flag(const std::string& names, bool& is_given, const std::string& help);
  void add_flag(const std::string& names, const std::function<void()>& take, const std::string& help);

  // REQUIRES: it was declared.
  void remove_option(const std::string& name);

  // What the words ask for; `message` says why they can't be understood.
  enum class Asked { command, help, version, nothing };
  struct Parsed {
    Asked asked = Asked::command;
    std::string message = {};
  };
  Parsed parse(const std::vector<std::string>& words);

  // After parse(): whether this command was named, and the words that nothing took.
  bool is_named() const;
  std::vector<std::string> remaining() const;

  std::string help() const;  // of the command that was named, if any
  std::string name() const;
  std::vector<std::string> option_names() const;  // "--dtype"

 private:
  std::unique_ptr<CLI::App> program_;  // null for a command
  CLI::App* app_;
  std::list<CommandLine> commands_;
};

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
