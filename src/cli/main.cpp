#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

#include "backend/backend.h"
#include "backend/backends.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/version.h"
#include "problem/faults.h"

namespace attn {
namespace {

bool is_command(const std::string& word) {
  return std::ranges::any_of(commands(), [&](const Command& command) { return command.usage.name == word; });
}

std::vector<std::string> command_names() {
  return names_of(commands(), [](const Command& command) { return command.usage.name; });
}

bool looks_like_a_file(const std::string& word) {
  std::error_code ignored;
  return word == "-" || word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored);
}

Refusal no_command(const std::string& word) {
  return unknown("no command and no file is called", word, command_names(), "attn --help lists the commands");
}

// `attn FILE` is `attn run FILE`, and `attn help COMMAND` is `attn COMMAND --help`.
void spell_out(std::vector<std::string>& words) {
  if (words.empty() || is_command(words[0])) return;
  if (words[0] == "help") {
    if (words.size() == 1) {
      words = {"--help"};
    } else if (!is_command(words[1])) {
      throw unknown("no command is called", words[1], command_names(), "attn --help lists the commands");
    } else {
      words = {words[1], "--help"};
    }
    return;
  }
  const bool option = words[0].size() > 1 && words[0][0] == '-';
  const bool about_the_program = words[0] == "--help" || words[0] == "-h" || words[0] == "--version";
  if ((option && !about_the_program) || looks_like_a_file(words[0])) words.insert(words.begin(), "run");
}

std::string help_on(const CommandUsage& command) { return "attn " + command.name + " --help tells what it takes"; }

// Words that no option and no argument took.
Refusal refused(const std::vector<std::string>& extras, const CommandLine& line) {
  const std::string& word = extras.front();
  const CommandUsage& command = line.usage();
  const std::string named = "`attn " + command.name + "`";
  if (word.size() < 2 || word[0] != '-') {
    return Refusal("`" + shown(word) + "` is one argument too many for " + named, "usage: " + command.synopsis())
        .at({.value = word});
  }
  const std::string name = word.substr(0, word.find('='));
  const std::string meant = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  if (is_command(meant)) {
    return Refusal(named + " has no option `" + shown(name) + "`",
                   "attn " + meant + " is a command: it comes first, without dashes")
        .at({name});
  }
  return unknown(named + " has no option", name, command.option_names(), help_on(command)).at({name});
}

// "--full=3": CLI11 would take any value for yes.
void refuse_values_of_flags(const std::vector<std::string>& words, const CommandUsage& command) {
  for (const std::string& word : words) {
    if (word == "--") return;
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == std::string::npos) continue;
    const std::string name = word.substr(0, equals);
    const auto is_flag = [&](const WordUsage& one) {
      return !one.is_by_place() && one.value.empty() && one.long_name() == name;
    };
    if (std::ranges::any_of(command.words, is_flag)) {
      throw Refusal("`" + name + "` takes no value", "leave out `" + word.substr(equals) + "`").at({name});
    }
  }
}

// As wide as the terminal, where the text goes to one; lines that are too long are hard to read.
std::size_t help_width() {
  constexpr std::size_t widest = 100;
  return is_terminal(STDOUT_FILENO) ? std::min(terminal_size(STDOUT_FILENO).columns, widest) : TerminalSize().columns;
}

// The version, and what there is to compute on: "cpu: AVX-512, 2 processors".
std::string about_this_program() {
  std::string text = std::string("attn ") + version + "\n";
  for (const BackendRow& row : backends()) {
    const std::vector<std::string> devices = row.devices();
    for (const std::string& device : devices) text += row.name + ": " + device + "\n";
    if (!devices.empty()) continue;
    const auto made = row.make(0);
    if (!made)
      text += row.name + ": " + made.faults().front().message + "; " + made.faults().front().help.text() + "\n";
  }
  return text;
}

struct Declared {
  CommandLine* line;
  std::function<Exit()> run;
};

// The command of that name, or, where the first word names none, every one:
// declaring the options of all takes longer than a small problem.
std::vector<Declared> declare_commands(CommandLine& program, const std::string& first_word) {
  const bool is_named = is_command(first_word);
  std::vector<Declared> declared;
  for (const Command& command : commands()) {
    if (is_named && command.usage.name != first_word) continue;
    CommandLine& line = program.add_command(command.usage);
    declared.push_back({&line, command.declare(line)});
  }
  return declared;
}

Exit run_program(std::vector<std::string> words) {
  refuse_empty(words);
  spell_out(words);
  if (words.empty()) {
    say(program_help(usages(), help_width()));
    return Exit::wrong_input;
  }
  CommandLine program("attn");
  const std::vector<Declared> declared = declare_commands(program, words[0]);
  if (is_command(words[0])) refuse_values_of_flags(words, declared.front().line->usage());
  const CommandLine::Parsed parsed = program.parse(words);
  if (parsed.asked == CommandLine::Asked::version) return print(about_this_program());
  if (parsed.asked == CommandLine::Asked::help) {
    return print(in_letters_of_here(is_command(words[0]) ? command_help(declared.front().line->usage(), help_width())
                                                         : program_help(usages(), help_width())));
  }
  if (!is_command(words[0])) throw no_command(words[0]);
  const auto& [line, run] = declared.front();
  if (parsed.asked == CommandLine::Asked::nothing) {
    const bool ends_there = parsed.lacks_value && words.back().starts_with('-');
    throw Refusal(parsed.message, parsed.help.empty() ? help_on(line->usage()) : parsed.help)
        .at(ends_there ? Typed{} : Typed{parsed.option});
  }
  std::vector<std::string> extras = line->remaining();
  std::erase(extras, "--");  // the end of options, not a word
  if (!extras.empty()) throw refused(extras, *line);
  if (const WordUsage* missing = line->missing()) {
    throw Refusal("`attn " + line->usage().name + "` needs " + missing->names + ": " + missing->told(),
                  "usage: " + line->usage().synopsis())
        .at({});
  }
  return run();
}

}  // namespace
}  // namespace attn

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error like any other: it is said, and nothing is left
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const attn::ErrorFormat errors = attn::format_of_errors(words);
  try {
    return static_cast<int>(attn::run_program(words));
  } catch (const attn::Refusal& refusal) {
    return static_cast<int>(refusal.say(errors, words));
  } catch (const attn::BackendError& error) {
    attn::Refusal(error.fault()).say(errors);
  } catch (const std::bad_alloc&) {
    attn::Refusal("memory is short", "a smaller problem, or a machine with more memory").say(errors);
  } catch (const std::exception& error) {
    attn::Refusal(std::string("this should not have happened: ") + error.what(),
                  "this is a defect of attn: keep the command and its files, and report them")
        .say(errors);
  }
  return static_cast<int>(attn::Exit::wrong_environment);
}
