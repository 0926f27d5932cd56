#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "catch.h"
#include "ops/run.h"
#include "unit/ops/recorded.h"

namespace attn {
namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbers(const OneStep& one, Arithmetic arithmetic = {}) {
  const Tensor<double> tensor = made(one, arithmetic);
  return {tensor.data().begin(), tensor.data().end()};
}

Arithmetic in(Dtype dtype) {
  Arithmetic arithmetic;
  arithmetic.dtype = dtype;
  return arithmetic;
}

using List = std::vector<double>;

}  // namespace

TEST_CASE("tensors are joined along an axis, and repeated along those they do not have", "[ops]") {
  const Tensor<double> past({{"key", 2}, {"d_k", 2}}, {1, 2, 3, 4});
  const Tensor<double> own({{"key", 1}, {"d_k", 2}}, {5, 6});
  const OneStep both{"", Join{"key"}, {past, own}};
  CHECK(made(both).shape() == Shape{{"key", 3}, {"d_k", 2}});
  CHECK(numbers(both) == List{1, 2, 3, 4, 5, 6});

  const Tensor<double> q({{"query", 2}, {"d_pair", 1}}, {1, 2});
  const Tensor<double> k({{"key", 2}, {"d_pair", 2}}, {10, 20, 30, 40});
  const OneStep pairs{"", Join{"d_pair"}, {q, k}};
  CHECK(made(pairs).shape() == Shape{{"query", 2}, {"key", 2}, {"d_pair", 3}});
  CHECK(numbers(pairs) == List{1, 10, 20, 1, 30, 40, 2, 10, 20, 2, 30, 40});
}

TEST_CASE("heads that share are neighbours, and tiled they take turns", "[ops]") {
  const Tensor<double> keys({{"head", 2}, {"key", 1}}, {1, 2});
  CHECK(numbers({"", Repeat{"head", 2, false}, {keys}}) == List{1, 1, 2, 2});
  CHECK(numbers({"", Repeat{"head", 2, true}, {keys}}) == List{1, 2, 1, 2});
  const Tensor<double> columns({{"key", 2}, {"d_k", 2}}, {1, 2, 3, 4});
  CHECK(numbers({"", Repeat{"key", 2, false}, {columns}}) == List{1, 2, 1, 2, 3, 4, 3, 4});
}

TEST_CASE("rows of a table are picked, and where none is, there is 0", "[ops]") {
  const Tensor<double> table({{"distance", 3}, {"d_k", 2}}, {1, 2, 3, 4, 5, not_a_number});
  const Rows rows(Tensor<std::int64_t>(Shape{{"query", 1}, {"key", 3}}, {1, -1, 0}));
  const OneStep picked{"", Pick{"distance", rows}, {table}};
  CHECK(made(picked).shape() == Shape{{"query", 1}, {"key", 3}, {"d_k", 2}});
  CHECK(numbers(picked) == List{3, 4, 0, 0, 1, 2});
}

TEST_CASE("a position encoding is that of Vaswani et al., an odd width ending in a sine", "[ops]") {
  const auto wave = [](double position, double i, double width) { return position / std::pow(10000.0, 2 * i / width); };
  const Tensor<double> encoding =
      made({"", Waves{Waves::Kind::alternating, {"token", 3}, {"d_model", 5}, 1, 10000, 5}});
  CHECK(encoding.shape() == Shape{{"token", 3}, {"d_model", 5}});
  for (std::size_t i = 0; i < 3; ++i) {
    const double p = static_cast<double>(i) + 1;
    const List expected = {std::sin(wave(p, 0, 5)), std::cos(wave(p, 0, 5)), std::sin(wave(p, 1, 5)),
                           std::cos(wave(p, 1, 5)), std::sin(wave(p, 2, 5))};
    for (std::size_t j = 0; j < 5; ++j) CHECK(encoding[i * 5 + j] == Approx(expected[j]).epsilon(1e-14));
  }
  const List sines = numbers({"", Waves{Waves::Kind::sine, {"query", 2}, {"pair", 2}, 0, 100, 4}});
  const List cosines = numbers({"", Waves{Waves::Kind::cosine, {"query", 2}, {"pair", 2}, 0, 100, 4}});
  CHECK(sines[0] == 0);
  CHECK(cosines[1] == 1);
  CHECK(sines[3] == Approx(std::sin(0.1)).epsilon(1e-15));
  CHECK(cosines[3] == Approx(std::cos(0.1)).epsilon(1e-15));
}

