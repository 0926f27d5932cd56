#include "trace/recipe_builder.h"

#include <string>
#include <vector>

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

TEST_CASE("given tensors stand before all steps, in the order in which they were given", "[trace]") {
  const LateTensor<double> numbers(Tensor<double>(Shape{{"i", 2}}, {1, 2}));
  RecipeBuilder work;
  work.given_step({.id = "inputs", .symbol = "X"}, numbers);
  const std::string weight = work.given({.id = "weight", .symbol = "W"}, numbers);
  const std::string sum =
      work.step({.id = "sum", .symbol = "S"}, Combine{Binary::add, {}}, {"inputs", weight}, std::nullopt);
  work.given({.id = "other", .symbol = "O"}, numbers);
  work.step({.id = "last", .symbol = "L"}, Combine{Binary::add, {}}, {sum, "other"}, Operand("weight"));
  const Recipe recipe = work.take();
  std::vector<std::string> ids;
  for (std::size_t line = 0; line < recipe.size(); ++line) ids.push_back(recipe.instruction(line).id());
  CHECK(ids == std::vector<std::string>{"weight", "other", "inputs", "sum", "last"});
  CHECK(recipe.operands(3) == std::vector<std::size_t>{2, 0});
  CHECK(recipe.operands(4) == std::vector<std::size_t>{3, 1});
  CHECK(recipe.open(4) == 0);
  CHECK(recipe.fits());
  CHECK(recipe.line("sum") == 3);
}

}  // namespace attn
