#include "example.h"
#include "handed_in.h"
#include "harness.h"
#include "reading/answers/answers.h"

namespace attn {
namespace {

// Answers as a table: of a step that its file's name says, and of those that the table names.
void run(std::string_view text) {
  static const std::string step = example_trace().result;
  demand_answers(read_answers_csv(text, example_steps(), step), text);
  demand_answers(read_answers_csv(text, example_steps()), text);
}

}  // namespace

Harness answers_csv_harness() { return {"answers_csv", run}; }

}  // namespace attn
