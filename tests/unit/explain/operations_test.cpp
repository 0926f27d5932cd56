#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/interval.h"
#include "catch.h"
#include "explain/arithmetic/lines.h"
#include "explain/provenance.h"
#include "explain/worked_cell.h"
#include "ops/regroups.h"
#include "unit/explain/calculator.h"
#include "unit/ops/recorded.h"

// The operations of positions, caches and other scores and softmaxes: how their
// numbers are explained, each operation by itself.

namespace attn {
namespace {

bool close(double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

std::string line(const OneStep& one, std::size_t cell, int precision = 4) {
  const Trace trace = traced(one);
  const Step& step = trace.steps.back();
  const Working working = worked_cell(trace, step, reading_of(trace, step), cell, Numerals(precision, trace), 16);
  std::string text;
  for (const Expression& side : working.sides) text += side.relation + " " + written_out(side) + " ";
  return text + plain(working.remark);
}

Softmax part(Softmax::Part which, double base = 0) { return {which, "key", base}; }

Tensor<double> row(const Axis& axis, std::vector<double> numbers) {
  const std::size_t count = numbers.size();
  return Tensor<double>(Shape{{axis, count}}, std::move(numbers));
}

// The cells of the step that move when that number is pushed up or down.
std::set<std::size_t> moved(const OneStep& one, std::size_t operand, std::size_t cell) {
  const Tensor<double> before = made(one);
  std::set<std::size_t> cells;
  for (const double push : {0.37, -0.37, 1e6, -1e6}) {
    OneStep pushed = one;
    pushed.operands[operand][cell] += push;
    const Tensor<double> after = made(pushed);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] != after[i]) cells.insert(i);
    }
  }
  return cells;
}

}  // namespace

TEST_CASE("what a cell is said to be made of is what moves it, for every operation", "[explain][provenance]") {
  for (const OneStep& one : every_operation()) {
    const Trace trace = traced(one);
    const Step& step = trace.steps.back();
    const Reading reading = reading_of(trace, step);
    std::vector<std::vector<std::set<std::size_t>>> said(one.operands.size());
    for (std::size_t i = 0; i < one.operands.size(); ++i) said[i].resize(one.operands[i].size());
    for (std::size_t cell = 0; cell < step.result.size(); ++cell) {
      for (const CellList& read : ingredients(trace, reading, cell).read) {
        for (const std::size_t place : read.places)
          said[static_cast<std::size_t>(read.tensor[0] - 'a')][place].insert(cell);
      }
    }
    for (std::size_t operand = 0; operand < one.operands.size(); ++operand) {
      for (std::size_t cell = 0; cell < one.operands[operand].size(); ++cell) {
        INFO(one.name << ": operand " << operand << ", number " << cell);
        CHECK(said[operand][cell] == moved(one, operand, cell));
      }
    }
  }
}

TEST_CASE("written arithmetic of every operation, worked out by somebody else, gives the number", "[explain]") {
  for (const OneStep& one : every_operation()) {
    const Trace trace = traced(one);
    const Step& step = trace.steps.back();
    const Reading reading = reading_of(trace, step);
    const Numerals numerals(14, trace);
    for (std::size_t cell = 0; cell < step.result.size(); ++cell) {
      const Working working = worked_cell(trace, step, reading, cell, numerals, 1000);
      REQUIRE_FALSE(working.sides.empty());
      CHECK_FALSE(working.rounded);
      CHECK(working.sides.size() >= (regroups(step.op) || !working.remark.empty() ? 1U : 2U));
      for (const Expression& side : working.sides) {
        const std::string text = written_out(side);
        INFO(one.name << " " << cell << ": " << text);
        Calculator calculator(text);
        CHECK(close(calculator.result(), step.result[cell]));
        CHECK(calculator.done());
      }
    }
  }
}

