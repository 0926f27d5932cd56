#include "reading/problem/differing_keys.h"

#include <string>
#include <utility>
#include <vector>

#include "catch.h"

using namespace attn;

namespace {

using Lines = std::vector<std::string>;

// "/scale: 0.5 | 2", a line a key.
Lines told(const std::string& first, const std::string& second) {
  Lines lines;
  for (const KeyDifference& one : differing_keys(first, second)) {
    lines.push_back(one.where + ": " + one.first + " | " + one.second);
  }
  return lines;
}

}  // namespace

TEST_CASE("a key that only one problem has is told with what it says", "[diff]") {
  CHECK(told(R"({"window": [2, -1], "scale": 2})", R"({"block": [[0, 1], [1, 0]], "score": "dot"})") ==
        Lines{"/window: [2, -1] | ", "/scale: 2 | ", "/block:  | 2 × 2 numbers", "/score:  | \"dot\""});
  CHECK(told(R"({"inputs": [1, 2, 3, 4, 5]})", "{}") == Lines{"/inputs: 5 numbers | "});
  CHECK(told(R"({"inputs": [[1], [2, 3]]})", "{}") == Lines{"/inputs: lists of several sizes | "});
}

TEST_CASE("numbers that moved to another key are named by the one that they left", "[diff]") {
  CHECK(told(R"({"causal": true, "allow": [[1, 0], [1, 1]]})", R"({"causal": true, "block": [[1.0, 0], [1, 1]]})") ==
        Lines{"/allow: 2 × 2 numbers | ", "/block:  | the numbers of A's allow"});
  CHECK(told(R"({"allow": [["nan", 0]], "add": [["nan", -0.0]]})", R"({"block": [["nan", 0]]})")[2] ==
        "/block:  | the numbers of A's allow");
  CHECK(told(R"({"allow": [[1, 0], [1, 1]]})", R"({"block": [[1, 0], [0, 1]]})")[1] == "/block:  | 2 × 2 numbers");
  CHECK(told(R"({"allow": [[1, 0], [1, 1]]})", R"({"block": [[1, 0]]})")[1] == "/block:  | 1 × 2 numbers");
}

TEST_CASE("what is only written otherwise is no difference of two problems", "[diff]") {
  CHECK(told(R"({"inputs": [[1, 2], [3, 4]], "scale": 0.5, "score": "dot", "kv_heads": 2})",
             R"({"kv_heads": 2.0, "score": {"type": "d\u006ft"}, "scale": 5e-1, "inputs": [[1.0, 2], [3, 40e-1]]})")
            .empty());
  CHECK(told(R"({"inputs": [["nan", 1]]})", R"({"inputs": [["nan", 1.0]]})").empty());
  CHECK(told(R"({"title": "A", "notes": "x", "digits": 3, "x-own": 1, "tokens": ["a"]})", R"({"tokens": ["b"]})")
            .empty());
}

TEST_CASE("what is no problem has no keys to tell", "[diff]") {
  for (const char* text : {"[1]", "7", "{", ""}) {
    CHECK(told(text, R"({"scale": 2})").empty());
    CHECK(told(R"({"scale": 2})", text).empty());
  }
}

TEST_CASE("of two values of other kinds both are told", "[diff]") {
  CHECK(told(R"({"score": {"type": "dot"}})", R"({"score": 7})").size() == 1);
  CHECK(told(R"({"block": {"layers": [{"eps": 1}]}})", R"({"block": {"layers": 2}})").size() == 1);
  CHECK(told(R"({"block": {"layers": 2}})", R"({"block": {"layers": [{"eps": 1}]}})").size() == 1);
  CHECK(told(R"({"inputs": [["nan", 1]]})", R"({"inputs": [[2, 1]]})") == Lines{"/inputs: nan at [1,1] | 2 at [1,1]"});
}

TEST_CASE("of an object and a list, and of words and numbers, both are told", "[diff]") {
  CHECK(told(R"({"block": {"layers": 2}})", R"({"block": [[1, 0]]})") == Lines{"/block: an object | 1 × 2 numbers"});
  CHECK(told(R"({"inputs": [1, 2]})", R"({"inputs": ["a", "b"]})") == Lines{"/inputs: [1, 2] | a list"});
  CHECK(told(R"({"inputs": ["a", "b"]})", R"({"inputs": [1, 2]})") == Lines{"/inputs: a list | [1, 2]"});
}

TEST_CASE("names of tokens count where embeddings are looked up by them, and \"1\" is a word there", "[diff]") {
  const auto named = [](const std::string& tokens) {
    return R"({"tokens": )" + tokens + R"(, "embeddings": {"a": [1], "b": [2]}})";
  };
  CHECK(told(named(R"(["a", "b"])"), named(R"(["a", "a"])")) == Lines{"/tokens/1: \"b\" | \"a\""});
  CHECK(told(named(R"(["1", "2"])"), named(R"(["1", "3"])")) == Lines{"/tokens/1: \"2\" | \"3\""});
  CHECK(told(named(R"(["a", "b"])"), named(R"(["a"])")) == Lines{"/tokens: a list | a list"});
  CHECK(told(R"({"tokens": ["a"], "inputs": [[1]]})", named(R"(["b"])"))[0] == "/tokens/0: \"a\" | \"b\"");
}

