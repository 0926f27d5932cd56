#include "trace/enclosure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/interval.h"
#include "catch.h"

namespace attn {
namespace {

constexpr int samples = 100'000;

// Numbers of an interval: half of them at one of its ends, where the extremes are.
double drawn(const Interval& from, std::mt19937& random) {
  const std::uint32_t choice = random() % 4;
  if (choice == 0) return from.low;
  if (choice == 1) return from.high;
  const double share = static_cast<double>(random()) / 4294967295.0;
  return from.low + share * (from.high - from.low);
}

std::vector<Interval> intervals(std::size_t count, double reach, std::mt19937& random) {
  std::vector<Interval> made;
  for (std::size_t i = 0; i < count; ++i) {
    const double middle = static_cast<double>(random() % 600) / 100 - 3;
    made.push_back({middle - reach, middle + reach});
  }
  return made;
}

void widen(Interval& hull_of_samples, double number) {
  hull_of_samples = {std::min(hull_of_samples.low, number), std::max(hull_of_samples.high, number)};
}

// What a function of several numbers makes of samples of them, against an
// interval that claims to hold all of it and little else.
template <class Function>
void check_tight(const std::vector<Interval>& arguments, const Interval& claimed, Function function,
                 std::mt19937& random) {
  Interval seen(infinity, -infinity);
  std::vector<double> numbers(arguments.size());
  for (int i = 0; i < samples; ++i) {
    for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] = drawn(arguments[j], random);
    widen(seen, function(numbers));
  }
  CHECK(claimed.low <= seen.low);
  CHECK(seen.high <= claimed.high);
  CHECK(claimed.width() <= 1.2 * seen.width() + 1e-12);
}

// A sum of long doubles with what each addition loses (Neumaier).
class Exact {
 public:
  void add(long double term) {
    const long double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? sum_ - next + term : term - next + sum_;
    sum_ = next;
  }
  long double sum() const { return sum_ + lost_; }

 private:
  long double sum_ = 0, lost_ = 0;
};

double softmax_at(const std::vector<double>& scores, std::size_t i) {
  double sum = 0;
  for (const double score : scores) sum += exp(score - scores[i]);
  return 1 / sum;
}

}  // namespace

TEST_CASE("the enclosure of a softmax holds every weight and little more", "[check]") {
  std::mt19937 random(3);
  for (const double reach : {0.5, 0.05, 0.005}) {
    for (const std::size_t count : {2u, 3u, 4u}) {
      const std::vector<Interval> scores = intervals(count, reach, random);
      const std::vector<Interval> weights = softmax_of(scores);
      for (std::size_t i = 0; i < count; ++i) {
        check_tight(
            scores, weights[i], [&](const std::vector<double>& s) { return softmax_at(s, i); }, random);
      }
    }
  }
}

TEST_CASE("a share of a sum knows that its numerator is part of the sum", "[check]") {
  std::mt19937 random(4);
  const std::vector<Interval> parts = {{0.95, 1.05}, {0.25, 0.35}, {0.05, 0.15}};
  const std::vector<Interval> shares = share_of_sum(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_tight(
        parts, shares[i], [&](const std::vector<double>& e) { return e[i] / (e[0] + e[1] + e[2]); }, random);
  }
}

TEST_CASE("sums, products, quotients, squares and roots of intervals hold every result and little more", "[check]") {
  std::mt19937 random(5);
  for (int round = 0; round < 8; ++round) {
    const std::vector<Interval> two = intervals(2, 0.5, random);
    const Interval a = two[0];
    const Interval b = two[1];
    check_tight(
        two, a + b, [](const auto& x) { return x[0] + x[1]; }, random);
    check_tight(
        two, a - b, [](const auto& x) { return x[0] - x[1]; }, random);
    check_tight(
        two, a * b, [](const auto& x) { return x[0] * x[1]; }, random);
    check_tight(
        {a}, square(a), [](const auto& x) { return x[0] * x[0]; }, random);
    check_tight(
        {a}, exp(a), [](const auto& x) { return exp(x[0]); }, random);
    if (!b.contains(0))
      check_tight(
          two, a / b, [](const auto& x) { return x[0] / x[1]; }, random);
    const Interval positive(a.low + 4, a.high + 4);
    check_tight(
        {positive}, sqrt(positive), [](const auto& x) { return sqrt(x[0]); }, random);
  }
}

