#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem/choice.h"
#include "problem/source.h"

namespace attn {

struct Problem;

// Normalization of each vector. Without gain and bias the numbers stay as they
// come out.
struct Norm {
  std::optional<Source> gain, bias;  // [d_model]
};

// Two products with an activation between them, for each vector by itself
// (Vaswani et al. 2017, section 3.3); with a gate as Shazeer (2020) has it.
//
//   in, gate               [d_model, d_hidden]
//   in_bias, gate_bias     [d_hidden]
//   out                    [d_hidden, d_model]
//   out_bias               [d_model]
//     (in_out; with out_in, and for column vectors, matrices stand exchanged)
struct FeedForward {
  Source in, out;
  std::optional<Source> in_bias = {}, gate = {}, gate_bias = {}, out_bias = {};
};

// One layer: what it has of attention to itself, attention to the memory and
// feed-forward network, in this order, each with a residual around it.
struct Layer {
  std::optional<std::size_t> self, cross;  // which of the problem's sublayers
  std::optional<FeedForward> feed_forward;
  std::array<std::optional<Norm>, 3> norms;  // of its sublayers, in their order
};

// The transformer block around the attention (Vaswani et al. 2017, section 3.1).
struct TransformerBlock {
  enum class Kind { encoder, decoder, decoder_only };

  Kind kind = Kind::encoder;
  bool norm_first = false;  // x + f(norm(x)); else norm(x + f(x))
  std::string norm;         // of the catalog
  double eps = 1e-5;
  std::string activation;  // of the catalog
  std::vector<Layer> layers;
  std::optional<Norm> embedding_norm, final_norm;

  // What cross-attention reads, given [batch?, token, d_model] or computed before all else.
  std::optional<Source> memory;
  std::shared_ptr<const Problem> encoder;

  std::optional<Source> unembedding;       // [d_model, vocabulary], exchanged as other matrices are
  std::optional<Source> unembedding_bias;  // [vocabulary]
  std::vector<std::string> vocabulary;     // a label a column of the logits; may be empty
};

// The number of a sublayer that is at most the third of its layer.
constexpr std::size_t most_sublayers = 3;

}  // namespace attn
