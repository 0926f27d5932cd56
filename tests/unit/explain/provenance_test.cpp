#include "explain/provenance.h"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "ops/shapes.h"
#include "reference_backend.h"
#include "unit/explain/examples.h"

namespace attn {
namespace {

// One op on operands of its own, and perhaps a mask.
struct Case {
  std::string name;
  Op op;
  std::vector<Tensor<double>> operands;
  bool masked = false;
};

Tensor<double> sevenths(const Shape& shape, std::uint32_t seed) {
  Tensor<double> tensor = examples::scattered(shape, seed);
  for (double& number : tensor.data()) number = number / 7 + 0.5;
  return tensor;
}

std::vector<Case> cases() {
  const Shape queries{{"batch", 2}, {"query", 3}, {"d_k", 2}};
  const Shape keys{{"batch", 2}, {"key", 4}, {"d_k", 2}};
  const Shape scores{{"batch", 2}, {"query", 3}, {"key", 4}};
  const Shape rows{{"batch", 2}, {"query", 3}};
  const Shape values{{"key", 4}, {"d_v", 2}};
  const auto part = [](Softmax::Part which) { return Softmax{which, "key"}; };
  return {
      {"copy", Copy{Shape{{"head", 2}}}, {sevenths(queries, 1)}},
      {"split", Split{"d_model", "head", "d_k", 2}, {sevenths({{"token", 3}, {"d_model", 6}}, 2)}},
      {"merge", Merge{"head", "d_v", "d_concat"}, {sevenths({{"head", 2}, {"query", 3}, {"d_v", 2}}, 3)}},
      {"contract", Contract{"d_k"}, {sevenths(queries, 4), sevenths(keys, 5)}},
      {"contract with bias",
       Contract{"d_model"},
       {sevenths({{"token", 3}, {"d_model", 2}}, 6), sevenths({{"d_model", 2}, {"d_k", 4}}, 7),
        sevenths({{"d_k", 4}}, 8)}},
      {"contract behind a mask", Contract{"key"}, {sevenths(scores, 9), sevenths(values, 10)}, true},
      {"combine", Combine{Binary::multiply, {}}, {sevenths(scores, 11), sevenths(values, 12)}, true},
      {"combine three",
       Combine{Binary::minimum, scores},
       {sevenths({{"key", 4}}, 13), sevenths({{"query", 3}}, 14), sevenths({{"batch", 2}}, 15)}},
      {"map", Map{Unary::divide, 3, "3"}, {sevenths(queries, 16)}},
      {"sum", Reduce{Reducer::sum, "key"}, {sevenths(scores, 17)}},
      {"largest", Reduce{Reducer::maximum, "key"}, {sevenths(scores, 18)}},
      {"close", Close{}, {sevenths(scores, 19), sevenths({{"query", 3}, {"key", 4}}, 20)}, true},
      {"softmax maximum", part(Softmax::Part::maximum), {sevenths(scores, 21)}, true},
      {"softmax exponentials", part(Softmax::Part::exponentials), {sevenths(scores, 22), sevenths(rows, 23)}, true},
      {"softmax sum", part(Softmax::Part::sum), {sevenths(scores, 24)}},
      {"softmax weights", part(Softmax::Part::weights), {sevenths(scores, 25), sevenths(rows, 26)}, true},
  };
}

// Open where neither 3 nor 4 divides the place.
Tensor<double> some_mask() {
  Tensor<double> mask(Shape{{"batch", 2}, {"query", 3}, {"key", 4}});
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 != 0 && i % 4 != 0 ? 1 : 0;
  return mask;
}

Tensor<double> run(const Case& the, const std::vector<Tensor<double>>& operands, const Tensor<double>& mask,
                   const Shape& result) {
  std::vector<View> views;
  for (const Tensor<double>& operand : operands) views.push_back({operand.shape(), operand.data()});
  const View open{mask.shape(), mask.data()};
  ReferenceBackend backend;
  return backend.run(the.op, views, the.masked ? &open : nullptr, result, Dtype::f64);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The cells of the result that move when that number of that operand does, up or down.
std::set<std::size_t> moved(const Case& the, std::size_t operand, std::size_t cell, const Tensor<double>& mask,
                            const Tensor<double>& result) {
  std::set<std::size_t> cells;
  for (const double push : {1e6, -1e6}) {
    std::vector<Tensor<double>> pushed = the.operands;
    pushed[operand][cell] += push;
    const Tensor<double> other = run(the, pushed, mask, result.shape());
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (!same(result[i], other[i])) cells.insert(i);
    }
  }
  return cells;
}

// The cells of the result whose provenance has that number of that operand, closed terms left out.
std::set<std::size_t> said(const Reading& reading, std::size_t operand, std::size_t cell, const Tensor<double>& mask,
                           const Tensor<double>& result) {
  std::set<std::size_t> cells;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Provenance made = provenance(reading, i);
    const Slice& read = made.operands[operand];
    for (std::size_t term = 0; term < read.count; ++term) {
      const bool closed = made.open && mask[made.open->cell(made.open->count > 1 ? term : 0)] == 0;
      if (!closed && read.cell(term) == cell) cells.insert(i);
    }
  }
  return cells;
}

TEST_CASE("what a cell is said to be made of is what moves it", "[explain][provenance]") {
  const Tensor<double> mask = some_mask();
  for (const Case& the : cases()) {
    INFO(the.name);
    Reading reading{the.op, {}, std::nullopt, {}};
    std::vector<Shape> shapes;
    for (const Tensor<double>& operand : the.operands) {
      shapes.push_back(operand.shape());
      reading.operands.push_back({"operand", operand.shape()});
    }
    if (the.masked) reading.open = Reading::Source{"mask", mask.shape()};
    reading.result = result_shape(the.op, shapes, Vectors::rows);
    const Tensor<double> result = run(the, the.operands, mask, reading.result);

    for (std::size_t operand = 0; operand < the.operands.size(); ++operand) {
      for (std::size_t cell = 0; cell < the.operands[operand].size(); ++cell) {
        CAPTURE(operand, cell);
        CHECK(said(reading, operand, cell, mask, result) == moved(the, operand, cell, mask, result));
      }
    }
  }
}

TEST_CASE("a score is made of one query and one key, whatever batch and head", "[explain][provenance]") {
  const Trace trace = examples::traced(examples::ragged_heads());
  const Step& scores = *trace.find("scores");
  const Reading reading = reading_of(trace, scores);
  const Shape& shape = scores.result.shape();
  for (std::size_t cell = 0; cell < scores.result.size(); ++cell) {
    const auto index = shape.index(cell);
    const Provenance made = provenance(reading, cell);
    REQUIRE(made.operands.size() == 2);
    const std::size_t outer = index[0] * 2 + index[1];
    CHECK(made.operands[0] == Slice{"queries", (outer * 3 + index[2]) * 2, 1, 2});
    CHECK(made.operands[1] == Slice{"keys", (outer * 3 + index[3]) * 2, 1, 2});
  }
}

TEST_CASE("inputs are read under the names that a step gives their axes", "[explain][provenance]") {
  const Trace trace = examples::traced(examples::worked_example());
  const Provenance made = provenance(reading_of(trace, *trace.find("keys")), 5);  // keys[2,3]
  CHECK(made.operands[0] == Slice{"inputs", 4, 1, 4});
  CHECK(made.operands[1] == Slice{"weights.key", 2, 3, 4});
}

}  // namespace
}  // namespace attn
