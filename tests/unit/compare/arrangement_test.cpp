#include "compare/arrangement.h"

#include <algorithm>
#include <numeric>

#include "catch.h"

using namespace attn;

namespace {

const Shape ours{{"batch", 2}, {"head", 3}, {"query", 4}, {"d_k", 5}};

std::vector<std::string> words(const std::vector<Arrangement>& all) {
  std::vector<std::string> result;
  for (const Arrangement& one : all) result.push_back(one.words);
  return result;
}

// 0, 1, 2, … as they stand in a shape.
std::vector<double> counted(std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

}  // namespace

TEST_CASE("numbers in our own order are read as they stand", "[trace][arrangement]") {
  const auto all = arrangements(ours, std::vector<std::size_t>{2, 3, 4, 5});
  REQUIRE(all.size() == 1);
  CHECK(all.front().words.empty());
  const std::vector<double> numbers = counted(120);
  const Tensor<double> read = arranged(ours, numbers, all.front());
  CHECK(std::ranges::equal(read.data(), numbers));
}

TEST_CASE("axes in another order are found and said", "[trace][arrangement]") {
  const auto all = arrangements(ours, std::vector<std::size_t>{2, 4, 3, 5});
  CHECK(words(all) == std::vector<std::string>{"[batch, query, head, d_k]"});
  const Tensor<double> read = arranged(ours, counted(120), all.front());
  // Stored at [1, 2, 0, 4] of 2 × 4 × 3 × 5; ours is [1, 0, 2, 4].
  CHECK(read[1 * 60 + 0 * 20 + 2 * 5 + 4] == 1 * 60 + 2 * 15 + 0 * 5 + 4);
}

TEST_CASE("neighbours in one axis are told apart", "[trace][arrangement]") {
  const auto all = arrangements(ours, std::vector<std::size_t>{2, 4, 15});
  REQUIRE_FALSE(all.empty());
  CHECK(std::ranges::count(words(all), "[batch, query, head·d_k]") == 1);
  const auto heads = std::ranges::find(all, "[batch, query, head·d_k]", &Arrangement::words);
  const Tensor<double> read = arranged(ours, counted(120), *heads);
  CHECK(read[1 * 60 + 2 * 20 + 3 * 5 + 1] == 1 * 60 + 3 * 15 + 2 * 5 + 1);
}

TEST_CASE("one axis may be stored as two", "[trace][arrangement]") {
  const Shape wide{{"query", 4}, {"d_concat", 6}};
  const auto all = arrangements(wide, std::vector<std::size_t>{2, 4, 3});
  REQUIRE(all.size() == 2);  // 2 · 3 or 3 · 2
  const Tensor<double> read = arranged(wide, counted(24), all.front());
  CHECK(read[1 * 6 + 4] == 1 * 12 + 1 * 3 + 1);  // query 1, head 1, feature 1
}

TEST_CASE("axes of size 1 do not count", "[trace][arrangement]") {
  const Shape row{{"query", 1}, {"key", 3}};
  CHECK(words(arrangements(row, std::vector<std::size_t>{3})) == std::vector<std::string>{"[key]"});
  CHECK(words(arrangements(row, std::vector<std::size_t>{1, 1, 3})) == std::vector<std::string>{"[1, 1, key]"});
}

TEST_CASE("an order that sizes leave open comes after the plain one", "[trace][arrangement]") {
  const Shape square{{"query", 3}, {"key", 3}};
  CHECK(words(arrangements(square, std::vector<std::size_t>{3, 3})) == std::vector<std::string>{"", "[key, query]"});
}

TEST_CASE("numbers of another count are no cells of the shape", "[trace][arrangement]") {
  CHECK(arrangements(ours, std::vector<std::size_t>{2, 3, 4}).empty());
  CHECK(arrangements(Shape{}, std::vector<std::size_t>{2}).empty());
  CHECK(arrangements(Shape{}, std::vector<std::size_t>{}).size() == 1);
}

TEST_CASE("a mask is broadcast as numpy does", "[trace][arrangement]") {
  const Shape scores{{"batch", 2}, {"head", 3}, {"query", 4}, {"key", 5}};
  const auto all = broadcast(scores, std::vector<std::size_t>{4, 5});
  REQUIRE(all.size() == 1);
  CHECK(all.front().words == "the same for every batch and head");
  const Tensor<double> read = arranged(scores, counted(20), all.front());
  CHECK(read[1 * 60 + 2 * 20 + 3 * 5 + 4] == 19);
  CHECK(broadcast(scores, std::vector<std::size_t>{2, 5}).empty());
  CHECK(broadcast(scores, std::vector<std::size_t>{2, 3, 4, 5}).empty());
}

TEST_CASE("axes that are named are found in any order and only where they are the same ones", "[trace][arrangement]") {
  const Shape shape{{"query", 2}, {"key", 3}};
  CHECK(words(by_axes(shape, shape)) == std::vector<std::string>{""});
  const auto turned = by_axes(shape, {{"key", 3}, {"query", 2}});
  CHECK(words(turned) == std::vector<std::string>{"[key, query]"});
  // Stored at [2, 1] of 3 × 2; ours is [1, 2].
  CHECK(arranged(shape, counted(6), turned.front())[1 * 3 + 2] == 2 * 2 + 1);
  CHECK(by_axes(shape, {{"query", 2}}).empty());
  CHECK(by_axes(shape, {{"query", 2}, {"token", 3}}).empty());
  CHECK(by_axes(shape, {{"query", 2}, {"key", 4}}).empty());
}

TEST_CASE("orders of more axes than six are too many to try", "[trace][arrangement]") {
  const Shape wide{{"query", 128}};
  CHECK(arrangements(wide, std::vector<std::size_t>(6, 2)).empty());  // of another count
  CHECK(arrangements(wide, std::vector<std::size_t>(7, 2)).empty());
  CHECK_FALSE(arrangements(Shape{{"query", 64}}, std::vector<std::size_t>(6, 2)).empty());
}

TEST_CASE("what is stored with more axes than the mask or as many numbers is not broadcast", "[trace][arrangement]") {
  const Shape scores{{"query", 4}, {"key", 5}};
  CHECK(words(broadcast(scores, std::vector<std::size_t>{5})) == std::vector<std::string>{"the same for every query"});
  CHECK(broadcast(scores, std::vector<std::size_t>{1, 1, 5}).empty());
  CHECK(broadcast(scores, std::vector<std::size_t>{20}).empty());
}

TEST_CASE("no numbers stand in one order", "[trace][arrangement]") {
  CHECK(arrangements({{"query", 0}, {"key", 3}}, std::vector<std::size_t>{0, 3}).size() == 1);
  CHECK(arrangements({{"query", 0}, {"key", 3}}, std::vector<std::size_t>{0, 3})[0].words.empty());
}
