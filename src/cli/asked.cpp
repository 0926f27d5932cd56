#include "cli/asked.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "backend/backends.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
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
    if (words.size() > 2) {
      throw Refusal("`" + shown(words[2]) + "` is one argument too many for `attn help`", "usage: attn help COMMAND")
          .at({.value = words[2]});
    }
    if (words.size() == 1 || words[1] == "help" || words[1] == "--help") {
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
  const bool names_command = is_command(words[0].substr(std::min(words[0].find_first_not_of('-'), words[0].size())));
  if (option && words.size() == 1 && !about_the_program && !names_command) {
    const std::vector<std::string> known = {"--help", "--version"};
    throw unknown("attn has no option", words[0], known, "attn --help lists the commands").at({words[0]});
  }
  if ((option && !about_the_program) || looks_like_a_file(words[0])) words.insert(words.begin(), "run");
}

std::string help_on(const CommandUsage& command) { return "attn " + command.name + " --help tells what it takes"; }

// Words that no option and no argument took.
Refusal refused(const std::vector<std::string>& extras, const CommandLine& line, bool is_behind_end) {
  const std::string& word = extras.front();
  const CommandUsage& command = line.usage();
  const std::string named = "`attn " + command.name + "`";
  constexpr std::string_view dashes[] = {"–", "—", "−"};  // as texts have them that are copied from a page
  if (std::ranges::any_of(dashes, [&](std::string_view dash) { return word.starts_with(dash); })) {
    return Refusal("`" + shown(word) + "` is no option of " + named, "an option begins with two plain dashes: --")
        .at({.value = word});
  }
  if (is_behind_end) {
    return Refusal("`" + shown(word) + "` is one argument too many for " + named,
                   "behind -- no word is an option; usage: " + command.synopsis())
        .at({.value = word});
  }
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

// A word is missing, perhaps because it stands where an option's value should.
Refusal lacking(const WordUsage& missing, const CommandUsage& command, const std::vector<std::string>& words) {
  const std::vector<std::string> options = options_with_values(words);
  const std::string needs = "`attn " + command.name + "` needs " + missing.names;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!looks_like_a_file(words[i]) || std::ranges::find(options, words[i - 1]) == options.end()) continue;
    return Refusal(needs + ", and `" + shown(words[i]) + "` is read as what " + words[i - 1] + " is",
                   "a value stands behind " + words[i - 1] + ": is it missing?")
        .at({.value = words[i]});
  }
  return Refusal(needs + ": " + missing.told(), "usage: " + command.synopsis()).at({});
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

}  // namespace

std::vector<std::string> options_with_values(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const CommandUsage& command : usages()) {
    if (words.empty() || (is_command(words[0]) && command.name != words[0])) continue;
    for (const WordUsage& word : command.words) {
      if (word.is_by_place() || word.value.empty()) continue;
      names.push_back(word.long_name());
      if (const std::string name = word.short_name(); !name.empty()) names.push_back(name);
    }
  }
  return names;
}

std::function<Exit()> asked_for(std::vector<std::string> words) {
  refuse_empty(words);
  spell_out(words);
  if (words.empty()) {
    return [] {
      say(program_help(usages(), help_width()));
      return Exit::wrong_input;
    };
  }
  CommandLine program("attn");
  const std::vector<Declared> declared = declare_commands(program, words[0]);
  if (is_command(words[0])) refuse_values_of_flags(words, declared.front().line->usage());
  const CommandLine::Parsed parsed = program.parse(words);
  if (parsed.asked == CommandLine::Asked::version) return [] { return print(about_this_program()); };
  if (parsed.asked == CommandLine::Asked::help) {
    const std::string help = is_command(words[0]) ? command_help(declared.front().line->usage(), help_width())
                                                  : program_help(usages(), help_width());
    return [help] { return print(in_letters_of_here(help)); };
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
  if (!extras.empty()) {
    const auto end = std::ranges::find(words, "--");
    throw refused(extras, *line, std::find(end, words.end(), extras.front()) != words.end());
  }
  if (const WordUsage* missing = line->missing()) throw lacking(*missing, line->usage(), words);
  return run;
}

}  // namespace attn
