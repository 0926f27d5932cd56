#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/sink.h"

namespace attn {

struct Trace;

// A way to hand a trace to a program. Made from the trace itself, never from
// what is shown to people.
struct Export {
  std::string name;     // what `--format` calls it
  std::string ending;   // of files in it, with the dot
  std::string summary;  // one line, for people
  std::function<void(const Trace&, Sink&)> write;
  std::function<std::size_t(const Trace&)> expected_bytes;  // about how many `write` writes; found in passing
  bool is_text = true;                                      // or bytes, which no terminal shows
};

// Every export: the rows that exports/CMakeLists.txt names.
const std::vector<Export>& exports();

}  // namespace attn
