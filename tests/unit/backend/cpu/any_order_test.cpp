#include <array>
#include <cmath>
#include <vector>

#include "backend/cpu/cpu.h"
#include "backend/cpu/instructions.h"
#include "base/random.h"
#include "catch.h"
#include "ops/shapes.h"
#include "reference_backend.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

Tensor<double> drawn(const Shape& shape, std::uint64_t seed, Dtype dtype) {
  std::vector<std::size_t> sizes;
  for (const Dim& dim : shape.dims()) sizes.push_back(dim.size);
  Tensor<double> tensor(shape, random_values(RandomKind::normal, sizes, seed));
  for (double& number : tensor.data()) number = stored(number, dtype);
  return tensor;
}

Tensor<double> multiplied(Backend& backend, const std::vector<Tensor<double>>& operands, Dtype dtype,
                          Vectors vectors = Vectors::rows) {
  std::vector<View> views;
  std::vector<Shape> shapes;
  for (const Tensor<double>& operand : operands) {
    views.push_back({operand.shape(), operand.data()});
    shapes.push_back(operand.shape());
  }
  return backend.run(Contract{"d_model"}, views, nullptr, result_shape(Contract{"d_model"}, shapes, vectors), dtype);
}

}  // namespace

TEST_CASE("in any order, a projection is the reference's to rounding, for every size", "[backend][cpu]") {
  const std::size_t tokens = GENERATE(1U, 5U, 12U, 97U, 200U);
  const std::size_t width = GENERATE(1U, 16U, 33U), columns = GENERATE(1U, 7U, 16U, 40U);
  const Dtype dtype = GENERATE(Dtype::f32, Dtype::f64);
  const Tensor<double> x = drawn({{"batch", 2}, {"token", tokens}, {"d_model", width}}, 1, dtype);
  const Tensor<double> w = drawn({{"d_model", width}, {"d_k", columns}}, 2, dtype);
  const Tensor<double> transposed = drawn({{"d_k", columns}, {"d_model", width}}, 3, dtype);
  const Tensor<double> bias = drawn({{"d_k", columns}}, 4, dtype);

  ReferenceBackend reference;
  CpuBackend one(1), three(3);
  for (const auto& operands : {std::vector{x, w}, std::vector{x, transposed, bias}}) {
    const Tensor<double> wanted = multiplied(reference, operands, Dtype::f64);
    const Tensor<double> found = multiplied(one.in_any_order(), operands, dtype);
    REQUIRE(found.shape() == wanted.shape());
    const double unit = dtype == Dtype::f32 ? 6e-8 : 1.2e-16;
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(std::abs(found[i] - wanted[i]) <= unit * 60 * static_cast<double>(width + 1));
    }
    CHECK(multiplied(three.in_any_order(), operands, dtype) == found);
  }
}

TEST_CASE("a product that was made ready is the one that is not, and reads its matrix no more", "[backend][cpu]") {
  const Dtype dtype = GENERATE(Dtype::f32, Dtype::f64);
  const Tensor<double> w = drawn({{"d_k", 40}, {"d_model", 33}}, 2, dtype), bias = drawn({{"d_k", 40}}, 4, dtype);
  const Shape rows{{"token", 20}, {"d_model", 33}}, result{{"token", 20}, {"d_k", 40}};
  CpuBackend cpu(2);
  const std::vector<View> shapes = {{rows, {}}, {w.shape(), w.data()}, {bias.shape(), {}}};
  const auto product = cpu.in_any_order().ready(Contract{"d_model"}, shapes, result, dtype);
  REQUIRE(product);
  for (const std::uint64_t seed : {5, 6}) {
    const Tensor<double> x = drawn(rows, seed, dtype);
    const std::vector<View> views = {{rows, x.data()}, {w.shape(), {}}, {bias.shape(), bias.data()}};
    CHECK(product->run(views, result) == multiplied(cpu.in_any_order(), {x, w, bias}, dtype));
  }
  CHECK_FALSE(cpu.ready(Contract{"d_model"}, shapes, result, dtype));
  CHECK_FALSE(cpu.in_any_order().ready(Contract{"d_model"}, shapes, result, Dtype::bf16));
}

TEST_CASE("in any order, what is no product with a matrix is as it was", "[backend][cpu]") {
  const Tensor<double> x = drawn({{"d_model", 6}, {"token", 9}}, 1, Dtype::f64);
  const Tensor<double> w = drawn({{"d_k", 4}, {"d_model", 6}}, 2, Dtype::f64);
  CpuBackend cpu(2);
  ReferenceBackend reference;
  CHECK(multiplied(cpu.in_any_order(), {x, w}, Dtype::f64, Vectors::columns) ==
        multiplied(reference, {x, w}, Dtype::f64, Vectors::columns));
}