TEST_CASE("each operation is written as a person would write it", "[explain]") {
  const Tensor<double> q({{"query", 1}, {"d_k", 2}}, {1, 0});
  const Tensor<double> k({{"key", 2}, {"d_k", 2}}, {2, 1, 0, 0});
  const OneStep cosine{
      "", Contract{"d_k", Contract::Then::divide}, {q, k, row("query", {1}), row("key", {std::sqrt(5.0), 0})}};
  CHECK(line(cosine, 0) == "= (1×2 + 0×1) / (1 × 2.2361) ≈ 0.8944 ");
  CHECK(line(cosine, 1) == "= (1×0 + 0×0) / (1 × 0) = 0 0 where the divisor is 0");
  CHECK(line({"", Contract{"d_k"}, {q, k, row("query", {-1}), row("key", {3, 4})}}, 0) ==
        "= 1×2 + 0×1 + (−1) + 3 = 4 ");

  const Waves waves{Waves::Kind::alternating, {"token", 3}, {"d_model", 4}, 0, 10000, 4};
  CHECK(line({"", waves}, 8) == "= sin(2 / 10000^(0/4)) = sin(2) ≈ 0.9093 ");
  CHECK(line({"", waves}, 11) == "= cos(2 / 10000^(2/4)) = cos(0.02) ≈ 0.9998 ");
  CHECK(line({"", waves}, 0) == "= sin(0 / 10000^(0/4)) = sin(0) = 0 ");

  const Tensor<double> x({{"query", 1}, {"d_k", 3}}, {1, -2, 7});
  const Tensor<double> cosines({{"query", 1}, {"pair", 1}}, {std::cos(1.0)});
  const Tensor<double> sines({{"query", 1}, {"pair", 1}}, {std::sin(1.0)});
  const OneStep turned{"", Rotate{"d_k", "pair", true}, {x, cosines, sines}};
  CHECK(line(turned, 0) == "= 1 × 0.5403 − (−2) × 0.8415 ≈ 2.2232 ");
  CHECK(line(turned, 1) == "= −2 × 0.5403 + 1 × 0.8415 ≈ −0.2391 ");
  CHECK(line(turned, 2) == "= 7 not turned");

  CHECK(line({"", Reduce{Reducer::norm, "key"}, {row("key", {1, -2})}}, 0) == "= √(1² + (−2)²) = √5 ≈ 2.2361 ");
  CHECK(line({"", Reduce{Reducer::norm, "key"}, {row("key", {3, 4})}}, 0) == "= √(3² + 4²) = √25 = 5 ");
  CHECK(line({"", Map{Unary::softcap, 2, ""}, {row("key", {3})}}, 0) == "= 2 × tanh(3 / 2) ≈ 1.8103 ");
  CHECK(line({"", Map{Unary::tanh, 0, ""}, {row("key", {-0.5, 0})}}, 0) == "= tanh(−0.5) ≈ −0.4621 ");
  CHECK(line({"", Map{Unary::tanh, 0, ""}, {row("key", {-0.5, 0})}}, 1) == "= tanh(0) = 0 ");
  CHECK(line({"", Map{Unary::add, -1, ""}, {row("key", {3})}}, 0) == "= 3 + (−1) = 2 ");

  CHECK(line({"", Map{Unary::exp, 0, ""}, {row("key", {2, -1, 0})}}, 0) == "= e^2 ≈ 7.3891 ");
  CHECK(line({"", Map{Unary::exp, 0, ""}, {row("key", {2, -1, 0})}}, 1) == "= e^(−1) ≈ 0.3679 ");
  CHECK(line({"", Map{Unary::exp, 0, ""}, {row("key", {2, -1, 0})}}, 2) == "= e^0 = 1 ");
  CHECK(line({"", Map{Unary::sqrt, 0, ""}, {row("key", {2.25, 2})}}, 0) == "= √2.25 = 1.5 ");
  CHECK(line({"", Map{Unary::sqrt, 0, ""}, {row("key", {2.25, 2})}}, 1) == "= √2 ≈ 1.4142 ");
  CHECK(line({"", Reduce{Reducer::maximum, "key"}, {row("key", {-3, -1, -2})}}, 0) == "= max(−3, −1, −2) = −1 ");
  CHECK(line({"", Map{Unary::relu, 0, ""}, {row("key", {-3, 2})}}, 0) == "= max(−3, 0) = 0 ");
  CHECK(line({"", Map{Unary::relu, 0, ""}, {row("key", {-3, 2})}}, 1) == "= max(2, 0) = 2 ");
  CHECK(line({"", Map{Unary::gelu, 0, ""}, {row("key", {-1})}}, 0) == "= (−1) × ½ × (1 + erf(−1 / √2)) ≈ −0.1587 ");
  CHECK(line({"", Map{Unary::gelu_tanh, 0, ""}, {row("key", {1})}}, 0) ==
        "= 1 × ½ × (1 + tanh(√(2/π) × (1 + 0.044715 × 1³))) ≈ 0.8412 ");
  CHECK(line({"", Map{Unary::silu, 0, ""}, {row("key", {2})}}, 0) == "= 2 / (1 + e^(−2)) ≈ 1.7616 ");
  CHECK(line({"", Map{Unary::silu, 0, ""}, {row("key", {0})}}, 0) == "= 0 / (1 + e^(0)) = 0 ");
  CHECK(line({"", Gate{Unary::relu}, {row("key", {2}), row("key", {-3})}}, 0) == "= max(2, 0) × (−3) = −6 ");

  using NormPart = Normalize::Part;
  const Tensor<double> vector = row("d_model", {1, -2, 7});
  const Tensor<double> mean(Shape{}, {2}), variance(Shape{}, {14});
  CHECK(line({"", Normalize{NormPart::mean, "d_model"}, {vector}}, 0) == "= (1 + (−2) + 7) / 3 = 6 / 3 = 2 ");
  CHECK(line({"", Normalize{NormPart::variance, "d_model"}, {vector, mean}}, 0) ==
        "= ((1 − 2)² + (−2 − 2)² + (7 − 2)²) / 3 = 42 / 3 = 14 ");
  CHECK(line({"", Normalize{NormPart::mean_square, "d_model"}, {vector}}, 0) ==
        "= (1² + (−2)² + 7²) / 3 = 54 / 3 = 18 ");
  CHECK(line({"", Normalize{NormPart::normalized, "d_model", 2}, {vector, mean, variance}}, 2) ==
        "= (7 − 2) / √(14 + 2) = 1.25 ");
  CHECK(line({"", Normalize{NormPart::normalized, "d_model"}, {vector, variance}}, 1) == "= (−2) / √14 ≈ −0.5345 ");
  CHECK(
      line(
          {"", Normalize{NormPart::affine, "d_model"}, {vector, row("d_model", {1, 2, 3}), row("d_model", {0, 5, -1})}},
          2) == "= 7 × 3 + (−1) = 20 ");

  const Tensor<double> scores = row("key", {2, 4, 3});
  const Tensor<double> number(Shape{}, {4});
  const Tensor<double> sink(Shape{}, {1});
  CHECK(line({"", part(Softmax::Part::exponentials, 3), {scores, number}}, 0) == "= 3^(2 − 4) = 3^(−2) ≈ 0.1111 ");
  CHECK(line({"", part(Softmax::Part::exponentials, 2), {scores, number}}, 0) == "= 2^(2 − 4) = 2^(−2) = 0.25 ");
  CHECK(line({"", part(Softmax::Part::exponentials, 3), {scores, number}}, 1) == "= 3^(4 − 4) = 3^0 = 1 ");
  CHECK(line({"", part(Softmax::Part::maximum), {scores, sink}}, 0) == "= max(2, 4, 3, sink 1) = 4 ");
  CHECK(line({"", part(Softmax::Part::sum), {row("key", {0.5, 1}), sink, number}}, 0) ==
        "= 0.5 + 1 + e^(1 − 4) ≈ 1.5498 ");
  CHECK(line({"", part(Softmax::Part::shares), {row("key", {2, 1, 3})}}, 0) == "= 2 / (2 + 1 + 3) ≈ 0.3333 ");
  CHECK(line({"", part(Softmax::Part::shares), {row("key", {2, 1, 3})}, row("key", {1, 0, 1})}, 2) ==
        "= 3 / (2 + 3) = 0.6 ");
  CHECK(line({"", part(Softmax::Part::shares), {row("key", {2, 1, 3})}, row("key", {1, 0, 1})}, 1) == "= 0 closed");
}

