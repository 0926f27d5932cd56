#include "ops/functions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.h"
#include "trace/evaluate.h"
#include "trace/recipe_builder.h"

namespace attn {
namespace {

TEST_CASE("what rises again to the left of a minimum is enclosed however far an interval goes", "[ops]") {
  struct Function {
    double (*of)(double);
    Interval (*of_all)(const Interval&);
    double least;
  };
  const Function all[] = {
      {[](double x) { return gelu(x); }, [](const Interval& a) { return gelu(a); }, -0.17},
      {[](double x) { return gelu_tanh(x); }, [](const Interval& a) { return gelu_tanh(a); }, -0.17},
      {[](double x) { return silu(x); }, [](const Interval& a) { return silu(a); }, -0.2785}};
  const std::vector<Interval> arguments = {
      {-infinity, -50}, {-infinity, 0.5}, {-infinity, infinity}, {-3, infinity}, {-3, -2}, {-3, 0}, {0.5, 2}};
  for (const Function& one : all) {
    for (const Interval& argument : arguments) {
      const Interval made = one.of_all(argument);
      CAPTURE(argument.low, argument.high, made.low, made.high);
      CHECK(made.low >= one.least - 0.001);
      const double from = std::max(argument.low, -60.0), to = std::min(argument.high, 60.0);
      for (int i = 0; i <= 100; ++i) {
        const double number = one.of(from + (to - from) * i / 100);
        CHECK(made.low <= number);
        CHECK(number <= made.high);
      }
    }
  }
}

TEST_CASE("the least that a function comes to is enclosed about its place, and nothing much below it", "[ops]") {
  using Exact = long double;
  struct Function {
    Exact (*of)(Exact);
    Interval (*of_all)(const Interval&);
  };
  const Function all[] = {
      {[](Exact x) { return x / 2 * std::erfc(-x / std::sqrt(Exact{2})); }, [](const Interval& a) { return gelu(a); }},
      {[](Exact x) {
         // x · (1 + tanh u) / 2 is x / (1 + e^(−2u)).
         return x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(Exact{-1})) * (x + Exact{0.044715L} * x * x * x)));
       },
       [](const Interval& a) { return gelu_tanh(a); }},
      {[](Exact x) { return x / (1 + std::exp(-x)); }, [](const Interval& a) { return silu(a); }}};
  for (const Function& one : all) {
    Exact from = -2, to = 0;  // of which a third is left out each time
    for (int i = 0; i < 200; ++i) {
      const Exact left = from + (to - from) / 3, right = to - (to - from) / 3;
      (one.of(left) < one.of(right) ? to : from) = one.of(left) < one.of(right) ? right : left;
    }
    const Exact least = one.of(from);
    for (const double around : {0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.3}) {
      const auto lowest = static_cast<double>(from);
      const Interval made = one.of_all({lowest - around, lowest + around});
      CAPTURE(around, made.low, made.high, static_cast<double>(least));
      CHECK(static_cast<Exact>(made.low) <= least);
      CHECK(static_cast<Exact>(made.low) >= least - 1e-15L);
      CHECK(static_cast<Exact>(made.high) >= std::max(one.of(from - around), one.of(from + around)));
    }
  }
}

TEST_CASE("waves are enclosed whatever their base is", "[ops]") {
  for (const double base : {10'000.0, 1.0, 0.5, 0.01}) {
    const Waves waves{Waves::Kind::alternating, {"token", 9}, {"d_model", 6}, 2, base, 6};
    for (std::size_t token = 0; token < 9; ++token) {
      for (std::size_t feature = 0; feature < 6; ++feature) {
        const Interval made = wave<Interval>(waves, token, feature);
        const long double angle =
            static_cast<long double>(token + 2) /
            std::pow(static_cast<long double>(base), static_cast<long double>(feature / 2 * 2) / 6);
        const long double exact = feature % 2 == 0 ? std::sin(angle) : std::cos(angle);
        CAPTURE(base, token, feature);
        CHECK(static_cast<long double>(made.low) <= exact);
        CHECK(exact <= static_cast<long double>(made.high));
        CHECK(made.high - made.low < 1e-9);
      }
    }
  }
}

TEST_CASE("long sums of products are enclosed, and 0 where a mask closes the cell", "[ops]") {
  constexpr std::size_t width = 40;
  std::vector<double> left, right;
  for (std::size_t i = 0; i < 2 * width; ++i) left.push_back(1 / static_cast<double>(i + 3));
  for (std::size_t i = 0; i < 3 * width; ++i) right.push_back(0.1 * static_cast<double>(i % 7) - 0.2);
  RecipeBuilder work;
  work.given_step({.id = "q"}, LateTensor(Tensor<double>({{"query", 2}, {"d_k", width}}, left)));
  work.given_step({.id = "k"}, LateTensor(Tensor<double>({{"key", 3}, {"d_k", width}}, right)));
  work.given({.id = "mask"}, LateTensor(Tensor<double>({{"query", 2}, {"key", 3}}, {1, 0, 1, 1, 1, 0})));
  work.step({.id = "s"}, Contract{"d_k"}, {"q", "k"}, "mask");
  const Recipe recipe = work.take();
  std::vector<Tensor<Interval>> read;
  for (std::size_t line = 0; line + 1 < recipe.size(); ++line) {
    const Tensor<double>& given = recipe.instruction(line).given->points.numbers();
    read.emplace_back(given.shape(), std::vector<Interval>(given.data().begin(), given.data().end()));
  }
  Values<Interval> carried;
  for (const Tensor<Interval>& one : read) carried.push_back(&one);
  carried.push_back(nullptr);
  const Tensor<Interval> made = run_line(recipe, recipe.size() - 1, carried);
  REQUIRE(made.size() == 6);
  for (std::size_t cell = 0; cell < 6; ++cell) {
    CAPTURE(cell);
    if (cell == 1 || cell == 5) {
      CHECK(made[cell] == Interval(0));
      continue;
    }
    long double exact = 0;
    for (std::size_t i = 0; i < width; ++i) {
      exact +=
          static_cast<long double>(left[cell / 3 * width + i]) * static_cast<long double>(right[cell % 3 * width + i]);
    }
    CHECK(static_cast<long double>(made[cell].low) <= exact);
    CHECK(exact <= static_cast<long double>(made[cell].high));
    CHECK(made[cell].high - made[cell].low < 1e-12);
  }
}

}  // namespace
}  // namespace attn
