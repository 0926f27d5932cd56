#include <cstdint>
#include <limits>

#include "backend/cpu/vectors/kernels.h"
#include "backend/sight.h"
#include "base/exp.h"
#include "base/math.h"

namespace attn {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

// The maximum as the steps have it: a NaN stays.
template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

}  // namespace

template <class T>
void plain_row(const FusedAttention<T>& call, std::size_t batch, std::size_t head, std::size_t query) {
  const std::size_t kv_head = call.kv_heads == call.heads ? head : head / (call.heads / call.kv_heads);
  const T* const q = call.q + call.q_at.to(batch, head, query);
  const T* const k = call.k + call.k_at.to(batch, kv_head);
  const T* const v = call.v + call.v_at.to(batch, kv_head);
  T* const context = call.context + call.context_at.to(batch, head, query);
  const std::uint8_t* const open = call.open == nullptr ? nullptr : call.open + call.open_at.to_row(batch, head, query);
  const T* const bias = call.bias == nullptr ? nullptr : call.bias + call.bias_at.to_row(batch, head, query);

  const auto is_open = [&](std::size_t key) {
    if (open != nullptr && open[call.open_at.to_key(key)] == 0) return false;
    return bias == nullptr || bias[call.bias_at.to_key(key)] != -infinity<T>;
  };
  const Sight seen = sight(call, batch, query);
  const auto each_open = [&](auto&& visit) {
    for (std::size_t key = seen.first; key < seen.last; ++key) {
      if (is_open(key)) visit(key);
    }
    for (std::size_t key = own_keys(call); key < call.keys; ++key) {
      if (is_open(key)) visit(key);
    }
  };
  const auto score = [&](std::size_t key) {
    const T* const row = k + key * call.k_at.row;
    T sum = 0;
    for (std::size_t i = 0; i < call.key_width; ++i) sum += q[i] * row[i];
    T s = sum * static_cast<T>(call.scale);
    if (call.softcap != 0) s = static_cast<T>(call.softcap) * tanh(s / static_cast<T>(call.softcap));
    return bias != nullptr ? s + bias[call.bias_at.to_key(key)] : s;
  };
  // Of a short row, scores are worked out once, and then are weights.
  constexpr std::size_t most_kept = 64;
  T kept[most_kept];
  const bool keeps = call.keys <= most_kept;
  // Inlined, as attn::exp is not: a call shows where a row has three keys.
  const auto power = [&](T x) { return static_cast<T>(everywhere::exp(x * static_cast<T>(call.log_base))); };

  T largest = -infinity<T>;
  bool closed = true;
  each_open([&](std::size_t key) {
    const T s = score(key);
    if (keeps) kept[key] = s;
    largest = larger(s, largest);
    closed = false;
  });
  for (std::size_t c = 0; c < call.value_width; ++c) context[c] = 0;
  if (call.closed_rows != nullptr) call.closed_rows[(batch * call.heads + head) * call.queries + query] = closed;
  if (closed) return;

  T total = 0;
  if (call.sinks != nullptr) largest = larger(call.sinks[head * call.sink_stride], largest);
  each_open([&](std::size_t key) {
    const T weight = power((keeps ? kept[key] : score(key)) - largest);
    if (keeps) kept[key] = weight;
    total += weight;
  });
  if (call.sinks != nullptr) total += power(call.sinks[head * call.sink_stride] - largest);
  each_open([&](std::size_t key) {
    const T weight = (keeps ? kept[key] : power(score(key) - largest)) / total;
    const T* const row = v + key * call.v_at.row;
    for (std::size_t c = 0; c < call.value_width; ++c) context[c] += weight * row[c];
  });
}

template void plain_row(const FusedAttention<float>&, std::size_t, std::size_t, std::size_t);
template void plain_row(const FusedAttention<double>&, std::size_t, std::size_t, std::size_t);

}  // namespace attn
