#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "catch.h"
#include "mistakes/mistake.h"
#include "model/computation.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"
#include "trace/evaluate.h"
#include "words/language.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

using Numbers = std::map<std::string, Tensor<double>, std::less<>>;
using Row = std::vector<double>;
using Rows = std::vector<Row>;

Trace traced(const std::string& text) {
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
  INFO(text);
  REQUIRE(problem);
  ReferenceBackend backend;
  return attention(problem.value(), backend);
}

Numbers replayed(const Recipe& recipe) {
  Policy<double> plain;
  const Evaluation<double> made = evaluate(recipe, plain);
  Numbers numbers;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    numbers.emplace(recipe.instruction(line).id(), made.result(line));
  }
  return numbers;
}

std::vector<Rewrite> rewrites_of(const Mistake& mistake, const Recipe& recipe) {
  std::vector<Rewrite> all;
  for (const RightAttention& attention : attentions(recipe)) {
    if (!mistake.rewrites) break;
    for (Rewrite& rewrite : mistake.rewrites(attention)) all.push_back(std::move(rewrite));
  }
  if (!mistake.of_part) return all;
  for (std::size_t part = 0; part < recipe.parts().size(); ++part) {
    for (Rewrite& rewrite : mistake.of_part({recipe, part})) all.push_back(std::move(rewrite));
  }
  return all;
}

std::string random(const std::string& shape, int seed) {
  return R"({"random": "normal", "shape": )" + shape + ", \"seed\": " + std::to_string(seed) + "}";
}

std::string weights(const std::string& query, const std::string& key, const std::string& value, int seed,
                    const std::string& output = "") {
  return R"("weights": {"query": )" + random(query, seed) + ", \"key\": " + random(key, seed + 1) +
         ", \"value\": " + random(value, seed + 2) +
         (output.empty() ? "" : ", \"output\": " + random(output, seed + 3)) + "}";
}

// A layer of width 4 with norms and a network; more of its sublayers, and of the network.
std::string layer(int seed, const std::string& sublayers, const std::string& network) {
  const auto norm = [&](int own) {
    return R"({"gain": )" + random("[4]", own) + R"(, "bias": )" + random("[4]", own + 1) + "}";
  };
  return R"({"self": {)" + weights("[4, 3]", "[4, 3]", "[4, 4]", seed + 20) + "}, " + sublayers + R"("norm1": )" +
         norm(seed + 30) + R"(, "norm2": )" + norm(seed + 32) + R"(, "ffn": {"in": )" + random("[4, 4]", seed + 34) +
         R"(, "out": )" + random("[4, 4]", seed + 35) + network + "}}";
}

// Problems in which most sizes differ, with everything that a problem can have.
std::map<std::string, std::string> generated(int seed) {
  const auto inputs = [&](const std::string& shape) { return R"("inputs": )" + random(shape, seed) + ", "; };
  const auto biases = [&](const std::string& key, const std::string& value, const std::string& output) {
    return R"(, "biases": {"key": )" + random(key, seed + 7) + R"(, "query": )" + random(key, seed + 8) +
           R"(, "value": )" + random(value, seed + 9) + R"(, "output": )" + random(output, seed + 10) + "}";
  };
  return {
      {"plain", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) + "}"},
      {"no scale", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) + R"(, "score": "dot"})"},
      {"own scale", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed) + R"(, "scale": 0.3})"},
      {"causal", "{" + inputs("[4, 5]") + weights("[5, 3]", "[5, 3]", "[5, 2]", seed + 20, "[2, 6]") +
                     biases("[3]", "[2]", "[6]") + R"(, "causal": true})"},
      {"square", "{" + inputs("[4, 4]") + weights("[4, 4]", "[4, 4]", "[4, 4]", seed + 20, "[4, 4]") +
                     biases("[4]", "[4]", "[4]") + "}"},
      {"heads", "{" + inputs("[2, 4, 6]") + weights("[6, 6]", "[6, 6]", "[6, 6]", seed + 20, "[6, 6]") +
                    biases("[6]", "[6]", "[6]") + R"(, "heads": 2, "lengths": [4, 2]})"},
      {"narrow heads", "{" + inputs("[3, 8]") + weights("[8, 9]", "[8, 9]", "[8, 6]", seed + 20, "[6, 5]") +
                           R"(, "heads": 3, "causal": true})"},
      {"cross", R"({"inputs": {"query": )" + random("[2, 5]", seed) + R"(, "key": )" + random("[5, 4]", seed + 1) +
                    "}, " + weights("[2, 5, 3]", "[2, 4, 3]", "[2, 4, 2]", seed + 20) +
                    R"(, "causal": true, "offset": 3})"},
      {"cross from the start", R"({"inputs": {"query": )" + random("[3, 5]", seed) + R"(, "key": )" +
                                   random("[5, 5]", seed + 1) + "}, " +
                                   weights("[5, 3]", "[5, 3]", "[5, 3]", seed + 20) + R"(, "causal": true})"},
      {"direct", R"({"queries": )" + random("[3, 4]", seed) + R"(, "keys": )" + random("[5, 4]", seed + 1) +
                     R"(, "values": )" + random("[5, 2]", seed + 2) +
                     R"(, "mask": {"allow": [[1,0,1,1,0],[0,1,1,0,1],[1,1,0,0,1]]}})"},
      {"split inputs", "{" + inputs("[3, 6]") + weights("[3, 3]", "[3, 3]", "[3, 3]", seed + 20) +
                           R"(, "heads": 2, "split": "input"})"},
      {"columns", R"({"vectors": "columns", )" + inputs("[5, 3]") + weights("[4, 5]", "[4, 5]", "[2, 5]", seed + 20) +
                      R"(, "lengths": 2})"},
      {"another base",
       "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) + R"(, "softmax": {"base": 3}})"},
      {"sink",
       "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) + R"(, "softmax": {"sink": 0.5}})"},
      {"shared heads",
       "{" + inputs("[3, 8]") + weights("[8, 8]", "[8, 4]", "[8, 4]", seed + 20) + R"(, "heads": 4, "kv_heads": 2})"},
      {"three groups",
       "{" + inputs("[3, 4]") + weights("[4, 12]", "[4, 6]", "[4, 3]", seed + 20) + R"(, "heads": 6, "kv_heads": 3})"},
      {"a matrix a head", "{" + inputs("[3, 5]") + weights("[2, 5, 4]", "[2, 5, 4]", "[2, 5, 2]", seed + 20, "[4, 3]") +
                              biases("[8]", "[4]", "[3]") + "}"},
      {"cells", "{" + inputs("[4, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) +
                    R"(, "mask": {"allow": [[1,0,1,0],[0,1,1,1],[1,1,0,0],[1,0,0,1]]}})"},
      {"window", "{" + inputs("[5, 4]") + weights("[4, 3]", "[4, 3]", "[4, 2]", seed + 20) + R"(, "window": [2, 1]})"},
      {"window that just reaches",
       "{" + inputs("[3, 4]") + weights("[4, 3]", "[4, 3]", "[4, 2]", seed + 20) + R"(, "window": [2, 0]})"},
      {"softcap", "{" + inputs("[4, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) +
                      R"(, "softcap": 1.5, "causal": true})"},
      {"sink behind a mask", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) +
                                 R"(, "softmax": {"sink": 0.5}, "mask": {"allow": [[0,1,1],[1,1,1],[0,0,1]]}})"},
      {"cosine", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) + R"(, "score": "cosine"})"},
      {"general", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) +
                      R"(, "score": {"type": "general", "weight": )" + random("[4, 4]", seed + 31) + "}}"},
      {"additive", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) +
                       R"(, "score": {"type": "additive", "query": )" + random("[4, 3]", seed + 31) + R"(, "key": )" +
                       random("[4, 3]", seed + 32) + R"(, "v": )" + random("[3]", seed + 33) + "}}"},
      {"concat", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) +
                     R"(, "score": {"type": "concat", "weight": )" + random("[8, 3]", seed + 31) + R"(, "v": )" +
                     random("[3]", seed + 33) + "}}"},
      {"masks together", "{" + inputs("[4, 5]") + weights("[5, 3]", "[5, 3]", "[5, 2]", seed + 20) +
                             R"(, "causal": true, "lengths": 3, "mask": {"add": )" +
                             R"([[0,0,0,0],[0.5,0,0,0],["-inf",0.25,0,0],[0,0,-1,0]]}})"},
      {"raw heads", "{" + inputs("[3, 6]") + R"("heads": 2})"},
      {"sinusoidal", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) +
                         R"(, "positions": {"type": "sinusoidal", "base": 10}})"},
      {"learned", "{" + inputs("[3, 6]") + weights("[3, 3]", "[3, 3]", "[3, 3]", seed + 20) +
                      R"(, "heads": 2, "split": "input", "positions": {"type": "learned", "table": )" +
                      random("[4, 6]", seed + 5) + "}}"},
      {"rope", "{" + inputs("[3, 5]") + weights("[5, 6]", "[5, 6]", "[5, 4]", seed + 20) +
                   R"(, "positions": {"type": "rope", "base": 10, "dims": 4}})"},
      {"alibi", "{" + inputs("[3, 5]") + weights("[5, 9]", "[5, 9]", "[5, 6]", seed + 20) +
                    R"(, "heads": 3, "positions": "alibi"})"},
      {"past", "{" + inputs("[2, 5]") + weights("[5, 4]", "[5, 4]", "[5, 3]", seed + 20) +
                   R"(, "causal": true, "positions": {"type": "sinusoidal", "base": 10}, "past": {"keys": )" +
                   random("[3, 4]", seed + 5) + R"(, "values": )" + random("[3, 3]", seed + 6) + "}}"},
      {"encoder",
       "{" + inputs("[3, 4]") + R"("score": "dot", "block": {"activation": "gelu", "layers": [)" +
           layer(seed, "",
                 R"(, "in_bias": )" + random("[4]", seed + 7) + R"(, "out_bias": )" + random("[4]", seed + 8)) +
           ", " +
           layer(seed + 50, "",
                 R"(, "in_bias": )" + random("[4]", seed + 9) + R"(, "out_bias": )" + random("[4]", seed + 10)) +
           "]}}"},
      {"decoder",
       "{" + inputs("[3, 4]") + R"("block": {"kind": "decoder", "norm": "pre", "activation": "swiglu", )" +
           R"("memory": )" + random("[3, 4]", seed + 11) + R"(, "layers": [)" +
           layer(seed, R"("cross": {)" + weights("[4, 3]", "[4, 3]", "[4, 4]", seed + 60) + "}, ",
                 R"(, "gate": )" + random("[4, 4]", seed + 12) + R"(, "gate_bias": )" + random("[4]", seed + 13)) +
           "]}}"},
      {"past and appended", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 3]", seed + 20) +
                                R"(, "causal": true, "past": {"keys": )" + random("[2, 4]", seed + 5) +
                                R"(, "values": )" + random("[2, 3]", seed + 6) + R"(}, "appended": {"keys": )" +
                                random("[1, 4]", seed + 7) + R"(, "values": )" + random("[1, 3]", seed + 8) + "}}"},
      {"cross with positions",
       R"({"inputs": {"query": )" + random("[2, 4]", seed) + R"(, "key": )" + random("[3, 4]", seed + 1) + "}, " +
           weights("[4, 3]", "[4, 3]", "[4, 2]", seed + 20) + R"(, "positions": {"type": "learned", "table": )" +
           random("[3, 4]", seed + 5) + "}}"},
      {"one bias", "{" + inputs("[3, 4]") + weights("[4, 4]", "[4, 4]", "[4, 4]", seed + 20) +
                       R"(, "biases": {"query": )" + random("[4]", seed + 8) + "}}"},
      {"one group",
       "{" + inputs("[3, 4]") + weights("[4, 4]", "[4, 2]", "[4, 2]", seed + 20) + R"(, "heads": 2, "kv_heads": 1})"},
      {"closed queries", "{" + inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 2]", seed + 20) +
                             R"(, "mask": [{"allow": [[1], [0], [1]]}, {"allow": [[1,0,0],[1,1,0],[1,1,1]]}]})"},
      {"root mean square", "{" + inputs("[3, 4]") + R"("block": {"norm_type": "rms", "layers": [{"self": {)" +
                               weights("[4, 4]", "[4, 4]", "[4, 4]", seed + 20) + R"(}, "norm1": {"gain": )" +
                               random("[4]", seed + 30) + R"(}, "norm2": {}, "ffn": {"in": )" +
                               random("[4, 3]", seed + 34) + R"(, "out": )" + random("[3, 4]", seed + 35) + "}}]}}"},
      {"layers that differ", "{" + inputs("[3, 4]") + R"("block": {"layers": [)" + layer(seed, "", "") + ", " +
                                 layer(seed + 50, "", R"(, "in_bias": )" + random("[4]", seed + 9)) + "]}}"},
      {"decoder with heads",
       "{" + inputs("[3, 4]") + R"("block": {"kind": "decoder", "memory": )" + random("[2, 4]", seed + 11) +
           R"(, "layers": [)" +
           layer(seed, R"("cross": {)" + weights("[4, 6]", "[4, 6]", "[4, 4]", seed + 60) + R"(, "heads": 2}, )", "") +
           ", " +
           layer(seed + 50,
                 R"("cross": {)" + weights("[2, 2]", "[2, 2]", "[2, 2]", seed + 70) +
                     R"(, "heads": 2, "split": "input"}, )",
                 "") +
           "]}}"},
  };
}

