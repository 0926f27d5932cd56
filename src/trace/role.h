#pragma once

namespace attn {

// What a tensor is in attention, so that readers can give each its colour.
enum class Role {
  input,
  weight_matrix,
  query,
  key,
  value,
  score,
  mask,
  softmax,
  attention_weight,
  weighted_value,
  output
};

}  // namespace attn
