#include <cmath>
#include <limits>
#include <vector>

#include "catch.h"
#include "ops/shapes.h"
#include "reference_backend.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Tensor<double> run(const Op& op, const std::vector<Tensor<double>>& operands, const Tensor<double>* open = nullptr,
                   Dtype dtype = Dtype::f64) {
  std::vector<View> views;
  std::vector<Shape> shapes;
  for (const auto& operand : operands) {
    views.push_back({operand.shape(), operand.data()});
    shapes.push_back(operand.shape());
  }
  const View mask = open ? View{open->shape(), open->data()} : View{};
  ReferenceBackend backend;
  return backend.run(op, views, open ? &mask : nullptr, result_shape(op, shapes, Vectors::rows), dtype);
}

std::vector<double> numbers(const Tensor<double>& tensor) { return {tensor.data().begin(), tensor.data().end()}; }

Tensor<double> softmax(const Tensor<double>& scores, const Tensor<double>* open = nullptr) {
  const auto maximum = run(Softmax{Softmax::Part::maximum, "key"}, {scores}, open);
  const auto exponentials = run(Softmax{Softmax::Part::exponentials, "key"}, {scores, maximum}, open);
  const auto sums = run(Softmax{Softmax::Part::sum, "key"}, {exponentials});
  return run(Softmax{Softmax::Part::weights, "key"}, {exponentials, sums}, open);
}

}  // namespace

TEST_CASE("a contraction sums products along the shared axis and then adds the bias", "[backend]") {
  const Tensor<double> x({{"key", 2}, {"d_model", 3}}, {1, 2, 3, 4, 5, 6});
  const Tensor<double> w({{"d_model", 3}, {"d_k", 2}}, {1, 0, 0, 1, 1, 1});
  const Tensor<double> b({{"d_k", 2}}, {10, 20});
  CHECK(numbers(run(Contract{"d_model"}, {x, w})) == std::vector<double>{4, 5, 10, 11});
  CHECK(numbers(run(Contract{"d_model"}, {x, w, b})) == std::vector<double>{14, 25, 20, 31});

  const Tensor<double> transposed({{"d_k", 2}, {"d_model", 3}}, {1, 0, 1, 0, 1, 1});
  CHECK(numbers(run(Contract{"d_model"}, {x, transposed})) == std::vector<double>{4, 5, 10, 11});
}

TEST_CASE("sums run in index order", "[backend]") {
  const Tensor<double> row({{"key", 3}}, {1, 1e100, -1e100});
  CHECK(run(Reduce{Reducer::sum, "key"}, {row})[0] == 0);
  const Tensor<double> reversed({{"key", 3}}, {1e100, -1e100, 1});
  CHECK(run(Reduce{Reducer::sum, "key"}, {reversed})[0] == 1);
}

TEST_CASE("with f32 every product and every partial sum is rounded to f32", "[backend]") {
  const Tensor<double> a({{"d_k", 2}}, {16777216, 1});
  const Tensor<double> b({{"d_k", 2}}, {1, 1});
  CHECK(run(Contract{"d_k"}, {a, b}, nullptr, Dtype::f64)[0] == 16777217);
  CHECK(run(Contract{"d_k"}, {a, b}, nullptr, Dtype::f32)[0] == 16777216);
}

TEST_CASE("with bf16 and f16 a step is computed in f64 and rounded once", "[backend]") {
  // 256 + 1 + 1: rounded after each sum, bf16 would stay at 256.
  const Tensor<double> a({{"d_k", 3}}, {256, 1, 1});
  const Tensor<double> b({{"d_k", 3}}, {1, 1, 1});
  CHECK(run(Contract{"d_k"}, {a, b}, nullptr, Dtype::bf16)[0] == 258);
  // 2048 + 1 + 2^-30 is no tie, as it would be for a float.
  const Tensor<double> c({{"d_k", 3}}, {2048, 1, 0x1p-15});
  const Tensor<double> d({{"d_k", 3}}, {1, 1, 0x1p-15});
  CHECK(run(Contract{"d_k"}, {c, d}, nullptr, Dtype::f16)[0] == 2050);
  const Tensor<double> large({{"key", 2}}, {60000, 60000});
  CHECK(run(Reduce{Reducer::sum, "key"}, {large}, nullptr, Dtype::f16)[0] == infinity);
}