const std::map<std::string, Trace>& traces() {
  static const std::map<std::string, Trace> all = [] {
    std::map<std::string, Trace> computed;
    for (const int seed : {1, 2, 3}) {
      for (const auto& [name, text] : generated(100 * seed)) {
        computed.emplace(name + ", seed " + std::to_string(seed), traced(text));
      }
    }
    for (const auto& entry : fs::directory_iterator(fs::path(ATTN_SOURCE_DIR) / "data")) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".json") || name.ends_with(".golden.json")) continue;
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      Trace trace = traced(text);
      // Rounded by hand, steps are not what their instructions make.
      if (!trace.arithmetic.hand_rounding && trace.arithmetic.dtype == Dtype::f64)
        computed.emplace(name, std::move(trace));
    }
    return computed;
  }();
  return all;
}

const Mistake& mistake_named(const std::string& id) {
  for (const Mistake* mistake : all_mistakes()) {
    if (mistake->id == id) return *mistake;
  }
  FAIL("no mistake " << id);
  return *all_mistakes()[0];
}

bool same_bits(const Tensor<double>& a, const Tensor<double>& b) {
  return a.shape() == b.shape() && std::ranges::equal(a.data(), b.data(), [](double x, double y) {
           return x == y || (std::isnan(x) && std::isnan(y));
         });
}

const std::set<std::string> without_rewrites = {"slip", "layout", "rounding"};

// Lists of rows of a step that has two axes.
Rows rows_of(const Tensor<double>& matrix) {
  REQUIRE(matrix.shape().rank() == 2);
  Rows rows(matrix.shape()[0].size);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < matrix.shape()[1].size; ++j) rows[i].push_back(matrix[i * matrix.shape()[1].size + j]);
  }
  return rows;
}

Rows turned(const Rows& rows) {
  Rows result(rows[0].size(), Row(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[0].size(); ++j) result[j][i] = rows[i][j];
  }
  return result;
}

Rows product(const Rows& a, const Rows& b) {
  Rows result(a.size(), Row(b[0].size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b[0].size(); ++j) {
      for (std::size_t k = 0; k < b.size(); ++k) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

template <class F>
Rows each(Rows rows, F f) {
  for (Row& row : rows) {
    for (double& number : row) number = f(number);
  }
  return rows;
}

Rows softmax(Rows rows, double base = std::exp(1.0)) {
  for (Row& row : rows) {
    double sum = 0;
    for (double& number : row) sum += number = std::pow(base, number);
    for (double& number : row) number = sum == 0 ? 0 : number / sum;
  }
  return rows;
}

// The problem's numbers in rows, and what a mistake makes of one of its steps.
class Case {
 public:
  explicit Case(const std::string& name) : trace_(traces().at(name + ", seed 1")), recipe_(trace_.recipe) {}

  Rows operator[](const std::string& id) const { return rows_of(trace_.value(id)); }

  const Trace& trace() const { return trace_; }

  Tensor<double> made(const std::string& id, const std::string& step, const std::string& variant = "*") const {
    for (const Rewrite& rewrite : rewrites_of(mistake_named(id), recipe_)) {
      if (variant == "*" || rewrite.variant == variant) return replayed(rewrite.recipe).at(step);
    }
    FAIL("no rewrite " << id << " " << variant);
    return {};
  }

  void expect(const std::string& id, const std::string& step, const Rows& expected,
              const std::string& variant = "*") const {
    INFO(id << " " << variant << " at " << step);
    const Rows found = rows_of(made(id, step, variant));
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].size() == expected[i].size());
      for (std::size_t j = 0; j < found[i].size(); ++j) {
        INFO("row " << i << ", column " << j);
        if (std::isinf(expected[i][j])) {
          CHECK(found[i][j] == expected[i][j]);
        } else {
          CHECK(found[i][j] == Approx(expected[i][j]).epsilon(1e-9).margin(1e-12));
        }
      }
    }
  }

 private:
  const Trace& trace_;
  Recipe recipe_;
};

// The scores with −∞ where `open(i, j)` is false.
template <class Open>
Rows closed(Rows scores, Open open) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores[i].size(); ++j) {
      if (!open(i, j)) scores[i][j] = -infinity;
    }
  }
  return scores;
}

TEST_CASE("the catalogue lists the known mistakes, each once", "[check]") {
  std::vector<std::string> ids;
  for (const Mistake* mistake : all_mistakes()) ids.push_back(mistake->id);
  std::vector<std::string> expected;
  const auto family = [&](const std::string& name, std::initializer_list<const char*> rows) {
    for (const char* row : rows) expected.push_back(name + "." + row);
  };
  family("projection", {"transposed", "swapped_query_key", "swapped_key_value", "swapped_query_value", "skipped",
                        "bias_forgotten", "bias_added_twice"});
  family("layout", {"transposed_answer"});
  family("slip", {"term_dropped", "sign", "cells_swapped", "row_copied", "digits_swapped", "decimal_point"});
  family("scores", {"transposed", "untransposed_key", "query_query", "key_key", "query_value"});
  family("score", {"cosine_not_normed", "tanh_left_out", "key_for_query"});
  family("scale", {"none", "by_dk", "multiplied", "by_dmodel", "by_n", "by_dv", "twice", "after_softmax", "added"});
  family("mask", {"forgotten", "inverted", "transposed", "diagonal_too", "zero_for_minus_infinity", "after_softmax",
                  "rows_for_columns", "added_as_number", "wrong_corner"});
  family("softcap", {"left_out", "after_mask"});
  family("window", {"off_by_one"});
  family("sink", {"left_out", "kept"});
  family("softmax", {"columns", "whole_matrix", "linear", "base_2", "base_3", "base_10", "base_e", "not_normalised",
                     "maximum_not_subtracted", "hard_max", "twice", "negated", "by_maximum", "none"});
  family("sum", {"transposed_weights", "key_for_value", "query_for_value", "input_for_value", "mean_of_values",
                 "not_summed", "top_only"});
  family("heads", {"no_transpose", "interleaved", "merged_without_transpose", "summed", "averaged",
                   "output_projection_forgotten", "output_projection_transposed", "reversed", "scale_by_dmodel",
                   "one_big_head", "tiled_groups"});
  family("positions", {"left_out", "added_twice", "queries_only", "counted_from_one", "values_too"});
  family("rope", {"pairs", "direction", "keys_not_turned", "dims"});
  family("alibi", {"sign", "slopes"});
  family("cache", {"left_out", "behind"});
  family("rounding", {"early", "truncated", "scores_rounded"});
  std::ranges::sort(ids);
  std::ranges::sort(expected);
  CHECK(std::ranges::includes(ids, expected));
  CHECK(std::ranges::adjacent_find(ids) == ids.end());
}

