#include "cli/completion.h"

#include <algorithm>

#include "base/text.h"

namespace attn {
namespace {

// In single quotes, as all of these shells read them.
std::string single_quoted(std::string_view text) {
  std::string written = "'";
  for (const char c : text) written += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return written + "'";
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

bool is_option(const WordUsage& word) { return !word.is_by_place(); }

std::vector<std::string> choices_by_place(const CommandUsage& command) {
  for (const WordUsage& word : command.words) {
    if (!is_option(word) && !word.choices.empty()) return word.choices;
  }
  return {};
}

// "--output|-o", as a pattern of `case`.
std::string pattern(const WordUsage& word) {
  return word.long_name() + (word.short_name().empty() ? "" : "|" + word.short_name());
}

std::string bash_script(std::span<const CommandUsage> commands) {
  std::vector<std::string> names = {"help"};
  for (const CommandUsage& command : commands) names.push_back(command.name);
  std::string text =
      "# bash completion of attn\n"
      "_attn() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W " +
      single_quoted(joined(names) + " --help --version") +
      " -- \"$word\") $(compgen -f -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command in\n"
      "    help) COMPREPLY=($(compgen -W " +
      single_quoted(joined(names)) + " -- \"$word\")) ;;\n";
  for (const CommandUsage& command : commands) {
    text += "    " + command.name + ")\n      case $before in\n";
    for (const WordUsage& word : command.words) {
      if (!is_option(word) || word.value.empty()) continue;
      text += "        " + pattern(word) + ") COMPREPLY=($(compgen " +
              (word.choices.empty() ? "-f" : "-W " + single_quoted(joined(word.choices))) +
              " -- \"$word\")); return ;;\n";
    }
    text +=
        "      esac\n"
        "      case $word in\n"
        "        -*) COMPREPLY=($(compgen -W " +
        single_quoted(joined(command.option_names())) +
        " -- \"$word\")) ;;\n"
        "        *) COMPREPLY=($(compgen " +
        (choices_by_place(command).empty() ? "-f" : "-W " + single_quoted(joined(choices_by_place(command)))) +
        " -- \"$word\")) ;;\n"
        "      esac ;;\n";
  }
  return text + "  esac\n}\ncomplete -o filenames -F _attn attn\n";
}

// What _arguments says of a word: a bracket, a colon or a backslash would end it.
std::string for_zsh(std::string_view text) {
  std::string written;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') written += '\\';
    written += c;
  }
  return written;
}

std::string zsh_values(const WordUsage& word) {
  const std::string what = ":" + for_zsh(word.value.empty() ? word.names : word.value) + ":";
  return what + (word.choices.empty() ? "_files" : "(" + joined(word.choices) + ")");
}

std::string zsh_script(std::span<const CommandUsage> commands) {
  std::string text =
      "#compdef attn\n"
      "_attn() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CommandUsage& command : commands) {
    text += "    " + single_quoted(command.name + ":" + for_zsh(command.summary)) + "\n";
  }
  text +=
      "    'help:all about one command'\n"
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' commands\n"
      "    _files\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n"
      "    help) _describe 'command' commands ;;\n";
  for (const CommandUsage& command : commands) {
    text += "    " + command.name + ")\n      _arguments \\\n        " + single_quoted("--help[what it takes]");
    std::size_t place = 0;
    for (const WordUsage& word : command.words) {
      text += " \\\n        ";
      if (!is_option(word)) {
        text += single_quoted((word.may_repeat ? "*" : std::to_string(++place)) + zsh_values(word));
        continue;
      }
      const std::string told = "[" + for_zsh(word.help) + "]" + (word.value.empty() ? "" : zsh_values(word));
      text += single_quoted((word.may_repeat ? "*" : "") + word.long_name() + told);
      if (!word.short_name().empty())
        text += " \\\n        " + single_quoted((word.may_repeat ? "*" : "") + word.short_name() + told);
    }
    text += " ;;\n";
  }
  return text + "  esac\n}\n_attn \"$@\"\n";
}

std::string fish_script(std::span<const CommandUsage> commands) {
  std::string text = "# fish completion of attn\n";
  for (const CommandUsage& command : commands) {
    text +=
        "complete -c attn -n __fish_use_subcommand -a " + command.name + " -d " + single_quoted(command.summary) + "\n";
  }
  text += "complete -c attn -n __fish_use_subcommand -a help -d 'All about one command'\n";
  for (const CommandUsage& command : commands) {
    const std::string of = "complete -c attn -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const WordUsage& word : command.words) {
      const std::string values = word.choices.empty() ? "" : " -f -a " + single_quoted(joined(word.choices));
      if (!is_option(word)) {
        if (!values.empty()) text += of + values + "\n";
        continue;
      }
      text += of + " -l " + word.long_name().substr(2);
      if (!word.short_name().empty()) text += " -s " + word.short_name().substr(1);
      if (!word.value.empty()) text += " -r" + values;
      text += " -d " + single_quoted(word.help) + "\n";
    }
  }
  return text;
}

}  // namespace

const std::vector<Shell>& shells() {
  static const std::vector<Shell> all = {
      {"bash", "attn", bash_script}, {"zsh", "_attn", zsh_script}, {"fish", "attn.fish", fish_script}};
  return all;
}

}  // namespace attn
