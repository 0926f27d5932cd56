#include "example.h"
#include "handed_in.h"
#include "harness.h"
#include "reading/answers/answers.h"
#include "reading/answers/typed_row.h"

namespace attn {
namespace {

// Answers as people type them: a file of them, and its first line as what is typed in a quiz.
void run(std::string_view text) {
  demand_answers(read_answers_text(text, example_steps()), text);
  static const std::string step = example_trace().result;
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto row = read_typed_row(line, {step, {0, std::nullopt}}, example_steps(), "-inf");
  if (row) return demand(row.value().size() == example_steps().shape(step)->dims().back().size, "a row is whole", line);
  for (const Diagnostic& fault : row.faults()) demand(!fault.message.empty(), "a fault says what is wrong", line);
}

}  // namespace

Harness answers_text_harness() { return {"answers_text", run}; }

}  // namespace attn
