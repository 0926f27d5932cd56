#include "model/normalization.h"

#include <cmath>
#include <string>
#include <vector>

#include "catch.h"
#include "reference_backend.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

// The steps of a normalization of one vector, by the ends of their ids.
std::vector<Step> steps_of(bool layer, const std::vector<double>& x, double eps, bool gain, bool bias) {
  RecipeBuilder work;
  const Shape width{{"d_model", x.size()}};
  work.given({.id = "x"}, LateTensor(Tensor<double>(Shape{{"token", 1}, {"d_model", x.size()}}, x)));
  Normalization norm{.id = "norm1", .symbol = "N", .over = "d_model", .eps = eps};
  if (gain) norm.gain = work.given({.id = "gain"}, LateTensor(Tensor<double>(width, std::vector<double>(x.size(), 2))));
  if (bias)
    norm.bias = work.given({.id = "bias"}, LateTensor(Tensor<double>(width, std::vector<double>(x.size(), 10))));
  const std::string last = layer ? layer_normalized(work, norm, "x") : rms_normalized(work, norm, "x");
  CHECK(last == "norm1");
  return worked_out(work).steps;
}

std::vector<std::string> ids(const std::vector<Step>& steps) {
  std::vector<std::string> all;
  for (const Step& step : steps) all.push_back(step.heading.id);
  return all;
}

std::vector<double> numbers(const std::vector<Step>& steps, const std::string& id) {
  for (const Step& step : steps) {
    if (step.heading.id == id) return {step.result.data().begin(), step.result.data().end()};
  }
  return {};
}

using List = std::vector<double>;

}  // namespace

TEST_CASE("a layer normalization is worked out mean, deviations, variance, root, quotient", "[model]") {
  const auto steps = steps_of(true, {1, 3, 5, 7}, 4, true, true);
  CHECK(ids(steps) == std::vector<std::string>{"norm1.sum", "norm1.mean", "norm1.deviations", "norm1.squares",
                                               "norm1.square_sum", "norm1.variance", "norm1.steadied", "norm1.root",
                                               "norm1.quotient", "norm1.scaled", "norm1"});
  CHECK(numbers(steps, "norm1.mean") == List{4});
  CHECK(numbers(steps, "norm1.deviations") == List{-3, -1, 1, 3});
  CHECK(numbers(steps, "norm1.variance") == List{5});
  CHECK(numbers(steps, "norm1.root") == List{3});
  CHECK(numbers(steps, "norm1.quotient") == List{-1, -1.0 / 3, 1.0 / 3, 1});
  CHECK(numbers(steps, "norm1") == List{8, 10 - 2.0 / 3, 10 + 2.0 / 3, 12});
}

TEST_CASE("an RMS normalization has no mean to subtract", "[model]") {
  const auto steps = steps_of(false, {1, 7}, 0, true, false);
  CHECK(ids(steps) == std::vector<std::string>{"norm1.squares", "norm1.square_sum", "norm1.mean_square",
                                               "norm1.steadied", "norm1.root", "norm1.quotient", "norm1"});
  CHECK(numbers(steps, "norm1.root") == List{5});
  CHECK(numbers(steps, "norm1.quotient") == List{0.2, 1.4});
  CHECK(numbers(steps, "norm1") == List{0.4, 2.8});
}

TEST_CASE("the last step has the name of the whole, whatever it is", "[model]") {
  CHECK(ids(steps_of(false, {1, 7}, 0, false, false)).back() == "norm1");
  CHECK(ids(steps_of(true, {1, 7}, 0, false, true)).back() == "norm1");
}

TEST_CASE("with eps a vector of equal numbers is normalized to zeros", "[model]") {
  CHECK(numbers(steps_of(true, {3, 3}, 1e-5, false, false), "norm1") == List{0, 0});
}

}  // namespace attn
