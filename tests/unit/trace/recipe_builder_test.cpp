#include "trace/recipe_builder.h"

#include "catch.h"

namespace attn {
namespace {

LateTensor<double> given_of_one(const LateTensor<double>& numbers, Dtype dtype) {
  RecipeBuilder work({.dtype = dtype, .hand_rounding = {}}, Vectors::rows);
  const std::string id = work.given({.id = "a", .symbol = "A", .role = Role::query}, numbers);
  return work.take().find(id)->given->points;
}

}  // namespace

TEST_CASE("given numbers are rounded to the dtype, and not copied where it holds them already", "[trace]") {
  const LateTensor<double> floats(Tensor<double>(Shape{{"i", 2}}, {0.5, -0.0}));
  const LateTensor<double> doubles(Tensor<double>(Shape{{"i", 2}}, {0.5, 0.1}));
  CHECK(given_of_one(doubles, Dtype::f64).shared() == doubles.shared());
  CHECK(given_of_one(floats, Dtype::f32).shared() == floats.shared());
  CHECK(given_of_one(floats, Dtype::bf16).passing() == floats.shared());
  CHECK(given_of_one(doubles, Dtype::f32).numbers()[1] == static_cast<double>(0.1F));
  CHECK(doubles.numbers()[1] == 0.1);
}

}  // namespace attn
