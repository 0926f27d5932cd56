#include "base/interval.h"

#include <cmath>
#include <vector>

#include "catch.h"

namespace attn {
namespace {

TEST_CASE("nothing is lost in a product with 0 or infinity, and no one knows what is of one too large", "[interval]") {
  for (const double one : {0.0, infinity, -infinity}) {
    for (const double other : {0.0, 0.1, -3.0, infinity}) {
      CHECK(lost_in_product(one, other, one * other) == 0);
      CHECK(lost_in_product(other, one, other * one) == 0);
    }
  }
  CHECK(lost_in_product(3, 5, 15) == 0);
  CHECK(std::isnan(lost_in_product(1e300, 10, 1e301)));
  CHECK(std::isnan(lost_in_product(1e-200, 1e-200, 0)));
}

TEST_CASE("what a product loses is exactly what is missing", "[interval]") {
  // (2⁵² + 1)² = 2¹⁰⁴ + 2⁵³ + 1, of which a double has all but the 1.
  const double a = 0x1p52 + 1;
  CHECK(lost_in_product(a, a, a * a) == 1);
  CHECK(lost_in_product(-a, a, -(a * a)) == -1);
}

}  // namespace
}  // namespace attn
