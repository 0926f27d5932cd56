#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace attn {
namespace {

void say_of(CLI::Option& option, const Takes& takes) {
  if (!takes.value.empty()) option.type_name(takes.value);
  if (takes.is_required) option.required();
  if (takes.is_single) option.allow_extra_args(false);
  if (takes.splits_commas) {
    const auto without_blanks = [](std::string& typed) {
      typed.erase(0, typed.find_first_not_of(' '));
      typed.erase(typed.find_last_not_of(' ') + 1);
      return std::string();
    };
    option.delimiter(',')->transform(CLI::Validator(without_blanks, ""));
  }
  if (takes.shows_default) option.capture_default_str();
}

}  // namespace

CommandLine::CommandLine(const std::string& summary, const std::string& name, const std::string& version,
                         const std::string& footer)
    : program_(std::make_unique<CLI::App>(summary, name)), app_(program_.get()) {
  app_->set_version_flag("--version", version);
  app_->footer(footer);
  app_->allow_extras();
}

CommandLine::CommandLine(CLI::App& command) : app_(&command) { app_->allow_extras(); }

CommandLine::~CommandLine() = default;

CommandLine& CommandLine::add_command(const std::string& name, const std::string& summary) {
  return commands_.emplace_back(*app_->add_subcommand(name, summary));
}

void CommandLine::add_option(const std::string& names, std::string& typed, const std::string& help,
                             const Takes& takes) {
  say_of(*app_->add_option(names, typed, help), takes);
}

void CommandLine::add_option(const std::string& names, std::vector<std::string>& typed, const std::string& help,
                             const Takes& takes) {
  say_of(*app_->add_option(names, typed, help), takes);
}

void CommandLine::add_option(const std::string& names, const std::function<void(const std::string&)>& take,
                             const std::string& help, const Takes& takes) {
  say_of(*app_->add_option_function<std::string>(names, take, help), takes);
}

void CommandLine::add_flag(const std::string& names, bool& is_given, const std::string& help) {
  app_->add_flag(names, is_given, help);
}

void CommandLine::add_flag(const std::string& names, const std::function<void()>& take, const std::string& help) {
  app_->add_flag_callback(names, take, help);
}

void CommandLine::remove_option(const std::string& name) { app_->remove_option(app_->get_option(name)); }

CommandLine::Parsed CommandLine::parse(const std::vector<std::string>& words) {
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return {Asked::help};
  } catch (const CLI::CallForVersion&) {
    return {Asked::version};
  } catch (const CLI::ParseError& error) {
    return {Asked::nothing, error.what()};
  }
  return {Asked::command};
}

bool CommandLine::is_named() const { return app_->parsed(); }

std::vector<std::string> CommandLine::remaining() const { return app_->remaining(); }

std::string CommandLine::help() const { return app_->help(); }

std::string CommandLine::name() const { return app_->get_name(); }

std::vector<std::string> CommandLine::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace attn