TEST_CASE("a dot product of intervals holds every result and little more", "[check]") {
  std::mt19937 random(6);
  const std::vector<Interval> numbers = intervals(6, 0.05, random);
  Interval sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += numbers[i] * numbers[i + 3];
  check_tight(
      numbers, sum, [](const auto& x) { return x[0] * x[3] + x[1] * x[4] + x[2] * x[5]; }, random);
}

TEST_CASE("a sum of many products of intervals holds every exact one, and little more", "[check]") {
  std::mt19937 random(7);
  for (const double reach : {0.0, 0.005, 0.5, 4.0}) {
    for (int round = 0; round < 50; ++round) {
      std::vector<Interval> numbers = intervals(800, reach, random);
      SumsOfProducts<2> sums;
      Exact low, high;
      for (std::size_t i = 0; i < 400; ++i) {
        // Sums that cancel lose most.
        const Interval a = i % 2 == 0 ? numbers[i] : -numbers[i - 1];
        const Interval b = numbers[400 + i / 2 * 2];
        sums.add(1, a, b);
        const long double ends[] = {static_cast<long double>(a.low) * b.low, static_cast<long double>(a.low) * b.high,
                                    static_cast<long double>(a.high) * b.low,
                                    static_cast<long double>(a.high) * b.high};
        low.add(*std::ranges::min_element(ends));
        high.add(*std::ranges::max_element(ends));
      }
      const auto sum = sums.sum(1, 400);
      REQUIRE(sum);
      CHECK(sum->low <= low.sum());
      CHECK(sum->high >= high.sum());
      CHECK(static_cast<double>(low.sum() - sum->low) < 1e-8);
      CHECK(static_cast<double>(sum->high - high.sum()) < 1e-8);
      CHECK(sums.sum(0, 400)->contains(0));
    }
  }
}

TEST_CASE("a sum of products is told of no interval that has no end", "[check]") {
  const double ends[] = {-infinity, -2, 0, 0.5, infinity};
  std::vector<Interval> all;
  for (const double low : ends) {
    for (const double high : ends) {
      if (low <= high && low < infinity && high > -infinity) all.emplace_back(low, high);
    }
  }
  for (const Interval& a : all) {
    for (const Interval& b : all) {
      SumsOfProducts<1> sums;
      sums.add(0, a, b);
      const auto sum = sums.sum(0, 1);
      const Interval product = a * b;
      INFO(a.low << " … " << a.high << " times " << b.low << " … " << b.high);
      if (sum) CHECK(sum->contains(product));
      if (std::isfinite(a.low) && std::isfinite(a.high) && std::isfinite(b.low) && std::isfinite(b.high)) CHECK(sum);
    }
  }
}

TEST_CASE("a sum of many products that each are too small for a double holds what they come to", "[check]") {
  const double tiny = std::numeric_limits<double>::denorm_min();  // 2⁻¹⁰⁷⁴
  for (const std::size_t terms : {40u, 1000u}) {
    SumsOfProducts<1> sums;
    for (std::size_t i = 0; i < terms; ++i) sums.add(0, 0x1p-538, 0x1p-537);  // each is half of the least double
    const auto sum = sums.sum(0, terms);
    REQUIRE(sum);
    CHECK(sum->contains(static_cast<double>(terms) / 2 * tiny));
    CHECK(sum->high <= 2 * static_cast<double>(terms) * tiny);
  }
}

TEST_CASE("a closed score has the weight 0 exactly, and a lone open one 1", "[check]") {
  const std::vector<Interval> weights = softmax_of({Interval(-infinity), Interval(0.5, 0.6)});
  CHECK(weights[0] == Interval(0));
  CHECK(weights[1].contains(1));
  CHECK(weights[1].width() < 1e-12);
}

TEST_CASE("whole numbers stay exact in intervals", "[check]") {
  CHECK(Interval(3) * Interval(4) == Interval(12));
  CHECK((Interval(0) * Interval(-1, 7)).is_point());
  CHECK(Interval(0) + Interval(2, 3) == Interval(2, 3));
}

TEST_CASE("a quotient by an interval around zero can be anything", "[check]") {
  const Interval all = Interval(1, 2) / Interval(-1, 1);
  CHECK(all.low == -infinity);
  CHECK(all.high == infinity);
}

}  // namespace attn
