#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "unit/problem/given.h"

using namespace attn;

namespace {

std::vector<double> values(const std::optional<Source>& source) {
  const auto numbers = source->numbers().data();
  return {numbers.begin(), numbers.end()};
}

using Values = std::vector<double>;
using Words = std::vector<std::string>;
using Lists = std::vector<Words>;

}  // namespace

TEST_CASE("a token that looks like padding is not taken for it", "[problem]") {
  const Problem p = given(R"({"inputs": [[[1, 0], [0, 1]], [[1, 1]]], "tokens": [["a", "·"], ["·"]]})");
  CHECK(p.attention().query_labels == Lists{Words{"a", "“·”"}, Words{"“·”", "·"}});
}

TEST_CASE("a matrix of inputs is self-attention without a batch", "[problem]") {
  const Problem p = given(R"({"inputs": [[1, 0, 2], [0, 1, 3]]})");
  CHECK(p.inputs.self->shape() == Shape{{"token", 2}, {"d_model", 3}});
  CHECK_FALSE(p.inputs.cross());
  CHECK_FALSE(p.attention().batched);
  CHECK(p.attention().batch == 1);
  CHECK_FALSE(p.attention().heads);
  CHECK(p.attention().query_count == 2);
  CHECK(p.attention().key_count == 2);
  CHECK(p.inputs.self->shape().size("d_model") == 3);
  CHECK(p.attention().key_width == 3);
  CHECK(p.attention().value_width == 3);
  CHECK(p.attention().score.name == "scaled_dot");
  CHECK(p.attention().query_labels == Lists{Words{"Input 1", "Input 2"}});
  CHECK(p.attention().key_labels == p.attention().query_labels);
  CHECK_FALSE(p.attention().option<PerSequence>("lengths"));
  CHECK(p.attention().own_queries.empty());
  CHECK(p.notes.empty());
}

TEST_CASE("column vectors stand as given, their axes named the other way round", "[problem]") {
  const Problem p = given(R"({"vectors": "columns", "inputs": [[1, 0], [0, 1], [2, 3]],
                              "weights": {"query": [[1, 2, 3]], "key": [[4, 5, 6]], "value": [[1, 2, 3], [4, 5, 6]]}})");
  CHECK(p.attention().vectors == Vectors::columns);
  CHECK(p.inputs.self->shape() == Shape{{"d_model", 3}, {"token", 2}});
  CHECK(values(p.inputs.self) == Values{1, 0, 0, 1, 2, 3});
  CHECK(p.attention().query->weight.shape() == Shape{{"d_k", 1}, {"d_model", 3}});
  CHECK(p.attention().value->weight.shape() == Shape{{"d_v", 2}, {"d_model", 3}});
  CHECK(p.attention().query_count == 2);
  CHECK(p.attention().value_width == 2);
}

TEST_CASE("cross-attention has queries and keys of its own, values by default from the keys", "[problem]") {
  const Problem p = given(R"({"inputs": {"query": [[1, 0]], "key": [[1, 0], [2, 3], [4, 5]]}})");
  CHECK(p.inputs.cross());
  CHECK(p.inputs.query->shape() == Shape{{"query", 1}, {"d_model", 2}});
  CHECK(p.inputs.key->shape() == Shape{{"key", 3}, {"d_model", 2}});
  CHECK_FALSE(p.inputs.value);
  CHECK(p.attention().query_labels == Lists{Words{"Query 1"}});
  CHECK(p.attention().key_labels == Lists{Words{"Key 1", "Key 2", "Key 3"}});
}

TEST_CASE("values of cross-attention may have a width of their own", "[problem]") {
  const Problem p = given(R"({"inputs": {"query": [[1, 0]], "key": [[1, 0], [2, 3]], "value": [[1], [2]]}})");
  CHECK(p.inputs.value->shape() == Shape{{"key", 2}, {"d_model", 1}});
  CHECK(p.attention().value_width == 1);
}

