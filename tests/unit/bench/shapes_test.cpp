#include <algorithm>
#include <set>
#include <string>

#include "bench/workload.h"
#include "catch.h"

namespace attn {
namespace {

Workload square(std::size_t size) {
  return {.batch = 2, .heads = 6, .kv_heads = 3, .queries = size, .keys = size, .key_width = 5, .value_width = 7};
}

// Products of all open cells, counted one by one, twice for their sums.
double counted(const Workload& work) {
  double products = 0;
  for (std::size_t query = 0; query < work.queries; ++query) {
    for (std::size_t key = 0; key < work.keys; ++key) {
      if (work.causal && key + work.queries > query + work.keys) continue;
      products += static_cast<double>(work.key_width + work.value_width);
    }
  }
  return 2 * static_cast<double>(work.batch * work.heads) * products;
}

TEST_CASE("operations are two for each product of Q·Kᵀ and of A·V", "[bench]") {
  CHECK(operations(square(11)) == counted(square(11)));
  Workload decode = square(1);
  decode.keys = 40;
  CHECK(operations(decode) == counted(decode));
}

TEST_CASE("a causal mask counts as the half of the square that it leaves open", "[bench]") {
  Workload work = square(400);
  work.causal = true;
  CHECK(operations(work) == operations(square(400)) / 2);
  // The diagonal's cells are cut in two, which is half a cell a row.
  const double diagonal = 2.0 * 2 * 6 * 400 * (5 + 7) / 2;
  CHECK(operations(work) == counted(work) - diagonal);
}

TEST_CASE("the last query of a causal mask sees every key, and queries before the first key see none", "[bench]") {
  Workload work = square(8);
  work.causal = true;
  work.keys = 100;
  CHECK(operations(work) == counted(work) - 2.0 * 2 * 6 * 8 * (5 + 7) / 2);
  work.keys = 3;
  CHECK(operations(work) == counted(work) - 2.0 * 2 * 6 * 3 * (5 + 7) / 2);
}

TEST_CASE("the least bytes are those of queries, keys, values and context, shared heads once", "[bench]") {
  Workload work = square(10);
  work.keys = 20;
  const double queries_and_context = 2 * 6 * 10 * (5 + 7);
  const double keys_and_values = 2 * 3 * 20 * (5 + 7);
  CHECK(least_bytes(work) == 4 * (queries_and_context + keys_and_values));
  work.dtype = Dtype::f64;
  CHECK(least_bytes(work) == 8 * (queries_and_context + keys_and_values));
  work.dtype = Dtype::bf16;
  CHECK(least_bytes(work) == 2 * (queries_and_context + keys_and_values));
}

TEST_CASE("projections add their products, and take the place of what they make", "[bench]") {
  Workload work{.batch = 3, .heads = 4, .kv_heads = 4, .queries = 10, .keys = 10, .key_width = 8, .value_width = 8};
  const double attention = operations(work);
  work.model_width = 32;
  CHECK(operations(work) == attention + 4 * (2.0 * 3 * 10 * 32 * 32));
  CHECK(least_bytes(work) == 4 * (2.0 * 3 * 10 * 32 + 4 * 32 * 32));
}

TEST_CASE("the suite has every kind of shape, each under a name of its own", "[bench]") {
  const std::vector<Workload> suite = bench_suite(Dtype::f32);
  std::set<std::string> names;
  for (const Workload& work : suite) names.insert(spelled(work));
  CHECK(names.size() == suite.size());
  for (const char* name : {"1×1×3×3", "1×8×128×64", "8×8×512×64 causal", "1×8×2048×64", "1×16×4096×128 causal",
                           "1×8×16384×64", "8×8×512×64, projected", "1×16×1×128, 4096 keys"}) {
    INFO(name);
    CHECK(names.contains(name));
  }
  for (const Limit limit : {Limit::arithmetic, Limit::memory, Limit::calling}) {
    CHECK(std::ranges::any_of(suite, [&](const Workload& work) { return limit_of(work) == limit; }));
  }
}

TEST_CASE("decoding is limited by memory, three queries by the call, and squares by arithmetic", "[bench]") {
  const Workload decode{.heads = 16, .kv_heads = 16, .queries = 1, .keys = 4096, .key_width = 128, .value_width = 128};
  CHECK(limit_of(decode) == Limit::memory);
  CHECK(limit_of({.queries = 3, .keys = 3, .key_width = 3, .value_width = 3}) == Limit::calling);
  CHECK(limit_of({.queries = 128, .keys = 128, .key_width = 64, .value_width = 64}) == Limit::arithmetic);
}

}  // namespace
}  // namespace attn
