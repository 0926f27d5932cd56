#include "explain/place.h"

#include <limits>
#include <string>
#include <vector>

#include "catch.h"
#include "explain/numerals.h"
#include "explain/provenance.h"
#include "unit/explain/examples.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

using AxisLabels = std::vector<std::string>;

TEST_CASE("an axis is labelled by the tokens that it has and else by numbers", "[explain]") {
  Trace trace;
  trace.labels = {{{"q1", "q2"}}, {{"past", "k1", "k2"}}, {}};
  trace.past_keys = 1;
  const auto labels = [&](const std::string& id, const Axis& axis, std::size_t size) {
    return axis_labels(trace, {.id = id}, {axis, size}, {});
  };
  CHECK(labels("scores", "query", 2) == AxisLabels{"q1", "q2"});
  CHECK(labels("scores", "key", 3) == AxisLabels{"past", "k1", "k2"});
  CHECK(labels("keys", "key", 2) == AxisLabels{"k1", "k2"});
  CHECK(labels("inputs.key", "token", 3) == AxisLabels{"past", "k1", "k2"});
  CHECK(labels("inputs.value", "token", 2) == AxisLabels{"k1", "k2"});
  CHECK(labels("inputs.query", "token", 2) == AxisLabels{"q1", "q2"});
  trace.past_keys = 2;
  CHECK(labels("keys", "key", 2) == AxisLabels{"1", "2"});
  trace.labels = {};
  CHECK(labels("scores", "query", 2) == AxisLabels{"1", "2"});
}

TEST_CASE("a place is told by the axes that the tensor has", "[explain]") {
  const Place place = {{"batch", 1}, {"head", 0}, {"query", 2}};
  CHECK(place_words(Shape{{"batch", 2}, {"head", 3}, {"query", 4}}, place) == "Sequence 2 of 2 · Head 1 of 3");
  CHECK(place_words(Shape{{"head", 3}, {"query", 4}}, place) == "Head 1 of 3");
  CHECK(place_words(Shape{{"query", 4}}, place).empty());
}

TEST_CASE("a tensor without a symbol is called by its id", "[explain]") {
  Trace trace;
  for (const char* id : {"named", "nameless"}) {
    trace.steps.push_back(step_of({.id = id, .symbol = std::string(id) == "named" ? "N" : ""}, Given{}, {}, {},
                                  Tensor<double>(Shape{{"key", 2}})));
  }
  CHECK(CellNames(trace).of({"named", 1}).text == "N[2]");
  CHECK(CellNames(trace).of({"nameless", 1}).text == "nameless[2]");
}

TEST_CASE("cells are told together as long as they follow one axis", "[explain][provenance]") {
  const Shape shape{{"query", 2}, {"key", 3}};
  const auto runs = [&](std::vector<std::size_t> places) { return cell_runs(shape, {"a", std::move(places)}); };
  CHECK(runs({0, 1, 2}) == std::vector<Slice>{{"a", 0, 1, 3}});
  CHECK(runs({0, 3}) == std::vector<Slice>{{"a", 0, 3, 2}});
  CHECK(runs({0, 4}) == std::vector<Slice>{{"a", 0, 0, 1}, {"a", 4, 0, 1}});
  CHECK(runs({0, 1, 4, 5}) == std::vector<Slice>{{"a", 0, 1, 2}, {"a", 4, 1, 2}});
  CHECK(runs({0, 2}) == std::vector<Slice>{{"a", 0, 0, 1}, {"a", 2, 0, 1}});
}

TEST_CASE("two numbers are the same as far as their precision goes", "[explain][numbers]") {
  const double infinite = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Numerals numerals(4, Dtype::f64);
  CHECK(numerals.same(1, 1 + 1e-15));
  CHECK_FALSE(numerals.same(1, 1 + 1e-9));
  CHECK(Numerals(4, Dtype::f32).same(1, 1 + 1e-7));
  CHECK(numerals.same(nan, nan));
  CHECK_FALSE(numerals.same(nan, 1));
  CHECK_FALSE(numerals.same(1, nan));
  CHECK(numerals.same(infinite, infinite));
  CHECK_FALSE(numerals.same(infinite, -infinite));
  CHECK_FALSE(numerals.same(1, infinite));
}

}  // namespace
}  // namespace attn
