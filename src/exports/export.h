#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/sink.h"

namespace attn {

struct Trace;

// Why a trace cannot be written in a format.
struct Unwritable {
  std::string message, help;
  bool is_here = false;  // because of the machine or the program, not of the problem
};

// Thrown where a format's library cannot write, the disk being full, say.
class ExportError final : public std::exception {
 public:
  explicit ExportError(Unwritable why) : why_(std::move(why)) {}
  const Unwritable& why() const { return why_; }
  const char* what() const noexcept override { return why_.message.c_str(); }

 private:
  Unwritable why_;
};

// A way to hand a trace to a program. Made from the trace itself, never from
// what is shown to people.
struct Export {
  std::string name;     // what `--format` calls it
  std::string ending;   // of files in it, with the dot
  std::string summary;  // one line, for people
  std::function<void(const Trace&, Sink&)> write;
  std::function<std::size_t(const Trace&)> expected_bytes;  // about how many `write` writes; found in passing
  bool is_text = true;                                      // or bytes, which no terminal shows

  std::size_t most_numbers = 0;   // that steps may have; 0 for any
  bool wants_every_step = false;  // one that is left out leaves those below it without what they are made of
  // About how many bytes of memory `write` takes beside the trace, where that is more than it writes; found in passing.
  std::function<std::size_t(const Trace&)> bytes_taken = {};
  std::function<std::optional<Unwritable>()> missing = {};                 // what is not here to write with
  std::function<std::optional<Unwritable>(const Trace&)> unwritable = {};  // what it cannot say of this trace
};

// Every export: the rows that exports/CMakeLists.txt names.
const std::vector<Export>& exports();

}  // namespace attn