TEST_CASE("a sum of one number is written without parentheses", "[explain]") {
  using enum Normalize::Part;
  const Tensor<double> q({{"query", 1}, {"d_k", 1}}, {3}), k({{"key", 1}, {"d_k", 1}}, {4});
  CHECK(line({"", Contract{"d_k", Contract::Then::divide}, {q, k, row("query", {3}), row("key", {2})}}, 0) ==
        "= 3×4 / (3 × 2) = 2 ");
  const Tensor<double> two(Shape{}, {2});
  CHECK(line({"", Normalize{mean, "d_model"}, {row("d_model", {5})}}, 0) == "= 5 / 1 = 5 ");
  CHECK(line({"", Normalize{mean_square, "d_model"}, {row("d_model", {5})}}, 0) == "= 5² / 1 = 25 / 1 = 25 ");
  CHECK(line({"", Normalize{variance, "d_model"}, {row("d_model", {5}), two}}, 0) == "= (5 − 2)² / 1 = 9 / 1 = 9 ");
}

TEST_CASE("a line says so where there is nothing to add up", "[explain]") {
  const Tensor<double> q({{"query", 1}, {"key", 2}}, {1, 2}), v({{"key", 2}, {"d_v", 1}}, {3, 4});
  const Tensor<double> closed = row("key", {0, 0});
  const Tensor<double> bias = row("d_v", {0.5});
  CHECK(line({"", Contract{"key"}, {q, v}, closed}, 0) == "= 0 every cell is closed");
  CHECK(line({"", Contract{"key"}, {q, v, bias}, closed}, 0) == "= 0.5 = 0.5 ");
  CHECK(line({"", Contract{"key", Contract::Then::divide}, {q, v, row("query", {1}), row("d_v", {1})}, closed}, 0) ==
        "= 0 every cell is closed");
  CHECK(line({"", Reduce{Reducer::norm, "key"}, {row("key", {})}}, 0) == "= 0 ");

  const Tensor<double> number(Shape{}, {1}), none(Shape{}, {-infinity}), zero(Shape{}, {0});
  const Tensor<double> scores = row("key", {-infinity, -infinity});
  CHECK(line({"", part(Softmax::Part::exponentials), {scores, none}}, 0) == "= e^(−∞) = 0 ");
  CHECK(line({"", part(Softmax::Part::weights), {row("key", {0, 0}), zero}}, 1) == "= 0 0 where the divisor is 0");
  CHECK(line({"", part(Softmax::Part::sum), {row("key", {0, 0}), none, none}}, 0) == "= 0 + 0 = 0 ");
  CHECK(line({"", part(Softmax::Part::sum), {row("key", {0, 0}), number, number}, closed}, 0) == "= e^(1 − 1) = 1 ");
}

