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

TEST_CASE("in any order, what is no product with a matrix has the bits of the reference", "[backend][cpu]") {
  const auto of = [](const Shape& shape, std::uint64_t seed) { return drawn(shape, seed, Dtype::f64); };
  const Dim model{"d_model", 6}, token{"token", 9}, narrow{"d_k", 4}, head{"head", 2};
  const Tensor<double> x = of({token, model}, 1), w = of({model, narrow}, 2);
  const std::vector<std::vector<Tensor<double>>> calls = {
      {x, of({head, model, narrow}, 3)},                  // a matrix for each head
      {of({model}, 4), w},                                // one vector
      {w, x},                                             // the matrix first
      {of({model, narrow}, 5), of({token, model}, 6)},    // the sum is over its rows
      {x, of({token, model, narrow}, 7)},                 // a matrix for each token
      {of({head, model}, 8), w, of({head, narrow}, 9)},   // what is added is no row
      {x, w, of({narrow}, 10), of({token, narrow}, 11)},  // nor is the second of two
      {x, w, of({token}, 12)},                            // it is a column
      {x, of({model}, 13)},                               // a vector in the place of the matrix
      {of({model, token}, 14), of({narrow, model}, 15)},  // both by columns
  };
  CpuBackend cpu(2);
  ReferenceBackend reference;
  CHECK(&cpu.in_any_order() == &cpu.in_any_order().in_any_order());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const Vectors vectors : {Vectors::rows, Vectors::columns}) {
      CAPTURE(i);
      CHECK(multiplied(cpu.in_any_order(), calls[i], Dtype::f64, vectors) ==
            multiplied(reference, calls[i], Dtype::f64, vectors));
    }
  }
}

TEST_CASE("nothing is made ready of a product whose result has other axes than its rows, or no cell",
          "[backend][cpu]") {
  const Tensor<double> w = drawn({{"d_model", 6}, {"d_k", 4}}, 2, Dtype::f64);
  const auto ready = [&](const Shape& x, const Shape& matrix, const Shape& result) {
    CpuBackend cpu(1);
    const std::vector<View> views = {{x, {}}, {matrix, w.data()}};
    return cpu.in_any_order().ready(Contract{"d_model"}, views, result, Dtype::f64) != nullptr;
  };
  const Dim token{"token", 9}, head{"head", 2}, model{"d_model", 6}, narrow{"d_k", 4};
  CHECK(ready({token, model}, w.shape(), {token, narrow}));
  CHECK(ready({head, token, model}, w.shape(), {head, token, narrow}));
  CHECK_FALSE(ready({{"token", 0}, model}, w.shape(), {{"token", 0}, narrow}));  // no cell
  CHECK_FALSE(ready({token, narrow, model}, w.shape(), {token, narrow}));        // the columns are the rows' own
  CHECK_FALSE(ready({token, model}, w.shape(), {head, token, narrow}));          // repeated for each head
  CHECK_FALSE(ready({head, token, model}, w.shape(), {token, head, narrow}));    // turned
}
