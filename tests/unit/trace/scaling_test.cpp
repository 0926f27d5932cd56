#include "trace/scaling.h"

#include <cmath>

#include "catch.h"
#include "trace/rounding.h"

namespace attn {
namespace {

TEST_CASE("a weight of 0 adds nothing to how spread a row is", "[scaling]") {
  const SoftmaxPeak peak = peak_of(Tensor<double>({{"query", 2}, {"key", 4}}, {0.5, 0, 0.5, 0, 0, 1, 0, 0}));
  CHECK(peak.largest_weight == 0.75);
  CHECK(peak.entropy == Approx(std::log(2.0) / 2));  // ln 2 and 0
  CHECK(peak.largest_derivative == 0.125);           // ¼ and 0
}

TEST_CASE("the variance of scores is that of a sample", "[scaling]") {
  const ScoreSpread spread = spread_of(Tensor<double>({{"query", 2}, {"key", 2}}, {1, 2, 3, 6}));
  CHECK(spread.mean == 3);
  CHECK(spread.variance == Approx(14.0 / 3));  // 4 + 1 + 0 + 9, over one fewer
}

TEST_CASE("what is looked up or moved is not rounded by hand, and what is worked out is", "[rounding]") {
  for (const Waves::Kind kind : {Waves::Kind::sine, Waves::Kind::cosine, Waves::Kind::alternating}) {
    // Those that are added to the inputs are a step of their own.
    CHECK(is_rounded_by_hand(Waves{.kind = kind}, 0) == (kind == Waves::Kind::alternating));
  }
  using Part = Softmax::Part;
  for (const Part part : {Part::maximum, Part::exponentials, Part::sum, Part::weights, Part::shares}) {
    CHECK(is_rounded_by_hand(Softmax{part, "key"}, 2) == (part == Part::weights || part == Part::shares));
  }
  CHECK_FALSE(is_rounded_by_hand(Close{}, 1));
  CHECK(is_rounded_by_hand(Close{}, 2));
}

TEST_CASE("of a softmax that goes through the keys a few at a time only the result is rounded by hand", "[rounding]") {
  using Part = Online::Part;
  for (const Part part : {Part::block_maximum, Part::maximum, Part::rescale, Part::exponentials, Part::sum,
                          Part::context, Part::result}) {
    CHECK(is_rounded_by_hand(Online{part, "key", "block", 2}, 2) == (part == Part::result));
  }
}

TEST_CASE("weights keep their sum along whichever axis they were made, and closed ones take no part", "[rounding]") {
  const std::vector<double> columns = {1.0 / 3, 9,     // closed for the second query
                                       1.0 / 3, 0.25,  //
                                       1.0 / 3, 0.75};
  const Shape keys_first = {{"key", 3}, {"query", 2}};
  const Tensor<double> open(keys_first, {1, 0, 1, 1, 1, 1});
  Tensor<double> weights(keys_first, columns);
  round_keeping_sums(weights, "key", &open, {1, RoundingMode::keep_sum});
  CHECK(weights == Tensor<double>(keys_first, {0.4, 0, 0.3, 0.3, 0.3, 0.7}));

  const Shape keys_between = {{"head", 2}, {"key", 2}, {"query", 2}};
  const Tensor<double> open_between(keys_between, {1, 1, 1, 0, 1, 1, 0, 1});
  Tensor<double> heads(keys_between, {0.25, 1, 0.75, 0.5, 1, 0.75, 0.5, 0.25});
  round_keeping_sums(heads, "key", &open_between, {1, RoundingMode::keep_sum});
  CHECK(heads == Tensor<double>(keys_between, {0.3, 1, 0.7, 0, 1, 0.8, 0, 0.2}));
}

}  // namespace
}  // namespace attn
