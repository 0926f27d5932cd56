#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/backends.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/version.h"

namespace attn {
namespace {

bool is_command(const std::string& word) { return std::ranges::count(commands(), word, &Command::name) > 0; }

bool looks_like_a_file(const std::string& word) {
  std::error_code ignored;
  return word == "-" || word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored);
}

// `attn FILE` is `attn run FILE`.
void insert_run(std::vector<std::string>& words) {
  if (words.empty() || is_command(words[0])) return;
  const bool option = words[0].size() > 1 && words[0][0] == '-';
  const bool about_the_program = words[0] == "--help" || words[0] == "-h" || words[0] == "--version";
  if ((option && !about_the_program) || looks_like_a_file(words[0])) words.insert(words.begin(), "run");
}

// Words that no option and no argument took.
Refusal refused(const std::vector<std::string>& extras, const CommandLine& command) {
  const std::string& word = extras.front();
  const std::string named = "attn " + command.name();
  if (word.size() < 2 || word[0] != '-') {
    return Refusal("`" + word + "` is one argument too many for `" + named + "`", named + " --help");
  }
  return unknown("`" + named + "` has no option", word.substr(0, word.find('=')), command.option_names(),
                 named + " --help lists them");
}

std::string footer() {
  return "Give a problem file alone to see every step of it: attn FILE is attn run FILE.\n"
         "Exit codes: 0 done, 1 something compared differs, 2 the command line or a file is\n"
         "wrong, 3 the environment is (no such backend, a file cannot be written, no memory).";
}

// The version, and what there is to compute on: "cpu: AVX-512, 2 processors".
std::string about_this_program() {
  std::string text = std::string("attn ") + version + "\n";
  for (const BackendRow& row : backends()) {
    const std::vector<std::string> devices = row.devices();
    for (const std::string& device : devices) text += row.name + ": " + device + "\n";
    if (!devices.empty()) continue;
    const auto made = row.make(0);
    if (!made) text += row.name + ": " + made.faults().front().message + "; " + made.faults().front().help + "\n";
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
    if (is_named && command.name != first_word) continue;
    CommandLine& line = program.add_command(command.name, command.summary);
    declared.push_back({&line, command.declare(line)});
  }
  return declared;
}

Exit run_program(std::vector<std::string> words) {
  CommandLine program("Attention, computed step by step, with every number shown.", "attn",
                      std::string("attn ") + version, footer());
  refuse_empty(words);
  insert_run(words);
  const std::vector<Declared> declared = declare_commands(program, words.empty() ? "" : words[0]);

  if (words.empty()) {
    say(program.help());
    return Exit::wrong_input;
  }
  const CommandLine::Parsed parsed = program.parse(words);
  switch (parsed.asked) {
    case CommandLine::Asked::help:
      return print(program.help());
    case CommandLine::Asked::version:
      return print(about_this_program());
    case CommandLine::Asked::nothing:
      throw Refusal(parsed.message, "attn --help");
    case CommandLine::Asked::command:
      break;
  }

  for (const Declared& command : declared) {
    if (!command.line->is_named()) continue;
    std::vector<std::string> extras = command.line->remaining();
    std::erase(extras, "--");  // the end of options, not a word
    if (!extras.empty()) throw refused(extras, *command.line);
    return command.run();
  }
  throw unknown("no command and no file is called", words[0], names_of(commands()), "attn --help lists the commands");
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
    return static_cast<int>(refusal.say(errors));
  } catch (const attn::BackendError& error) {
    attn::Refusal(error.fault()).say(errors);
  } catch (const std::bad_alloc&) {
    attn::Refusal("memory is short", "a smaller problem, or a machine with more memory").say(errors);
  } catch (const std::exception& error) {
    attn::Refusal(std::string("this should not have happened: ") + error.what()).say(errors);
  }
  return static_cast<int>(attn::Exit::wrong_environment);
}
