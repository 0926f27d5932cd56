#include "problem/digest.h"

#include <string>
#include <tuple>

#include "unit/problem/given.h"

using namespace attn;

namespace {

std::string digest(std::string_view text) { return statement_digest(given(text)); }

const std::string plain = R"({"inputs": [[1, 0], [0, 2]]})";

}  // namespace

TEST_CASE("a digest is SHA-256 in hexadecimal", "[digest]") {
  const std::string text = digest(plain);
  CHECK(text.size() == 7 + 64);
  CHECK(text.substr(0, 7) == "sha256:");
  CHECK(text.find_first_not_of("0123456789abcdef", 7) == std::string::npos);
}

TEST_CASE("words and spelling do not count", "[digest]") {
  auto [what, text] = GENERATE(table<std::string, std::string>({
      {"title", R"({"title": "t", "inputs": [[1, 0], [0, 2]]})"},
      {"notes, own keys, schema", R"({"$schema": "s", "notes": "n", "x-own": [1], "inputs": [[1, 0], [0, 2]]})"},
      {"tokens", R"({"inputs": [[1, 0], [0, 2]], "tokens": ["a", "b"]})"},
      {"spelled numbers", R"({"inputs": [[1.0, -0.0], [0e7, 20e-1]]})"},
      {"comments and blanks", "{ // nothing\n \"inputs\" :[[1,0],\n[0,2]]}"},
      {"defaults",
       R"({"inputs": [[1, 0], [0, 2]], "score": "scaled_dot", "vectors": "rows", "causal": false, "offset": 0,
                       "weight_layout": "in_out", "split": "projection", "softmax": "softmax",
                       "weights": {"query": "identity", "key": "identity", "value": "identity"},
                       "arithmetic": {"dtype": "f64", "hand_rounding": null}, "mask": []})"},
      {"embeddings", R"({"tokens": ["a", "b"], "embeddings": {"b": [0, 2], "a": [1, 0], "c": [5, 5]}})"},
      {"what is cut off", R"({"inputs": [[1, 0], [0, 2], [7, 7]], "max_tokens": 2})"},
  }));
  INFO(what);
  CHECK(digest(text) == digest(plain));
}

TEST_CASE("whatever changes what is computed counts", "[digest]") {
  const std::string option = GENERATE(
      as<std::string>(), R"("score": "dot")", R"("scale": 1)", R"("scale": 0)", R"("causal": true)", R"("offset": 1)",
      R"("heads": 1)", R"("heads": 2)", R"("vectors": "columns")", R"("lengths": 2)", R"("lengths": 1)",
      R"("mask": {"allow": [[1, 1]]})", R"("mask": {"block": [[1, 1]]})", R"("mask": {"add": [[1, 1]]})",
      R"("mask": {"add": [[1], [1]]})", R"("digits": 2)", R"("arithmetic": {"dtype": "f32"})",
      R"("arithmetic": {"hand_rounding": "2"})", R"("weights": {"output": [[1, 0], [0, 1]]})");
  INFO(option);
  CHECK(digest(R"({"inputs": [[1, 0], [0, 2]], )" + option + "}") != digest(plain));
}

TEST_CASE("the same numbers in another shape or place are another statement", "[digest]") {
  CHECK(digest(R"({"inputs": [[1, 0, 0, 2]]})") != digest(plain));
  CHECK(digest(R"({"inputs": [[[1, 0], [0, 2]]]})") != digest(plain));
  CHECK(digest(R"({"queries": [[1, 0], [0, 2]], "keys": [[1, 0], [0, 2]]})") != digest(plain));
  CHECK(digest(R"({"inputs": [[1, 0], [0, "nan"]]})") != digest(plain));
}

TEST_CASE("values that are the keys, and an offset for all, may be spelled out", "[digest]") {
  CHECK(digest(R"({"queries": [[1]], "keys": [[2]], "values": [[2]]})") ==
        digest(R"({"queries": [[1]], "keys": [[2]]})"));
  CHECK(digest(R"({"inputs": [[[1]], [[2]]], "causal": true, "offset": [3, 3]})") ==
        digest(R"({"inputs": [[[1]], [[2]]], "causal": true, "offset": 3})"));
  CHECK(digest(R"({"inputs": [[1]], "arithmetic": {"hand_rounding": "2"}})") ==
        digest(R"({"inputs": [[1]], "arithmetic": {"hand_rounding": "2:half-up"}})"));
}

TEST_CASE("each sublayer counts, in its own place", "[digest]") {
  Problem one = given(plain), two = one, exchanged = one;
  Attention causal = one.attention();
  causal.options["causal"] = true;
  two.sublayers.push_back(causal);
  exchanged.sublayers.insert(exchanged.sublayers.begin(), causal);
  CHECK(statement_digest(one) == digest(plain));
  CHECK(statement_digest(two) != statement_digest(one));
  CHECK(statement_digest(two) != statement_digest(exchanged));
}