TEST_CASE("heads are split off in consecutive columns and merged back in order", "[backend]") {
  const Tensor<double> wide({{"query", 2}, {"d_concat", 4}}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor<double> heads = run(Split{"d_concat", "head", "d_v", 2}, {wide});
  CHECK(numbers(heads) == std::vector<double>{1, 2, 5, 6, 3, 4, 7, 8});
  CHECK(run(Merge{"head", "d_v", "d_concat"}, {heads}) == wide);
}

TEST_CASE("what stands behind a closed cell is never read", "[backend]") {
  const Tensor<double> open({{"query", 1}, {"key", 3}}, {1, 0, 1});
  const Tensor<double> scores({{"query", 1}, {"key", 3}}, {1, not_a_number, 1});
  const Tensor<double> weights = softmax(scores, &open);
  CHECK(numbers(weights) == std::vector<double>{0.5, 0, 0.5});

  const Tensor<double> values({{"key", 3}, {"d_v", 1}}, {2, infinity, 4});
  CHECK(run(Contract{"key"}, {weights, values}, &open)[0] == 3);
  CHECK(numbers(run(Combine{Binary::multiply, {}}, {weights, values}, &open)) == std::vector<double>{1, 0, 2});
}

TEST_CASE("a row whose every cell is closed has maximum -inf and weights 0", "[backend]") {
  const Tensor<double> open({{"query", 1}, {"key", 2}}, {0, 0});
  const Tensor<double> scores({{"query", 1}, {"key", 2}}, {1, 2});
  CHECK(run(Softmax{Softmax::Part::maximum, "key"}, {scores}, &open)[0] == -infinity);
  CHECK(numbers(softmax(scores, &open)) == std::vector<double>{0, 0});
}

TEST_CASE("an open NaN is not hidden", "[backend]") {
  const Tensor<double> scores({{"query", 1}, {"key", 3}}, {1, not_a_number, 2});
  const Tensor<double> weights = softmax(scores);
  for (const double weight : weights.data()) CHECK(std::isnan(weight));
}

TEST_CASE("adding a constant to every score leaves the weights as they were", "[backend][property]") {
  const Tensor<double> scores({{"query", 1}, {"key", 4}}, {0.5, -2, 3, 1});
  const Tensor<double> expected = softmax(scores);
  // Powers of two keep the differences exact.
  const double shift = GENERATE(-1024.0, 1.0, 4096.0);
  Tensor<double> shifted = scores;
  for (double& score : shifted.data()) score += shift;
  CHECK(softmax(shifted) == expected);
}

TEST_CASE("equal scores share the weight equally, however many and however large", "[backend][property]") {
  const std::size_t keys = GENERATE(1, 2, 3, 7, 64, 1000);
  const double score = GENERATE(-745.2, 0.0, 709.8, 1e308);
  const Tensor<double> scores({{"query", 1}, {"key", keys}}, std::vector<double>(keys, score));
  const Tensor<double> weights = softmax(scores);
  for (const double weight : weights.data()) CHECK(weight == 1 / static_cast<double>(keys));
}

TEST_CASE("a backend that has no shorter way leaves the steps to be worked out one by one", "[backend]") {
  ReferenceBackend backend;
  CHECK(&backend.in_any_order() == &backend);
  CHECK_FALSE(backend.ready(Given{}, {}, {}, Dtype::f64));
  CHECK_FALSE(backend.attend(FusedAttention<float>{}));
  CHECK_FALSE(backend.attend(FusedAttention<double>{}));
  CHECK_FALSE(backend.attends_in_16_bits());
  CHECK_FALSE(backend.attend_in_16_bits(FusedAttention<float>{}, Dtype::f16));
}

TEST_CASE("a machine that fails says why, and what helps", "[backend]") {
  const BackendError failed(
      Diagnostic{.code = "no-memory", .message = "the GPU's memory is short", .help = "a smaller batch"});
  CHECK(failed.fault().code == "no-memory");
  CHECK(failed.fault().message == failed.what());
}
