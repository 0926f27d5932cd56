#include <algorithm>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace attn {
namespace {

void say_of(CLI::Option& option, const Takes& takes) {
  if (!takes.value.empty()) option.type_name(takes.value);
  if (takes.is_single) option.allow_extra_args(false);
  if (takes.splits_commas) {
    const auto without_blanks = [](std::string& typed) {
      typed.erase(0, typed.find_first_not_of(' '));
      typed.erase(typed.find_last_not_of(' ') + 1);
      return std::string();
    };
    option.delimiter(',')->transform(CLI::Validator(without_blanks, ""));
  }
}

// What CLI11 says is wrong with an option, in our words: it begins with the option's name.
CommandLine::Parsed understood(const CLI::ArgumentMismatch& error) {
  const std::string said = error.what();
  const std::string option = said.substr(0, said.find(':'));
  if (said.find("At Most") != std::string::npos) {
    return {CommandLine::Asked::nothing, "`" + option + "` is given more than once", option, "leave one of them out"};
  }
  if (said.find("missing") != std::string::npos || said.find("At Least") != std::string::npos) {
    return {.asked = CommandLine::Asked::nothing,
            .message = "nothing stands behind `" + option + "`",
            .option = option,
            .lacks_value = true};
  }
  return {CommandLine::Asked::nothing, said, option};
}

}  // namespace

CommandLine::CommandLine(const std::string& name)
    : program_(std::make_unique<CLI::App>("", name)), app_(program_.get()) {
  app_->set_version_flag("--version", "");
  app_->allow_extras();
}

CommandLine::CommandLine(CLI::App& command, CommandUsage usage) : app_(&command), usage_(std::move(usage)) {
  app_->allow_extras();
}

CommandLine::~CommandLine() = default;

CommandLine& CommandLine::add_command(CommandUsage usage) {
  CLI::App& command = *app_->add_subcommand(usage.name);
  return commands_.emplace_back(command, std::move(usage));
}

void CommandLine::begin_group(std::string title) { group_ = std::move(title); }

void CommandLine::note(const std::string& names, const std::string& help, const Takes& takes, bool is_list,
                       const std::string& otherwise) {
  usage_.words.push_back({.names = names,
                          .help = help,
                          .value = takes.value,
                          .choices = takes.choices,
                          .otherwise = takes.shows_default ? otherwise : "",
                          .group = group_,
                          .is_required = takes.is_required,
                          .may_repeat = is_list});
}

void CommandLine::add_option(const std::string& names, std::string& typed, const std::string& help,
                             const Takes& takes) {
  say_of(*app_->add_option(names, typed, help), takes);
  note(names, help, takes, false, typed);
}

void CommandLine::add_option(const std::string& names, std::vector<std::string>& typed, const std::string& help,
                             const Takes& takes) {
  say_of(*app_->add_option(names, typed, help), takes);
  note(names, help, takes, true, "");
}

void CommandLine::add_option(const std::string& names, const std::function<void(const std::string&)>& take,
                             const std::string& help, const Takes& takes) {
  say_of(*app_->add_option_function<std::string>(names, take, help), takes);
  note(names, help, takes, false, "");
}

void CommandLine::add_flag(const std::string& names, bool& is_given, const std::string& help) {
  app_->add_flag(names, is_given, help);
  note(names, help, {}, false, "");
}

void CommandLine::add_flag(const std::string& names, const std::function<void()>& take, const std::string& help) {
  app_->add_flag_callback(names, take, help);
  note(names, help, {}, false, "");
}

void CommandLine::remove_option(const std::string& name) {
  app_->remove_option(app_->get_option(name));
  std::erase_if(usage_.words, [&](const WordUsage& word) { return word.names == name; });
}

CommandLine::Parsed CommandLine::parse(const std::vector<std::string>& words) {
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return {Asked::help};
  } catch (const CLI::CallForVersion&) {
    return {Asked::version};
  } catch (const CLI::ArgumentMismatch& error) {
    return understood(error);
  } catch (const CLI::ParseError& error) {
    return {Asked::nothing, error.what()};
  }
  return {Asked::command};
}

std::vector<std::string> CommandLine::remaining() const {
  std::vector<std::string> words = app_->remaining();
  // What a command does not take behind "--" is left to the program.
  if (const CLI::App* const program = app_->get_parent())
    std::ranges::copy(program->remaining(), std::back_inserter(words));
  return words;
}

const WordUsage* CommandLine::missing() const {
  const auto found = std::ranges::find_if(usage_.words, [&](const WordUsage& word) {
    return word.is_required && app_->get_option(word.names)->count() == 0;
  });
  return found == usage_.words.end() ? nullptr : &*found;
}

std::vector<CommandUsage> usages() {
  CommandLine program("attn");
  std::vector<CommandUsage> all;
  for (const Command& command : commands()) {
    CommandLine& line = program.add_command(command.usage);
    command.declare(line);
    all.push_back(line.usage());
  }
  return all;
}

}  // namespace attn
