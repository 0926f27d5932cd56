#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "cli/usage.h"

namespace CLI {
class App;
}  // namespace CLI

namespace attn {

// What else is said of an option.
struct Takes {
  std::string value = {};                 // "N": what stands behind it in --help
  std::vector<std::string> choices = {};  // all that it may be; whoever reads it refuses the rest
  bool is_required = false;
  bool is_single = false;      // of a list: one word each time that it is given
  bool splits_commas = false;  // of a list: several in one word
  bool shows_default = false;
};

// The words that a program, or one of its commands, takes: declared and parsed.
// CLI11 is known behind this header and nowhere else.
class CommandLine {
 public:
  // Of a program.
  explicit CommandLine(const std::string& name);
  // Of a command of it.
  CommandLine(CLI::App& command, CommandUsage usage);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Lives as long as this.
  CommandLine& add_command(CommandUsage usage);

  // What is declared from here on stands under this title.
  void begin_group(std::string title);

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

  // What the words ask for; `message` says why they can't be understood, as they can't
  // where too few words stand behind an option, or something behind a flag.
  enum class Asked { command, help, version, nothing };
  struct Parsed {
    Asked asked = Asked::command;
    std::string message = {};
    std::string option = {};   // which is to blame, by its long name
    std::string help = {};     // nothing where the command's own help is
    bool lacks_value = false;  // what is to blame is that nothing stands behind the option
  };
  Parsed parse(const std::vector<std::string>& words);

  // After parse(): the words that nothing took, and the first that is required and was
  // not given; null where there is none.
  std::vector<std::string> remaining() const;
  const WordUsage* missing() const;

  const CommandUsage& usage() const { return usage_; }

 private:
  void note(const std::string& names, const std::string& help, const Takes& takes, bool is_list,
            const std::string& otherwise);

  std::unique_ptr<CLI::App> program_;  // null for a command
  CLI::App* app_;
  CommandUsage usage_;
  std::string group_ = "Options";
  std::list<CommandLine> commands_;
};

// What the program's exit code says; of several, the largest counts.
enum class Exit { done = 0, differs = 1, wrong_input = 2, wrong_environment = 3 };

// One command of the program.
struct Command {
  CommandUsage usage;  // without its words

  // Declares the command's options on its own command line, and returns what runs it
  // once they are parsed.
  std::function<std::function<Exit()>(CommandLine& line)> declare;
};

// A command with the options of a struct, which declares them, `void declare(CommandLine&)`,
// and runs as they say, `Exit run() const`.
template <class Options>
Command command(CommandUsage usage) {
  const auto declare = [](CommandLine& line) {
    const auto options = std::make_shared<Options>();
    options->declare(line);
    return [options] { return options->run(); };
  };
  return {std::move(usage), declare};
}

// Every command, in the order in which --help lists them: the rows that
// cli/commands/CMakeLists.txt names.
const std::vector<Command>& commands();

// All that can be said to them.
std::vector<CommandUsage> usages();

}  // namespace attn
