#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace attn {

// One option, or one word by its place, as it was declared.
struct WordUsage {
  std::string names;                      // "-o,--output", "--full"; "FILE" of a word by its place
  std::string help;                       // what it is for
  std::string value;                      // "N": what stands behind the name; nothing of a flag
  std::vector<std::string> choices = {};  // what it may be, where that is one of few
  std::string otherwise = {};             // what it is where it is not given, if that is said
  std::string group = {};
  bool is_required = false;
  bool may_repeat = false;

  bool is_by_place() const { return names.front() != '-'; }
  std::string long_name() const;   // "--output"
  std::string short_name() const;  // "-o", or nothing

  // What it is for, what it may be, and what it is otherwise.
  std::string told() const;
};

// All that can be said to one command: --help, the manual and completions are made of it.
struct CommandUsage {
  std::string name, summary, group;
  std::vector<WordUsage> words = {};
  std::vector<std::string> examples = {};

  // "attn why [OPTIONS] FILE STEP"
  std::string synopsis() const;

  // "--dtype", "--help" among them.
  std::vector<std::string> option_names() const;

  // The titles of the groups of options, in the order in which they were declared.
  std::vector<std::string> groups() const;
};

// What each exit code stands for.
struct ExitUsage {
  int code;
  std::string meaning;
};
std::span<const ExitUsage> exit_usages();

// What --help prints on a terminal of so many columns: of the program, and of a command.
std::string program_help(std::span<const CommandUsage> commands, std::size_t width);
std::string command_help(const CommandUsage& command, std::size_t width);

}  // namespace attn
