#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "catch.h"
#include "compare/golden.h"
#include "unit/trace/by_hand.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Trace trace_of(std::vector<double> scores) {
  Trace trace;
  trace.result = "scores";
  trace.steps.push_back(step_of({.id = "scores"}, Given{}, {}, std::nullopt,
                                Tensor<double>({{"query", 1}, {"key", scores.size()}}, scores)));
  return trace;
}

StoredTrace stored(const Trace& trace) {
  StoredTrace golden;
  golden.dtype = "f64";
  golden.result = trace.result;
  for (const Step& step : trace.steps) golden.steps.push_back({step.heading.id, step.result});
  return golden;
}

// The same with how far each of its numbers may be from the exact one.
Trace bounded(std::vector<double> scores, const std::vector<double>& since) {
  Trace trace = trace_of(scores);
  const Shape shape = trace.steps[0].result.shape();
  const Tensor<double> bound(shape, since);
  auto made = std::make_shared<const Instruction>(Instruction{.heading = {.id = "scores"}, .op = Given{}});
  trace.steps.clear();
  trace.steps.push_back({std::move(made), std::make_shared<const Tensor<double>>(shape, std::move(scores)),
                         std::make_shared<const Bounds>(Bounds{bound, bound})});
  return trace;
}

}  // namespace

TEST_CASE("a tolerance accepts equal bits, NaN for NaN, and what lies within it", "[trace]") {
  CHECK(Tolerance{}.accepts(1, 1));
  CHECK(Tolerance{}.accepts(not_a_number, not_a_number));
  CHECK(Tolerance{}.accepts(0.0, -0.0));
  CHECK_FALSE(Tolerance{}.accepts(1, std::nextafter(1, 2)));
  CHECK(Tolerance{.relative = 1e-9}.accepts(1, std::nextafter(1, 2)));
  CHECK_FALSE(Tolerance{.absolute = 1e300, .relative = 1e300}.accepts(infinity, 1));
  CHECK_FALSE(Tolerance{.absolute = infinity}.accepts(not_a_number, 1));
  CHECK_FALSE(Tolerance{.absolute = infinity}.accepts(1, infinity));
  // Either is enough, and they are not added up.
  CHECK(Tolerance{.absolute = 1, .relative = 0.1}.accepts(100, 110));
  CHECK(Tolerance{.absolute = 1, .relative = 0.1}.accepts(1, 2));
  CHECK_FALSE(Tolerance{.absolute = 1, .relative = 0.1}.accepts(10, 11.5));
  // A part of the expected number, whichever of the two is larger.
  CHECK(Tolerance{.relative = 0.5}.accepts(2, 1));
  CHECK_FALSE(Tolerance{.relative = 0.5}.accepts(1, 2));
}

TEST_CASE("ulps are counted in the numbers of the dtype, across zero too", "[trace]") {
  CHECK(ulps_apart(1, std::nextafter(1, 2), Dtype::f64) == 1);
  CHECK(ulps_apart(1, static_cast<double>(std::nextafter(1.0F, 2.0F)), Dtype::f32) == 1);
  CHECK(ulps_apart(1, 1.0078125, Dtype::bf16) == 1);
  CHECK(ulps_apart(-0x1p-24, 0x1p-24, Dtype::f16) == 2);
  CHECK(ulps_apart(65504, infinity, Dtype::f16) == 1);
  const double tiny = std::numeric_limits<double>::denorm_min();
  CHECK(ulps_apart(-tiny, tiny, Dtype::f64) == 2);
  CHECK(ulps_apart(0.0, -0.0, Dtype::f64) == 0);
  CHECK(ulps_apart(-infinity, infinity, Dtype::f64) > std::uint64_t{1} << 63);
  CHECK(ulps_apart(not_a_number, 1, Dtype::f64) == std::numeric_limits<std::uint64_t>::max());
  CHECK(ulps_apart(1, not_a_number, Dtype::f64) == std::numeric_limits<std::uint64_t>::max());
  CHECK(ulps_apart(not_a_number, not_a_number, Dtype::f64) == 0);
}

TEST_CASE("numbers are as far apart as they are and NaN is only near NaN", "[trace]") {
  CHECK(distance(1, 1) == 0);
  CHECK(distance(1, -2) == 3);
  CHECK(distance(-infinity, -infinity) == 0);
  CHECK(distance(-infinity, 1) == infinity);
  CHECK(distance(not_a_number, not_a_number) == 0);
  CHECK(distance(not_a_number, 1) == infinity);
  CHECK(distance(1, not_a_number) == infinity);
}

TEST_CASE("the coarser of two dtypes says how close numbers are to be", "[trace]") {
  const double bf16 = usual_closeness("bf16", "f64").relative, f16 = usual_closeness("f16", "f32").relative,
               f32 = usual_closeness("f64", "f32").relative, f64 = usual_closeness("f64", "f64").relative;
  CHECK(bf16 > 0x1p-8);  // half of the last place of 1, and more for sums
  CHECK(f16 > 0x1p-11);
  CHECK(f32 > 0x1p-24);
  CHECK(f64 > 0x1p-53);
  CHECK(f64 < f32);
  CHECK(f32 < f16);
  CHECK(f16 < bf16);
  CHECK(usual_closeness("f64", "bf16").typical == bf16);
  CHECK(usual_closeness("int64", "f64").relative == f64);
}

