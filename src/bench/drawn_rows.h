#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "backend/fused.h"
#include "backend/sight.h"
#include "base/math.h"
#include "base/random.h"
#include "bench/measurable.h"

// How far rows of a context that was computed are from the exact ones.
//
// REQUIRES throughout: the call uses neither masks, lengths, window (but causal,
// aligned by an offset), softcap, sinks nor another base.

namespace attn {

// A sum of products as if in twice the precision, rounded once (Ogita, Rump and
// Oishi 2005, algorithm 5.3, Dot2): what can judge double precision, too.
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

// One row of the context in U, with sums by Dot.
template <class U, class Dot, class T>
std::vector<U> context_of(const FusedAttention<T>& call, std::size_t batch, std::size_t head, std::size_t query) {
  const std::size_t kv_head = head / (call.heads / call.kv_heads);
  const T* const q = call.q + call.q_at.to(batch, head, query);
  const T* const k = call.k + call.k_at.to(batch, kv_head);
  const T* const v = call.v + call.v_at.to(batch, kv_head);
  std::vector<U> weights(sight(call, batch, query).last);
  U maximum = -std::numeric_limits<U>::infinity();
  for (std::size_t j = 0; j < weights.size(); ++j) {
    Dot score;
    for (std::size_t i = 0; i < call.key_width; ++i) {
      score.add(static_cast<U>(q[i]), static_cast<U>(k[j * call.k_at.row + i]));
    }
    weights[j] = score.value() * static_cast<U>(call.scale);
    maximum = std::max(maximum, weights[j]);
  }
  Dot total;
  for (U& weight : weights) {
    weight = exp(weight - maximum);
    total.add(weight, U{1});
  }
  std::vector<U> context(call.value_width);
  for (std::size_t c = 0; c < call.value_width && !weights.empty(); ++c) {
    Dot sum;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      sum.add(weights[j] / total.value(), static_cast<U>(v[j * call.v_at.row + c]));
    }
    context[c] = sum.value();
  }
  return context;
}

// A number drawn from 0 to count − 1.
inline std::size_t drawn_below(std::size_t count, Random& random) {
  return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(count) - 1));
}

// Of rows drawn from the call's context, against attention in double precision;
// and that of plain operations of T, each rounded and in the order of the keys.
template <class T>
MeasurableRun::Error error_of_drawn_rows(const FusedAttention<T>& call) {
  constexpr std::size_t rows_drawn = 24;
  Random random(20170612);
  MeasurableRun::Error worst;
  for (std::size_t drawn = 0; drawn < rows_drawn; ++drawn) {
    const std::size_t batch = drawn_below(call.batch, random), head = drawn_below(call.heads, random),
                      query = drawn_below(call.queries, random);
    const std::vector<double> exact = context_of<double, DotTwice>(call, batch, head, query);
    const std::vector<T> plain = context_of<T, DotPlain<T>>(call, batch, head, query);
    const T* const got = call.context + call.context_at.to(batch, head, query);
    for (std::size_t c = 0; c < call.value_width; ++c) worst.take(got[c], plain[c], exact[c]);
  }
  return worst;
}

}  // namespace attn