TEST_CASE("a position encoding in single precision rounds exponent, power, angle and sine", "[ops]") {
  const List encoding =
      numbers({"", Waves{Waves::Kind::alternating, {"token", 2}, {"d_model", 6}, 999, 10000, 6}}, in(Dtype::f32));
  const float exponent = static_cast<float>(2.0 / 6.0);
  const float angle = 1000.0F / attn::pow(10000.0F, exponent);
  CHECK(encoding[6 + 2] == static_cast<double>(attn::sin(angle)));
  CHECK(encoding[6 + 3] == static_cast<double>(attn::cos(angle)));
}

TEST_CASE("a rotation turns neighbours, or features half of what turns apart, and leaves the rest", "[ops]") {
  const Tensor<double> x({{"query", 1}, {"d_k", 5}}, {1, 2, 3, 4, 5});
  const Tensor<double> cosine({{"query", 1}, {"pair", 2}}, {0.5, 10});
  const Tensor<double> sine({{"query", 1}, {"pair", 2}}, {0.25, 100});
  CHECK(numbers({"", Rotate{"d_k", "pair", true}, {x, cosine, sine}}) ==
        List{1 * 0.5 - 2 * 0.25, 2 * 0.5 + 1 * 0.25, 3 * 10 - 4 * 100, 4 * 10 + 3 * 100, 5});
  CHECK(numbers({"", Rotate{"d_k", "pair", false}, {x, cosine, sine}}) ==
        List{1 * 0.5 - 3 * 0.25, 2 * 10 - 4 * 100, 3 * 0.5 + 1 * 0.25, 4 * 10 + 2 * 100, 5});
}

TEST_CASE("a rotation by one angle and back gives the vector back, and keeps its length", "[ops]") {
  const Shape shape{{"query", 4}, {"d_k", 6}};
  const Tensor<double> x = drawn(shape, 1);
  const Shape pairs{{"query", 4}, {"pair", 3}};
  const Tensor<double> cosine = made({"", Waves{Waves::Kind::cosine, pairs[0], pairs[1], 3, 10000, 6}});
  const Tensor<double> sine = made({"", Waves{Waves::Kind::sine, pairs[0], pairs[1], 3, 10000, 6}});
  Tensor<double> back = sine;
  for (double& number : back.data()) number = -number;
  for (const bool interleaved : {false, true}) {
    const Tensor<double> there = made({"", Rotate{"d_k", "pair", interleaved}, {x, cosine, sine}});
    const Tensor<double> again = made({"", Rotate{"d_k", "pair", interleaved}, {there, cosine, back}});
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(again[i] == Approx(x[i]).margin(1e-14));
    const Tensor<double> before = made({"", Reduce{Reducer::norm, "d_k"}, {x}});
    const Tensor<double> after = made({"", Reduce{Reducer::norm, "d_k"}, {there}});
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(after[i] == Approx(before[i]).epsilon(1e-14));
  }
}

TEST_CASE("a sum of products takes in further summands in order, or is divided", "[ops]") {
  const Tensor<double> q({{"query", 1}, {"d_k", 2}}, {1, 2});
  const Tensor<double> k({{"key", 2}, {"d_k", 2}}, {3, 4, 0, 1});
  const Tensor<double> one({{"query", 1}}, {1e100});
  const Tensor<double> two({{"key", 2}}, {-1e100, 0.5});
  CHECK(numbers({"", Contract{"d_k"}, {q, k, one, two}}) == List{0, 1e100});
  CHECK(numbers({"", Contract{"d_k"}, {q, k, two, one}}) == List{0, 1e100});

  const Tensor<double> lengths({{"key", 2}}, {4, 0});
  const Tensor<double> length({{"query", 1}}, {0.5});
  CHECK(numbers({"", Contract{"d_k", Contract::Then::divide}, {q, k, length, lengths}}) == List{5.5, 0});
  const Tensor<double> term({{"query", 1}, {"key", 2}}, {1, 2});
  CHECK(numbers({"", Contract{"d_k", Contract::Then::divide}, {q, k, length, lengths, term}}) == List{6.5, 2});
  const Tensor<double> f({{"query", 1}}, {0.1F});
  const double divisor = static_cast<double>(0.1F * 4.0F);
  CHECK(numbers({"", Contract{"d_k", Contract::Then::divide}, {q, k, f, lengths}}, in(Dtype::f32))[0] ==
        static_cast<double>(11.0F / static_cast<float>(divisor)));
}

