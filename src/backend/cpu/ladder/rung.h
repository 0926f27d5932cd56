#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "backend/cpu/threads.h"
#include "backend/fused.h"
#include "backend/sight.h"

namespace attn {

// What every rung can: heads, batches, and a causal mask (in `right` and offsets).
template <class T>
bool asks_for_little(const FusedAttention<T>& call) {
  return call.softcap == 0 && call.log_base == 1 && call.sinks == nullptr && call.left < 0 && call.lengths == nullptr &&
         call.appended == 0 && call.open == nullptr && call.bias == nullptr && call.closed_rows == nullptr;
}

// One way to compute attention on a processor. Each does what the one before it
// does, and one thing more; the files are short, and meant to be read in order.
struct Rung {
  std::string name;
  std::string summary;
  bool can_everything;  // or what asks for little alone

  void (*f32)(const FusedAttention<float>& call, Threads& threads);
  void (*f64)(const FusedAttention<double>& call, Threads& threads);

  // Computes the call. False, and nothing is done, where it asks for more than the rung can.
  template <class T>
  bool attend(const FusedAttention<T>& call, Threads& threads) const {
    if (!can_everything && !asks_for_little(call)) return false;
    if constexpr (std::is_same_v<T, float>) {
      f32(call, threads);
    } else {
      f64(call, threads);
    }
    return true;
  }
};

// All of them, slowest first; the last two are what CpuBackend uses.
const std::vector<Rung>& rungs();

// One head of one sequence, as rows that follow one another.
template <class T>
struct HeadOfCall {
  const T *q, *k, *v;
  T* context;

  HeadOfCall(const FusedAttention<T>& call, std::size_t batch, std::size_t head) {
    const std::size_t kv_head = head / (call.heads / call.kv_heads);
    q = call.q + call.q_at.to(batch, head);
    k = call.k + call.k_at.to(batch, kv_head);
    v = call.v + call.v_at.to(batch, kv_head);
    context = call.context + call.context_at.to(batch, head);
  }
};

// Calls work(batch, head) for each.
template <class T, class Work>
void each_head(const FusedAttention<T>& call, Work&& work) {
  for (std::size_t batch = 0; batch < call.batch; ++batch) {
    for (std::size_t head = 0; head < call.heads; ++head) work(batch, head);
  }
}

// How many keys the query sees: the first ones.
template <class T>
std::size_t keys_seen(const FusedAttention<T>& call, std::size_t batch, std::size_t query) {
  return sight(call, batch, query).last;
}

}  // namespace attn
