#include <vector>

#include "bench/measure.h"
#include "catch.h"

namespace attn {
namespace {

TEST_CASE("a spread is of the sorted numbers, whatever order they came in", "[bench]") {
  const Spread expected{5, 1, 2, 3, 4, 5};
  CHECK(spread_of({1, 2, 3, 4, 5}) == expected);
  CHECK(spread_of({5, 3, 1, 4, 2}) == expected);
}

TEST_CASE("between two numbers quartiles are interpolated", "[bench]") {
  // numpy.quantile([1, 2, 4, 8], [0.25, 0.5, 0.75]) is [1.75, 3, 5].
  CHECK(spread_of({8, 1, 4, 2}) == Spread{4, 1, 1.75, 3, 5, 8});
  CHECK(spread_of({10, 20}) == Spread{2, 10, 12.5, 15, 17.5, 20});
}

TEST_CASE("of one number everything is that number, and of none it is 0", "[bench]") {
  CHECK(spread_of({7}) == Spread{1, 7, 7, 7, 7, 7});
  CHECK(spread_of({}) == Spread{});
}

}  // namespace
}  // namespace attn
