#include <string>

#include "example.h"
#include "harness.h"
#include "mark/check.h"
#include "mark/report.h"
#include "reading/answers/answers.h"

namespace attn {
namespace {

// Answers as people type them, marked: every number handed in is counted, once.
void run(std::string_view text) {
  static const Checker checker(example_trace());
  const Result<Answers> read = read_answers_text(text, example_steps());
  if (!read) return;
  const Report report = checker.mark(read.value());
  demand(report.steps.size() == read.value().steps.size(), "each step handed in is marked", text);
}

}  // namespace

Harness marking_harness() { return {"marking", run}; }

}  // namespace attn
