#include "problem/digest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sha256.h>
#include <span>
#include <sys/types.h>

namespace attn {
namespace {

// Feeds named fields to the hash, each with its name and sizes before it, so
// that no two different problems give the same bytes. Numbers go in as the 8
// bytes of IEEE 754, lowest byte first, with one NaN and one zero.
class Hash {
 public:
  Hash() { SHA256_Init(&state_); }

  void field(std::string_view name) { text(name); }

  void text(std::string_view text) {
    integer(text.size());
    bytes(text.data(), text.size());
  }

  void integer(std::uint64_t value) {
    std::array<char, 8> little_end{};
    write(value, little_end.data());
    bytes(little_end.data(), little_end.size());
  }

  void integers(const Integers& values) {
    for (const std::int64_t value : values) integer(static_cast<std::uint64_t>(value));
  }

  void number(double value) { numbers({&value, 1}); }

  // Many at a time: the hash is several times faster on long pieces.
  void numbers(std::span<const double> values) {
    constexpr std::size_t most = 512;
    std::array<char, 8 * most> piece;
    while (!values.empty()) {
      const std::size_t count = std::min(values.size(), most);
      for (std::size_t i = 0; i < count; ++i) write(bits(values[i]), piece.data() + 8 * i);
      bytes(piece.data(), 8 * count);
      values = values.subspan(count);
    }
  }

  void tensor(std::string_view name, const Source& source) {
    const Tensor<double>& tensor = source.numbers();
    field(name);
    integer(tensor.shape().rank());
    for (const Dim& dim : tensor.shape().dims()) {
      text(dim.axis);
      integer(dim.size);
    }
    numbers(tensor.data());
  }

  void tensor(std::string_view name, const std::optional<Source>& given) {
    if (given) tensor(name, *given);
  }

  void choice(std::string_view kind, const Choice& choice) {
    field(kind);
    text(choice.name);
    for (const auto& [name, value] : choice.numbers) {
      field(name);
      number(value);
    }
    for (const auto& [name, value] : choice.tensors) tensor(name, value);
  }

  void option(const std::string& name, const OptionValue& value, std::size_t sequences) {
    // Each term of a mask is a field of its own.
    if (const auto* masks = std::get_if<std::vector<MaskTerm>>(&value)) {
      constexpr const char* kinds[] = {".allow", ".block", ".add"};
      for (const MaskTerm& term : *masks) tensor(name + kinds[static_cast<std::size_t>(term.kind)], term.value);
      return;
    }
    field(name);
    if (const auto* one = std::get_if<double>(&value)) number(*one);
    if (const auto* all = std::get_if<Integers>(&value)) integers(*all);
    // One for all sequences is the same as it written for each.
    if (const auto* each = std::get_if<PerSequence>(&value))
      integers(each->values.size() == 1 ? Integers(sequences, each->values[0]) : each->values);
  }

  void pairs(std::string_view name, const std::optional<KeysAndValues>& given) {
    if (!given) return;
    field(name);
    tensor("keys", given->keys);
    tensor("values", given->values);
  }

  void projection(std::string_view name, const std::optional<Projection>& given) {
    if (!given) return;
    tensor(name, given->weight);
    tensor("bias", given->bias);
  }