TEST_CASE("a list that begins with a number and goes on with a word is no list of numbers", "[diff]") {
  for (const auto& [one, other] :
       {std::pair(R"(["1", "a"])", R"(["2", "b"])"), {R"(["1", 2, "a"])", R"([1, 2, "b"])"}}) {
    const auto of = [](const char* list) { return R"({"weights": {"key": )" + std::string(list) + "}}"; };
    CHECK(!told(of(one), of(other)).empty());
    CHECK(told(of(one), "{}").size() == 1);
    CHECK(told(R"({"allow": )" + std::string(one) + "}", R"({"block": )" + std::string(other) + "}").size() == 2);
  }
}

TEST_CASE("tokens of a memory and a vocabulary are words, and free keys say nothing wherever they stand", "[diff]") {
  const auto with = [](const std::string& vocabulary) { return R"({"block": {"vocabulary": )" + vocabulary + "}}"; };
  CHECK(told(with(R"(["1", "the"])"), with(R"(["0", "the"])")) == Lines{"/block/vocabulary/0: \"1\" | \"0\""});
  CHECK(told(with(R"(["1", "2"])"), with(R"(["3", "2"])")) == Lines{"/block/vocabulary/0: \"1\" | \"3\""});
  const auto memory = [](const std::string& members) { return R"({"block": {"memory": {)" + members + "}}}"; };
  CHECK(told(memory(R"("tokens": ["1", "a"])"), memory(R"("tokens": ["2", "b"])")).empty());
  CHECK(told(memory(R"("tokens": ["1", "a"], "embeddings": {})"),
             memory(R"("tokens": ["2", "a"], "embeddings": {})")) == Lines{"/block/memory/tokens/0: \"1\" | \"2\""});
  CHECK(told(R"({"weights": {"x-from": ["1", "a"]}})", R"({"weights": {"x-from": ["2", "b"]}})").empty());
  CHECK(told(R"({"embeddings": {"x-ray": [1, 2]}})", R"({"embeddings": {"x-ray": [1, 3]}})").size() == 1);
}

TEST_CASE("of objects and of lists of them each part that differs is told", "[diff]") {
  CHECK(told(R"({"score": {"type": "additive", "vector": [1]}})",
             R"({"score": {"type": "additive", "vector": [2]}})") == Lines{"/score/vector: 1 at [1] | 2 at [1]"});
  CHECK(told(R"({"score": {"type": 7}})", R"({"score": {"type": 8}})") == Lines{"/score/type: 7 | 8"});
  CHECK(told(R"({"block": {"layers": [{"eps": 1}, {"eps": 2}]}})",
             R"({"block": {"layers": [{"eps": 1}, {"eps": 3}]}})") == Lines{"/block/layers/1/eps: 2 | 3"});
  CHECK(told(R"({"scale": 2})", R"({"scale": "none"})") == Lines{"/scale: 2 | \"none\""});
  CHECK(told(R"({"scale": "none"})", R"({"scale": 2})") == Lines{"/scale: \"none\" | 2"});
  CHECK(told(R"({"inputs": [[1]]})", R"({"inputs": {"file": "x.npy"}})").size() == 1);
}

TEST_CASE("how the numbers of two tensors differ is told by the simplest that they have in common", "[diff]") {
  const auto tensors = [](const std::string& first, const std::string& second) {
    return told(R"({"mask": )" + first + "}", R"({"mask": )" + second + "}");
  };
  CHECK(tensors("[[1, 2, 3], [4, 5, 6]]", "[[1, 4], [2, 5], [3, 6]]") ==
        Lines{"/mask: 2 × 3 numbers | the same numbers transposed"});
  CHECK(tensors("[[1, 2, 3], [4, 5, 6]]", "[[1, 4], [2, 5], [3, 7]]") == Lines{"/mask: 2 × 3 numbers | 3 × 2 numbers"});
  CHECK(tensors("[[1, 0], [1, 1]]", "[[0, 1], [0, 0]]") == Lines{"/mask: 2 × 2 numbers | 0 and 1 exchanged"});
  CHECK(tensors("[[true, false]]", "[[false, true]]") == Lines{"/mask: 1 × 2 numbers | 0 and 1 exchanged"});
  CHECK(tensors("[[1, 0], [2, 1]]", "[[0, 1], [-1, 0]]")[0].find("exchanged") == std::string::npos);
  CHECK(tensors("[[1, 2], [3, 4]]", "[[1, 2], [5, 4]]") == Lines{"/mask: 3 at [2,1] | 5 at [2,1]"});
  CHECK(tensors("[[1, 2], [3, 4]]", "[[1, 7], [5, 4]]") == Lines{"/mask: 2 at [1,2] | 7 at [1,2]; 2 numbers differ"});
  CHECK(tensors("[[1], [3, 4]]", "[[1], [3, 5]]").size() == 1);
  CHECK(tensors("[[1], [3, 4]]", "[[1, 2]]") == Lines{"/mask: lists of several sizes | 1 × 2 numbers"});
  CHECK(tensors("[[1, 2]]", "[[1], [3, 4]]") == Lines{"/mask: 1 × 2 numbers | lists of several sizes"});
}
