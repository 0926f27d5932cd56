#include "mark/allowance.h"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "base/random.h"
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
  return range.low == Approx(low).epsilon(1e-10).margin(1e-300) &&
         range.high == Approx(high).epsilon(1e-10).margin(1e-300);
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
  // Below a power of ten they are a tenth as wide.
  CHECK(is_about(allowed_for(100, three), 99.95, 100.5));
  CHECK(is_about(allowed_for(-9.996, three), -10.05, -9.995));
  CHECK(is_about(allowed_for(1.79e308, three), 1.785e308, 1.795e308));
  // 0 has no first digit: there decimals count.
  CHECK(is_about(allowed_for(0, three), -0.0005, 0.0005));
  // The last of three digits of so small a number is none any more.
  const double least = std::numeric_limits<double>::denorm_min();
  CHECK(allowed_for(least, {.kind = Kind::significant, .digits = 3}) == Interval(least));
}

TEST_CASE("what is allowed is what comes to the same in so many significant digits", "[check][allowance][property]") {
  Random random(29);
  for (int i = 0; i < 20000; ++i) {
    const int digits = static_cast<int>(random.integer(1, 5));
    const double size = std::pow(10.0, static_cast<double>(random.integer(-12, 12)));
    // Often next to a power of ten.
    const auto number = [&] {
      const double near = 1 + (random.uniform() - 0.5) * std::pow(10.0, static_cast<double>(1 - digits));
      return size * (random.integer(0, 1) == 0 ? near : 1 + 9 * random.uniform());
    };
    const double sign = random.integer(0, 1) == 0 ? 1 : -1;
    const double written = sign * number(), other = sign * number();
    const auto spelled = [&](double x) { return fmt::format("{:.{}e}", x, digits - 1); };
    const double tie = 1e-9;
    if (spelled(other * (1 - tie)) != spelled(other * (1 + tie))) continue;
    if (spelled(written * (1 - tie)) != spelled(written * (1 + tie))) continue;
    const Interval allowed = allowed_for(written, {.kind = Kind::significant, .digits = digits});
    CAPTURE(written, other, digits, allowed.low, allowed.high);
    REQUIRE((allowed.low <= other && other <= allowed.high) == (spelled(written) == spelled(other)));
  }
}

TEST_CASE("a tie comes to the same as what it is rounded to, up or to the even digit, and as nothing else",
          "[check][allowance]") {
  const auto is_allowed = [](double written, double right, MarkingRule rule) {
    const Interval allowed = with_slack(allowed_for(written, rule));
    return meet(allowed, with_slack(right));
  };
  const MarkingRule whole{.kind = Kind::decimal_digits, .digits = 0}, three{.kind = Kind::significant, .digits = 3};
  for (const double sign : {1.0, -1.0}) {
    for (const MarkingRule& rule : {whole, three}) {
      CHECK_FALSE(is_allowed(sign * 155.43, sign * 155.5, rule));
      CHECK_FALSE(is_allowed(sign * 276.6, sign * 277.5, rule));
      CHECK(is_allowed(sign * 156.43, sign * 155.5, rule));
      CHECK(is_allowed(sign * 156.43, sign * 156.5, rule));  // to the even one
      CHECK(is_allowed(sign * 156.6, sign * 156.5, rule));
      CHECK(is_allowed(sign * 156.5, sign * 156.1, rule));
      CHECK(is_allowed(sign * 156.5, sign * 157.4, rule));
      CHECK_FALSE(is_allowed(sign * 156.5, sign * 155.4, rule));
      CHECK_FALSE(is_allowed(sign * 156.5, sign * 157.6, rule));
    }
    CHECK(is_allowed(0, sign * 0.5, whole));
  }
}

TEST_CASE("of however many units nothing is a tie but a half", "[check][allowance]") {
  const MarkingRule whole{.kind = Kind::decimal_digits, .digits = 0}, ten{.kind = Kind::decimal_digits, .digits = 10};
  const auto is_allowed = [](double written, double right, const MarkingRule& rule) {
    return meet(with_slack(allowed_for(written, rule)), with_slack(right));
  };
  for (const double number : {10000000001.0, 10000000002.0, 900000000001.0}) {
    CHECK(is_allowed(number + 0.42, number, whole));
    CHECK(is_allowed(number - 0.42, number, whole));
    CHECK(is_allowed(number + 0.5, number + 1, whole));
  }
  CHECK(allowed_for(1.000000000144, ten).contains(1.0000000001));
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

TEST_CASE("six decimals come from a machine of single precision, and five from a hand", "[check][allowance]") {
  // Single precision tells 1000 from 1000.0001, and not from 1000.00003.
  CHECK(allowed_for(1000, {}, RoundingMode::half_up, 6).contains(1000.00003));
  CHECK_FALSE(allowed_for(1000, {}, RoundingMode::half_up, 5).contains(1000.00003));
  Sheet sheet;
  sheet.decimals = 6;
  CHECK(is_from_machine(sheet, {}));
  CHECK_FALSE(is_from_machine(sheet, {.kind = Kind::decimal_digits, .digits = 6}));
  sheet.decimals = 5;
  CHECK_FALSE(is_from_machine(sheet, {}));
}

TEST_CASE("what is cut off to 0 may have been on either side of it", "[check][allowance]") {
  const Interval zero = allowed_for(0, {}, RoundingMode::truncate);
  CHECK((zero.contains(0.00999) && zero.contains(-0.00999)));
  CHECK_FALSE((zero.contains(0.01) || zero.contains(-0.01)));
}

TEST_CASE("a tie goes where each way of rounding to the nearest takes it", "[check][allowance]") {
  // 0.125 is a tie; 2.675 is one as it is written, and a little less as a double holds it.
  CHECK(rounded_to_nearest(0.125, 2, Ties::up) == 0.13);
  CHECK(rounded_to_nearest(0.125, 2, Ties::even) == 0.12);
  CHECK(rounded_to_nearest(0.125, 2, Ties::as_printed) == 0.12);
  CHECK(rounded_to_nearest(0.125, 2, Ties::as_multiplied) == 0.12);
  CHECK(rounded_to_nearest(2.675, 2, Ties::up) == 2.68);
  CHECK(rounded_to_nearest(2.675, 2, Ties::even) == 2.68);
  CHECK(rounded_to_nearest(2.675, 2, Ties::as_printed) == 2.67);
  CHECK(rounded_to_nearest(2.675, 2, Ties::as_multiplied) == 2.68);
}

}  // namespace attn