TEST_CASE("every mistake is told in words that fit a sentence", "[check]") {
  for (const Family& family : families()) {
    const std::string& first = family.mistakes.front().id;
    const std::string name = first.substr(0, first.find('.'));
    for (const Mistake& mistake : family.mistakes) {
      INFO(mistake.id);
      CHECK(mistake.id.starts_with(name + "."));
      const std::string what = mistake.words.what, hint = mistake.words.hint, example = mistake.words.example;
      REQUIRE(!what.empty());
      CHECK(!what.ends_with("."));
      CHECK(std::islower(static_cast<unsigned char>(what[0])));
      REQUIRE(!hint.empty());
      CHECK(hint.ends_with("."));
      CHECK(!example.empty());
      CHECK(example.find('\n') == std::string::npos);
      if (!mistake.is_rewrite()) CHECK(without_rewrites.contains(name));
    }
  }
}

TEST_CASE("a recipe that nobody changed makes the trace's numbers, bit for bit", "[check]") {
  for (const auto& [name, trace] : traces()) {
    INFO(name);
    const Numbers numbers = replayed(trace.recipe);
    for (const Step& step : trace.steps) {
      INFO(step.heading.id);
      CHECK(same_bits(numbers.at(step.heading.id), step.result));
    }
  }
}

TEST_CASE("every mistake can be made, and changes the numbers of its step in a generated problem", "[check]") {
  std::set<std::string> made, changed;
  for (const auto& [name, trace] : traces()) {
    const Recipe& right = trace.recipe;
    const Numbers expected = replayed(right);
    const bool is_generated = name.find("seed") != std::string::npos;
    for (const Mistake* mistake : all_mistakes()) {
      if (!mistake->is_rewrite()) continue;
      std::set<std::string> variants;
      for (const Rewrite& rewrite : rewrites_of(*mistake, right)) {
        INFO(name << ": " << mistake->id << " " << rewrite.variant);
        CHECK(variants.insert(rewrite.step + " " + rewrite.variant).second);
        if (!rewrite.recipe.fits()) continue;  // nobody could have gone on
        const Numbers numbers = replayed(rewrite.recipe);

        // Every step is still there, so that it can be compared.
        for (const Step& step : trace.steps) CHECK(numbers.contains(step.heading.id));
        REQUIRE(numbers.contains(rewrite.step));
        if (!is_generated) continue;
        made.insert(mistake->id);
        if (!expected.contains(rewrite.step) || !same_bits(numbers.at(rewrite.step), expected.at(rewrite.step))) {
          changed.insert(mistake->id);
        }
        // Softmax is one step, and so are the weighted values and their sum.
        const bool within = rewrite.step.ends_with("attention_weights") || rewrite.step.ends_with("context");
        for (std::size_t at = 0; at < rewrite.recipe.size(); ++at) {
          const Instruction& line = rewrite.recipe.instruction(at);
          if (within || line.id() == rewrite.step) break;
          INFO(line.id() << " comes before " << rewrite.step);
          if (trace.find(line.id())) CHECK(same_bits(numbers.at(line.id()), expected.at(line.id())));
        }
      }
    }
  }
  for (const Mistake* mistake : all_mistakes()) {
    INFO(mistake->id);
    if (mistake->is_rewrite()) CHECK(made.contains(mistake->id));
    if (mistake->is_rewrite()) CHECK(changed.contains(mistake->id));
  }
}

// How many rewrites there are of what each mistake made of the problem; each can be gone on with.
std::size_t made_behind_others(const std::string& text) {
  INFO(text);
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30);
  REQUIRE(problem);
  const Recipe right = recipe_of(problem.value());
  std::size_t made = 0;
  for (const Mistake* first : all_mistakes()) {
    if (!first->is_rewrite()) continue;
    for (const Rewrite& rewrite : rewrites_of(right, *first)) {
      for (const Mistake* second : all_mistakes()) {
        if (!second->is_rewrite()) continue;
        const Rewrites both = rewrites_of(rewrite.recipe, *second);
        INFO(first->id << " " << rewrite.variant << " and " << second->id);
        CHECK(std::ranges::all_of(both, [](const Rewrite& one) { return one.recipe.fits(); }));
        made += both.size();
      }
    }
  }
  return made;
}

TEST_CASE("behind any mistake any other is made or is not", "[check]") {
  const std::string queries = R"({"queries": [[1, 0], [2, 1], [0, 1]], "keys": [[1, 1], [0, 2], [1, -1]],
                                  "values": [[1, 2], [2, 0], [4, 1]], )";
  std::size_t made = 0;
  for (const char* options : {R"("causal": true})", R"("score": "cosine"})", R"("score": "dot", "positions": "rope"})",
                              R"("mask": {"allow": [[1, 0, 1], [1, 1, 0], [1, 1, 1]]}})"}) {
    made += made_behind_others(queries + options);
  }
  CHECK(made > 1000);
}

TEST_CASE("behind any mistake any other is made where there are positions and a cap and sinks and windows and a past",
          "[check]") {
  const std::string inputs = R"({"inputs": [[1, 0], [2, 1], [0, 1]], )";
  const std::string past = R"("past": {"keys": [[1, 2], [0, 1]], "values": [[1, 0], [2, 1]]}, "causal": true, )";
  for (
      const std::string& options :
      {std::string(R"("softcap": 2, "positions": "alibi")"),
       std::string(R"("causal": true, "softcap": 2, "positions": "alibi")"),
       past +
           R"("positions": {"type": "relative", "keys": [[1, 0], [0, 1], [1, 1]], "values": [[1, 0], [0, 1], [1, 1]]})",
       past + R"("positions": "sinusoidal")", std::string(R"("window": [1, 0], "softmax": {"sink": 0.5})"),
       std::string(R"("mask": {"allow": [[0, 0, 0], [1, 1, 0], [0, 1, 1]]}, "softmax": {"sink": 0.5})")}) {
    CHECK(made_behind_others(inputs + options + "}") > 100);
  }
}

TEST_CASE("behind any mistake any other is made in problems of every kind", "[check]") {
  for (const auto& [name, text] : generated(100)) {
    INFO(name);
    CHECK(made_behind_others(text) > 100);
  }
}

TEST_CASE("behind any mistake in a block any other is made", "[check]") {
  const std::string matrix = "[[1, 2], [0, 1]]", norm = R"({"gain": [1, 2], "bias": [0, 1]})";
  const auto layer = [&](const std::string& sublayers) {
    return R"({"self": {}, "norm1": )" + norm + R"(, "norm2": )" + norm + ", " + sublayers + R"("ffn": {"in": )" +
           matrix + R"(, "in_bias": [1, 0], "out": )" + matrix + R"(, "out_bias": [0, 1])";
  };
  for (const std::string& block :
       {R"("norm": "pre", "layers": [)" + layer("") + "}}]", R"("layers": [)" + layer("") + "}}]",
        R"("activation": "swiglu", "layers": [)" + layer("") + R"(, "gate": )" + matrix +
            R"(, "gate_bias": [1, 1]}}])"}) {
    CHECK(made_behind_others(R"({"inputs": [[1, 0], [2, 1], [0, 1]], "block": {)" + block + "}}") > 100);
  }
  CHECK(made_behind_others(R"({"inputs": [[1, 0], [2, 1], [0, 1]], "block": {"kind": "decoder",
                               "memory": [[1, 1], [0, 2]], "layers": [)" +
                           layer(R"("cross": {}, "norm3": )" + norm + ", ") + "}}]}}") > 100);
}

Recipe recipe_of_text(const std::string& text) {
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30);
  INFO(text);
  REQUIRE(problem);
  return recipe_of(problem.value());
}

// "variant, variant" of all ways to make the mistake; "none" where nobody can make it.
std::string ways_of(const std::string& id, const std::string& problem) {
  std::string ways;
  const Recipe right = recipe_of_text(problem);
  for (const Rewrite& rewrite : rewrites_of(right, mistake_named(id))) {
    ways += (ways.empty() ? "" : ", ") + (rewrite.variant.empty() ? "one" : rewrite.variant);
  }
  return ways.empty() ? "none" : ways;
}

TEST_CASE("any mistake with heads is made behind any other with heads or a cache, or is not", "[check]") {
  const auto is_about_heads = [](const Mistake& mistake) {
    return mistake.id.starts_with("heads.") || mistake.id.starts_with("cache.");
  };
  const std::map<std::string, std::string> problems = {
      {"heads of their own", generated(100).at("heads")},
      {"a matrix a head", generated(100).at("a matrix a head")},
      {"shared heads behind a past", R"({"inputs": )" + random("[3, 8]", 1) + ", " +
                                         weights("[8, 12]", "[8, 6]", "[8, 6]", 2) +
                                         R"(, "heads": 6, "kv_heads": 3, "past": {"keys": )" + random("[2, 6]", 8) +
                                         R"(, "values": )" + random("[2, 6]", 9) + "}}"},
  };
  for (const auto& [name, text] : problems) {
    const Recipe right = recipe_of_text(text);
    std::size_t made = 0;
    for (const Mistake* first : all_mistakes()) {
      if (!is_about_heads(*first)) continue;
      for (const Rewrite& rewrite : rewrites_of(right, *first)) {
        for (const Mistake* second : all_mistakes()) {
          if (!is_about_heads(*second)) continue;
          INFO(name << ": " << first->id << " " << rewrite.variant << " and " << second->id);
          const Rewrites both = rewrites_of(rewrite.recipe, *second);
          CHECK(std::ranges::all_of(both, [](const Rewrite& one) { return one.recipe.fits(); }));
          made += both.size();
        }
      }
    }
    INFO(name);
    CHECK(made > 20);
  }
}

