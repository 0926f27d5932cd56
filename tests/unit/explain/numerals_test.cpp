#include "explain/numerals.h"

#include "catch.h"

namespace attn {
namespace {

double as_float(double value) { return static_cast<float>(value); }

TEST_CASE("a float is shown as the decimal that it stands for, with the digits that were asked for", "[explain]") {
  const Numerals few(4, Dtype::f32), many(12, Dtype::f32);
  CHECK(few.in_line(as_float(0.1)) == "0.1");
  CHECK(many.in_line(as_float(0.1)) == "0.1");
  CHECK(few.in_line(as_float(1.0000005)) == "1");  // rounding may have left so much
  CHECK(many.in_line(as_float(1.0000005)) == "1.0000005");
  CHECK(many.exact(as_float(1.0000005)));
  CHECK(Numerals(9, Dtype::f32).in_line(as_float(0.10000008)) == "0.10000008");
}

TEST_CASE("what a sum leaves of a double behind the digits that were asked for is not shown", "[explain]") {
  CHECK(Numerals(4, Dtype::f64).in_line(0.1 + 0.2) == "0.3");
  CHECK(Numerals(4, Dtype::f64).exact(0.1 + 0.2));
  CHECK(Numerals(16, Dtype::f64).in_line(1.0000000000005) == "1.0000000000005");
  CHECK(Numerals(17, Dtype::f64).in_line(0.1 + 0.2) == "0.30000000000000004");
}

TEST_CASE("whole numbers are the same only where they are equal", "[explain]") {
  const Numerals numerals(4, Dtype::f32);
  CHECK_FALSE(numerals.same(16777216, 16777217));
  CHECK(numerals.same(16777216, 16777216));
  CHECK(numerals.same(1, as_float(0.99999994)));
}

TEST_CASE("a tiny number has four decimals more than others, 17 at most, or an exponent", "[explain]") {
  const Numerals four(4, Dtype::f64, Tiny::two_digits), many(13, Dtype::f64, Tiny::two_digits);
  CHECK(four.in_line(6.1e-6) == "0.0000061");
  CHECK(four.in_line(3.4e-7) == "0.00000034");
  CHECK(four.in_line(3e-7) == "0.0000003");
  CHECK(four.in_line(3.4e-8) == "3.4e-08");
  CHECK(four.in_line(-3.4e-8) == "−3.4e-08");
  CHECK(many.in_line(1.2e-16) == "0.00000000000000012");
  CHECK(many.in_line(1.2e-17) == "1.2e-17");
  CHECK(Numerals(17, Dtype::f64, Tiny::two_digits).in_line(1.2e-18) == "1.2e-18");
}

}  // namespace
}  // namespace attn