TEST_CASE("queries, keys and values may be given directly, in three ranks", "[problem]") {
  const Problem two = given(R"({"queries": [[1, 2]], "keys": [[3, 4], [5, 6]]})");
  CHECK(two.attention().queries->shape() == Shape{{"query", 1}, {"d_k", 2}});
  CHECK(two.attention().keys->shape() == Shape{{"key", 2}, {"d_k", 2}});
  CHECK(two.attention().values->shape() == Shape{{"key", 2}, {"d_v", 2}});
  CHECK(values(two.attention().values) == values(two.attention().keys));
  CHECK(two.attention().query_labels == Lists{Words{"Query 1"}});

  const Problem three = given(R"({"queries": [[[1, 2]]], "keys": [[[3, 4], [5, 6]]], "heads": 2})");
  CHECK(three.attention().batched);
  CHECK(three.attention().queries->shape() == Shape{{"batch", 1}, {"query", 1}, {"d_concat", 2}});
  CHECK(three.attention().key_width == 1);

  const Problem four = given(R"({"queries": [[[[1, 2]], [[3, 4]]]], "keys": [[[[1, 2]], [[3, 4]]]]})");
  CHECK(four.attention().heads == 2u);
  CHECK(four.attention().queries->shape() == Shape{{"batch", 1}, {"head", 2}, {"query", 1}, {"d_k", 2}});
  CHECK(four.attention().values->shape() == Shape{{"batch", 1}, {"head", 2}, {"key", 1}, {"d_v", 2}});
}

TEST_CASE("rank 3 is a batch, with a note where it could be one matrix a head", "[problem]") {
  const Problem p = given(R"({"queries": [[[1, 2]], [[3, 4]]], "keys": [[[1, 2]], [[3, 4]]], "heads": 2})");
  REQUIRE(p.notes.size() == 2);
  CHECK(p.notes[0].kind == "misread");
  CHECK(p.notes[0].step == "queries");
  CHECK(p.notes[1].step == "keys");
  CHECK(given(R"({"queries": [[[1, 2]], [[3, 4]]], "keys": [[[1, 2]], [[3, 4]]]})").notes.empty());
}

TEST_CASE("tokens with embeddings are the inputs", "[problem]") {
  const Problem p = given(R"({"tokens": ["a", "b", "a"], "embeddings": {"b": [3, 4], "a": [1, 2], "unused": [9, 9]}})");
  CHECK(p.inputs.self->shape() == Shape{{"token", 3}, {"d_model", 2}});
  CHECK(values(p.inputs.self) == Values{1, 2, 3, 4, 1, 2});
  CHECK(p.attention().query_labels == Lists{Words{"a", "b", "a"}});
}

TEST_CASE("some embeddings may be drawn and others written, in any order", "[problem]") {
  const Values drawn = random_values(RandomKind::integers, std::vector<std::size_t>{2}, 5, 2);
  const std::string random = R"({"random": "integers", "shape": [2], "seed": 5})";
  const std::vector<std::string> orders = {
      R"("a": [1, 2], "drawn": )" + random + R"(, "b": [3, 4], "c": [5, 6])",
      R"("drawn": )" + random + R"(, "a": [1, 2], "b": [3, 4], "c": [5, 6])",
      R"("c": [5, 6], "a": [1, 2], "b": [3, 4], "drawn": )" + random,
      R"("c": [5, 6], "drawn": )" + random + R"(, "again": )" + random + R"(, "a": [1, 2], "b": ["3", 4])",
  };
  for (const std::string& order : orders) {
    INFO(order);
    const Problem p = given(R"({"tokens": ["c", "drawn", "a", "b", "drawn"], "embeddings": {)" + order + "}}");
    CHECK(values(p.inputs.self) == Values{5, 6, drawn[0], drawn[1], 1, 2, 3, 4, drawn[0], drawn[1]});
  }
}

TEST_CASE("embeddings are compared with the first, whether it is drawn or written", "[problem]") {
  const auto fault_of = [](const std::string& embeddings) {
    const auto problem =
        read_problem(R"({"tokens": ["a"], "embeddings": {)" + embeddings + "}}", test_catalog(), enough_memory);
    REQUIRE_FALSE(problem);
    return problem.faults().front().message;
  };
  const std::string random = R"({"random": "integers", "shape": [2], "seed": 5})";
  CHECK(fault_of(R"("a": )" + random + R"(, "b": [1, 2, 3])") ==
        "/embeddings/b has 3 numbers, and /embeddings/a has 2");
  CHECK(fault_of(R"("a": [1, 2, 3], "b": )" + random) == "/embeddings/b has 2 numbers, and /embeddings/a has 3");
  CHECK(fault_of(R"("a": [1, 2], "b": [1, 2], "c": [1])") == "/embeddings/c has 1 number, and /embeddings/a has 2");
  CHECK(fault_of(R"("a": [1, 2, "x"], "b": [1, 2])") == "/embeddings/a/2 is a text, where a number is wanted");
  CHECK(fault_of(R"("a": [1, 2], "b": [1, 2, "x"])") == "/embeddings/b/2 is a text, where a number is wanted");
  CHECK(fault_of(R"("a": [1, 2], "b": [1, true])") == "/embeddings/b/1 is a boolean; a number is wanted");
  CHECK(fault_of(R"("a": 5, "b": [1])") == "/embeddings/a is one number; an embedding is a list of numbers");
  CHECK(fault_of(R"("a": [], "b": [1])") == "/embeddings/a is empty");
  CHECK(fault_of(R"("a": [1, 2], "b": 5, "c": "x")") ==
        "/embeddings/b is one number; an embedding is a list of numbers");
  CHECK(fault_of(R"("a": [], "b": {"file": 1})") == "/embeddings/a is empty");
  CHECK(fault_of(R"("b": [1])") == "/tokens/0 is \"a\", which has no embedding");
}

