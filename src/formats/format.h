#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sink.h"
#include "explain/document.h"
#include "formats/cut.h"

namespace attn {

struct FormatOptions {
  std::size_t width = 80;  // columns of the terminal, or of what is read like one
  bool color = false;
  bool ascii = false;  // pure ASCII, whatever the document holds
  bool full = false;   // nothing elided

  // Of the format's own settings those that were set: {"math", "dollar"}; a
  // switch is set to "". Only values that the format has.
  std::map<std::string, std::string, std::less<>> settings = {};

  bool has(std::string_view setting) const { return settings.contains(setting); }
  std::string_view get(std::string_view setting, std::string_view otherwise) const {
    const auto found = settings.find(setting);
    return found == settings.end() ? otherwise : std::string_view(found->second);
  }
};

// A choice that only some formats have: an option of the command line.
struct FormatSetting {
  std::string_view name;                 // "math": --math
  std::vector<std::string_view> values;  // the first is the one without the option; none: a switch
  std::string_view summary;              // one line, for people
  bool is_about_steps = false;           // it changes how matrices and derivations look, and nothing else
  std::string_view needs = {};           // the setting without which it means nothing
};

// A way to write documents for people: a row of the table of formats.
struct Format {
  std::string_view name;     // "markdown", as --format has it
  std::string_view ending;   // ".md", of files in that format
  std::string_view summary;  // one line, for people

  // Returns what whoever runs the program may want to know of how it was written, or ask for: nothing
  // that its readers need.
  std::vector<std::string> (*write)(const Document& document, const FormatOptions& options, Sink& sink);

  std::vector<FormatSetting> settings = {};
  bool wants_behind = false;    // whether it shows Document::behind
  bool wants_geometry = false;  // whether it draws vectors beside all else
};

// A document in that format as one text.
std::string written(const Format& format, const Document& document, const FormatOptions& options);

// Every format: the rows that formats/CMakeLists.txt names.
const std::vector<Format>& formats();

}  // namespace attn
