#include "example.h"
#include "handed_in.h"
#include "harness.h"
#include "reading/answers/answers.h"

namespace attn {
namespace {

// Answers in JSON.
void run(std::string_view text) { demand_answers(read_answers(text, example_steps()), text); }

}  // namespace

Harness answers_json_harness() { return {"answers_json", run}; }

}  // namespace attn
