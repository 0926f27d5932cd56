#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/rounding.h"
#include "problem/problem.h"
#include "tensor/nested.h"
#include "tensor/part.h"

namespace attn {

// A member of a problem file: left out, or its value, or there with a fault
// that has been reported. Who checks on passes over the faulty ones.
template <class T>
class Stated {
 public:
  Stated() = default;
  Stated(T value) : value_(std::move(value)), is_given_(true) {}  // NOLINT(google-explicit-constructor)

  // What was read of a member; nothing where that is faulty.
  Stated(std::optional<T> value) : value_(std::move(value)), is_given_(true) {}  // NOLINT(google-explicit-constructor)
  Stated(std::nullopt_t) : is_given_(true) {}                                    // NOLINT(google-explicit-constructor)

  bool is_given() const { return is_given_; }
  bool is_faulty() const { return is_given_ && !value_; }
  explicit operator bool() const { return value_.has_value(); }

  // REQUIRES: there is a value.
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return &*value_; }
  T* operator->() { return &*value_; }

  T value_or(T other) const { return value_.value_or(std::move(other)); }

 private:
  std::optional<T> value_;
  bool is_given_ = false;
};

// Numbers that are to be drawn.
struct RandomTensor {
  RandomKind kind = RandomKind::normal;
  std::vector<std::size_t> shape;
  std::uint64_t seed = 0;
};

// Numbers that stand in another file.
struct FileReference {
  std::string file;  // relative to the folder of the problem
  std::optional<std::string> tensor = std::nullopt;
  bool may_be_booleans = false;
  TensorPart part = {};  // that is meant of it
};

// What stands there, its shape known and no number read.
struct FileNumbers {
  std::vector<std::size_t> shape;
  std::function<Result<std::vector<double>>()> read;  // as many as the shape has
};

// Finds such numbers, which take no more than so many bytes. The places of
// faults are relative to the reference: "", "/tensor", or what its part is called.
using TensorLoader = std::function<Result<FileNumbers>(const FileReference&, std::size_t max_bytes)>;

// A tensor as the file gives it: nothing is known of its shape.
struct RawTensor {
  std::string where;  // JSON Pointer
  std::variant<NestedNumbers, RandomTensor, FileReference> numbers;
};

// A weight matrix; without a tensor it is "identity", a projection not made.
struct RawWeight {
  std::string where;
  std::optional<RawTensor> tensor;
};

// Labels of one sequence, or of each sequence of a batch.
struct RawTokens {
  std::string where;
  bool batched = false;
  std::vector<std::vector<std::string>> sequences;
};

// Vectors of tokens, in the order of the file. There may be very many, so that what is the same of all is kept once.
struct RawEmbeddings {
  RawEmbeddings() = default;
  RawEmbeddings(RawEmbeddings&&) = default;
  RawEmbeddings& operator=(RawEmbeddings&&) = default;

  std::vector<std::string> tokens;          // one that is there twice is a fault of the text, told elsewhere
  std::size_t width = 0;                    // of the first vector that is a list of numbers
  std::string where_of_first = {};          // and its JSON Pointer
  std::vector<double> numbers;              // of all lists of so many numbers, one after the other
  std::map<std::size_t, RawTensor> others;  // the other vectors, which may be faulty, by number
};

// One integer, or a list with one a sequence.
struct RawIntegers {
  std::string where;
  bool is_list = false;
  std::vector<std::int64_t> values;
};

struct RawMask {
  MaskTerm::Kind kind = MaskTerm::Kind::allow;
  RawTensor value;
};

// A choice of the catalog, as a file makes it.
struct RawChoice {
  std::string where;
  std::string name;
  std::map<std::string, Stated<double>> numbers;
  std::map<std::string, Stated<RawTensor>> tensors;
  std::map<std::string, std::string> elsewhere = {};  // JSON Pointers of those that stand under another name

