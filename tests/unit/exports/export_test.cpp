#include "exports/export.h"

#include "base/sink.h"
#include "catch.h"
#include "unit/model/attentions.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

TEST_CASE("what is said of how long an export will be is not wildly wrong", "[exports]") {
  const Trace trace = alone(problem_of(R"({"inputs": {"random": "normal", "shape": [3, 12, 16], "seed": 1}, "heads": 4,
      "causal": true, "weights": {"query": {"random": "normal", "shape": [16, 16], "seed": 2},
                                  "key": {"random": "normal", "shape": [16, 16], "seed": 3},
                                  "value": {"random": "normal", "shape": [16, 16], "seed": 4}}})"));
  for (const Export& exported : exports()) {
    if (exported.missing && exported.missing()) continue;
    if (exported.unwritable && exported.unwritable(trace)) continue;
    StringSink sink;
    exported.write(trace, sink);
    const auto written = static_cast<double>(sink.take().size());
    const auto expected = static_cast<double>(exported.expected_bytes(trace));
    CAPTURE(exported.name, written, expected);
    CHECK(expected > written / 4);
    CHECK(expected < 4 * written);
  }
}
