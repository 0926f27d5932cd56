#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "backend/fused.h"
#include "base/math.h"

namespace attn {

// A sum of products as if in twice the precision, rounded once.
class DotTwice {
 public:
  void add(double a, double b) {
    const double product = a * b;
    const double product_lost = std::fma(a, b, -product);
    const double sum = sum_ + product;
    const double part = sum - sum_;
    lost_ += (sum_ - (sum - part)) + (product - part) + product_lost;
    sum_ = sum;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

// The same rounded after each product and each sum.
template <class T>
class DotPlain {
 public:
  void add(T a, T b) { sum_ += a * b; }
  T value() const { return sum_; }

 private:
  T sum_ = 0;
};

// One query of one head, with the keys that it sees.
template <class T>
struct DrawnRow {
  const T *q, *k, *v;  // of the head
  std::size_t seen = 0;
};

template <class T>
DrawnRow<T> row_of(const FusedAttention<T>& call, std::size_t batch, std::size_t head, std::size_t query) {
  const std::size_t kv_head = head / (call.heads / call.kv_heads);
  DrawnRow<T> row{call.q + batch * call.q_at.batch + head * call.q_at.head + query * call.q_at.row,
                  call.k + batch * call.k_at.batch + kv_head * call.k_at.head,
                  call.v + batch * call.v_at.batch + kv_head * call.v_at.head, call.keys};
  if (call.right < 0) return row;
  const std::int64_t offset = call.offsets ? call.offsets[batch] : 0;
  const std::int64_t last = static_cast<std::int64_t>(query) + offset + call.right;
  row.seen = last < 0 ? 0 : std::min(call.keys, static_cast<std::size_t>(last) + 1);
  return row;
}

// The row's context in U, with sums by Dot. REQUIRES: as error_of_drawn_rows().
template <class U, class Dot, class T>
std::vector<U> context_of(const FusedAttention<T>& call, std::size_t batch, std::size_t head, std::size_t query) {
  const DrawnRow<T> row = row_of(call, batch, head, query);
  std::vector<U> weights(row.seen);
  U maximum = -std::numeric_limits<U>::infinity();
  for (std::size_t j = 0; j < row.seen; ++j) {
    Dot score;
    for (std::size_t i = 0; i < call.key_width; ++i) score.add(row.q[i], row.k[j * call.k_at.row + i]);
    weights[j] = score.value() * static_cast<U>(call.scale);
    maximum = std::max(maximum, weights[j]);
  }
  Dot total;
  for (U& weight : weights) {
    weight = exp(weight - maximum);
    total.add(weight, U{1});
  }
  std::vector<U> context(call.value_width);
  for (std::size_t c = 0; c < call.value_width && row.seen > 0; ++c) {
    Dot sum;
    for (std::size_t j = 0; j < row.seen; ++j) sum.add(weights[j] / total.value(), row.v[j * call.v_at.row + c]);
    context[c] = sum.value();
  }
  return context;
}

}  // namespace attn
