#pragma once

#include <string>
#include <vector>

#include "explain/document.h"
#include "mark/advice.h"
#include "mark/lint.h"
#include "trace/trace.h"

namespace attn {

// What a problem cannot show, and what would help.
struct LintReport {
  std::string title;  // of the problem
  int digits = 2;
  Lint lint;
  std::vector<std::string> advice;  // a line each: "change x₂[1] from 0 to 1"
};

// The advice in words, with numbers called as the trace calls them; nothing where nothing was found.
std::vector<std::string> advice_in_words(const Trace& trace, const Advice& advice);

Document told_lint(const LintReport& report);

}  // namespace attn