TEST_CASE("a key of a tensor is guessed behind some that are unknown, and known behind any number", "[problem]") {
  const auto is_tensor = [](int unknown, const std::string& key) {
    std::string text = R"({"inputs": {)";
    for (int i = 0; i < unknown; ++i) text += "\"k" + std::to_string(i) + "\": 1, \"x-" + std::to_string(i) + "\": 1, ";
    text += "\"" + key + R"(": "normal"}})";
    const auto problem = read_problem(text, test_catalog(), enough_memory);
    REQUIRE_FALSE(problem);
    // What is none is read as queries, keys and values.
    return std::ranges::any_of(problem.faults(),
                               [](const Diagnostic& fault) { return fault.message == R"(/inputs has no "shape")"; });
  };
  CHECK(is_tensor(2, "randon"));
  CHECK(is_tensor(99, "randon"));
  CHECK_FALSE(is_tensor(100, "randon"));
  CHECK(is_tensor(500, "random"));
}

TEST_CASE("a shape of more sizes than there may be is refused before they are looked at", "[problem]") {
  const auto fault_of = [](const std::string& shape) {
    const auto problem = read_problem(R"({"inputs": {"random": "normal", "seed": 1, "shape": )" + shape + "}}",
                                      test_catalog(), enough_memory);
    REQUIRE_FALSE(problem);
    return problem.faults().front().message;
  };
  CHECK(fault_of("[1, 1, 1, 1, 1, 1, 1, 1, 1]") == "/inputs/shape has 9 sizes; at most 8 are possible");
  CHECK(fault_of(R"([1, "x", 1, 1, 1, 1, 1, 1, 1])") == "/inputs/shape has 9 sizes; at most 8 are possible");
  CHECK(fault_of(R"([1, "x", 1, 1, 1, 1, 1, 1])") == "/inputs/shape/1 is \"x\"; an integer is wanted");
}

TEST_CASE("as columns, embeddings stand beside each other", "[problem]") {
  const Problem p =
      given(R"({"vectors": "columns", "tokens": ["a", "b", "a"], "embeddings": {"a": [1, 2], "b": [3, 4]}})");
  CHECK(p.inputs.self->shape() == Shape{{"d_model", 2}, {"token", 3}});
  CHECK(values(p.inputs.self) == Values{1, 3, 1, 2, 4, 2});
}

TEST_CASE("a word that spells a number is still a token", "[problem]") {
  const Problem p = given(R"({"inputs": [[1], [2]], "tokens": ["inf", "nan"]})");
  CHECK(p.attention().query_labels == Lists{Words{"inf", "nan"}});
}

TEST_CASE("sequences of different length are padded with zeros, and lengths say so", "[problem]") {
  const Problem p = given(R"({"inputs": [[[1, 2]], [[3, 4], [5, 6]]]})");
  CHECK(p.inputs.self->shape() == Shape{{"batch", 2}, {"token", 2}, {"d_model", 2}});
  CHECK(values(p.inputs.self) == Values{1, 2, 0, 0, 3, 4, 5, 6});
  CHECK(lengths(p) == Integers{1, 2});
  CHECK(p.attention().own_queries == std::vector<std::size_t>{1, 2});
  CHECK(p.attention().query_labels == Lists{Words{"Input 1", "·"}, Words{"Input 1", "Input 2"}});
  REQUIRE(p.notes.size() == 1);
  CHECK(p.notes[0].kind == "padding");
  CHECK(p.notes[0].step == "inputs");
  CHECK(p.notes[0].index == std::vector<std::size_t>{0});
}

TEST_CASE("columns are padded with columns", "[problem]") {
  const Problem p = given(R"({"vectors": "columns", "inputs": [[[1], [2]], [[3, 5], [4, 6]]]})");
  CHECK(p.inputs.self->shape() == Shape{{"batch", 2}, {"d_model", 2}, {"token", 2}});
  CHECK(values(p.inputs.self) == Values{1, 0, 2, 0, 3, 5, 4, 6});
  CHECK(lengths(p) == Integers{1, 2});
}

