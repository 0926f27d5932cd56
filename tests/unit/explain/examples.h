#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "explain/telling/steps.h"
#include "model/computation.h"
#include "reference_backend.h"
#include "unit/formats/as_text.h"

// Problems to explain, each with something that the others have not.

namespace attn::examples {

inline Tensor<double> matrix(const Axis& rows, const Axis& columns, const std::vector<std::vector<double>>& numbers) {
  std::vector<double> data;
  for (const auto& row : numbers) data.insert(data.end(), row.begin(), row.end());
  return Tensor<double>(Shape{{rows, numbers.size()}, {columns, numbers[0].size()}}, data);
}

// Numbers of two decimals between −1 and 1.
inline Tensor<double> scattered(Shape shape, std::uint32_t seed) {
  Tensor<double> tensor(std::move(shape));
  for (double& number : tensor.data()) {
    seed = seed * 1664525u + 1013904223u;
    number = (static_cast<double>((seed >> 16) % 201) - 100) / 100;
  }
  return tensor;
}

inline std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back("Input " + std::to_string(i + 1));
  return labels;
}

// The classic: three inputs of four numbers, all of them whole.
inline Problem worked_example() {
  Problem problem;
  problem.title = "Self-attention, worked by hand";
  problem.attention().score.name = "dot";
  problem.inputs.self = matrix("token", "d_model", {{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}});
  problem.attention().key = Projection{matrix("d_model", "d_k", {{0, 0, 1}, {1, 1, 0}, {0, 1, 0}, {1, 1, 0}}), {}};
  problem.attention().query = Projection{matrix("d_model", "d_k", {{1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}}), {}};
  problem.attention().value = Projection{matrix("d_model", "d_v", {{0, 2, 0}, {0, 3, 0}, {1, 0, 3}, {1, 1, 0}}), {}};
  problem.attention().query_count = problem.attention().key_count = 3;
  problem.attention().key_width = problem.attention().value_width = 3;
  problem.attention().query_labels = problem.attention().key_labels = {numbered(3)};
  return problem;
}

// Words, a causal mask, a bias, a scale, an output projection.
inline Problem causal_sentence(std::vector<std::string> words = {"the", "cat", "sat", "down"}) {
  const std::size_t count = words.size();
  Problem problem;
  problem.title = "A sentence";
  problem.attention().score.name = "scaled_dot";
  problem.attention().options["causal"] = true;
  problem.inputs.self = scattered({{"token", count}, {"d_model", 4}}, 1);
  problem.attention().key = Projection{scattered({{"d_model", 4}, {"d_k", 3}}, 2), scattered({{"d_k", 3}}, 7)};
  problem.attention().query = Projection{scattered({{"d_model", 4}, {"d_k", 3}}, 3), {}};
  problem.attention().value = Projection{scattered({{"d_model", 4}, {"d_v", 2}}, 4), {}};
  problem.attention().output = Projection{scattered({{"d_v", 2}, {"d_out", 4}}, 9), {}};
  problem.attention().query_count = problem.attention().key_count = count;
  problem.attention().key_width = 3;
  problem.attention().value_width = 2;
  problem.attention().query_labels = problem.attention().key_labels = {std::move(words)};
  return problem;
}

// Two heads on a ragged batch of two.
inline Problem ragged_heads() {
  Problem problem;
  problem.title = "Two heads, two sequences";
  problem.attention().score.name = "scaled_dot";
  problem.attention().batched = true;
  problem.attention().batch = 2;
  problem.attention().heads = 2;
  problem.attention().options["lengths"] = PerSequence{{3, 2}};
  problem.attention().own_queries = {3, 2};
  problem.inputs.self = scattered({{"batch", 2}, {"token", 3}, {"d_model", 4}}, 1);
  problem.attention().key = Projection{scattered({{"d_model", 4}, {"d_concat", 4}}, 2), {}};
  problem.attention().query = Projection{scattered({{"d_model", 4}, {"d_concat", 4}}, 3), {}};
  problem.attention().value = Projection{scattered({{"d_model", 4}, {"d_concat", 4}}, 4), {}};
  problem.attention().output = Projection{scattered({{"d_concat", 4}, {"d_out", 4}}, 9), {}};
  problem.attention().query_count = problem.attention().key_count = 3;
  problem.attention().key_width = problem.attention().value_width = 2;
  problem.attention().query_labels = problem.attention().key_labels = {numbered(3), {"Input 1", "Input 2", "·"}};
  return problem;
}

