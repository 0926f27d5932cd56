#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

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
  bool follows_counts = true;         // whether what follows from an earlier slip is right
  bool by_fixed_rule = false;         // that is when a number is right, rather than by honest rounding
  std::string name = {};              // whose answers they are, where that is known
  std::string problem = {};           // the file of the problem, for commands that say more; "-" is none
};

// One hand-in of several.
struct MarkedFile {
  std::vector<std::string> files;
  std::optional<Report> report = {};  // none where a file cannot be read
  std::string error = {};             // then: why
  std::string name = {};              // whose it is, where that is known
};

// A marked hand-in, told to the person whose work it is: what is right first.
Document verdict(const Report& report, const Trace& trace, const VerdictOptions& options = {});

// The same at the end of a document, without its title; steps have headlines of that level.
void tell_verdict(const Report& report, const Trace& trace, const VerdictOptions& options, int level,
                  Document& document);

// Several of them, told to a teacher: a table, then those that are not all right one by one.
Document verdicts(std::span<const MarkedFile> files, const Trace& trace, const VerdictOptions& options = {});

}  // namespace attn