TEST_CASE("any mistake beside the attentions of a block is made behind any other, or is not", "[check]") {
  const std::string bare = R"({"self": {)" + weights("[2, 2]", "[2, 2]", "[2, 2]", 5) +
                           R"(}, "norm1": {}, "norm2": {}, "ffn": {"in": )" + random("[2, 3]", 11) + R"(, "out": )" +
                           random("[3, 2]", 12) + "}}";
  const std::map<std::string, std::string> problems = {
      {"layers with all that they can have", generated(100).at("encoder")},
      // What is normalized is the norm's result itself: who leaves the norm out left no step of it.
      {"norms without gain and bias",
       R"({"inputs": )" + random("[3, 2]", 1) + R"(, "block": {"layers": [)" + bare + "]}}"},
  };
  for (const auto& [name, text] : problems) {
    const Recipe right = recipe_of_text(text);
    std::size_t made = 0;
    for (const Mistake* first : all_mistakes()) {
      if (!first->of_part) continue;
      for (const Rewrite& rewrite : rewrites_of(right, *first)) {
        for (const Mistake* second : all_mistakes()) {
          if (!second->of_part) continue;
          INFO(name << ": " << first->id << " " << rewrite.variant << " and " << second->id);
          const Rewrites both = rewrites_of(rewrite.recipe, *second);
          CHECK(std::ranges::all_of(both, [](const Rewrite& one) { return one.recipe.fits(); }));
          made += both.size();
        }
      }
    }
    INFO(name);
    CHECK(made > 100);
  }
}

TEST_CASE("a mistake that would change nothing, or has nothing to be made with, is not made", "[check]") {
  const auto inputs = [](const std::string& shape) { return R"({"inputs": )" + random(shape, 1) + ", "; };
  const auto cross = [](const std::string& query, const std::string& key) {
    return R"({"inputs": {"query": )" + random(query, 1) + R"(, "key": )" + random(key, 2) + "}, " +
           weights("[5, 4]", "[5, 4]", "[5, 4]", 3) + ", ";
  };
  const std::string plain = inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 4]", 3);
  const std::string behind_past =
      plain + R"(, "past": {"keys": )" + random("[2, 4]", 8) + R"(, "values": )" + random("[2, 4]", 9) + "}}";
  const std::string shared =
      inputs("[3, 5]") + weights("[5, 4]", "[5, 2]", "[5, 2]", 3) + R"(, "heads": 2, "kv_heads": 1})";
  const std::string shared_in_general =
      shared.substr(0, shared.size() - 1) + R"(, "score": {"type": "general", "weight": )" + random("[2, 2]", 7) + "}}";
  const auto block = [&](const std::string& positions) {
    const auto self = [](int seed) { return R"({"self": {)" + weights("[2, 3]", "[2, 3]", "[2, 2]", seed) + "}}"; };
    return inputs("[3, 2]") + positions + R"("block": {"layers": [)" + self(3) + ", " + self(6) + "]}}";
  };
  struct Made {
    std::string id, problem, ways;
  };
  const Made cases[] = {
      // A matrix of one number is its transpose.
      {"projection.transposed", inputs("[3, 1]") + weights("[1, 1]", "[1, 1]", "[1, 1]", 3) + "}", "none"},
      {"heads.output_projection_transposed",
       inputs("[3, 5]") + weights("[5, 4]", "[5, 4]", "[5, 1]", 3, "[1, 1]") + "}", "none"},
      // Queries with a matrix a head, and keys with one for all heads.
      {"projection.swapped_query_key",
       inputs("[3, 4]") + weights("[2, 4, 3]", "[4, 3]", "[4, 3]", 3) + R"(, "kv_heads": 1})", "none"},
      {"projection.swapped_key_value",
       inputs("[3, 4]") + weights("[2, 4, 3]", "[4, 3]", "[4, 3]", 3) + R"(, "kv_heads": 1})", "one"},
      // By 0 nobody divides.
      {"scale.multiplied", plain + R"(, "scale": 0})", "none"},
      {"scale.multiplied", plain + R"(, "scale": 0.5})", "one"},
      // Queries that are given are made of no inputs that are wider.
      {"heads.scale_by_dmodel",
       R"({"queries": )" + random("[3, 4]", 1) + R"(, "keys": )" + random("[3, 4]", 2) + R"(, "values": )" +
           random("[3, 4]", 3) + R"(, "heads": 2})",
       "none"},
      // Keys of the past were not made of these queries.
      {"score.key_for_query",
       plain + R"(, "score": "cosine", "past": {"keys": )" + random("[2, 4]", 4) + R"(, "values": )" +
           random("[2, 4]", 5) + "}}",
       "none"},
      // 1/√40401 is 0 in two decimals, and a factor of 0 is no rounded one.
      {"rounding.early",
       R"({"queries": )" + random("[1, 40401]", 1) + R"(, "keys": )" + random("[2, 40401]", 2) +
           R"(, "values": [[1], [2]]})",
       "×0.005, ×0.0050, powers of the scores, no maximum subtracted"},
      // One query that sees the first keys is a triangle only where it is called so.
      {"mask.wrong_corner", cross("[1, 5]", "[3, 5]") + R"("mask": {"allow": [[1, 1, 0]]}})", "none"},
      {"mask.wrong_corner", cross("[2, 5]", "[3, 5]") + R"("mask": {"allow": [[1, 1, 0], [1, 1, 1]]}})",
       "the first query sees the first key"},
      // Keys and values that stand beside those of a cache, or that several heads share.
      {"sum.key_for_value", behind_past, "one"},
      {"scores.query_value", behind_past, "one"},
      {"sum.key_for_value", shared, "one"},
      {"scores.query_value", shared, "one"},
      {"score.key_for_query", shared_in_general,
       "the one for the other, keys for the queries, too, queries for the keys, too"},
      // The positions of a block are added before its first attention, and in its layers none is.
      {"positions.left_out", block(R"("positions": "sinusoidal", )"), "one"},
      {"positions.added_twice", block(R"("positions": "sinusoidal", )"), "one"},
      {"positions.queries_only", block(R"("positions": "sinusoidal", )"), "one"},
      {"positions.counted_from_one", block(R"("positions": "sinusoidal", )"), "one"},
      {"positions.left_out", block(R"("positions": {"type": "learned", "table": )" + random("[3, 2]", 9) + "}, "),
       "one"},
      {"positions.left_out", block(""), "none"},
      {"sum.input_for_value", block(R"("positions": "sinusoidal", )"), "one, without their positions, one"},
      {"sum.input_for_value", block(""), "one, one"},
      // Keys closed to all queries, of which there are more, are no padding.
      {"mask.rows_for_columns", cross("[4, 5]", "[2, 5]") + R"("mask": {"allow": [[1, 0], [1, 0], [1, 0], [1, 0]]}})",
       "none"},
  };
  for (const auto& [id, problem, ways] : cases) {
    INFO(id << ": " << problem);
    CHECK(ways_of(id, problem) == ways);
  }
}

TEST_CASE("what a causal mask closes is known where its cells do not tell", "[check]") {
  const auto mask_of = [](const std::string& id, const std::string& query, const std::string& key,
                          const std::string& more, const std::string& variant = "") {
    const Rewrites all = rewrites_of(
        recipe_of_text(R"({"inputs": {"query": )" + random(query, 1) + R"(, "key": )" + random(key, 2) + "}, " +
                       weights("[5, 2]", "[5, 2]", "[5, 2]", 3) + R"(, "causal": true, )" + more + "}"),
        mistake_named(id));
    const auto wanted =
        std::ranges::find_if(all, [&](const Rewrite& made) { return made.variant.starts_with(variant); });
    REQUIRE(wanted != all.end());
    const Tensor<double> mask = replayed(wanted->recipe).at("mask");
    return std::vector<double>(mask.data().begin(), mask.data().end());
  };
  // The last of four, which sees them all.
  CHECK(mask_of("mask.wrong_corner", "[1, 5]", "[4, 5]", R"("offset": 3)") == std::vector<double>{1, 0, 0, 0});
  CHECK(mask_of("mask.diagonal_too", "[1, 5]", "[4, 5]", R"("offset": 3)") == std::vector<double>{1, 1, 1, 0});
  // Keys that are appended stay open.
  CHECK(mask_of("mask.wrong_corner", "[1, 5]", "[3, 5]",
                R"("offset": 2, "appended": {"keys": )" + random("[1, 2]", 8) + R"(, "values": )" +
                    random("[1, 2]", 9) + "}") == std::vector<double>{1, 0, 0, 1});
  // Of two sequences the one has no cache.
  CHECK(mask_of("mask.wrong_corner", "[2, 2, 5]", "[2, 3, 5]", R"("offset": [0, 1])") ==
        std::vector<double>{1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0});
  CHECK(mask_of("mask.diagonal_too", "[2, 2, 5]", "[2, 3, 5]", R"("offset": [0, 1])") ==
        std::vector<double>{0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0});
  // Or the key of the query's own number, which in the other sequence is another.
  CHECK(mask_of("mask.diagonal_too", "[2, 2, 5]", "[2, 3, 5]", R"("offset": [0, 1])",
                language().mistakes.key_i.text()) == std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1});
}

TEST_CASE("each head reads its columns of the other side's inputs where inputs are split", "[check]") {
  const auto crossed = [](int inputs, int memory) {
    return recipe_of_text(R"({"inputs": )" + random("[3, 4]", inputs) + R"(, "block": {"kind": "decoder", "memory": )" +
                          random("[3, 4]", memory) + R"(, "layers": [{"cross": {"heads": 2, "split": "input", )" +
                          weights("[2, 2]", "[2, 2]", "[2, 2]", 3) + "}}]}}");
  };
  const Recipe right = crossed(1, 2);
  const auto own = replayed(crossed(1, 1)), other = replayed(crossed(2, 2));
  for (const auto& [id, step, made] : {std::tuple("cross.keys_from_decoder", "layer1.cross.keys", own),
                                       std::tuple("cross.values_from_decoder", "layer1.cross.values", own),
                                       std::tuple("cross.queries_from_encoder", "layer1.cross.queries", other)}) {
    INFO(id);
    const Rewrites all = rewrites_of(right, mistake_named(id));
    REQUIRE_FALSE(all.empty());
    CHECK(replayed(all.front().recipe).at(step) == made.at(step));
    CHECK_FALSE(replayed(right).at(step) == made.at(step));
  }
}

