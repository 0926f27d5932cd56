#include <cstdint>
#include <string>

#include "attentions.h"
#include "catch.h"

namespace attn {
namespace {

// Raffel et al. 2020 for keys before the query: of `buckets` the first half has a distance each; the others are as
// wide as equal steps of the logarithm up to `most`, so that the k-th of n begins at half · (most / half)^(k / n). In
// whole numbers, for a `most` that half divides.
std::uint64_t bucket_of(std::uint64_t distance, std::uint64_t buckets, std::uint64_t most) {
  const std::uint64_t half = buckets / 2, count = buckets - half;
  if (distance < half) return distance;
  const auto power = [](std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t made = 1;
    for (; exponent > 0; --exponent) made *= base;
    return made;
  };
  std::uint64_t step = 0;
  while (step + 1 < count && power(distance, count) >= power(most / half, step + 1) * power(half, count)) ++step;
  return half + step;
}

std::string table_of(std::uint64_t buckets) {
  std::string table;
  for (std::uint64_t i = 0; i < buckets; ++i) table += (i == 0 ? "" : ", ") + std::to_string(i);
  return "[" + table + "]";
}

}  // namespace

TEST_CASE("a distance at the border of two of T5's buckets is in the farther one", "[model]") {
  constexpr std::uint64_t tokens = 70;
  for (const std::uint64_t buckets : {8u, 9u, 10u, 12u}) {
    const std::uint64_t half = buckets / 2;
    for (const std::uint64_t most : {8 * half, 16 * half, 32 * half}) {
      const Problem problem = problem_of(R"({"inputs": {"random": "normal", "shape": [)" + std::to_string(tokens) +
                                         R"(, 2], "seed": 1}, "positions": {"type": "t5", "bidirectional": false,
                                             "max_distance": )" +
                                         std::to_string(most) + R"(, "table": )" + table_of(buckets) + "}}");
      const Trace trace = alone(problem);
      const auto bias = trace.value("position_bias").data();
      REQUIRE(bias.size() == tokens * tokens);
      for (std::uint64_t distance = 0; distance < tokens; ++distance) {
        CAPTURE(buckets, most, distance);
        // Of the last query.
        CHECK(bias[tokens * tokens - 1 - distance] == static_cast<double>(bucket_of(distance, buckets, most)));
      }
    }
  }
}

TEST_CASE("the last of T5's buckets begins beyond all that have a distance each", "[model]") {
  const auto is_read = [](const std::string& buckets, const std::string& bidirectional, int most) {
    return static_cast<bool>(read_problem(R"({"inputs": [[1, 0], [0, 1]], "positions": {"type": "t5", "table": )" +
                                              buckets + R"(, "bidirectional": )" + bidirectional +
                                              R"(, "max_distance": )" + std::to_string(most) + "}}",
                                          catalog(), std::size_t{1} << 20));
  };
  // Half of the buckets, or of those on one side, have a distance each.
  CHECK_FALSE(is_read(table_of(8), "false", 4));
  CHECK(is_read(table_of(8), "false", 5));
  CHECK_FALSE(is_read(table_of(8), "true", 2));
  CHECK(is_read(table_of(8), "true", 3));
}

TEST_CASE("a batch of one sequence has its length for a batch", "[model]") {
  const Trace batch = alone(problem_of(R"({"inputs": [[[1, 0], [0, 1]]], "lengths": [1]})"));
  CHECK(batch.value("mask.lengths").shape() == Shape{{"batch", 1}, {"key", 2}});
  const Trace one = alone(problem_of(R"({"inputs": [[1, 0], [0, 1]], "lengths": 1})"));
  CHECK(one.value("mask.lengths").shape() == Shape{{"key", 2}});
}

}  // namespace attn
