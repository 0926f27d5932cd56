#include "reading/trace.h"

#include "example.h"
#include "harness.h"
#include "reading/names/dump.h"
#include "said.h"

namespace attn {
namespace {

// A trace file, a golden among them, compared with a trace; and as one side of a comparison.
void run(std::string_view text) {
  is_stored_trace(text);
  const Result<StoredTrace> read = read_trace(text);
  if (read) {
    for (const Difference& one : differences(read.value(), example_trace(), {.absolute = 1e-9}))
      demand(!one.message.empty(), "a difference is told", one.step);
  } else {
    demand_faults(read.faults(), text);
  }
  const Result<ComparedSide> side = read_stored_side(text);
  if (!side) demand_faults(side.faults(), text);
}

}  // namespace

Harness trace_harness() { return {"trace", run}; }

}  // namespace attn