TEST_CASE("one query with its mask inverted sees no corner of a triangle", "[check]") {
  const Recipe right =
      recipe_of_text(R"({"inputs": {"query": )" + random("[1, 5]", 1) + R"(, "key": )" + random("[3, 5]", 2) + "}, " +
                     weights("[5, 4]", "[5, 4]", "[5, 4]", 3) + R"(, "mask": {"allow": [[0, 0, 1]]}})");
  const Rewrites inverted = rewrites_of(right, mistake_named("mask.inverted"));
  REQUIRE(inverted.size() == 1);
  CHECK(rows_of(replayed(inverted.front().recipe).at("mask")) == Rows{{1, 1, 0}});
  CHECK(rewrites_of(inverted.front().recipe, mistake_named("mask.wrong_corner")).empty());
}

TEST_CASE("of a few masks one may be forgotten, of many only all of them", "[check]") {
  // Of 40 keys each mask closes one.
  const auto forgotten = [](std::size_t count) {
    std::string masks;
    for (std::size_t closed = 0; closed < count; ++closed) {
      masks += masks.empty() ? R"({"block": [[)" : R"(, {"block": [[)";
      for (std::size_t key = 0; key < 40; ++key)
        masks += std::string(key == 0 ? "" : ", ") + (key == closed ? "1" : "0");
      masks += "]]}";
    }
    return rewrites_of(
               recipe_of_text(R"({"inputs": {"query": )" + random("[1, 4]", 1) + R"(, "key": )" + random("[40, 4]", 2) +
                              "}, " + weights("[4, 3]", "[4, 3]", "[4, 3]", 3) + R"(, "mask": [)" + masks + "]}"),
               mistake_named("mask.forgotten"))
        .size();
  };
  CHECK(forgotten(2) == 1 + 2);
  CHECK(forgotten(32) == 1 + 32);
  CHECK(forgotten(33) == 1);
}

TEST_CASE("queries that a window leaves no key may see one by mistake", "[check]") {
  // Five queries and three keys, each query the key of its number.
  const Recipe right =
      recipe_of_text(R"({"inputs": {"query": )" + random("[5, 4]", 1) + R"(, "key": )" + random("[3, 4]", 2) + "}, " +
                     weights("[4, 3]", "[4, 3]", "[4, 3]", 3) + R"(, "window": [0, 0]})");
  const Rewrites all = rewrites_of(right, mistake_named("window.off_by_one"));
  REQUIRE_FALSE(all.empty());
  const Rows open = rows_of(replayed(all.front().recipe).at("mask"));
  CHECK(open == Rows{{1, 0, 0}, {1, 1, 0}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0}});
}

TEST_CASE("layers share weights by mistake only where these fit and differ", "[check]") {
  const auto layer_of = [](const std::string& width, int seed, const std::string& more) {
    return R"({"self": {)" + weights("[2, 2]", "[2, 2]", "[2, 2]", seed) + R"(}, "ffn": {"in": )" +
           random("[2, " + width + "]", seed + 5) + R"(, "out": )" + random("[" + width + ", 2]", seed + 6) + more +
           "}}";
  };
  const auto ways = [&](const std::string& second) {
    return ways_of("block.weights_shared", R"({"inputs": )" + random("[3, 2]", 1) + R"(, "block": {"layers": [)" +
                                               layer_of("3", 10, "") + ", " + second + "]}}");
  };
  CHECK(ways(layer_of("3", 20, "")) == "one");
  CHECK(ways(layer_of("3", 10, "")) == "none");  // the same numbers
  CHECK(ways(layer_of("4", 20, "")) == "none");
  CHECK(ways(layer_of("3", 20, R"(, "in_bias": [1, 2, 3])")) == "none");  // the first layer has no such bias
}

TEST_CASE("mistakes with a norm are those that its numbers and its kind can show", "[check]") {
  const auto ways = [&](const std::string& id, const std::string& width, const std::string& eps,
                        const std::string& norm) {
    const std::string square = "[" + width + ", " + width + "]";
    return ways_of(id, R"({"inputs": )" + random("[3, " + width + "]", 1) + R"(, "block": {"eps": )" + eps +
                           R"(, "layers": [{"self": {)" + weights(square, square, square, 3) + R"(}, "norm1": )" +
                           norm + "}]}}");
  };
  CHECK(ways("norm.eps_outside", "2", "0.001", "{}") == "one");
  CHECK(ways("norm.eps_outside", "2", "0", "{}") == "none");
  CHECK(ways("norm.variance_n_minus_1", "2", "0.001", "{}") == "one");
  CHECK(ways("norm.variance_n_minus_1", "1", "0.001", "{}") == "none");  // nobody divides by 0
  CHECK(ways("norm.gain_left_out", "2", "0.001", "{}") == "none");
  CHECK(ways("norm.gain_left_out", "2", "0.001", R"({"bias": [1, 2]})") == "one");
  CHECK(ways("norm.gain_left_out", "2", "0.001", R"({"gain": [1, 2]})") == "one");
  CHECK(ways("norm.gain_left_out", "2", "0.001", R"({"gain": [1, 2], "bias": [3, 4]})") ==
        "neither gain nor bias, no gain, no bias");
}

TEST_CASE("mistakes with the projections are the formulas they are called after", "[check]") {
  const Case square("square");
  const auto given = [&](const std::string& id) { return rows_of(square.trace().value(id)); };
  const auto bias = [&](const std::string& id) {
    const auto data = square.trace().value(id).data();
    return Row(data.begin(), data.end());
  };
  const auto projected = [&](const Rows& w, const Row& b, double times = 1) {
    Rows result = product(given("inputs"), w);
    for (Row& row : result) {
      for (std::size_t j = 0; j < row.size(); ++j) row[j] += times * b[j];
    }
    return result;
  };
  const Rows key = given("weights.key"), query = given("weights.query"), value = given("weights.value");
  const Row key_bias = bias("biases.key"), query_bias = bias("biases.query"), value_bias = bias("biases.value");

  square.expect("projection.transposed", "keys", projected(turned(key), key_bias), "key");
  square.expect("projection.transposed", "queries", projected(turned(query), query_bias), "key, query, value");
  square.expect("projection.transposed", "queries", square["queries"], "value");
  square.expect("projection.swapped_query_key", "keys", projected(query, query_bias), "with their biases");
  square.expect("projection.swapped_query_key", "queries", projected(key, query_bias), "without their biases");
  square.expect("projection.swapped_key_value", "keys", projected(value, value_bias), "with their biases");
  square.expect("projection.swapped_key_value", "values", projected(key, value_bias), "without their biases");
  square.expect("projection.swapped_query_value", "queries", projected(value, value_bias), "with their biases");
  square.expect("projection.skipped", "values", given("inputs"));
  square.expect("projection.skipped", "queries", given("inputs"), "query");
  square.expect("projection.skipped", "keys", square["keys"], "query");
  square.expect("projection.bias_forgotten", "keys", product(given("inputs"), key), "key");
  square.expect("projection.bias_added_twice", "queries", projected(query, query_bias, 2), "query");
  square.expect("projection.bias_forgotten", "output", product(square["context"], given("weights.output")), "output");
}

Rows sum(Rows one, const Rows& other) {
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t j = 0; j < one[i].size(); ++j) one[i][j] += other[i][j];
  }
  return one;
}

TEST_CASE("mistakes with positions in the inputs are the formulas they are called after", "[check]") {
  const Case sinusoidal("sinusoidal");
  const Rows x = sinusoidal["inputs"], p = sinusoidal["position_encoding"];
  const Rows key = rows_of(sinusoidal.trace().value("weights.key")),
             query = rows_of(sinusoidal.trace().value("weights.query")),
             value = rows_of(sinusoidal.trace().value("weights.value"));
  sinusoidal.expect("positions.left_out", "keys", product(x, key));
  sinusoidal.expect("positions.left_out", "values", product(x, value));
  sinusoidal.expect("positions.added_twice", "queries", product(sum(sum(x, p), p), query));
  sinusoidal.expect("positions.queries_only", "queries", product(sum(x, p), query));
  sinusoidal.expect("positions.queries_only", "keys", product(x, key));
  sinusoidal.expect("positions.queries_only", "values", product(x, value));

  Rows from_one(3, Row(5));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t c = 0; c < 5; ++c) {
      const double angle = static_cast<double>(i + 1) / std::pow(10.0, 2 * static_cast<double>(c / 2) / 5);
      from_one[i][c] = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  sinusoidal.expect("positions.counted_from_one", "position_encoding", from_one);

  const Case learned("learned");
  Rows table = rows_of(learned.trace().value("positions.table"));
  table.erase(table.begin());
  learned.expect("positions.counted_from_one", "positioned_inputs", sum(learned["inputs"], table));
}

// The first four features of rows turned in pairs that stand so far apart.
Rows turned_by(Rows rows, double sign, std::size_t apart, double width) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const double angle = sign * static_cast<double>(i) / std::pow(10.0, 2 * static_cast<double>(pair) / width);
      const std::size_t at = apart == 1 ? 2 * pair : pair;
      const double a = rows[i][at], b = rows[i][at + apart];
      rows[i][at] = a * std::cos(angle) - b * std::sin(angle);
      rows[i][at + apart] = b * std::cos(angle) + a * std::sin(angle);
    }
  }
  return rows;
}

TEST_CASE("mistakes with rotations are the formulas they are called after", "[check]") {
  // d_k = 6, dims = 4, d_v = 4.
  const Case rope("rope");
  const Rows q = rope["queries"], k = rope["keys"], v = rope["values"];
  const Rows turned_q = turned_by(q, 1, 2, 4), turned_k = turned_by(k, 1, 2, 4);
  const auto follows = [&](const std::string& id, const Rows& queries, const Rows& keys) {
    rope.expect(id, "scores", product(queries, turned(keys)));
  };
  REQUIRE(rope["rotated_keys"][2][1] == Approx(turned_k[2][1]));
  follows("positions.left_out", q, k);
  follows("positions.counted_from_one", turned_q, turned_k);
  follows("rope.pairs", turned_by(q, 1, 1, 4), turned_by(k, 1, 1, 4));
  follows("rope.direction", turned_by(q, -1, 2, 4), turned_by(k, -1, 2, 4));
  follows("rope.keys_not_turned", turned_q, k);
  follows("rope.dims", turned_by(q, 1, 2, 6), turned_by(k, 1, 2, 6));

  const Rows turned_v = turned_by(v, 1, 2, 4);
  for (const bool before : {true, false}) {
    const std::string variant =
        before ? "the values were written down before they were turned" : "the values were written down turned";
    rope.expect("positions.values_too", "values", before ? v : turned_v, variant);
    rope.expect("positions.values_too", "context", product(rope["attention_weights"], turned_v), variant);
  }
}