TEST_CASE("only where nothing is allowed the same bits are wanted", "[trace]") {
  CHECK(Closeness{}.wants_same_bits());
  CHECK_FALSE(Closeness{.absolute = 1e-9}.wants_same_bits());
  CHECK_FALSE(Closeness{.relative = 1e-9}.wants_same_bits());
  CHECK_FALSE(Closeness{.typical = 1e-9}.wants_same_bits());
}

TEST_CASE("a step is as large as the largest of its middle row and no infinity counts", "[trace]") {
  const Closeness closeness{.typical = 0.5};
  CHECK(tolerance_of(Tensor<double>(Shape{}, {-4}), closeness).absolute == 2);
  const Shape rows{{"query", 3}, {"key", 3}};
  const Tensor<double> scores(rows, {1, -2, -infinity, -8, infinity, 3, not_a_number, 4, -1e9});
  CHECK(tolerance_of(scores, closeness).absolute == 2);  // of 2, 8 and 4
  CHECK(tolerance_of(Tensor<double>(rows), closeness).absolute == 0.5);
}

TEST_CASE("a trace does not differ from itself", "[trace]") {
  const Trace trace = trace_of({1, not_a_number, -infinity});
  CHECK(differences(stored(trace), trace, {}).empty());
}

TEST_CASE("the worst cell of a step that differs is named with both numbers", "[trace]") {
  const auto found = differences(stored(trace_of({1, 2, 3})), trace_of({1, 2.5, 3.25}), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].step == "scores");
  CHECK(found[0].message == "2 of 3 cells differ");
  REQUIRE(found[0].worst);
  CHECK(found[0].worst->index == std::vector<std::size_t>{0, 1});
  CHECK(found[0].worst->expected == 2);
  CHECK(found[0].worst->got == 2.5);
  // Of several as far apart the first.
  const auto alike = differences(stored(trace_of({1, 2, 3})), trace_of({1, 2.5, 3.5}), {});
  CHECK(alike.at(0).worst->index == std::vector<std::size_t>{0, 1});
}

TEST_CASE("numbers of two dtypes are counted apart in double precision", "[trace]") {
  Trace trace = trace_of({1 + 0x1p-40});
  const StoredTrace golden = stored(trace_of({1}));
  const auto ulps = [&](Dtype dtype) {
    trace.arithmetic.dtype = dtype;
    const auto found = differences(golden, trace, {});
    REQUIRE(found.size() == 2);  // the dtype, and the step
    return found.back().worst.value().ulps;
  };
  CHECK(ulps(Dtype::f32) == 1 << 12);
  CHECK(ulps(Dtype::bf16) == 1 << 12);
}

TEST_CASE("each cell may be as far from its golden as its own bound says", "[trace]") {
  const StoredTrace golden = stored(trace_of({1, 2, 3}));
  CHECK(differences(golden, bounded({1, 2.5, 3}, {0, 0.25, 0}), {}).empty());
  CHECK(differences(golden, bounded({1.5, 2, 3}, {0.25, 0, 0}), {}).empty());
  CHECK(differences(golden, bounded({1, 2, 3.5}, {0, 0, 0.25}), {}).empty());
  const auto found = differences(golden, bounded({1.5, 2.5, 3.5}, {0.25, 0.25, 1e-17}), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "1 of 3 cells differ");
  CHECK(found[0].worst->index == std::vector<std::size_t>{0, 2});
}

TEST_CASE("a step may be as far from its golden as its bounds say, and no bound makes NaN a number", "[trace]") {
  const auto bounded = [](std::vector<double> scores, double since) {
    return ::bounded(scores, std::vector<double>(scores.size(), since));
  };
  const StoredTrace golden = stored(trace_of({1, 2, 3}));
  CHECK(differences(golden, bounded({1, 2.5, 3}, 0.25), {}).empty());  // each may be so far off
  CHECK(differences(golden, bounded({1, 2.5, 3}, 0.2), {}).size() == 1);
  CHECK(differences(golden, bounded({1, 1e6, 3}, infinity), {}).empty());
  const auto found = differences(golden, bounded({1, not_a_number, 3}, infinity), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "1 of 3 cells differ");
}

TEST_CASE("a missing step, a new one, another shape and another result are differences", "[trace]") {
  const Trace three = trace_of({1, 2, 3});
  const Trace two = trace_of({1, 2});
  CHECK(differences(stored(three), two, {})[0].message == "shape is 1 × 2, expected 1 × 3");

  Trace renamed;
  renamed.result = three.result;
  renamed.steps.push_back(step_of({.id = "scaled_scores"}, Given{}, {}, std::nullopt, three.steps[0].result));
  const auto found = differences(stored(three), renamed, {});
  REQUIRE(found.size() == 2);
  CHECK(found[0].message == "the step is missing");
  CHECK(found[1].message == "the step is not in the golden");

  Trace scaled = three;
  scaled.steps.push_back(step_of({.id = "scaled_scores"}, Given{}, {}, std::nullopt, three.steps[0].result));
  StoredTrace turned = stored(scaled);
  std::swap(turned.steps[0], turned.steps[1]);
  const auto order = differences(turned, scaled, {});
  REQUIRE(order.size() == 1);
  CHECK(order[0].message == "the steps are in another order");
  CHECK(first_different(order).empty());

  Trace other = three;
  other.result = "context";
  CHECK(differences(stored(three), other, {})[0].message == "result is context, expected scores");
}
