// The definition, as one would write it down: for each query the scores, their
// softmax, and the weighted sum of the values.

#include <algorithm>
#include <limits>

#include "backend/cpu/ladder/rung.h"
#include "base/math.h"

namespace attn {
namespace {

template <class T>
void attend_query(const FusedAttention<T>& call, const HeadOfCall<T>& head, std::size_t query, std::size_t keys,
                  std::vector<T>& weights) {
  const T* const q = head.q + query * call.q_at.row;
  T largest = -std::numeric_limits<T>::infinity();
  for (std::size_t j = 0; j < keys; ++j) {
    const T* const k = head.k + j * call.k_at.row;
    T sum = 0;
    for (std::size_t i = 0; i < call.key_width; ++i) sum += q[i] * k[i];
    weights[j] = sum * static_cast<T>(call.scale);
    largest = std::max(largest, weights[j]);
  }

  T total = 0;
  for (std::size_t j = 0; j < keys; ++j) total += weights[j] = exp(weights[j] - largest);

  T* const context = head.context + query * call.context_at.row;
  std::fill(context, context + call.value_width, T{0});
  for (std::size_t j = 0; j < keys; ++j) {
    const T* const v = head.v + j * call.v_at.row;
    for (std::size_t i = 0; i < call.value_width; ++i) context[i] += weights[j] / total * v[i];
  }
}

template <class T>
void attend(const FusedAttention<T>& call, Threads&) {
  std::vector<T> weights(call.keys);
  each_head(call, [&](std::size_t batch, std::size_t head) {
    const HeadOfCall<T> rows(call, batch, head);
    for (std::size_t query = 0; query < call.queries; ++query) {
      attend_query(call, rows, query, keys_seen(call, batch, query), weights);
    }
  });
}

}  // namespace

Rung plain_rung() { return {"plain", "the definition, number by number", false, attend<float>, attend<double>}; }

}  // namespace attn