TEST_CASE("mistakes with slopes are the formulas they are called after", "[check]") {
  const Case alibi("alibi");
  const auto bias = [&](const std::string& id, const std::string& variant) {
    return alibi.made(id, "position_bias", variant);
  };
  const Tensor<double> right = alibi.trace().value("position_bias");
  const Tensor<double> raised = bias("alibi.sign", "the distances without their minus");
  const Tensor<double> of_eight = bias("alibi.slopes", "2^(−8/8), 2^(−16/8), …");
  const Tensor<double> of_three = bias("alibi.slopes", "2^(−8/3), 2^(−16/3), …");
  const Tensor<double> none = bias("positions.left_out", "");
  for (std::size_t at = 0; at < right.size(); ++at) {
    const std::size_t head = at / 9, i = at / 3 % 3, j = at % 3;
    const double distance = i < j ? static_cast<double>(j - i) : static_cast<double>(i - j);
    const auto h = static_cast<double>(head + 1);
    CHECK(raised[at] == -right[at]);
    CHECK(of_eight[at] == Approx(-std::pow(2.0, -h) * distance));
    CHECK(of_three[at] == Approx(-std::pow(2.0, -8 * h / 3) * distance));
    CHECK(none[at] == 0);
  }
  const Tensor<double> scaled = alibi.trace().value("scaled_scores");
  const Tensor<double> less = alibi.made("alibi.sign", "masked_scores", "what should be added was subtracted");
  for (std::size_t at = 0; at < less.size(); ++at) CHECK(less[at] == Approx(scaled[at] - right[at]));
}

TEST_CASE("mistakes with past keys are the formulas they are called after", "[check]") {
  // Three keys are past, two are new; causal.
  const Case past("past");
  const Rows scaled = past["scaled_scores"], all_values = past["all_values"];
  const Rows new_values(all_values.begin() + 3, all_values.end());
  Rows of_new = scaled, behind = scaled;
  for (std::size_t i = 0; i < 2; ++i) {
    of_new[i].erase(of_new[i].begin(), of_new[i].begin() + 3);
    std::rotate(behind[i].begin(), behind[i].begin() + 3, behind[i].end());
  }
  const Rows masked = closed(of_new, [](auto i, auto j) { return j <= i; });
  past.expect("cache.left_out", "scaled_scores", of_new, "positions counted on from the past");
  past.expect("cache.left_out", "masked_scores", masked, "positions counted on from the past");
  past.expect("cache.left_out", "context", product(softmax(masked), new_values), "positions counted on from the past");
  past.expect("cache.behind", "scaled_scores", behind);
  past.expect("cache.behind", "masked_scores", closed(behind, [](auto i, auto j) { return j <= i + 3; }));

  // Who knows of no past has the problem without it.
  std::string alone = generated(100).at("past");
  alone.erase(alone.find(R"(, "past")"));
  const Trace without = traced(alone + "}");
  for (const char* step : {"position_encoding", "keys", "masked_scores", "context"}) {
    past.expect("cache.left_out", step, rows_of(without.value(step)), "positions counted from 0");
  }
}

TEST_CASE("nothing that the scores know of distances is left where positions are left out", "[check]") {
  for (const char* positions :
       {R"({"type": "relative", "keys": [[1, 2], [0, 1], [2, 0]], "values": [[1, 0], [2, 1], [1, 1]]})",
        R"({"type": "t5", "table": [1, 2, 3, 4]})"}) {
    const std::string plain = R"({"inputs": [[1, 0], [0.5, 2], [2, 1]])";
    const Trace right = traced(plain + R"(, "positions": )" + positions + "}");
    const std::vector<Rewrite> made = rewrites_of(mistake_named("positions.left_out"), right.recipe);
    REQUIRE_FALSE(made.empty());
    for (const Rewrite& reading : made) {
      INFO(reading.variant);
      CHECK(same_bits(replayed(reading.recipe).at("context"), traced(plain + "}").value("context")));
    }
  }
}

TEST_CASE("nobody goes astray with positions or a past where there are none", "[check]") {
  for (const Mistake* mistake : all_mistakes()) {
    const std::string family = mistake->id.substr(0, mistake->id.find('.'));
    if (family != "positions" && family != "rope" && family != "alibi" && family != "cache") continue;
    INFO(mistake->id);
    for (const char* name : {"plain", "heads", "cross", "direct", "masks together"}) {
      CHECK(rewrites_of(*mistake, Case(name).trace().recipe).empty());
    }
  }
}

TEST_CASE("mistakes with the scores are the formulas they are called after", "[check]") {
  const Case square("square");
  const Rows q = square["queries"], k = square["keys"], v = square["values"];
  square.expect("scores.transposed", "scores", product(k, turned(q)));
  square.expect("scores.untransposed_key", "scores", product(q, k));
  square.expect("scores.query_query", "scores", product(q, turned(q)));
  square.expect("scores.key_key", "scores", product(k, turned(k)));
  square.expect("scores.query_value", "scores", product(q, turned(v)));
}

TEST_CASE("mistakes with the scale are the formulas they are called after", "[check]") {
  // n = 3, d_model = 5, d_k = 4, d_v = 2.
  const Case plain("plain");
  const auto times = [&](double c) { return each(plain["scores"], [&](double s) { return s * c; }); };
  plain.expect("scale.none", "scaled_scores", times(1));
  plain.expect("scale.by_dk", "scaled_scores", times(0.25));
  plain.expect("scale.multiplied", "scaled_scores", times(2));
  plain.expect("scale.by_dmodel", "scaled_scores", times(1 / std::sqrt(5.0)));
  plain.expect("scale.by_n", "scaled_scores", times(1 / std::sqrt(3.0)));
  plain.expect("scale.by_dv", "scaled_scores", times(1 / std::sqrt(2.0)));
  plain.expect("scale.twice", "scaled_scores", times(0.25));
  plain.expect("scale.after_softmax", "attention_weights",
               each(softmax(plain["scores"]), [](double a) { return a / 2; }));
  plain.expect("scale.none", "attention_weights", softmax(plain["scores"]));

  const Case unscaled("no scale");
  unscaled.expect("scale.added", "attention_weights",
                  softmax(each(unscaled["scores"], [](double s) { return s / 2; })));
  CHECK(rewrites_of(mistake_named("scale.none"), unscaled.trace().recipe).empty());
  CHECK(rewrites_of(mistake_named("scale.added"), plain.trace().recipe).empty());

  const Case own("own scale");
  own.expect("scale.multiplied", "scaled_scores", each(own["scores"], [](double s) { return s / 0.3; }));
  own.expect("scale.twice", "scaled_scores", each(own["scores"], [](double s) { return s * 0.09; }));
}

TEST_CASE("mistakes with the mask are the formulas they are called after", "[check]") {
  const Case causal("causal");
  const Rows scores = causal["scaled_scores"];
  const auto context = [&](const Rows& weights) { return product(weights, causal["values"]); };
  const auto follows = [&](const std::string& id, const Rows& masked, const std::string& variant = "*") {
    causal.expect(id, "masked_scores", masked, variant);
    causal.expect(id, "attention_weights", softmax(masked), variant);
    causal.expect(id, "context", context(softmax(masked)), variant);
  };
  follows("mask.forgotten", scores);
  follows("mask.transposed", closed(scores, [](auto i, auto j) { return j >= i; }));
  follows("mask.inverted", closed(scores, [](auto i, auto j) { return j > i; }),
          "weights of 0 where a row is left empty");
  follows("mask.diagonal_too", closed(scores, [](auto i, auto j) { return j < i; }),
          "weights of 0 where a row is left empty");
  Rows uniform = softmax(closed(scores, [](auto i, auto j) { return j > i; }));
  uniform[3] = {0.25, 0.25, 0.25, 0.25};
  causal.expect("mask.inverted", "attention_weights", uniform, "equal weights where a row is left empty");
  causal.expect("mask.inverted", "context", context(uniform), "equal weights where a row is left empty");

  const auto where_closed = [&](Rows rows, double at_closed, double at_open, bool instead) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows.size(); ++j) {
        const bool open = j <= i;
        rows[i][j] = (instead && !open ? 0 : rows[i][j]) + (open ? at_open : at_closed);
      }
    }
    return rows;
  };
  follows("mask.zero_for_minus_infinity", where_closed(scores, 0, 0, true));
  follows("mask.added_as_number", where_closed(scores, 1, 0, false), "1 added where closed");
  follows("mask.added_as_number", where_closed(scores, 0, 1, false), "1 added where open");
  const Rows after = where_closed(softmax(scores), 0, 0, true);
  causal.expect("mask.after_softmax", "attention_weights", after);
  causal.expect("mask.after_softmax", "context", context(after));
}

TEST_CASE("a mask that is no triangle may close each query's own position too", "[check]") {
  const Case cells("cells");
  const Rows open = {{0, 0, 1, 0}, {0, 0, 1, 1}, {1, 1, 0, 0}, {1, 0, 0, 0}};
  cells.expect("mask.diagonal_too", "masked_scores",
               closed(cells["scaled_scores"], [&](auto i, auto j) { return open[i][j] == 1; }));
  CHECK(rewrites_of(mistake_named("mask.diagonal_too"), Case("direct").trace().recipe).empty());
}

