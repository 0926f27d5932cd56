#include "trace/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interval.h"
#include "base/random.h"
#include "catch.h"
#include "trace/recipe_builder.h"

namespace attn {

TEST_CASE("a number is good to as many digits as half a unit of the last allows for", "[bounds]") {
  CHECK(good_digits(3.14159, 0.004) == 3);
  CHECK(good_digits(3.14159, 0.0051) == 2);
  CHECK(good_digits(-0.00123, 4e-6) == 3);
  CHECK(good_digits(1000, 0.4) == 4);
  CHECK(good_digits(999.9, 0.4) == 3);
  CHECK(good_digits(1, 1.2e-16) == 16);
  CHECK(good_digits(2, 3) == 0);
  CHECK(good_digits(0, 1e-300) == 0);
  CHECK(good_digits(1e308, 1e300) == 8);
  CHECK(good_digits(999.9999999999999, 0.4) == 3);  // whose logarithm is rounded to 3
  CHECK(good_digits(infinity, 1) == 0);
}

TEST_CASE("a step may be read twice, and its bound holds", "[bounds]") {
  RecipeBuilder work;
  work.given_step({.id = "x"}, LateTensor(Tensor<double>({{"d", 2}}, {0.1, 3})));
  work.step({.id = "square"}, Combine{Binary::multiply, {}}, {"x", "x"});
  const Recipe recipe = work.take();
  const Tensor<double> x = recipe.given("x");
  const Tensor<double> squares({{"d", 2}}, {0.1 * 0.1, 9});
  const Bounds bounds = bounds_of(recipe, {&x, &squares}).back();
  CHECK((bounds.own[0] > 0 && bounds.own[0] < 2e-18));
  CHECK(bounds.own[1] == 0);
}

TEST_CASE("what arithmetic on points loses nothing of stays a point, and else is next to it", "[bounds]") {
  CHECK(Interval(0.5) + Interval(0.25) == Interval(0.75));
  CHECK(Interval(0.375) * Interval(-3) == Interval(-1.125));
  CHECK(Interval(3) / Interval(-8) == Interval(-0.375));
  CHECK(sqrt(Interval(2.25)) == Interval(1.5));
  const Interval tenths = Interval(0.1) + Interval(0.2);
  CHECK((tenths.high == 0.1 + 0.2 && tenths.low == next_below(tenths.high)));
  const Interval third = Interval(1) / Interval(3);
  CHECK((third.low == 1.0 / 3 && third.high == next_above(third.low)));
  CHECK((Interval(1e200) * Interval(1e200)).contains(std::numeric_limits<double>::max()));
  CHECK((Interval(1e-200) * Interval(1e-200)).low > -1e-300);
  CHECK(Interval(-infinity) + Interval(1) == Interval(-infinity));
}

TEST_CASE("where large numbers cancel the bound says so, and of whole numbers that they are exact", "[bounds]") {
  RecipeBuilder work;
  work.given_step({.id = "q"}, LateTensor(Tensor<double>({{"d", 3}}, {1, 1, 1})));
  work.given_step({.id = "k"}, LateTensor(Tensor<double>({{"key", 2}, {"d", 3}}, {1e16, 1, -1e16, 2, 3, 4})));
  work.step({.id = "s"}, Contract{"d"}, {"q", "k"});
  const Recipe recipe = work.take();
  const Tensor<double> q = recipe.given("q"), k = recipe.given("k");
  const Tensor<double> s({{"key", 2}}, {0, 9});
  const Bounds bounds = bounds_of(recipe, {&q, &k, &s}).back();
  CHECK(bounds.own == bounds.since);
  CHECK((bounds.own[0] >= 1 && bounds.own[0] <= 4));
  CHECK(bounds.own[1] == 0);
}

TEST_CASE("nothing is known of what is no number", "[bounds]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(farthest({1, 2}, nan) == infinity);
  CHECK(farthest({-infinity, infinity}, 1) == infinity);
  CHECK(farthest({1e300, infinity}, infinity) == infinity);
  CHECK(farthest(Interval(-infinity), -infinity) == 0);
  CHECK(farthest({1, 2}, 1.25) == 0.75);
  Goodness good;
  good.add(0, nan, infinity);
  good.add(1, 1, 0);
  CHECK((good.is_exact && good.unknown == 1));
  good.add(2, 10, 0.04);
  good.add(3, 10, 0.001);
  CHECK((good.digits == 3 && good.worst == 2 && good.absolute == 0.04));
  // The worst of one is that one, however good it is.
  Goodness one;
  one.add(7, 1, 1e-20);
  CHECK((one.digits == Goodness::most && one.worst == 7));
}

TEST_CASE("numbers are as good as the worst of them, which is named", "[bounds]") {
  const Tensor<double> numbers({{"cell", 2}}, {10, 9.9}), bounds({{"cell", 2}}, {0.04, 0.031});
  CHECK((good_digits(10, 0.04) == 3 && good_digits(9.9, 0.031) == 2));
  const Goodness two = goodness_of(numbers, bounds);
  CHECK((two.digits == 2 && two.worst == 1));

  Random random(5);
  const Shape cells{{"cell", 3}};
  for (int i = 0; i < 20'000; ++i) {
    Tensor<double> drawn(cells), bound(cells);
    int least = Goodness::most;
    for (std::size_t cell = 0; cell < drawn.size(); ++cell) {
      drawn[cell] = (random.uniform() - 0.5) * std::pow(10, static_cast<double>(random.integer(-3, 3)));
      bound[cell] = random.uniform() * std::abs(drawn[cell]) * std::pow(10, static_cast<double>(random.integer(-5, 0)));
      least = std::min(least, good_digits(drawn[cell], bound[cell]));
    }
    const Goodness all = goodness_of(drawn, bound);
    CAPTURE(drawn.data(), bound.data(), all.digits, all.worst);
    REQUIRE(all.digits == least);
    REQUIRE(good_digits(drawn[all.worst], bound[all.worst]) == least);
  }
}

}  // namespace attn