TEST_CASE("tanh, softcap, norm and further summands of a sum are those of the formulas", "[ops]") {
  const Tensor<double> a({{"key", 3}}, {-3, 0, 0.5});
  const List hyperbolic = numbers({"", Map{Unary::tanh, 0, ""}, {a}});
  const List capped = numbers({"", Map{Unary::softcap, 2, ""}, {a}});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(hyperbolic[i] == Approx(std::tanh(a[i])).epsilon(1e-15));
    CHECK(capped[i] == Approx(2 * std::tanh(a[i] / 2)).epsilon(1e-15));
  }
  CHECK(numbers({"", Map{Unary::add, 1.5, ""}, {a}}) == List{-1.5, 1.5, 2});
  CHECK(numbers({"", Reduce{Reducer::norm, "key"}, {Tensor<double>({{"key", 2}}, {3, -4})}}) == List{5});
  CHECK(numbers({"", Reduce{Reducer::sum, "key"}, {a, Tensor<double>(Shape{}, {10}), Tensor<double>(Shape{}, {1})}}) ==
        List{8.5});
  CHECK(numbers({"", Map{Unary::softcap, 2, ""}, {Tensor<double>({{"key", 2}}, {infinity, -infinity})}}) ==
        List{2, -2});
}

TEST_CASE("activations are those of the papers they come from", "[ops]") {
  const List at = {-40, -3, -0.75, -1e-9, 0, 1e-9, 0.5, 2, 40};
  const Tensor<double> a({{"key", at.size()}}, at);
  const auto of = [&](Unary function) { return numbers({"", Map{function, 0, ""}, {a}}); };
  const List relu = of(Unary::relu), gelu = of(Unary::gelu), by_tanh = of(Unary::gelu_tanh), silu = of(Unary::silu);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double x = at[i];
    CHECK(relu[i] == std::max(x, 0.0));
    CHECK(std::abs(gelu[i] - x / 2 * std::erfc(-x / std::sqrt(2.0))) <= 1e-15 * (1 + std::abs(x)));
    const double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
    CHECK(std::abs(by_tanh[i] - x / 2 * (1 + std::tanh(inner))) <= 1e-15 * (1 + std::abs(x)));
    CHECK(std::abs(silu[i] - x / (1 + std::exp(-x))) <= 1e-15 * (1 + std::abs(x)));
  }
  const Tensor<double> b({{"key", at.size()}}, List(at.size(), 3));
  const List gated = numbers({"", Gate{Unary::silu}, {a, b}});
  for (std::size_t i = 0; i < at.size(); ++i) CHECK(gated[i] == 3 * silu[i]);
}

TEST_CASE("an interval holds what an activation makes of every number in it", "[ops]") {
  for (const Unary function : {Unary::relu, Unary::gelu, Unary::gelu_tanh, Unary::silu}) {
    for (double low = -8; low < 4; low += 0.23) {
      for (const double width : {0.0, 1e-8, 0.05, 0.7, 3.0, 9.0}) {
        const Interval made = applied(function, Interval(low, low + width), Interval(0));
        double least = infinity, most = -infinity;
        for (int i = 0; i <= 200; ++i) {
          const double number = applied(function, low + width * i / 200, 0.0);
          least = std::min(least, number);
          most = std::max(most, number);
        }
        INFO("function " << static_cast<int>(function) << " from " << low << " over " << width);
        CHECK(made.contains(Interval(least, most)));
        CHECK(made.width() <= (most - least) + 1e-3 * width + 1e-14);
      }
    }
  }
}