TEST_CASE("a window may have one key more or fewer at either end", "[check]") {
  const auto with_window = [](const Case& of, std::size_t left, std::size_t right) {
    return closed(of["scaled_scores"], [=](auto i, auto j) { return j + left >= i && j <= i + right; });
  };
  const Case window("window");
  const auto expect = [&](const std::string& variant, std::size_t left, std::size_t right) {
    window.expect("window.off_by_one", "masked_scores", with_window(window, left, right), variant);
    window.expect("window.off_by_one", "attention_weights", softmax(with_window(window, left, right)), variant);
  };
  expect("one key too many before the query", 3, 1);
  expect("one key too few before the query", 1, 1);
  expect("one key too many behind the query", 2, 2);
  expect("one key too few behind the query", 2, 0);
  expect("one key too many on both sides", 3, 2);
  expect("one key too few on both sides", 1, 0);
  const Case reaching("window that just reaches");
  reaching.expect("window.off_by_one", "masked_scores", with_window(reaching, 1, 0),
                  "one key too few before the query");
  CHECK(rewrites_of(mistake_named("window.off_by_one"), Case("causal").trace().recipe).empty());
}

TEST_CASE("mistakes with the softcap are the formulas they are called after", "[check]") {
  const Case capped("softcap");
  const auto cap = [](double s) { return 1.5 * std::tanh(s / 1.5); };
  const auto causal = [](auto i, auto j) { return j <= i; };
  const Rows scores = capped["scaled_scores"], after = each(closed(scores, causal), cap);
  REQUIRE(after[0][1] == -1.5);
  capped.expect("softcap.left_out", "capped_scores", scores);
  capped.expect("softcap.left_out", "attention_weights", softmax(closed(scores, causal)));
  capped.expect("softcap.after_mask", "masked_scores", after, "the masked scores were capped");
  capped.expect("softcap.after_mask", "capped_scores", after, "the capped scores were made of masked ones");
  for (const char* variant : {"the masked scores were capped", "the capped scores were made of masked ones"})
    capped.expect("softcap.after_mask", "context", product(softmax(after), capped["values"]), variant);
  CHECK(rewrites_of(mistake_named("softcap.left_out"), Case("causal").trace().recipe).empty());
}

TEST_CASE("mistakes with a sink are the formulas they are called after", "[check]") {
  for (const char* name : {"sink", "sink behind a mask"}) {
    const Case sink(name);
    const bool masked = sink.trace().find("masked_scores") != nullptr;
    const Rows scores = sink[masked ? "masked_scores" : "scaled_scores"], weights = sink["attention_weights"];
    sink.expect("sink.left_out", "attention_weights", softmax(scores), "and not looked at for the maximum");
    sink.expect("sink.left_out", "attention_weights", softmax(scores), "though it counted for the maximum");
    sink.expect("sink.left_out", "exponentials", sink["exponentials"], "though it counted for the maximum");

    Rows to_all = weights, to_largest = weights, to_first = weights;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto is_open = [](double score) { return score > -infinity; };
      const double rest = 1 - weights[i][0] - weights[i][1] - weights[i][2];
      const auto open = static_cast<double>(std::ranges::count_if(scores[i], is_open));
      for (std::size_t j = 0; j < 3; ++j) to_all[i][j] += is_open(scores[i][j]) ? rest / open : 0;
      to_largest[i][static_cast<std::size_t>(std::ranges::max_element(weights[i]) - weights[i].begin())] += rest;
      to_first[i][static_cast<std::size_t>(std::ranges::find_if(scores[i], is_open) - scores[i].begin())] += rest;
    }
    sink.expect("sink.kept", "attention_weights", to_all, "the same to every open key");
    sink.expect("sink.kept", "attention_weights", to_largest, "to the key with the largest weight");
    sink.expect("sink.kept", "attention_weights", to_first, "to the first open key");
  }
  CHECK(rewrites_of(mistake_named("sink.left_out"), Case("plain").trace().recipe).empty());
}

TEST_CASE("mistakes with scores of other kinds are the formulas they are called after", "[check]") {
  const auto norm = [](const Row& row) { return std::sqrt(product({row}, turned({row}))[0][0]); };
  const Case cosine("cosine");
  Rows q = cosine["queries"], k = cosine["keys"];
  const Rows plain = product(q, turned(k));
  Rows by_keys = plain, keys_by_keys = product(k, turned(k));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      by_keys[i][j] /= norm(k[j]);
      keys_by_keys[i][j] /= norm(k[i]) * norm(k[j]);
    }
  }
  cosine.expect("score.cosine_not_normed", "scores", plain, "by neither length");
  cosine.expect("score.cosine_not_normed", "scores", by_keys, "not by the query's length");
  cosine.expect("score.key_for_query", "scores", keys_by_keys, "keys for the queries, too");
  CHECK(rewrites_of(mistake_named("score.tanh_left_out"), cosine.trace().recipe).empty());

  const Case general("general");
  q = general["queries"];
  k = general["keys"];
  const Rows w = general["score.weight"];
  general.expect("score.key_for_query", "scores", turned(product(product(k, w), turned(q))), "the one for the other");
  general.expect("score.key_for_query", "scores", product(product(k, w), turned(k)), "keys for the queries, too");
  general.expect("score.key_for_query", "scores", product(product(q, w), turned(q)), "queries for the keys, too");

  for (const char* name : {"additive", "concat"}) {
    const Case hidden(name);
    q = hidden["queries"];
    k = hidden["keys"];
    const bool additive = hidden.trace().find("score_queries") != nullptr;
    Rows first, second;  // what is added for a pair
    const auto weigh = [&](const Rows& one, const Rows& other) {
      const Rows both = additive ? Rows() : hidden["score.weight"];
      first = product(one, additive ? hidden["score.query"] : Rows(both.begin(), both.begin() + 4));
      second = product(other, additive ? hidden["score.key"] : Rows(both.begin() + 4, both.end()));
    };
    const Tensor<double> v = hidden.trace().value("score.v");
    const auto score = [&](std::size_t i, std::size_t j, auto bend) {
      double sum = 0;
      for (std::size_t at = 0; at < 3; ++at) sum += v[at] * bend(first[i][at] + second[j][at]);
      return sum;
    };
    const auto bent = [](double x) { return std::tanh(x); };
    Rows expected(3, Row(3));
    const auto each_pair = [&](auto cell) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) expected[i][j] = cell(i, j);
      }
    };
    weigh(q, k);
    each_pair([&](auto i, auto j) { return score(i, j, [](double x) { return x; }); });
    hidden.expect("score.tanh_left_out", "scores", expected);
    weigh(k, q);
    each_pair([&](auto i, auto j) { return score(j, i, bent); });
    hidden.expect("score.key_for_query", "scores", expected, "the one for the other");
    weigh(k, k);
    each_pair([&](auto i, auto j) { return score(i, j, bent); });
    hidden.expect("score.key_for_query", "scores", expected, "keys for the queries, too");
  }
  CHECK(rewrites_of(mistake_named("score.key_for_query"), Case("plain").trace().recipe).empty());
}

TEST_CASE("a causal mask may hang from the wrong corner, and padding close rows", "[check]") {
  const Case cross("cross from the start");
  cross.expect("mask.wrong_corner", "masked_scores",
               closed(cross["scaled_scores"], [](auto i, auto j) { return j <= i + 2; }));
  CHECK(rewrites_of(mistake_named("mask.wrong_corner"), Case("causal").trace().recipe).empty());

  const Case columns("columns");
  columns.expect("mask.rows_for_columns", "masked_scores",
                 closed(columns["scaled_scores"], [](auto i, auto) { return i < 2; }),
                 "weights of 0 where a row is left empty");
}

TEST_CASE("a mask of several rules may be forgotten in part, and what it adds kept", "[check]") {
  const Case together("masks together");
  // Closed: later keys, key 4, and the pair (3, 1). Added: numbers below the diagonal.
  const Rows added = {{0, 0, 0, 0}, {0.5, 0, 0, 0}, {0, 0.25, 0, 0}, {0, 0, -1, 0}};
  Rows scores = together["scaled_scores"];
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) scores[i][j] += added[i][j];
  }
  const auto pair = [](auto i, auto j) { return i == 2 && j == 0; };
  together.expect("mask.forgotten", "masked_scores", together["scaled_scores"], "all of it");
  together.expect("mask.forgotten", "masked_scores",
                  closed(scores, [&](auto i, auto j) { return j < 3 && !pair(i, j); }), "the causal mask");
  together.expect("mask.forgotten", "masked_scores",
                  closed(scores, [&](auto i, auto j) { return j <= i && !pair(i, j); }), "the padding");
  together.expect("mask.after_softmax", "masked_scores", scores);
}

TEST_CASE("mistakes with the softmax are the formulas they are called after", "[check]") {
  const Case causal("causal");
  const Rows masked = causal["masked_scores"];
  const auto weights = [&](const std::string& id, const Rows& expected, const std::string& variant = "*") {
    causal.expect(id, "attention_weights", expected, variant);
    causal.expect(id, "context", product(expected, causal["values"]), variant);
  };
  const auto exp = [](double s) { return std::exp(s); };
  const auto zero_where_closed = [](double s) { return std::isinf(s) ? 0 : s; };
  weights("softmax.columns", turned(softmax(turned(masked))));
  weights("softmax.base_2", softmax(masked, 2));
  weights("softmax.base_3", softmax(masked, 3));
  weights("softmax.base_10", softmax(masked, 10));
  weights("softmax.not_normalised", each(masked, exp), "e^score");
  causal.expect("softmax.maximum_not_subtracted", "exponentials", each(masked, exp));
  weights("softmax.negated", softmax(each(masked, [](double s) { return std::isinf(s) ? s : -s; })));
  weights("softmax.none", each(masked, zero_where_closed));

  double total = 0;
  for (const Row& row : masked) {
    for (const double s : row) total += std::exp(s);
  }
  weights("softmax.whole_matrix", each(masked, [&](double s) { return std::exp(s) / total; }));

  Rows linear = each(masked, zero_where_closed), hard = linear, twice = softmax(masked), less = linear,
       of_scores = linear, of_exponentials = linear;
  for (std::size_t i = 0; i < masked.size(); ++i) {
    double sum = 0, sum_twice = 0;
    const double largest = *std::ranges::max_element(masked[i]);
    for (std::size_t j = 0; j <= i; ++j) sum += masked[i][j];
    for (std::size_t j = 0; j <= i; ++j) sum_twice += std::exp(twice[i][j]);
    for (std::size_t j = 0; j < masked.size(); ++j) {
      const bool open = j <= i;
      linear[i][j] = open ? masked[i][j] / sum : 0;
      hard[i][j] = masked[i][j] == largest ? 1 : 0;
      twice[i][j] = open ? std::exp(twice[i][j]) / sum_twice : 0;
      less[i][j] = open ? std::exp(masked[i][j] - largest) : 0;
      of_scores[i][j] = open ? masked[i][j] / largest : 0;
      of_exponentials[i][j] = open ? std::exp(masked[i][j] - largest) / largest : 0;
    }
  }
  weights("softmax.linear", linear);
  weights("softmax.hard_max", hard);
  weights("softmax.twice", twice);
  weights("softmax.not_normalised", less, "e^(score − maximum)");
  weights("softmax.by_maximum", of_scores, "the scores, divided by the maximum");
  weights("softmax.by_maximum", of_exponentials, "e^(score − maximum), divided by the maximum");
}

