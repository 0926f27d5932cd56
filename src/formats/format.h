#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explain/document.h"

namespace attn {

struct FormatOptions {
  std::size_t width = 80;  // columns of the terminal, or of what is read like one
  bool color = false;
  bool ascii = false;  // pure ASCII, whatever the document holds
  bool full = false;   // nothing elided
};

// A way to write documents for people: a row of the table of formats.
struct Format {
  std::string_view name;     // "markdown", as --format has it
  std::string_view ending;   // ".md", of files in that format
  std::string_view summary;  // one line, for people
  std::string (*write)(const Document& document, const FormatOptions& options);
};

// Every format: the rows that formats/CMakeLists.txt names.
const std::vector<Format>& formats();

// The format of that name, or null.
const Format* format_named(std::string_view name);

}  // namespace attn
