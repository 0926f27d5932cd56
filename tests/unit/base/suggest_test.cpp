#include "base/suggest.h"

#include <string>
#include <tuple>
#include <vector>

#include "catch.h"

using namespace attn;

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps", "[suggest]") {
  auto [a, b, distance] = GENERATE(table<std::string, std::string, std::size_t>({
      {"", "", 0},
      {"", "abc", 3},
      {"abc", "", 3},
      {"run", "rnu", 1},
      {"aditive", "additive", 1},
      {"kitten", "sitting", 3},
      {"ca", "abc", 3},
  }));
  INFO(a << " and " << b);
  CHECK(edit_distance(a, b) == distance);
  CHECK(edit_distance(b, a) == distance);
}

TEST_CASE("the closest name is suggested, and none where none is close", "[suggest]") {
  const std::vector<std::string> known = {"run", "golden", "scaled_dot", "dot", "weight_layout"};
  CHECK(closest("rnu", known) == "run");
  CHECK(closest("goldne", known) == "golden");
  CHECK(closest("Scaled-Dot", known) == "scaled_dot");
  CHECK(closest("weightlayout", known) == "weight_layout");
  CHECK(closest("dto", known) == "dot");
  CHECK(closest("do\u200bt\u00a0", known) == "dot");
  CHECK(closest("d\u200do\u2060t", known) == "dot");
  CHECK(closest("cosine", known) == std::nullopt);
  CHECK(closest("", known) == std::nullopt);
  CHECK(closest("x", known) == std::nullopt);
  CHECK(closest(std::string(100000, 'd'), known) == std::nullopt);
  CHECK(closest("dto", std::vector<std::string>{std::string(100000, 'd'), "dot"}) == "dot");
}

TEST_CASE("a name is plain without case and without what is a sign", "[suggest]") {
  CHECK(plain_name("Q_Proj-x", [](char c) { return c == '_'; }) == "qproj-x");
  CHECK(plain_name("", [](char) { return true; }).empty());
}