TEST_CASE("a normalized row has mean 0 and variance 1, and where nothing divides it is 0", "[ops]") {
  using Part = Normalize::Part;
  const Tensor<double> x({{"token", 2}, {"d_model", 4}}, {2, 4, 6, 8, 5, 5, 5, 5});
  const Tensor<double> mean = made({"", Normalize{Part::mean, "d_model"}, {x}});
  const Tensor<double> variance = made({"", Normalize{Part::variance, "d_model"}, {x, mean}});
  CHECK(mean.shape() == Shape{{"token", 2}});
  CHECK(List(mean.data().begin(), mean.data().end()) == List{5, 5});
  CHECK(List(variance.data().begin(), variance.data().end()) == List{5, 0});
  const List rows = numbers({"", Normalize{Part::normalized, "d_model"}, {x, mean, variance}});
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    sum += rows[i];
    squares += rows[i] * rows[i];
    CHECK(rows[4 + i] == 0);
  }
  CHECK(std::abs(sum) < 1e-15);
  CHECK(std::abs(squares - 4) < 1e-14);

  const Tensor<double> eps = made({"", Normalize{Part::normalized, "d_model", 1e-5}, {x, mean, variance}});
  CHECK(eps[0] == (2.0 - 5.0) / std::sqrt(5.0 + 1e-5));
  const Tensor<double> outside = made({"", Normalize{Part::normalized, "d_model", 1e-5, true}, {x, mean, variance}});
  CHECK(outside[0] == (2.0 - 5.0) / (std::sqrt(5.0) + 1e-5));
  const Tensor<double> bessel = made({"", Normalize{.part = Part::variance, .over = "d_model", .fewer = 1}, {x, mean}});
  CHECK(bessel[0] == 20.0 / 3);

  const Tensor<double> squared = made({"", Normalize{Part::mean_square, "d_model"}, {x}});
  CHECK(squared[0] == 30);
  CHECK(made({"", Normalize{Part::normalized, "d_model"}, {x, squared}})[3] == 8 / std::sqrt(30.0));
  const Tensor<double> gain({{"d_model", 4}}, {1, 2, 3, 4}), bias({{"d_model", 4}}, {10, 20, 30, 40});
  CHECK(numbers({"", Normalize{Part::affine, "d_model"}, {x, gain, bias}})[1] == 28);
  // Down the columns, as it is often got wrong.
  CHECK(made({"", Normalize{Part::mean, "token"}, {x}}).shape() == Shape{{"d_model", 4}});
}

TEST_CASE("a norm in single precision rounds squares, partial sums and the root", "[ops]") {
  const Tensor<double> a({{"key", 3}}, {0.1F, 0.2F, 0.3F});
  float sum = 0;
  for (const double number : a.data()) {
    const float square = static_cast<float>(number) * static_cast<float>(number);
    sum += square;
  }
  CHECK(numbers({"", Reduce{Reducer::norm, "key"}, {a}}, in(Dtype::f32))[0] == static_cast<double>(std::sqrt(sum)));
}

TEST_CASE("a sink takes part of each row, a closed row's too", "[ops]") {
  const Tensor<double> scores({{"query", 2}, {"key", 2}}, {1, 2, 3, 4});
  const Tensor<double> open({{"query", 2}, {"key", 2}}, {1, 1, 0, 0});
  const Tensor<double> sink(Shape{}, {3});
  const auto part = [](Softmax::Part which, double base) { return Softmax{which, "key", base}; };
  for (const double base : {0.0, 3.0}) {
    const double b = base == 0 ? std::exp(1.0) : base;
    const Tensor<double> most = made({"", part(Softmax::Part::maximum, base), {scores, sink}, open});
    CHECK(most.data()[0] == 3);
    CHECK(most.data()[1] == 3);
    const Tensor<double> powers = made({"", part(Softmax::Part::exponentials, base), {scores, most}, open});
    const Tensor<double> sums = made({"", part(Softmax::Part::sum, base), {powers, sink, most}});
    CHECK(sums[0] == Approx(1 / (b * b) + 1 / b + 1).epsilon(1e-14));
    CHECK(sums[1] == 1);
    const Tensor<double> weights = made({"", part(Softmax::Part::weights, base), {powers, sums}, open});
    CHECK(weights[1] == Approx(1 / b / sums[0]).epsilon(1e-14));
    CHECK(weights[2] == 0);
    CHECK(weights[3] == 0);
  }
}

TEST_CASE("shares are of the sum of the open scores, and closed cells are never read", "[ops]") {
  const Tensor<double> scores({{"query", 2}, {"key", 3}}, {2, not_a_number, 6, infinity, not_a_number, 1});
  const Tensor<double> open({{"query", 2}, {"key", 3}}, {1, 0, 1, 0, 0, 0});
  CHECK(numbers({"", Softmax{Softmax::Part::shares, "key"}, {scores}, open}) == List{0.25, 0, 0.75, 0, 0, 0});
  const Tensor<double> columns({{"query", 2}, {"key", 2}}, {1, 2, 3, -1});
  CHECK(numbers({"", Softmax{Softmax::Part::shares, "query"}, {columns}}) == List{0.25, 2, 0.75, -1});
  const Tensor<double> keys_open({{"key", 3}}, {1, 0, 1});
  const Tensor<double> both({{"query", 2}, {"key", 3}}, {1, not_a_number, 3, 2, not_a_number, 2});
  CHECK(numbers({"", Softmax{Softmax::Part::shares, "key"}, {both}, keys_open}) == List{0.25, 0, 0.75, 0.5, 0, 0.5});
}