  // Where a parameter of it stands, or would.
  std::string place(const std::string& parameter) const {
    const auto found = elsewhere.find(parameter);
    return found == elsewhere.end() ? where + "/" + parameter : found->second;
  }
};

// An option of the catalog. Integers of whatever number are RawIntegers.
struct RawOption {
  std::string where;
  std::variant<bool, double, RawIntegers, std::vector<RawMask>> value;
};

struct RawKeysAndValues {
  std::string where;
  Stated<RawTensor> keys, values;
};

// What stands for query, key and value (and output) in one part of the file.
template <class T>
struct Roles {
  Stated<T> query, key, value, output;
  bool is_object = true;  // else something stands there that has none of them: all are faulty

  std::array<Stated<T>*, 4> all() { return {&query, &key, &value, &output}; }

  // REQUIRES: one of these names.
  Stated<T>& of(std::string_view role) {
    return role == "query" ? query : role == "key" ? key : role == "value" ? value : output;
  }
};

struct RawNorm {
  std::string where;
  Stated<RawTensor> gain, bias;
};

struct RawFeedForward {
  std::string where;
  Stated<RawTensor> in, in_bias, gate, gate_bias, out, out_bias;
};

struct Statement;

struct RawLayer {
  std::string where;
  Stated<std::size_t> repeat;
  Stated<std::shared_ptr<Statement>> self, cross;  // what an attention says of itself
  std::array<Stated<RawNorm>, most_sublayers> norms;
  Stated<RawFeedForward> feed_forward;
};

struct RawBlock {
  std::string where;
  Stated<TransformerBlock::Kind> kind;
  Stated<bool> norm_first;
  Stated<std::string> norm, activation;
  Stated<double> eps;
  Stated<std::vector<RawLayer>> layers;
  Stated<RawNorm> embedding_norm, final_norm;
  Stated<RawTensor> memory;
  Stated<std::shared_ptr<Statement>> encoder;  // the memory, where it is a problem of its own
  Stated<RawOption> memory_mask, memory_lengths;
  Stated<RawTensor> unembedding, unembedding_bias;
  bool is_tied = false;  // the unembedding is the embeddings' transpose
  Stated<std::vector<std::string>> vocabulary;
};

// A problem file as it is written: each member of the right kind, nothing known
// of how they fit together.
struct Statement {
  std::string title;
  std::vector<std::string> remarks;  // its notes for people, a line each

  Stated<RawTensor> inputs;                 // self-attention
  Stated<Roles<RawTensor>> inputs_by_role;  // cross-attention
  Stated<RawTokens> tokens;
  Stated<Roles<RawTokens>> tokens_by_role;
  Stated<RawEmbeddings> embeddings;
  Stated<std::size_t> max_tokens;
  Stated<Vectors> vectors;

  Roles<RawWeight> weights;
  Roles<RawTensor> biases;
  Stated<WeightLayout> weight_layout;

  Stated<RawTensor> queries, keys, values;

  Stated<RawKeysAndValues> past, appended;

  Stated<std::size_t> heads, kv_heads;
  Stated<bool> split_input;

  Stated<RawChoice> positions;
  Stated<RawChoice> score;
  Stated<RawChoice> softmax;
  std::map<std::string, Stated<RawOption>, std::less<>> options;

  Stated<RawBlock> block;

  Stated<Dtype> dtype;
  Stated<HandRounding> hand_rounding;
  Stated<int> digits;

  // Where it stands, "" for the problem itself, and where what it inherits does, and what stands under another name, by
  // key: JSON Pointers.
  std::string where = {};
  std::map<std::string, std::string, std::less<>> elsewhere = {};

  // Where a key of it stands, or would: "/heads" of an attention in a block is "/block/layers/0/self/heads".
  std::string place(const std::string& key) const {
    if (const auto found = elsewhere.find(key); found != elsewhere.end()) return found->second;
    const std::size_t last = key.rfind('/');
    return last == 0 ? where + key : place(key.substr(0, last)) + key.substr(last);
  }
};

}  // namespace attn
