#pragma once

#include <optional>
#include <span>
#include <string>

#include "explain/document.h"
#include "mark/report.h"
#include "trace/trace.h"

namespace attn {

// How much a marked hand-in gives away, each more than the one before it.
enum class Reveal {
  none,  // which steps are right
  cell,  // which numbers of them
  hint,  // what probably happened, and what to do
  value  // the right numbers
};

struct VerdictOptions {
  Reveal reveal = Reveal::hint;
  std::optional<int> precision = {};  // decimals of right numbers; by default 4, fewer where they need fewer
  bool full = false;                  // nothing left out
};

// One hand-in of several.
struct MarkedFile {
  std::string file;
  std::optional<Report> report = {};  // none where the file cannot be read
  std::string error = {};             // then: why
};

// A marked hand-in, told to the person whose work it is: what is right first.
Document verdict(const Report& report, const Trace& trace, const VerdictOptions& options = {});

// The same at the end of a document, without its title; steps have headlines of that level.
void tell_verdict(const Report& report, const Trace& trace, const VerdictOptions& options, int level,
                  Document& document);

// Several of them, told to a teacher: a table, then those that are not all right one by one.
Document verdicts(std::span<const MarkedFile> files, const Trace& trace, const VerdictOptions& options = {});

}  // namespace attn
