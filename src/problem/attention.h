#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/choice.h"
#include "tensor/tensor.h"

namespace attn {

// A weight matrix with its bias.
struct Projection {
  Source weight;
  std::optional<Source> bias;
};

// Keys and values that are neither projected nor rotated any more: a cache of
// past ones, or some put after all others.
struct KeysAndValues {
  Source keys, values;
};

enum class WeightLayout { in_out, out_in };

// One attention of a problem, every shape of it known to fit.
//
// Axes are named as the trace names them. A tensor has a batch axis where the
// problem is a batch. With Vectors::columns the last two axes of weights, keys
// and their like stand exchanged, as given.
//
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
struct Attention {
  // A projection that is not there is not made: Q = K = V = the inputs.
  std::optional<Projection> query, key, value, output;

  // Given directly instead of inputs; `values` is always there if `keys` is.
  std::optional<Source> queries, keys, values;

  bool batched = false;
  std::size_t batch = 1;                // sequences; 1 without a batch
  std::optional<std::size_t> heads;     // set where the trace has a head axis
  std::optional<std::size_t> kv_heads;  // set where they are fewer than heads
  bool split_input = false;             // `split: input`
  Vectors vectors = Vectors::rows;
  WeightLayout weight_layout = WeightLayout::in_out;

  std::size_t query_count = 0;  // Nq, padded
  std::size_t key_count = 0;    // Nk, padded: past and new ones, without appended ones
  std::size_t key_width = 0;    // d_k, of one head
  std::size_t value_width = 0;  // d_v, of one head

  std::optional<KeysAndValues> past, appended;

  std::optional<Choice> positions;
  Choice score;
  std::optional<Choice> softmax;  // not there: as everybody knows it

  // What is said of options, by their names; an option that nothing is said of is not there.
  std::map<std::string, OptionValue, std::less<>> options;

  // How many queries of each sequence are the file's own, the rest padding;
  // empty where nothing is padded.
  std::vector<std::size_t> own_queries;

  // Labels of queries and keys, a list a sequence (one list without a batch).
  std::vector<std::vector<std::string>> query_labels, key_labels;

  // What is said of an option whose values are of that type; null where nothing is.
  template <class T>
  const T* option(std::string_view name) const {
    const auto found = options.find(name);
    return found == options.end() ? nullptr : std::get_if<T>(&found->second);
  }

  // The positions of the first queries among the keys: empty (0), one for all, or one a sequence.
  Integers offsets() const {
    const auto* offset = option<PerSequence>("offset");
    return offset ? offset->values : Integers{};
  }
  Integers first_queries() const { return offsets().empty() ? Integers{0} : offsets(); }

  // The heads that keys and values have. REQUIRES: heads.
  std::size_t heads_of_keys() const { return kv_heads.value_or(*heads); }

  std::size_t past_count() const { return past ? past->keys.shape().size("key") : 0; }
  std::size_t appended_count() const { return appended ? appended->keys.shape().size("key") : 0; }
  std::size_t all_key_count() const { return key_count + appended_count(); }
};

}  // namespace attn
