#include "cli/man_page.h"

#include "base/text.h"
#include "cli/version.h"

namespace attn {
namespace {

// A text that troff does not take for a request or an escape, a line of it.
std::string plain(std::string_view text) {
  std::string written;
  for (const char c : text) {
    if (c == '\\') {
      written += "\\e";
    } else if (c == '-') {
      written += "\\-";
    } else if (c == '\'') {
      written += "\\(aq";
    } else {
      written += c;
    }
  }
  return written.starts_with('.') ? "\\&" + written : written;
}

std::string headed(const std::string& page, std::string_view summary) {
  return ".TH " + page + " 1 \"\" \"attn " + version + "\" \"\"\n.SH NAME\n" + plain(page) + " \\- " + plain(summary) +
         "\n";
}

std::string paragraph(const std::string& tag, std::string_view text) {
  return ".TP\n" + tag + "\n" + plain(text) + "\n";
}

// "-o, --output FILE", the names bold and what stands behind them slanted.
std::string tag(const WordUsage& word) {
  if (word.is_by_place()) return ".I " + plain(word.names);
  const std::string short_name = word.short_name();
  std::string names = short_name.empty() ? "" : "\\fB" + plain(short_name) + "\\fR, ";
  names += "\\fB" + plain(word.long_name()) + "\\fR";
  return names + (word.value.empty() ? "" : " \\fI" + plain(word.value) + "\\fR");
}

std::string exit_codes() {
  std::string text = ".SH \"EXIT STATUS\"\n";
  for (const ExitUsage& one : exit_usages()) text += paragraph(std::to_string(one.code), one.meaning);
  return text;
}

std::string sentence(std::string_view text) { return plain(text) + ".\n"; }

}  // namespace

std::string man_page(std::span<const CommandUsage> commands) {
  std::string text = headed("attn", "attention, computed step by step, with every number shown");
  text += ".SH SYNOPSIS\n.B attn\n.I FILE\n.br\n.B attn\n.I COMMAND\n[\\fIOPTIONS\\fR] \\&...\n";
  text += ".SH DESCRIPTION\n" + sentence(
                                    "A problem is a JSON file: inputs, weight matrices, options. attn computes it "
                                    "and shows every step; attn FILE is attn run FILE");
  text += ".SH COMMANDS\n";
  for (const CommandUsage& command : commands) text += paragraph(".B " + plain(command.name), command.summary);
  text += exit_codes() + ".SH \"SEE ALSO\"\n";
  for (std::size_t i = 0; i < commands.size(); ++i) {
    text += ".BR attn\\-" + plain(commands[i].name) + " (1)" + (i + 1 < commands.size() ? "," : "") + "\n";
  }
  return text;
}

std::string man_page(const CommandUsage& command) {
  std::string text = headed("attn-" + command.name, command.summary);
  text += ".SH SYNOPSIS\n.B " + plain(command.synopsis()) + "\n.SH DESCRIPTION\n" + sentence(command.summary);
  for (const WordUsage& word : command.words) {
    if (word.is_by_place()) text += paragraph(tag(word), word.told());
  }
  text += ".SH OPTIONS\n";
  for (const std::string& group : command.groups()) {
    text += ".SS \"" + plain(group) + "\"\n";
    for (const WordUsage& word : command.words) {
      if (!word.is_by_place() && word.group == group) text += paragraph(tag(word), word.told());
    }
  }
  if (!command.examples.empty()) text += ".SH EXAMPLES\n.EX\n";
  for (const std::string& example : command.examples) text += plain(example) + "\n";
  if (!command.examples.empty()) text += ".EE\n";
  return text + exit_codes() + ".SH \"SEE ALSO\"\n.BR attn (1)\n";
}

}  // namespace attn
