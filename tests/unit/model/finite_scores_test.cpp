#include "model/finite_scores.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "catch.h"

namespace attn {
namespace {

constexpr std::size_t score_queries = 3, score_keys = 5;

// Three queries and five keys of one number each; one key is infinite.
struct ScoreCall {
  explicit ScoreCall(std::size_t infinite_key) {
    k[infinite_key] = std::numeric_limits<double>::infinity();
    call.queries = score_queries;
    call.keys = score_keys;
    call.key_width = 1;
    call.q = q.data();
    call.k = k.data();
    call.q_at.row = call.k_at.row = 1;
  }

  bool is_finite() const { return has_finite_scores(call, 0, Dtype::f64); }

  std::array<double, score_queries> q = {1, 2, 3};
  std::array<double, score_keys> k = {1, 2, 3, 4, 5};
  FusedAttention<double> call;
};

}  // namespace

TEST_CASE("an infinite key counts for the queries that see it", "[model]") {
  for (std::size_t key = 0; key < score_keys; ++key) {
    CAPTURE(key);
    ScoreCall all(key);
    CHECK_FALSE(all.is_finite());
    ScoreCall causal(key);  // the last query stands at 2
    causal.call.right = 0;
    CHECK(causal.is_finite() == (key > 2));
    ScoreCall behind(key);  // the queries stand at 2, 3 and 4, each seeing one key to its left
    const std::int64_t offset = 2;
    behind.call.offsets = &offset;
    behind.call.left = 1;
    CHECK(behind.is_finite() == (key < 1));
    behind.call.right = 0;
    CHECK(behind.is_finite() == (key < 1));
    ScoreCall window(key);  // from one to the left to one to the right
    window.call.left = window.call.right = 1;
    CHECK(window.is_finite() == (key > 3));
  }
}

TEST_CASE("keys beyond the length of a sequence are seen by nobody, but those that are appended", "[model]") {
  for (std::size_t key = 0; key < score_keys; ++key) {
    CAPTURE(key);
    ScoreCall shorter(key);
    const std::size_t length = 2;
    shorter.call.lengths = &length;
    CHECK(shorter.is_finite() == (key >= 2));
    shorter.call.appended = 1;
    CHECK(shorter.is_finite() == (key == 2 || key == 3));
    shorter.call.right = 0;
    CHECK(shorter.is_finite() == (key == 2 || key == 3));
  }
}

TEST_CASE("a product that overflows before it is scaled down is none that is finite", "[model]") {
  constexpr std::size_t width = 64;
  const auto is_finite = [](double product, Dtype dtype) {
    const std::vector<double> q(width, std::sqrt(product)), k(width, -std::sqrt(product));
    FusedAttention<double> call;
    call.queries = call.keys = 1;
    call.key_width = width;
    call.scale = 0.125;
    call.q = q.data(), call.k = k.data();
    return has_finite_scores(call, 0, dtype);
  };
  // 64 · 2e37 is more than any float, 3.4e38, and an eighth of it is less.
  CHECK_FALSE(is_finite(2e37, Dtype::f32));
  CHECK(is_finite(2e37, Dtype::f64));
  CHECK(is_finite(1e36, Dtype::f32));
  CHECK_FALSE(is_finite(2000, Dtype::f16));  // the largest is 65504
  CHECK(is_finite(200, Dtype::f16));
}

TEST_CASE("a score is as large as its scale makes it, of either sign", "[model]") {
  const std::array<double, 1> q = {1e150}, k = {1e150};
  FusedAttention<double> call;
  call.queries = call.keys = call.key_width = 1;
  call.q = q.data(), call.k = k.data();
  for (const double sign : {1.0, -1.0}) {
    call.scale = sign;
    CHECK(has_finite_scores(call, 0, Dtype::f64));
    call.scale = sign * 1e10;
    CHECK_FALSE(has_finite_scores(call, 0, Dtype::f64));
  }
}

TEST_CASE("heads that share keys are judged by those that they share", "[model]") {
  // Of four heads the first two share the first key, which is large, and the others the second.
  const std::array<double, 4> q = {0, 0, 1, 1};
  const std::array<double, 2> k = {1e200, 1};
  FusedAttention<double> call;
  call.heads = 4, call.kv_heads = 2;
  call.queries = call.keys = call.key_width = 1;
  call.q = q.data(), call.k = k.data();
  call.q_at.head = call.k_at.head = 1;
  CHECK(has_finite_scores(call, 0, Dtype::f64));
  const std::array<double, 4> large = {1, 1, 1e200, 1e200};
  call.q = large.data();
  CHECK(has_finite_scores(call, 0, Dtype::f64));
  const std::array<double, 4> one = {1, 1e200, 1, 1};
  call.q = one.data();
  CHECK_FALSE(has_finite_scores(call, 0, Dtype::f64));
}

}  // namespace attn