// Two queries over five keys, given directly; the second sees none of them.
inline Problem closed_row() {
  Problem problem;
  problem.title = "A query that sees nothing";
  problem.attention().score.name = "dot";
  problem.attention().queries = scattered({{"query", 2}, {"d_k", 4}}, 1);
  problem.attention().keys = scattered({{"key", 5}, {"d_k", 4}}, 2);
  problem.attention().values = scattered({{"key", 5}, {"d_v", 2}}, 3);
  problem.attention().query_count = 2;
  problem.attention().key_count = 5;
  problem.attention().key_width = 4;
  problem.attention().value_width = 2;
  problem.attention().query_labels = {{"Query 1", "Query 2"}};
  problem.attention().key_labels = {{"Key 1", "Key 2", "Key 3", "Key 4", "Key 5"}};
  problem.attention().options["mask"] = std::vector<MaskTerm>{
      {MaskTerm::Kind::allow, Tensor<double>(Shape{{"query", 2}, {"key", 5}}, {1, 1, 0, 1, 1, 0, 0, 0, 0, 0})}};
  return problem;
}

// The worked example with a token a column.
inline Problem in_columns() {
  Problem problem = worked_example();
  problem.attention().vectors = Vectors::columns;
  problem.inputs.self = matrix("d_model", "token", {{1, 0, 1}, {0, 2, 1}, {1, 0, 1}, {0, 2, 1}});
  problem.attention().key = Projection{matrix("d_k", "d_model", {{0, 1, 0, 1}, {0, 1, 1, 1}, {1, 0, 0, 0}}), {}};
  problem.attention().query = Projection{matrix("d_k", "d_model", {{1, 1, 0, 0}, {0, 0, 0, 1}, {1, 0, 1, 1}}), {}};
  problem.attention().value = Projection{matrix("d_v", "d_model", {{0, 0, 1, 1}, {2, 3, 0, 1}, {0, 0, 3, 0}}), {}};
  return problem;
}

// Forty inputs of 64 numbers, eight heads.
inline Problem large() {
  Problem problem;
  problem.title = "Eight heads";
  problem.attention().score.name = "scaled_dot";
  problem.attention().heads = 8;
  problem.inputs.self = scattered({{"token", 40}, {"d_model", 64}}, 1);
  problem.attention().key = Projection{scattered({{"d_model", 64}, {"d_concat", 64}}, 2), {}};
  problem.attention().query = Projection{scattered({{"d_model", 64}, {"d_concat", 64}}, 3), {}};
  problem.attention().value = Projection{scattered({{"d_model", 64}, {"d_concat", 64}}, 4), {}};
  problem.attention().query_count = problem.attention().key_count = 40;
  problem.attention().key_width = problem.attention().value_width = 8;
  problem.attention().query_labels = problem.attention().key_labels = {numbered(40)};
  return problem;
}

// One query and one key, both of these numbers.
inline Problem wide(const std::vector<double>& row) {
  Problem problem;
  problem.title = "A long sum";
  problem.attention().score.name = "dot";
  problem.attention().queries = Tensor<double>(Shape{{"query", 1}, {"d_k", row.size()}}, row);
  problem.attention().keys = Tensor<double>(Shape{{"key", 1}, {"d_k", row.size()}}, row);
  problem.attention().values = Tensor<double>(Shape{{"key", 1}, {"d_v", 1}}, {1});
  problem.attention().query_count = problem.attention().key_count = 1;
  problem.attention().key_width = row.size();
  problem.attention().value_width = 1;
  problem.attention().query_labels = {{"Query 1"}};
  problem.attention().key_labels = {{"Key 1"}};
  return problem;
}

inline Trace traced(const Problem& problem) {
  ReferenceBackend backend;
  return attention(problem, backend);
}

inline std::string in_text(const Trace& trace, const ExplainOptions& options = {}, const FormatOptions& format = {}) {
  return as_text(explain(trace, options), format);
}

inline std::string in_text(const Problem& problem, const ExplainOptions& options = {},
                           const FormatOptions& format = {}) {
  return in_text(traced(problem), options, format);
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace attn::examples
