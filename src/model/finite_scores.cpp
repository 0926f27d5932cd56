#include "model/finite_scores.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace attn {
namespace {

// Infinite where a number is not finite.
template <class T>
double largest_magnitude(const T* numbers, std::size_t count) {
  T largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(numbers[i])) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(numbers[i]));
  }
  return largest;
}

template <class T>
bool is_open(const FusedAttention<T>& call, std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
  if (call.open && call.open[call.open_at.to_row(b, h, i) + call.open_at.to_key(j)] == 0) return false;
  if (j >= call.keys - call.appended) return true;
  if (call.lengths && j >= call.lengths[b]) return false;
  const std::int64_t position = static_cast<std::int64_t>(i) + (call.offsets ? call.offsets[b] : 0);
  const std::int64_t ahead = static_cast<std::int64_t>(j) - position;
  return (call.left < 0 || ahead >= -call.left) && (call.right < 0 || ahead <= call.right);
}

// The scores of one head, each judged by the largest number of its two vectors.
template <class T>
bool has_finite_scores(const FusedAttention<T>& call, std::size_t b, std::size_t h, double largest_added, Dtype dtype) {
  // Twice what it comes to, for what rounding adds to a sum.
  const double factor = 2 * static_cast<double>(call.key_width) * std::max(1.0, std::abs(call.scale));
  const auto is_finite = [&](double query, double key) {
    return std::isfinite(stored(factor * query * key + largest_added, dtype));
  };
  const T* q = call.q + b * call.q_at.batch + h * call.q_at.head;
  const T* k = call.k + b * call.k_at.batch + h / (call.heads / call.kv_heads) * call.k_at.head;
  std::vector<double> queries(call.queries);
  double most = 0;
  for (std::size_t i = 0; i < call.queries; ++i) {
    queries[i] = largest_magnitude(q + i * call.q_at.row, call.key_width);
    most = std::max(most, queries[i]);
  }
  for (std::size_t j = 0; j < call.keys; ++j) {
    const double key = largest_magnitude(k + j * call.k_at.row, call.key_width);
    if (is_finite(most, key)) continue;
    for (std::size_t i = 0; i < call.queries; ++i) {
      if (!is_finite(queries[i], key) && is_open(call, b, h, i, j)) return false;
    }
  }
  return true;
}

}  // namespace

template <class T>
bool has_finite_scores(const FusedAttention<T>& call, double largest_added, Dtype dtype) {
  for (std::size_t b = 0; b < call.batch; ++b) {
    for (std::size_t h = 0; h < call.heads; ++h) {
      if (!has_finite_scores(call, b, h, largest_added, dtype)) return false;
    }
  }
  return true;
}

template bool has_finite_scores(const FusedAttention<float>& call, double largest_added, Dtype dtype);
template bool has_finite_scores(const FusedAttention<double>& call, double largest_added, Dtype dtype);

}  // namespace attn