TEST_CASE("mistakes with the sum are the formulas they are called after", "[check]") {
  const Case causal("causal");
  const Rows a = causal["attention_weights"], v = causal["values"];
  causal.expect("sum.transposed_weights", "context", product(turned(a), v));
  causal.expect("sum.key_for_value", "context", product(a, causal["keys"]));
  causal.expect("sum.query_for_value", "context", product(a, causal["queries"]));
  causal.expect("sum.input_for_value", "context", product(a, causal["inputs"]));

  Rows all = product(a, v), open = all, top = all, top_weighted = all;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(a[i]) - a[i].begin());
    for (std::size_t c = 0; c < v[0].size(); ++c) {
      all[i][c] = open[i][c] = 0;
      for (std::size_t j = 0; j < v.size(); ++j) all[i][c] += v[j][c] / 4;
      for (std::size_t j = 0; j <= i; ++j) open[i][c] += v[j][c] / static_cast<double>(i + 1);
      top[i][c] = v[largest][c];
      top_weighted[i][c] = a[i][largest] * v[largest][c];
    }
  }
  causal.expect("sum.mean_of_values", "context", all, "of all values");
  causal.expect("sum.mean_of_values", "context", open, "of the values that are open");
  causal.expect("sum.top_only", "context", top, "the value itself");
  causal.expect("sum.top_only", "context", top_weighted, "its weighted value");

  const Tensor<double> left = causal.made("sum.not_summed", "context");
  REQUIRE(left.shape() == Shape{{"query", 4}, {"key", 4}, {"d_v", 2}});
  for (std::size_t at = 0; at < left.size(); ++at) {
    CHECK(left[at] == Approx(a[at / 8][at / 2 % 4] * v[at / 2 % 4][at % 2]));
  }
}

TEST_CASE("a sum that is not shown is mistaken in the same way", "[check]") {
  const Case causal("causal");
  Recipe hidden = causal.trace().recipe;
  const Instruction weighted = *hidden.find("weighted_values");
  hidden.replace("context", Contract{"key"}, weighted.operands, weighted.open);
  for (const Mistake* mistake : all_mistakes()) {
    if (!mistake->id.starts_with("sum.")) continue;
    INFO(mistake->id);
    const auto shown = rewrites_of(*mistake, causal.trace().recipe);
    const auto summed = rewrites_of(*mistake, hidden);
    REQUIRE(shown.size() == summed.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const Tensor<double> one = replayed(shown[i].recipe).at("context");
      const Tensor<double> other = replayed(summed[i].recipe).at("context");
      REQUIRE(one.shape() == other.shape());
      for (std::size_t at = 0; at < one.size(); ++at) CHECK(one[at] == Approx(other[at]).margin(1e-12));
    }
  }
}

TEST_CASE("mistakes with heads are the formulas they are called after", "[check]") {
  // Three heads; d_model = 8, d_k = 3, d_v = 2, n = 3; W_O is 6 × 5.
  const Case heads("narrow heads");
  const Rows wide = heads["projected_keys"];
  const Tensor<double> context = heads.trace().value("context");
  const auto c = [&](std::size_t h, std::size_t i, std::size_t d) { return context[(h * 3 + i) * 2 + d]; };

  const Tensor<double> dealt = heads.made("heads.interleaved", "keys");
  const Tensor<double> cut = heads.made("heads.no_transpose", "keys");
  for (std::size_t h = 0; h < 3; ++h) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t flat = (h * 3 + i) * 3 + d;
        CHECK(dealt[flat] == wide[i][d * 3 + h]);
        CHECK(cut[flat] == wide[flat / 9][flat % 9]);
      }
    }
  }

  Rows merged(3, Row(6)), summed(3, Row(2, 0.0)), backwards(3, Row(6));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t h = 0; h < 3; ++h) {
      for (std::size_t d = 0; d < 2; ++d) {
        summed[i][d] += c(h, i, d);
        backwards[i][h * 2 + d] = c(2 - h, i, d);
        merged[i][h * 2 + d] = context[i * 6 + h * 2 + d];
      }
    }
  }
  heads.expect("heads.merged_without_transpose", "concat", merged);
  heads.expect("heads.summed", "concat", summed);
  heads.expect("heads.averaged", "concat", each(summed, [](double x) { return x / 3; }));
  heads.expect("heads.reversed", "concat", backwards);
  heads.expect("heads.output_projection_forgotten", "output", heads["concat"]);

  const Tensor<double> by_dmodel = heads.made("heads.scale_by_dmodel", "scaled_scores");
  for (std::size_t at = 0; at < by_dmodel.size(); ++at) {
    CHECK(by_dmodel[at] == Approx(heads.trace().value("scores")[at] / std::sqrt(8.0)));
  }

  const Rows scores = each(product(heads["projected_queries"], turned(wide)), [](double s) { return s / 3; });
  const Rows weights = softmax(closed(scores, [](auto i, auto j) { return j <= i; }));
  heads.expect("heads.one_big_head", "scaled_scores", scores, "divided by the root of its own width");
  heads.expect("heads.one_big_head", "attention_weights", weights, "divided by the root of its own width");
  heads.expect("heads.one_big_head", "concat", product(weights, heads["projected_values"]),
               "divided by the root of its own width");

  const Case square("square");
  Rows output = product(square["context"], turned(rows_of(square.trace().value("weights.output"))));
  for (Row& row : output) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += square.trace().value("biases.output")[j];
  }
  square.expect("heads.output_projection_transposed", "output", output);
}

TEST_CASE("mistakes with heads are the same where each has a matrix of its own", "[check]") {
  // Two heads; d_model = 5, d_k = 4, d_v = 2, n = 3.
  const Case apart("a matrix a head");
  const auto side_by_side = [&](const std::string& step) {
    const Tensor<double> of_heads = apart.trace().value(step);
    const std::size_t width = of_heads.shape()[2].size;
    Rows wide(3, Row(2 * width));
    for (std::size_t at = 0; at < of_heads.size(); ++at) {
      wide[at / width % 3][at / (3 * width) * width + at % width] = of_heads[at];
    }
    return wide;
  };
  const Rows q = side_by_side("queries"), k = side_by_side("keys"), v = side_by_side("values");
  const Tensor<double> dealt = apart.made("heads.interleaved", "keys");
  const Tensor<double> cut = apart.made("heads.no_transpose", "keys");
  for (std::size_t at = 0; at < dealt.size(); ++at) {
    CHECK(dealt[at] == k[at / 4 % 3][at % 4 * 2 + at / 12]);
    CHECK(cut[at] == k[at / 8][at % 8]);
  }
  const std::string own = "divided by the root of its own width", of_head = "divided by the root of a head's width";
  const Rows scores = product(q, turned(k));
  apart.expect("heads.one_big_head", "keys", k, own);
  apart.expect("heads.one_big_head", "scaled_scores", each(scores, [](double s) { return s / std::sqrt(8.0); }), own);
  apart.expect("heads.one_big_head", "scaled_scores", each(scores, [](double s) { return s / 2; }), of_head);
  apart.expect("heads.one_big_head", "concat", product(softmax(each(scores, [](double s) { return s / 2; })), v),
               of_head);
}

TEST_CASE("query heads may share other keys and values than they should", "[check]") {
  const Case groups("three groups");
  const Tensor<double> keys = groups.trace().value("keys"), values = groups.trace().value("values");
  const auto expect = [&](const std::string& variant, const std::string& step, const Tensor<double>& own,
                          const std::vector<std::size_t>& of) {
    INFO(variant << " at " << step);
    const Tensor<double> shared = groups.made("heads.tiled_groups", step, variant);
    const std::size_t each_head = own.size() / 3;
    REQUIRE(shared.size() == 6 * each_head);
    for (std::size_t at = 0; at < shared.size(); ++at) {
      CHECK(shared[at] == own[of[at / each_head] * each_head + at % each_head]);
    }
  };
  const std::vector<std::size_t> right = {0, 0, 1, 1, 2, 2}, in_turn = {0, 1, 2, 0, 1, 2},
                                 by_count = {0, 0, 0, 1, 1, 1};
  expect("in turn", "repeated_keys", keys, in_turn);
  expect("in turn", "repeated_values", values, in_turn);
  expect("in turn, only for the keys", "repeated_keys", keys, in_turn);
  expect("in turn, only for the keys", "repeated_values", values, right);
  expect("in turn, only for the values", "repeated_values", values, in_turn);
  expect("as many to a group as there are groups", "repeated_keys", keys, by_count);
  expect("as many to a group as there are groups, only for the values", "repeated_keys", keys, right);

  // Of two groups of two it is the same.
  for (const Rewrite& rewrite : rewrites_of(mistake_named("heads.tiled_groups"), Case("shared heads").trace().recipe))
    CHECK(rewrite.variant.starts_with("in turn"));
}

}  // namespace
}  // namespace attn
