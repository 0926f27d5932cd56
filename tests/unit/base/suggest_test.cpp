#include "base/suggest.h"

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "catch.h"

using namespace attn;

namespace {

// As it is defined: of the beginnings of both, in a table.
std::size_t distance_by_table(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

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

TEST_CASE("edit distance is that of the table by which it is defined, up to the longest name", "[suggest]") {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const auto word = [&](std::size_t most) {
      std::string letters(random() % (most + 1), ' ');
      for (char& letter : letters) letter = static_cast<char>("abc\xff"[random() % (i % 3 + 2)]);
      return letters;
    };
    const std::string a = word(i % 2 == 0 ? 64 : 8), b = word(i % 2 == 0 ? 100 : 8);
    CAPTURE(a, b);
    REQUIRE(edit_distance(a, b) == distance_by_table(a, b));
  }
  const std::string longest(64, 'a');
  CHECK(edit_distance(longest, longest) == 0);
  CHECK(edit_distance(longest, "b" + longest) == 1);
  CHECK(edit_distance(longest, std::string(64, 'b')) == 64);
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
