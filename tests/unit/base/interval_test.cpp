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

TEST_CASE("a power of points is enclosed, and is a point where it is known to be exact", "[interval]") {
  for (const double whole : {3.0, 5.0, 7.0, 10.0, 49.0}) {
    CAPTURE(whole);
    const Interval inverse = pow(Interval(whole), Interval(-1));
    CHECK_FALSE(inverse.is_point());
    CHECK(std::fma(inverse.low, whole, -1) <= 0);
    CHECK(std::fma(inverse.high, whole, -1) >= 0);
    const Interval root = pow(Interval(whole), Interval(0.5));
    CHECK(std::fma(root.low, root.low, -whole) <= 0);
    CHECK(std::fma(root.high, root.high, -whole) >= 0);
    CHECK((inverse.width() < 1e-15 && root.width() < 1e-14));
  }
  CHECK(pow(Interval(3), Interval(0)) == Interval(1));
  CHECK(pow(Interval(1), Interval(-0.3, 0.7)) == Interval(1));
}

}  // namespace
}  // namespace attn