TEST_CASE("what a mask closes is read by no operation", "[ops]") {
  for (OneStep one : every_operation()) {
    if (!one.open) continue;
    INFO(one.name);
    const List before = numbers(one);
    Tensor<double>& first = one.operands[0];
    REQUIRE(first.shape() == one.open->shape());
    for (std::size_t i = 0; i < first.size(); ++i) {
      if ((*one.open)[i] == 0) first[i] = not_a_number;
    }
    CHECK(numbers(one) == before);
  }
}

TEST_CASE("in single precision every operation makes floats near what it makes in double", "[ops]") {
  for (const OneStep& one : every_operation()) {
    INFO(one.name);
    const List doubles = numbers(one);
    const List floats = numbers(one, in(Dtype::f32));
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      CHECK(floats[i] == static_cast<double>(static_cast<float>(floats[i])));
      CHECK(floats[i] == Approx(doubles[i]).margin(1e-4));
    }
  }
}

TEST_CASE("an operation is equal to one that is made like it, and to no other", "[ops]") {
  const auto rows = [](std::int64_t first) { return Rows(Tensor<std::int64_t>({{"query", 2}}, {first, 1})); };
  const Rows shared = rows(0);
  const std::vector<std::function<Op(bool)>> made = {
      [](bool same) {
        return Split{"d_model", "head", "d_k", same ? 2U : 4U};
      },
      [](bool same) {
        return Merge{"head", "d_v", same ? "d_concat" : "d_out"};
      },
      [](bool same) { return Join{same ? "key" : "query"}; },
      [](bool same) {
        return Repeat{"head", 2, same};
      },
      [&](bool same) {
        return Pick{"distance", rows(same ? 0 : 1)};
      },
      [&](bool same) {
        return Pick{"distance", same ? shared : rows(1)};
      },
      [](bool same) {
        return Waves{.positions = {"token", 3}, .features = {"pair", 2}, .first = same ? 0U : 1U};
      },
      [](bool same) {
        return Rotate{"d_k", "pair", same};
      },
      [](bool same) {
        return Contract{"d_k", same ? Contract::Then::add : Contract::Then::divide};
      },
      [](bool same) {
        return Combine{same ? Binary::add : Binary::subtract, {}};
      },
      [](bool same) {
        return Map{Unary::multiply, same ? 2.0 : 3.0, ""};
      },
      [](bool same) {
        return Reduce{same ? Reducer::sum : Reducer::norm, "key"};
      },
      [](bool same) { return Gate{same ? Unary::gelu : Unary::silu}; },
      [](bool same) {
        return Normalize{Normalize::Part::normalized, "d_model", 1e-5, same};
      },
      [](bool same) {
        return Softmax{Softmax::Part::sum, "key", same ? 0.0 : 2.0};
      },
      [](bool same) {
        return Online{Online::Part::sum, "key", "block", same ? 2U : 3U};
      }};
  for (const auto& make : made) {
    CHECK(make(true) == make(true));
    CHECK(make(true) != make(false));
    CHECK(make(true) != Op(Close{}));
  }
}

TEST_CASE("tables that are looked up and numbers that move are not rounded by hand, all else is", "[ops]") {
  Arithmetic tenths;
  tenths.hand_rounding = parse_hand_rounding("1");
  for (const OneStep& one : every_operation()) {
    INFO(one.name);
    const auto* softmax = std::get_if<Softmax>(&one.op);
    const auto* waves = std::get_if<Waves>(&one.op);
    const bool moves = std::holds_alternative<Join>(one.op) || std::holds_alternative<Repeat>(one.op) ||
                       std::holds_alternative<Pick>(one.op);
    const bool kept = moves || (waves && waves->kind != Waves::Kind::alternating) ||
                      (softmax && softmax->part != Softmax::Part::shares);
    const List exact = numbers(one);
    const List by_hand = numbers(one, tenths);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      CHECK(by_hand[i] == (kept ? exact[i] : rounded(exact[i], *tenths.hand_rounding)));
    }
  }
}

}  // namespace attn
