#include "base/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "catch.h"

using attn::Random;
using attn::random_values;
using attn::RandomKind;

namespace {

using Sizes = std::vector<std::size_t>;

constexpr RandomKind kinds[] = {RandomKind::normal, RandomKind::xavier, RandomKind::kaiming, RandomKind::integers};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

double standard_deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (double x : values) sum += (x - middle) * (x - middle);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

bool near(double expected, double actual, double tolerance) { return std::abs(expected - actual) <= tolerance; }

// FNV-1a over the bytes of the numbers.
std::uint64_t checksum(const std::vector<double>& values) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (double x : values) {
    for (int shift = 0; shift < 64; shift += 8) {
      sum = (sum ^ ((std::bit_cast<std::uint64_t>(x) >> shift) & 0xff)) * 0x100000001b3;
    }
  }
  return sum;
}

}  // namespace

// Worked out with an independent program from the papers.
TEST_CASE("the bits are xoshiro256** seeded by splitmix64", "[random]") {
  struct Case {
    std::uint64_t seed;
    std::array<std::uint64_t, 4> expected;
  };
  const auto c = GENERATE(values<Case>({
      {0, {0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0, 0x6aa594f1262d2d2c}},
      {7, {0xb358faf74ef9765a, 0x475c3d964f482cd2, 0xd6f1d349952c7996, 0xfb2938731e807240}},
      {0xffffffffffffffff, {0x8f5520d52a7ead08, 0xc476a018caa1802d, 0x81de31c0d260469e, 0xbf658d7e065f3c2f}},
  }));
  CAPTURE(c.seed);
  Random random(c.seed);
  for (std::uint64_t expected : c.expected) CHECK(random.bits() == expected);
}

TEST_CASE("a uniform number is the top 53 bits over 2^53, at least 0 and below 1", "[random]") {
  Random random(3);
  Random same(3);
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform();
    REQUIRE(x * 0x1p53 == static_cast<double>(same.bits() >> 11));
    REQUIRE(x >= 0);
    REQUIRE(x < 1);
  }
}

TEST_CASE("integers stay within their limits and reach both", "[random]") {
  struct Case {
    std::int64_t lowest;
    std::int64_t highest;
  };
  const auto c = GENERATE(values<Case>({{0, 0}, {-3, 3}, {5, 6}, {-9, -7}, {0, 9}}));
  CAPTURE(c.lowest, c.highest);
  Random random(11);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.integer(c.lowest, c.highest));
  CHECK(*seen.begin() == c.lowest);
  CHECK(*seen.rbegin() == c.highest);
  CHECK(static_cast<std::int64_t>(seen.size()) == c.highest - c.lowest + 1);
}

TEST_CASE("integers are possible over all 64 bits", "[random]") {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  Random random(5);
  Random same(5);
  for (int i = 0; i < 10; ++i) CHECK(random.integer(lowest, highest) == static_cast<std::int64_t>(same.bits()));
  for (int i = 0; i < 10; ++i) CHECK(random.integer(lowest, highest - 1) < highest);
}

// Of 3·2^62 choices a remainder alone would give the lowest third twice as often.
TEST_CASE("integers have no modulo bias", "[random]") {
  constexpr std::int64_t third = std::int64_t{1} << 62;
  Random random(17);
  int low = 0;
  for (int i = 0; i < 30000; ++i) {
    if (random.integer(-third, 2 * (third - 1) + 1) < 0) ++low;
  }
  CHECK(near(10000, low, 500));
}

TEST_CASE("normal numbers have mean 0, deviation 1 and the shares of the bell", "[random]") {
  const Sizes shape = {200000};
  const auto values = random_values(RandomKind::normal, shape, 1);
  CHECK(near(0, mean(values), 0.01));
  CHECK(near(1, standard_deviation(values), 0.01));
  const auto within = [&](double limit) {
    return static_cast<double>(std::ranges::count_if(values, [&](double x) { return std::abs(x) < limit; })) / 200000;
  };
  CHECK(near(0.6827, within(1), 0.005));
  CHECK(near(0.9545, within(2), 0.003));
  CHECK(near(0.9973, within(3), 0.001));
}

