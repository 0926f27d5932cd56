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
class Scores {
 public:
  Scores(const FusedAttention<T>& call, std::size_t b, std::size_t h, double largest_added)
      : call_(call),
        b_(b),
        h_(h),
        // Twice what it comes to, for what rounding adds to a sum.
        factor_(2 * static_cast<double>(call.key_width) * std::max(1.0, std::abs(call.scale))),
        largest_added_(largest_added) {}

  bool are_finite() const {
    const T* q = call_.q + b_ * call_.q_at.batch + h_ * call_.q_at.head;
    const T* k = call_.k + b_ * call_.k_at.batch + h_ / (call_.heads / call_.kv_heads) * call_.k_at.head;
    std::vector<double> queries(call_.queries);
    double most = 0;
    for (std::size_t i = 0; i < call_.queries; ++i) {
      queries[i] = largest_magnitude(q + i * call_.q_at.row, call_.key_width);
      most = std::max(most, queries[i]);
    }
    for (std::size_t j = 0; j < call_.keys; ++j) {
      const double key = largest_magnitude(k + j * call_.k_at.row, call_.key_width);
      if (!are_finite(most, key) && !are_finite_where_open(queries, key, j)) return false;
    }
    return true;
  }

 private:
  bool are_finite(double query, double key) const {
    return std::isfinite(static_cast<T>(factor_ * query * key + largest_added_));
  }

  bool are_finite_where_open(const std::vector<double>& queries, double key, std::size_t j) const {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (!are_finite(queries[i], key) && is_open(call_, b_, h_, i, j)) return false;
    }
    return true;
  }

  const FusedAttention<T>& call_;
  std::size_t b_, h_;
  double factor_, largest_added_;
};

}  // namespace

template <class T>
bool has_finite_scores(const FusedAttention<T>& call, double largest_added) {
  for (std::size_t b = 0; b < call.batch; ++b) {
    for (std::size_t h = 0; h < call.heads; ++h) {
      if (!Scores<T>(call, b, h, largest_added).are_finite()) return false;
    }
  }
  return true;
}

template bool has_finite_scores(const FusedAttention<float>& call, double largest_added);
template bool has_finite_scores(const FusedAttention<double>& call, double largest_added);

}  // namespace attn
