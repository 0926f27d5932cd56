#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace attn {

// A range of bytes in a file's text: [begin, end).
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const TextRange&) const = default;
};

// One fault in what a person gave us, as data: nothing here prints.
//
// `message` says what was observed and what was expected: lower case, no final
// full stop. `help` says what to do; it may be empty.
struct Diagnostic {
  std::string code;        // stable name, e.g. "shape-mismatch"; tests match on it
  std::string where = {};  // JSON Pointer into the file, e.g. "/weights/key/1"; "" is the whole file
  std::string message = {};
  std::string help = {};

  // Set where a pointer cannot say the place: syntax errors, a key given twice.
  std::optional<TextRange> range = std::nullopt;

  // Whether the key at `where` is meant rather than its value.
  bool at_key = false;

  // How many more faults were found behind this one, and not kept.
  std::size_t unkept = 0;
};

using Diagnostics = std::vector<Diagnostic>;

}  // namespace attn