TEST_CASE("xavier is uniform up to √(6/(fan_in + fan_out))", "[random]") {
  struct Case {
    Sizes shape;
    double bound;
  };
  const auto c = GENERATE(values<Case>({
      {{300, 100}, std::sqrt(6.0 / 400)},
      {{4, 100, 50}, std::sqrt(6.0 / 150)},
      {{20000}, std::sqrt(6.0 / 40000)},
  }));
  const auto values = random_values(RandomKind::xavier, c.shape, 2);
  const auto [lowest, highest] = std::ranges::minmax(values);
  CHECK(lowest >= -c.bound);
  CHECK(highest <= c.bound);
  CHECK(near(-c.bound, lowest, 0.01 * c.bound));
  CHECK(near(c.bound, highest, 0.01 * c.bound));
  CHECK(near(c.bound / std::sqrt(3.0), standard_deviation(values), 0.02 * c.bound));
}

TEST_CASE("kaiming is normal with deviation √(2/fan_in)", "[random]") {
  struct Case {
    Sizes shape;
    double deviation;
  };
  const auto c = GENERATE(values<Case>({
      {{300, 100}, std::sqrt(2.0 / 300)},
      {{4, 100, 50}, std::sqrt(2.0 / 100)},
      {{20000}, std::sqrt(2.0 / 20000)},
  }));
  const auto values = random_values(RandomKind::kaiming, c.shape, 3);
  CHECK(near(0, mean(values), 0.03 * c.deviation));
  CHECK(near(c.deviation, standard_deviation(values), 0.02 * c.deviation));
}

TEST_CASE("integers of a tensor are the whole numbers from -3 to 3, equally often", "[random]") {
  const Sizes shape = {700, 100};
  std::map<double, int> counts;
  for (double x : random_values(RandomKind::integers, shape, 4)) ++counts[x];
  CHECK(counts.size() == 7);
  for (int i = -3; i <= 3; ++i) CHECK(near(10000, counts[i], 400));
}

TEST_CASE("a tensor has as many numbers as its shape says", "[random]") {
  const auto kind = GENERATE(from_range(std::begin(kinds), std::end(kinds)));
  CHECK(random_values(kind, Sizes{}, 1).size() == 1);
  CHECK(random_values(kind, Sizes{5}, 1).size() == 5);
  CHECK(random_values(kind, Sizes{2, 3, 4}, 1).size() == 24);
  CHECK(random_values(kind, Sizes{0}, 1).empty());
  CHECK(random_values(kind, Sizes{0, 4}, 1).empty());
  CHECK(random_values(kind, Sizes{4, 0}, 1).empty());
}

TEST_CASE("the same seed gives the same numbers, another seed others", "[random]") {
  const auto kind = GENERATE(from_range(std::begin(kinds), std::end(kinds)));
  const Sizes shape = {4, 8};
  CHECK(random_values(kind, shape, 7) == random_values(kind, shape, 7));
  CHECK(random_values(kind, shape, 7) != random_values(kind, shape, 8));
}

// The bits themselves: goldens of problems with random tensors rest on them.
TEST_CASE("random tensors have the same bits everywhere", "[random]") {
  struct Case {
    RandomKind kind;
    std::uint64_t expected;
  };
  const auto c = GENERATE(values<Case>({
      {RandomKind::normal, 0xf20c012652319f6b},
      {RandomKind::xavier, 0x6ee6cd725b06ae9b},
      {RandomKind::kaiming, 0x5d1283a8ccbc15ef},
      {RandomKind::integers, 0xa51b3c22f5e4d050},
  }));
  CAPTURE(static_cast<int>(c.kind));
  CHECK(checksum(random_values(c.kind, Sizes{100, 321}, 7)) == c.expected);
}
