#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "problem/arithmetic.h"
#include "problem/choice.h"
#include "problem/note.h"
#include "tensor/tensor.h"

namespace attn {

// A weight matrix with its bias.
struct Projection {
  Tensor<double> weight;
  std::optional<Tensor<double>> bias;
};

// One entry of `mask`, its axes a subset of batch, head, query, key: those
// along which it varies or whose size is not 1.
struct MaskTerm {
  enum class Kind { allow, block, add };
  Kind kind = Kind::allow;
  Tensor<double> value;  // allow, block: 0 and 1; add: finite or −∞
};

// Numbers that are yet to be drawn.
struct RandomTensor {
  RandomKind kind = RandomKind::normal;
  std::vector<std::size_t> shape;
  std::uint64_t seed = 0;
};

// Keys and values that are neither projected nor rotated any more: a cache of
// past ones, or some put after all others.
struct KeysAndValues {
  Tensor<double> keys, values;
};

// How far a query sees: from `left` keys before its own position to `right`
// behind it; −1 is no limit (Beltagy et al. 2020).
struct Window {
  std::int64_t left = -1, right = -1;

  bool operator==(const Window&) const = default;
};

enum class WeightLayout { in_out, out_in };

// What is to be computed: a validated problem. Every shape is known to fit.
//
// Axes are named as the trace names them. A tensor has a batch axis where the
// problem is a batch. With Vectors::columns the last two axes of inputs,
// weights, keys and their like stand exchanged, as given.
//
//   inputs                      [batch?, token, d_model]
//   query_inputs, key_inputs,   [batch?, query or key, d_model]        cross-attention
//     value_inputs
//   weights, one wide matrix    [d_model, d_k or d_v]                  no heads
//                               [d_model, d_concat]                    heads
//            one matrix a head  [head, d_model, d_k or d_v]
//            split: input       [d_head, d_k or d_v]                   shared by the heads
//            output             [d_v or d_concat, d_out]
//     (in_out; with out_in the last two stand exchanged)
//   biases                      [d_k, d_v, d_concat or d_out], or [head, d_k or d_v]
//   queries, keys, values       [batch?, query or key, d_k or d_v]     given directly, no heads
//                               [batch?, query or key, d_concat]       heads, wide
//                               [batch, head, query or key, d_k or d_v]
//   past, appended            [batch?, head?, key, d_k or d_v]
//
// The head axis of keys and values, of their weights, biases, past and appended
// has kv_heads where these are fewer than heads.
struct Problem {
  std::string title;
  std::string notes_text;
  std::string statement;  // "sha256:…" of numbers and options, not of words

  // Where the file stands inputs. Self-attention has `inputs`; cross-attention
  // has `query_inputs` and `key_inputs`, and `value_inputs` where given.
  std::optional<Tensor<double>> inputs, query_inputs, key_inputs, value_inputs;

  // A projection that is not there is not made: Q = K = V = the inputs.
  std::optional<Projection> query, key, value, output;

  // Given directly instead of inputs; `values` is always there if `keys` is.
  std::optional<Tensor<double>> queries, keys, values;

  bool batched = false;
  std::size_t batch = 1;                // sequences; 1 without a batch
  std::optional<std::size_t> heads;     // set where the trace has a head axis
  std::optional<std::size_t> kv_heads;  // set where they are fewer than heads
  bool split_input = false;             // `split: input`
  Vectors vectors = Vectors::rows;
  WeightLayout weight_layout = WeightLayout::in_out;

  std::size_t query_count = 0;  // Nq, padded
  std::size_t key_count = 0;    // Nk, padded: past and new ones, without appended ones
  std::size_t query_width = 0;  // of one head
  std::size_t key_width = 0;    // d_k, of one head
  std::size_t value_width = 0;  // d_v, of one head

  std::optional<KeysAndValues> past, appended;

  std::optional<Choice> positions;
  Choice score;
  std::optional<double> scale;    // multiplies the scores, in place of ÷√d_k
  std::optional<double> softcap;  // c > 0: scores become c·tanh(score / c)
  std::optional<Choice> softmax;  // not there: as everybody knows it

  bool causal = false;
  std::optional<Window> window;
  std::vector<std::int64_t> offsets;  // of the first query among the keys: empty (0), one for all, or one a sequence
  std::vector<MaskTerm> masks;
  std::optional<std::vector<std::size_t>> lengths;  // valid keys of each sequence

  // How many queries of each sequence are the file's own, the rest padding;
  // empty where nothing is padded.
  std::vector<std::size_t> own_queries;

  // Labels of queries and keys, a list a sequence (one list without a batch).
  std::vector<std::vector<std::string>> query_labels, key_labels;

  Arithmetic arithmetic;
  std::optional<int> digits;
  std::vector<Note> notes;  // truncated, padding, misread

  // Tensors whose shapes are known, and whose numbers are not drawn yet. Until
  // they are (problem/drawing.h) there is no statement either; it will be of the
  // arithmetic that the file says, which others may change meanwhile.
  std::vector<std::pair<std::optional<Tensor<double>> Problem::*, RandomTensor>> undrawn;
  Arithmetic stated_arithmetic;

  bool cross() const { return query_inputs.has_value(); }

  // The heads that keys and values have. REQUIRES: heads.
  std::size_t heads_of_keys() const { return kv_heads.value_or(*heads); }

  std::size_t past_count() const { return past ? past->keys.shape().size("key") : 0; }
  std::size_t appended_count() const { return appended ? appended->keys.shape().size("key") : 0; }
  std::size_t all_key_count() const { return key_count + appended_count(); }
};

}  // namespace attn