TEST_CASE("where lengths are given for padded sequences, the smaller holds", "[problem]") {
  const Problem p = given(R"({"inputs": [[[1]], [[3], [5], [6]]], "lengths": [3, 2]})");
  CHECK(lengths(p) == Integers{1, 2});
}

TEST_CASE("in cross-attention only the lengths of the keys count", "[problem]") {
  const Problem p = given(R"({"inputs": {"query": [[[1]], [[1], [2]]], "key": [[[1], [2]], [[3], [4]]]}})");
  CHECK_FALSE(p.attention().option<PerSequence>("lengths"));
  CHECK(p.attention().own_queries == std::vector<std::size_t>{1, 2});
  REQUIRE(p.notes.size() == 1);
  CHECK(p.notes[0].step == "inputs.query");

  const Problem keys = given(R"({"inputs": {"query": [[[1]], [[1]]], "key": [[[1], [2]], []]}})");
  CHECK(lengths(keys) == Integers{2, 0});
  CHECK(keys.attention().own_queries.empty());
  CHECK(keys.attention().key_labels == Lists{Words{"Key 1", "Key 2"}, Words{"·", "·"}});
}

TEST_CASE("longer sequences are cut before anything else", "[problem]") {
  const Problem p = given(R"({"inputs": [[1], [2], [3]], "tokens": ["a", "b", "c"], "max_tokens": 2, "lengths": 3,
                              "mask": {"allow": [[1, 0], [1, 1]]}})");
  CHECK(values(p.inputs.self) == Values{1, 2});
  CHECK(lengths(p) == Integers{2});
  CHECK(p.attention().key_labels == Lists{Words{"a", "b"}});
  REQUIRE(p.notes.size() == 1);
  CHECK(p.notes[0].kind == "truncated");
  CHECK(p.notes[0].index.empty());
}

TEST_CASE("a cut that makes sequences even leaves nothing to pad", "[problem]") {
  const Problem p = given(R"({"inputs": [[[1]], [[2], [3]]], "max_tokens": 1})");
  CHECK(values(p.inputs.self) == Values{1, 2});
  CHECK_FALSE(p.attention().option<PerSequence>("lengths"));
  CHECK(p.attention().own_queries.empty());
}

TEST_CASE("tokens that are cut off need no embedding", "[problem]") {
  const Problem p = given(R"({"tokens": ["a", "unknown"], "embeddings": {"a": [1]}, "max_tokens": 1})");
  CHECK(values(p.inputs.self) == Values{1});
}

TEST_CASE("random tensors have the numbers of their seed", "[problem]") {
  const Problem p = given(R"({"inputs": {"random": "normal", "shape": [2, 3], "seed": 7}})");
  const std::vector<std::size_t> shape = {2, 3};
  CHECK(values(p.inputs.self) == random_values(RandomKind::normal, shape, 7));
  CHECK(given(R"({"queries": [[1, 2]], "keys": {"random": "integers", "shape": [4, 2], "seed": 1}})")
            .attention()
            .key_count == 4);
}

TEST_CASE("tensors may hold infinities and NaN", "[problem]") {
  const Problem p = given(R"({"inputs": [["nan", "-inf"], [1, "inf"]]})");
  CHECK(std::isnan(values(p.inputs.self)[0]));
}

TEST_CASE("numbers that are only described are refused before they take memory", "[problem]") {
  CHECK(fault_of(R"({"inputs": {"random": "normal", "shape": [1000, 1000], "seed": 7}})", 1'000'000)
            .find("1000 × 1000") != std::string::npos);
  const std::string huge =
      R"({"inputs": {"random": "normal", "shape": [9007199254740992, 9007199254740992], "seed": 7}})";
  CHECK(faults_of(huge)[0].code == "too-large");

  std::string ragged = "{\"inputs\": [[";
  for (int i = 0; i < 20'000; ++i) ragged += "[1], ";
  ragged += "[1]]";
  for (int i = 0; i < 20'000; ++i) ragged += ", [[1]]";
  CHECK(faults_of(ragged + "]}")[0].code == "too-large");

  std::string tokens = "{\"embeddings\": {\"a\": [1";
  for (int i = 0; i < 50'000; ++i) tokens += ", 1";
  tokens += "]}, \"tokens\": [\"a\"";
  for (int i = 0; i < 50'000; ++i) tokens += ", \"a\"";
  CHECK(faults_of(tokens + "]}")[0].code == "too-large");
}
