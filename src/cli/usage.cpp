#include "cli/usage.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/text.h"

namespace attn {
namespace {

// Where what is told of a word begins; on a narrow terminal, below it.
constexpr std::size_t told_at = 26;
constexpr std::size_t least_beside = 60;
constexpr std::size_t told_below = 8;

// The text in lines of at most `width` columns, all but the first after so many blanks.
// A word that is too wide has a line of its own.
std::string wrapped(std::string_view text, std::size_t first, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = first;
  bool begins = true;
  for (const std::string& word : split(text, ' ')) {
    const std::size_t wide = display_width(word);
    if (!begins && column + 1 + wide > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
      begins = true;
    }
    if (!begins) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += wide;
    begins = false;
  }
  return lines + "\n";
}

// "  name  told", with what is told in a column of its own.
std::string row(const std::string& name, std::string_view told, std::size_t column, std::size_t width) {
  const std::size_t taken = display_width(name);
  const bool beside = width >= least_beside;
  const std::size_t at = beside ? column : told_below;
  if (beside && taken + 2 <= column) {
    return name + std::string(column - taken, ' ') + wrapped(told, column, column, width);
  }
  return name + "\n" + std::string(at, ' ') + wrapped(told, at, at, width);
}

// "  -o, --output FILE", long names below each other.
std::string named(const WordUsage& word) {
  if (word.is_by_place()) return "  " + word.names;
  const std::string short_name = word.short_name();
  return "  " + (short_name.empty() ? "    " : short_name + ", ") + word.long_name() +
         (word.value.empty() ? "" : " " + word.value);
}

std::string exit_codes(std::size_t width) {
  std::string text = "Exit codes:\n";
  for (const ExitUsage& one : exit_usages()) text += row("  " + std::to_string(one.code), one.meaning, 5, width);
  return text;
}

template <class Rows, class Group>
std::vector<std::string> titles(const Rows& rows, Group group) {
  std::vector<std::string> found;
  for (const auto& one : rows) {
    const std::string& title = std::invoke(group, one);
    if (std::ranges::find(found, title) == found.end()) found.push_back(title);
  }
  return found;
}

}  // namespace

std::string WordUsage::long_name() const { return names.substr(names.find("--")); }

std::string WordUsage::short_name() const { return names.starts_with("--") ? "" : names.substr(0, 2); }

std::string WordUsage::told() const {
  std::string text = help;
  if (!choices.empty()) text += ": " + listed(choices);
  if (!otherwise.empty()) text += " (default: " + otherwise + ")";
  return text;
}

std::string CommandUsage::synopsis() const {
  std::string text = "attn " + name + " [OPTIONS]";
  for (const WordUsage& word : words) {
    if (!word.is_by_place()) continue;
    const std::string all = word.names + (word.may_repeat ? "…" : "");
    text += " " + (word.is_required ? all : "[" + all + "]");
  }
  return text;
}

std::vector<std::string> CommandUsage::option_names() const {
  std::vector<std::string> names = {"--help"};
  for (const WordUsage& word : words) {
    if (!word.is_by_place()) names.push_back(word.long_name());
  }
  return names;
}

std::vector<std::string> CommandUsage::groups() const {
  std::vector<WordUsage> options;
  std::ranges::remove_copy_if(words, std::back_inserter(options), &WordUsage::is_by_place);
  return titles(options, &WordUsage::group);
}

std::span<const ExitUsage> exit_usages() {
  static const std::vector<ExitUsage> all = {
      {0, "done; all that was compared is equal, all that was checked is right"},
      {1, "something that was compared differs, or was checked and is wrong"},
      {2, "the command line or a file is wrong: nothing was computed"},
      {3, "the environment is: no such backend, a file cannot be written, no memory"}};
  return all;
}

std::string program_help(std::span<const CommandUsage> commands, std::size_t width) {
  std::string text = wrapped("Attention, computed step by step, with every number shown.", 0, 0, width) + "\nUsage:\n";
  text += row("  attn FILE", "every step of a problem: the same as attn run FILE", told_at, width);
  text += row("  attn COMMAND …", "attn help COMMAND tells all about one", told_at, width);
  for (const std::string& group : titles(commands, &CommandUsage::group)) {
    text += "\n" + group + ":\n";
    for (const CommandUsage& command : commands) {
      if (command.group == group) text += row("  " + command.name, command.summary, 14, width);
    }
  }
  text += "\nAbout the program:\n";
  text += row("  -h, --help", "this, and behind a command what it takes", told_at, width);
  text += row("      --version", "the version, and what there is here to compute on", told_at, width);
  return text + "\n" + exit_codes(width);
}

std::string command_help(const CommandUsage& command, std::size_t width) {
  std::string text = wrapped(command.summary + ".", 0, 0, width) + "\n";
  text += "Usage: " + wrapped(command.synopsis(), 7, 11, width);
  bool has_places = false;
  for (const WordUsage& word : command.words) {
    if (!word.is_by_place()) continue;
    text += (has_places ? "" : "\n") + row(named(word), word.told(), told_at, width);
    has_places = true;
  }
  for (const std::string& group : command.groups()) {
    text += "\n" + group + ":\n";
    for (const WordUsage& word : command.words) {
      if (!word.is_by_place() && word.group == group) text += row(named(word), word.told(), told_at, width);
    }
  }
  if (!command.examples.empty()) text += "\nFor example:\n";
  for (const std::string& example : command.examples) text += "  " + example + "\n";
  return text;
}

}  // namespace attn