  std::string hexadecimal() {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256_Final(digest.data(), &state_);
    std::string text;
    for (const std::uint8_t byte : digest) {
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
    return text;
  }

 private:
  static std::uint64_t bits(double value) {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  }

  // Lowest byte first.
  static void write(std::uint64_t value, char* to) {
    for (int i = 0; i < 8; ++i) to[i] = static_cast<char>(value >> (8 * i) & 0xFF);
  }

  void bytes(const char* data, std::size_t count) {
    SHA256_Update(&state_, reinterpret_cast<const std::uint8_t*>(data), count);
  }

  SHA2_CTX state_{};
};

void add_inputs(const Inputs& inputs, Hash& hash) {
  hash.tensor("inputs", inputs.self);
  hash.tensor("inputs.query", inputs.query);
  hash.tensor("inputs.key", inputs.key);
  hash.tensor("inputs.value", inputs.value);
}

void add_numbers(const Attention& attention, Hash& hash) {
  hash.projection("weights.query", attention.query);
  hash.projection("weights.key", attention.key);
  hash.projection("weights.value", attention.value);
  hash.projection("weights.output", attention.output);
  hash.tensor("queries", attention.queries);
  hash.tensor("keys", attention.keys);
  hash.tensor("values", attention.values);
  hash.pairs("past", attention.past);
  hash.pairs("appended", attention.appended);
}

// What the problem says of these options, in this order.
void add_options(const Attention& attention, std::span<const std::string_view> names, Hash& hash) {
  for (const std::string_view name : names) {
    const auto option = attention.options.find(name);
    if (option != attention.options.end()) hash.option(option->first, option->second, attention.batch);
  }
}

// The order in which options went into the digests of goldens; any other follows by its name.
constexpr std::array<std::string_view, 2> first_options = {"scale", "softcap"};
constexpr std::array<std::string_view, 5> then_options = {"causal", "window", "offset", "mask", "lengths"};

void add_score(const Attention& attention, Hash& hash) {
  hash.choice("score", attention.score);
  add_options(attention, first_options, hash);
  if (attention.softmax) hash.choice("softmax", *attention.softmax);
  if (attention.positions) hash.choice("positions", *attention.positions);
}

void add_masks(const Attention& attention, Hash& hash) {
  add_options(attention, then_options, hash);
  if (!attention.own_queries.empty()) {
    hash.field("own_queries");
    for (const std::size_t count : attention.own_queries) hash.integer(count);
  }
  for (const auto& [name, value] : attention.options) {
    if (std::ranges::count(first_options, name) + std::ranges::count(then_options, name) == 0)
      hash.option(name, value, attention.batch);
  }
}

void add_layout(const Attention& attention, Hash& hash) {
  hash.field("heads");
  hash.integer(attention.heads.value_or(0));
  if (attention.kv_heads) {
    hash.field("kv_heads");
    hash.integer(*attention.kv_heads);
  }
  if (attention.split_input) hash.field("split");
  if (attention.vectors == Vectors::columns) hash.field("columns");
  if (attention.weight_layout == WeightLayout::out_in) hash.field("out_in");
}

// The first sublayer's fields have no name of their own.
void add_sublayers(const Problem& problem, Hash& hash) {
  for (std::size_t i = 0; i < problem.sublayers.size(); ++i) {
    if (i > 0) {
      hash.field("sublayer");
      hash.integer(i);
    }
    const Attention& attention = problem.sublayers[i];
    add_numbers(attention, hash);
    add_score(attention, hash);
    add_masks(attention, hash);
    add_layout(attention, hash);
  }
}

void add_norm(std::string_view name, const std::optional<Norm>& norm, Hash& hash) {
  if (!norm) return;
  hash.field(name);
  hash.tensor("gain", norm->gain);
  hash.tensor("bias", norm->bias);
}

void add_layer(const Layer& layer, Hash& hash) {
  hash.field("layer");
  for (const auto& [name, sublayer] : {std::pair("self", layer.self), {"cross", layer.cross}}) {
    if (!sublayer) continue;
    hash.field(name);
    hash.integer(*sublayer);
  }
  if (const auto& network = layer.feed_forward) {
    hash.tensor("in", network->in);
    hash.tensor("in_bias", network->in_bias);
    hash.tensor("gate", network->gate);
    hash.tensor("gate_bias", network->gate_bias);
    hash.tensor("out", network->out);
    hash.tensor("out_bias", network->out_bias);
  }
  constexpr const char* norms[] = {"norm1", "norm2", "norm3"};
  for (std::size_t i = 0; i < most_sublayers; ++i) add_norm(norms[i], layer.norms[i], hash);
}

// What is called as it was stated is the same problem: words of the vocabulary do not count.
void add_block(const Problem& problem, Hash& hash) {
  if (!problem.block) return;
  const TransformerBlock& block = *problem.block;
  constexpr const char* kinds[] = {"encoder", "decoder", "decoder_only"};
  hash.field("block");
  hash.text(kinds[static_cast<std::size_t>(block.kind)]);
  hash.text(block.norm_first ? "pre" : "post");
  hash.text(block.norm);
  hash.number(block.eps);
  hash.text(block.activation);
  if (problem.added_positions) hash.choice("positions", *problem.added_positions);
  add_norm("embedding_norm", block.embedding_norm, hash);
  for (const Layer& layer : block.layers) add_layer(layer, hash);
  add_norm("final_norm", block.final_norm, hash);
  hash.tensor("memory", block.memory);
  if (block.encoder) hash.text(statement_digest(*block.encoder));
  hash.tensor("unembedding", block.unembedding);
  hash.tensor("unembedding_bias", block.unembedding_bias);
}

void add_arithmetic(const Problem& problem, Hash& hash) {
  hash.field(name(problem.stated_arithmetic.dtype));
  if (problem.stated_arithmetic.hand_rounding) {
    hash.field("hand_rounding");
    hash.text(to_string(*problem.stated_arithmetic.hand_rounding));
  }
  if (problem.digits) {
    hash.field("digits");
    hash.integer(static_cast<std::uint64_t>(*problem.digits));
  }
}

}  // namespace

std::string statement_digest(const Problem& problem) {
  Hash hash;
  hash.field("attn/problem/1");
  add_inputs(problem.inputs, hash);
  add_sublayers(problem, hash);
  add_block(problem, hash);
  add_arithmetic(problem, hash);
  return "sha256:" + hash.hexadecimal();
}

}  // namespace attn
