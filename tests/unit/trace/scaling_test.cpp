#include "trace/scaling.h"

#include <cmath>

#include "catch.h"
#include "trace/rounding.h"

namespace attn {
namespace {

TEST_CASE("a weight of 0 adds nothing to how spread a row is", "[scaling]") {
  const SoftmaxPeak peak = peak_of(Tensor<double>({{"query", 2}, {"key", 4}}, {0.5, 0, 0.5, 0, 0, 1, 0, 0}));
  CHECK(peak.largest_weight == 0.75);
  CHECK(peak.entropy == Approx(std::log(2.0) / 2));  // ln 2 and 0
  CHECK(peak.largest_derivative == 0.125);           // ¼ and 0
}

TEST_CASE("of a softmax that goes through the keys a few at a time only the result is rounded by hand", "[rounding]") {
  using Part = Online::Part;
  for (const Part part : {Part::block_maximum, Part::maximum, Part::rescale, Part::exponentials, Part::sum,
                          Part::context, Part::result}) {
    CHECK(is_rounded_by_hand(Online{part, "key", "block", 2}, 2) == (part == Part::result));
  }
}

}  // namespace
}  // namespace attn
