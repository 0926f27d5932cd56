#include "mark/allowance.h"

#include <limits>
#include <optional>

#include "catch.h"
#include "mark/check.h"

namespace attn {
namespace {

using Kind = MarkingRule::Kind;

Interval allowed_for(double value, const MarkingRule& rule, RoundingMode habit = RoundingMode::half_up,
                     std::optional<int> decimals = 2) {
  const HandedCell cell{.kind = HandedCell::Kind::number, .number = {value, decimals, ""}};
  return stands_for(cell, habit, rule);
}

bool is_about(const Interval& range, double low, double high) {
  return range.low == Approx(low).epsilon(1e-12).margin(1e-300) &&
         range.high == Approx(high).epsilon(1e-12).margin(1e-300);
}

}  // namespace

TEST_CASE("ties to the even digit leave as much room as ties that go up", "[check][allowance]") {
  for (const double value : {0.0, 0.25, -3.14}) {
    const Interval range = allowed_for(value, {}, RoundingMode::half_even);
    CHECK(is_about(range, value - 0.005, value + 0.005));
    CHECK(range == allowed_for(value, {}, RoundingMode::half_up));
  }
}

TEST_CASE("what is infinite stands for itself under every rule", "[check][allowance]") {
  for (const Kind kind : {Kind::honest_rounding, Kind::decimal_digits, Kind::significant, Kind::relative_absolute}) {
    for (const double value : {infinity, -infinity}) {
      CHECK(allowed_for(value, {.kind = kind}) == Interval(value));
    }
  }
  CHECK(rounded_unwritten(Interval(0, infinity), RoundingMode::half_up, 2, false) == Interval(0, infinity));
}

TEST_CASE("significant digits are counted from the first that is not 0", "[check][allowance]") {
  const MarkingRule three{.kind = Kind::significant, .digits = 3};
  CHECK(is_about(allowed_for(1234, three), 1225, 1235));
  CHECK(is_about(allowed_for(-0.01234, three), -0.01235, -0.01225));
  CHECK(is_about(allowed_for(100, three), 99.5, 100.5));
  // 0 has no first digit: there decimals count.
  CHECK(is_about(allowed_for(0, three), -0.0005, 0.0005));
  // The last of three digits of so small a number is none any more.
  const double least = std::numeric_limits<double>::denorm_min();
  CHECK(allowed_for(least, {.kind = Kind::significant, .digits = 3}) == Interval(least));
}

TEST_CASE("a relative difference is one of the right number", "[check][allowance]") {
  const auto rule = [](double relative, double absolute) {
    return MarkingRule{.kind = Kind::relative_absolute, .relative = relative, .absolute = absolute};
  };
  // 10 is 20 less half of it, and 10/1.5 and half of that.
  CHECK(is_about(allowed_for(10, rule(0.5, 0)), 10 / 1.5, 20));
  CHECK(is_about(allowed_for(-10, rule(0.5, 0)), -20, -10 / 1.5));
  CHECK(is_about(allowed_for(0, rule(0.5, 1)), -2, 2));
  // Whoever may be off by all of the right number may write 10 for the largest.
  const Interval above = allowed_for(10, rule(1, 0)), below = allowed_for(-10, rule(1, 0));
  CHECK((above.low == 5 && above.high == infinity));
  CHECK((below.low == -infinity && below.high == -5));
  // And 0 for any.
  CHECK(allowed_for(0, rule(1, 0)) == Interval(-infinity, infinity));
  CHECK(allowed_for(0, rule(0.5, 0)) == Interval(0));
}

}  // namespace attn