TEST_CASE("an online softmax rescales nothing where no block before had an open score", "[explain]") {
  const OneStep factors{"", Online{Online::Part::rescale, "key", "block", 1}, {row("block", {-infinity, 2, 3})}};
  CHECK(line(factors, 0) == "= 0 nothing came before");
  CHECK(line(factors, 1) == "= 0 nothing came before");
  CHECK(line(factors, 2) == "= e^(2 − 3) = e^(−1) ≈ 0.3679 ");
}

TEST_CASE("nothing is divided by a spread of 0", "[explain]") {
  const Tensor<double> zero(Shape{}, {0});
  const Normalize plain{Normalize::Part::normalized, "d_model"};
  CHECK(line({"", plain, {row("d_model", {3, 3}), Tensor<double>(Shape{}, {3}), zero}}, 0) ==
        "= (3 − 3) / √0 = 0 0 where the divisor is 0");
  CHECK(line({"", plain, {row("d_model", {0, 0}), zero}}, 1) == "= 0 / √0 = 0 0 where the divisor is 0");
}

TEST_CASE("a share writes its own number once among the largest", "[explain]") {
  const Trace trace = traced({"", part(Softmax::Part::shares), {row("key", {2, 8, 1, 5})}});
  const Step& step = trace.steps.back();
  const Numerals numerals(4, trace);
  const auto written = [&](std::size_t cell) {
    Working working = worked_cell(trace, step, reading_of(trace, step), cell, numerals, {2, TermLimit::Kept::largest});
    std::ranges::sort(working.places);
    return working.places;
  };
  CHECK(written(1) == std::vector<std::size_t>{1, 3});
  CHECK(written(0) == std::vector<std::size_t>{0, 1, 3});
}

TEST_CASE("what is no number counts as larger than any", "[explain]") {
  const double nan = std::nan("");
  CHECK(places_of_largest(std::vector<double>{1, nan, 3}, 2) == std::vector<std::size_t>{1, 2});
  CHECK(places_of_largest(std::vector<double>{nan, infinity, nan}, 3) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("what was moved is only the number; where it came from is its provenance", "[explain]") {
  const OneStep joined{"", Join{"key"}, {row("key", {1, 2}), row("key", {3})}};
  CHECK(line(joined, 2) == "= 3 ");
  const Trace trace = traced(joined);
  const Provenance made = provenance(reading_of(trace, trace.steps.back()), 2);
  CHECK(made.operands[0].count == 0);
  CHECK(made.operands[1] == Slice{"b", 0, 0, 1});

  const Rows rows(Tensor<std::int64_t>(Shape{{"query", 2}}, {2, -1}));
  const OneStep picked{"", Pick{"distance", rows}, {row("distance", {5, 6, 7})}};
  CHECK(line(picked, 0) == "= 7 ");
  CHECK(line(picked, 1) == "= 0 no row is picked");
}

TEST_CASE("a number of a pair is turned with the other one, by one angle", "[explain][provenance]") {
  const Shape shape{{"query", 2}, {"d_k", 5}};
  const Tensor<double> angles = drawn({{"query", 2}, {"pair", 2}}, 1);
  const Trace trace = traced({"", Rotate{"d_k", "pair", false}, {drawn(shape, 2), angles, angles}});
  const Reading reading = reading_of(trace, trace.steps.back());
  const Provenance second = provenance(reading, 5 + 3);  // the second query's fourth number, of pair 2
  CHECK(second.operands[0] == Slice{"a", 5 + 1, 2, 2});
  CHECK(second.own_term == 1U);
  CHECK(second.operands[1] == Slice{"b", 2 + 1, 0, 1});
  const Provenance left = provenance(reading, 4);
  CHECK(left.operands[0] == Slice{"a", 4, 0, 1});
  CHECK(left.operands[2].count == 0);
}

}  // namespace attn
