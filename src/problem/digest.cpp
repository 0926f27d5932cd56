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

  void tensor(std::string_view name, const Tensor<double>& tensor) {
    field(name);
    integer(tensor.shape().rank());
    for (const Dim& dim : tensor.shape().dims()) {
      text(dim.axis);
      integer(dim.size);
    }
    numbers(tensor.data());
  }

  void tensor(std::string_view name, const std::optional<Tensor<double>>& given) {
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

void add_numbers(const Problem& problem, Hash& hash) {
  hash.tensor("inputs", problem.inputs);
  hash.tensor("inputs.query", problem.query_inputs);
  hash.tensor("inputs.key", problem.key_inputs);
  hash.tensor("inputs.value", problem.value_inputs);
  hash.projection("weights.query", problem.query);
  hash.projection("weights.key", problem.key);
  hash.projection("weights.value", problem.value);
  hash.projection("weights.output", problem.output);
  hash.tensor("queries", problem.queries);
  hash.tensor("keys", problem.keys);
  hash.tensor("values", problem.values);
  hash.pairs("past", problem.past);
  hash.pairs("appended", problem.appended);
}

void add_score(const Problem& problem, Hash& hash) {
  hash.choice("score", problem.score);
  if (problem.scale) {
    hash.field("scale");
    hash.number(*problem.scale);
  }
  if (problem.softcap) {
    hash.field("softcap");
    hash.number(*problem.softcap);
  }
  if (problem.softmax) hash.choice("softmax", *problem.softmax);
  if (problem.positions) hash.choice("positions", *problem.positions);
}

void add_masks(const Problem& problem, Hash& hash) {
  if (problem.causal) hash.field("causal");
  if (problem.window) {
    hash.field("window");
    hash.integer(static_cast<std::uint64_t>(problem.window->left));
    hash.integer(static_cast<std::uint64_t>(problem.window->right));
  }
  if (!problem.offsets.empty()) {
    // One offset for all sequences is the same as it written for each.
    hash.field("offset");
    for (std::size_t b = 0; b < problem.batch; ++b) {
      hash.integer(static_cast<std::uint64_t>(problem.offsets[problem.offsets.size() == 1 ? 0 : b]));
    }
  }
  for (const MaskTerm& term : problem.masks) {
    constexpr std::string_view kinds[] = {"mask.allow", "mask.block", "mask.add"};
    hash.tensor(kinds[static_cast<std::size_t>(term.kind)], term.value);
  }
  if (problem.lengths) {
    hash.field("lengths");
    for (const std::size_t length : *problem.lengths) hash.integer(length);
  }
  if (!problem.own_queries.empty()) {
    hash.field("own_queries");
    for (const std::size_t count : problem.own_queries) hash.integer(count);
  }
}

void add_options(const Problem& problem, Hash& hash) {
  hash.field("heads");
  hash.integer(problem.heads.value_or(0));
  if (problem.kv_heads) {
    hash.field("kv_heads");
    hash.integer(*problem.kv_heads);
  }
  if (problem.split_input) hash.field("split");
  if (problem.vectors == Vectors::columns) hash.field("columns");
  if (problem.weight_layout == WeightLayout::out_in) hash.field("out_in");
  hash.field(name(problem.arithmetic.dtype));
  if (problem.arithmetic.hand_rounding) {
    hash.field("hand_rounding");
    hash.text(to_string(*problem.arithmetic.hand_rounding));
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
  add_numbers(problem, hash);
  add_score(problem, hash);
  add_masks(problem, hash);
  add_options(problem, hash);
  return "sha256:" + hash.hexadecimal();
}

}  // namespace attn
