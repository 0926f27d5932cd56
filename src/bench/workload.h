#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "backend/fused.h"
#include "tensor/dtype.h"

namespace attn {

// What stands around the attention where a whole model is timed: its layers are alike.
struct ModelSizes {
  std::string name;  // "it.json"
  std::size_t layers = 1;
  std::size_t hidden = 0;      // columns of the feed-forward network; 0: there is none
  std::size_t vocabulary = 0;  // columns of the logits; 0: the last layer's output is the result
  bool norm_first = false, ends_with_norm = false;
  std::string norm, activation;  // as problems name them: "rms", "swiglu"
  bool biased = true;            // whether products have biases
  bool turned = false;           // whether positions turn queries and keys
  std::string apart;             // what else there is, that other libraries are not asked for; "" for nothing
  double numbers = 0;            // that are given: weights and inputs
  double operations = 0;         // of products and sums

  bool operator==(const ModelSizes&) const = default;
};

// The sizes of an attention that is timed. Causal masks are aligned at the end:
// the last query sees every key.
struct Workload {
  std::size_t batch = 1, heads = 1, kv_heads = 1;
  std::size_t queries = 0, keys = 0;
  std::size_t key_width = 0, value_width = 0;  // d_k, d_v
  bool causal = false;
  Dtype dtype = Dtype::f32;

  // Where it is not 0, multi-head attention as a layer has it: inputs [batch,
  // row, model_width] are projected to queries, keys and values, and the heads'
  // contexts, side by side, to outputs of that width. REQUIRES: queries == keys.
  std::size_t model_width = 0;

  // Where it is there the attention is that of each layer, and the whole is timed.
  std::optional<ModelSizes> model = std::nullopt;

  bool operator==(const Workload&) const = default;
};

// Floating-point operations that the result needs: two for each product and sum
// of Q·Kᵀ and of A·V, and of the projections where there are any. What is closed
// does not count: half of a causal square. Of a model those that it says.
double operations(const Workload& workload);

// Bytes of queries, keys, values and context, each once; with projections those
// of inputs, weights and outputs; of a model all that is given.
double least_bytes(const Workload& workload);

// The attention of a workload on tensors [batch, head, row, feature] without gaps,
// which it does not say yet, nor the offsets of a causal mask.
template <class T>
FusedAttention<T> call_of(const Workload& work) {
  const auto strides = [](std::size_t heads, std::size_t rows, std::size_t width) {
    return Strides{.batch = heads * rows * width, .head = rows * width, .row = width};
  };
  FusedAttention<T> call;
  call.batch = work.batch;
  call.heads = work.heads;
  call.kv_heads = work.kv_heads;
  call.queries = work.queries;
  call.keys = work.keys;
  call.key_width = work.key_width;
  call.value_width = work.value_width;
  call.q_at = strides(work.heads, work.queries, work.key_width);
  call.k_at = strides(work.kv_heads, work.keys, work.key_width);
  call.v_at = strides(work.kv_heads, work.keys, work.value_width);
  call.context_at = strides(work.heads, work.queries, work.value_width);
  call.scale = 1 / std::sqrt(static_cast<double>(work.key_width));
  call.right = work.causal ? 0 : -1;
  return call;
}

// "1×8×2048×64 causal": sequences, heads, queries and keys, width. What is
// not the same for all follows: "1×16×1×128, 4096 keys". A model by its name.
std::string spelled(const Workload& workload);

// Small and large squares, the large ones causal as well, multi-head attention
// with its projections, the worked example's three queries and keys, and one
// query of a long cache (decoding).
std::vector<Workload> bench_suite(Dtype dtype);

// What keeps a machine from being faster.
enum class Limit { arithmetic, memory, calling };

// Memory where there are few operations for each byte that must be read or
// written, as in decoding; calling where there is next to nothing to do.
Limit limit_of(const Workload& workload);

}  // namespace attn
