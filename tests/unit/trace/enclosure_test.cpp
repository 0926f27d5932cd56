#include "trace/enclosure.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "catch.h"
#include "ops/functions.h"
#include "trace/recipe_builder.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

const Shape enclosed_shape{{"query", 2}, {"key", 3}};

// A number from the interval: an end of it now and then.
double drawn_from(const Interval& interval, Random& random) {
  if (interval.is_point()) return interval.low;
  const auto end = random.integer(0, 4);
  const double high = std::min(interval.high, interval.low + 100);
  return end == 0 ? interval.low : end == 1 ? high : interval.low + random.uniform() * (high - interval.low);
}

std::vector<Interval> drawn_intervals(std::size_t count, Random& random) {
  std::vector<Interval> row;
  for (std::size_t i = 0; i < count; ++i) {
    const double low = 8 * random.uniform() - 4;
    const auto kind = random.integer(0, 9);
    row.push_back(kind == 0   ? Interval(-infinity)
                  : kind == 1 ? Interval(-infinity, low)
                  : kind == 2 ? Interval(low)
                              : Interval(low, low + random.uniform()));
  }
  return row;
}

// Whether it holds the number, but for what a double loses.
bool holds(const Interval& interval, double number) {
  return interval.low <= number + 1e-12 && number <= interval.high + 1e-12;
}

// Softmax on scores and others, in a way that is told; the last line has the weights.
using WrittenDown = std::function<void(RecipeBuilder&)>;

Recipe written_down(const WrittenDown& steps, const Tensor<double>& scores) {
  RecipeBuilder work;
  work.given_step({.id = "s"}, LateTensor(scores));
  work.given_step({.id = "others"}, LateTensor(Tensor<double>(enclosed_shape, {0.5, 4, 1, 2, 0, 3})));
  work.given_step({.id = "sink"}, LateTensor(Tensor<double>({{"query", 2}}, {0.25, 1})));
  work.given({.id = "mask"}, LateTensor(Tensor<double>(enclosed_shape, {1, 0, 1, 1, 1, 1})));
  work.given({.id = "mask_of_keys"}, LateTensor(Tensor<double>({{"key", 3}}, {1, 0, 1})));
  steps(work);
  return work.take();
}

constexpr auto part_of = [](Softmax::Part part, double base = 0, Axis over = "key") {
  return Softmax{part, over, base};
};

}  // namespace

TEST_CASE("the weights of scores that are only nearly known hold those of every score between", "[enclosure]") {
  Random random(1);
  for (const std::size_t count : {1, 2, 5, 33, 40}) {
    for (int row = 0; row < 60; ++row) {
      const std::vector<Interval> scores = drawn_intervals(count, random);
      const std::vector<Interval> weights = softmax_of(scores);
      for (int sample = 0; sample < 20; ++sample) {
        std::vector<double> powers;
        double sum = 0;
        for (const Interval& score : scores) {
          const double low = std::max(score.low, -50.0);
          powers.push_back(
              score.high == -infinity ? 0 : std::exp(drawn_from({std::min(low, score.high), score.high}, random)));
          sum += powers.back();
        }
        if (sum == 0) continue;
        for (std::size_t i = 0; i < count; ++i) REQUIRE(holds(weights[i], powers[i] / sum));
      }
    }
  }
}

TEST_CASE("of a score without an upper end any weight is possible", "[enclosure]") {
  std::vector<Interval> many(40, Interval(0, 1));
  many[7] = Interval(0, infinity);
  many[8] = -infinity;
  const std::vector<Interval> weights = softmax_of(many);
  CHECK(weights[7] == Interval(0, 1));
  CHECK(weights[8] == Interval(0));
}

TEST_CASE("shares of numbers that are nearly known hold those of every number between", "[enclosure]") {
  Random random(2);
  for (int row = 0; row < 300; ++row) {
    std::vector<Interval> numbers;
    const auto count = random.integer(1, 5);
    for (std::int64_t i = 0; i < count; ++i) {
      const double low = random.integer(0, 2) == 0 ? 0 : random.uniform();
      numbers.emplace_back(low, random.integer(0, 3) == 0 ? low : low + random.uniform());
    }
    const std::vector<Interval> shares = share_of_sum(numbers);
    for (int sample = 0; sample < 20; ++sample) {
      std::vector<double> drawn;
      double sum = 0;
      for (const Interval& number : numbers) sum += drawn.emplace_back(drawn_from(number, random));
      if (sum == 0) continue;
      for (std::size_t i = 0; i < drawn.size(); ++i) REQUIRE(holds(shares[i], drawn[i] / sum));
    }
  }
  CHECK(share_of_sum({Interval(0), Interval(0)}) == std::vector<Interval>(2, Interval(0)));
  CHECK(share_of_sum({Interval(0), Interval(2, 3)}) == std::vector<Interval>{0, 1});
  CHECK(share_of_sum({Interval(0), Interval(0, 3)}) == std::vector<Interval>{0, Interval(0, 1)});
  CHECK(share_of_sum({Interval(1), Interval(0, infinity)}) == std::vector<Interval>(2, Interval(0, 1)));
}

TEST_CASE("whatever a softmax reads, what is told of its weights holds those of every score between", "[enclosure]") {
  using enum Softmax::Part;
  const auto rest = [](RecipeBuilder& work) {
    work.step({.id = "sum"}, part_of(sum), {"e"});
    work.step({.id = "a"}, part_of(weights), {"e", "sum"});
  };
  const std::vector<std::pair<std::string, WrittenDown>> all = {
      {"plainly",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"s"});
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"});
         rest(work);
       }},
      {"to base 3",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum, 3), {"s"});
         work.step({.id = "e"}, part_of(exponentials, 3), {"s", "m"});
         rest(work);
       }},
      {"behind a mask",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"s"}, "mask");
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"}, "mask");
         work.step({.id = "sum"}, part_of(sum), {"e"});
         work.step({.id = "a"}, part_of(weights), {"e", "sum"}, "mask");
       }},
      {"behind a mask that is repeated",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"s"}, "mask_of_keys");
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"}, "mask_of_keys");
         rest(work);
       }},
      {"behind a mask that the maximum does not know",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"s"});
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"}, "mask");
         rest(work);
       }},
      {"less the maximum of others",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"others"});
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"});
         rest(work);
       }},
      {"less the maximum of a column",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum, 0, "query"), {"s"});
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"});
         rest(work);
       }},
      {"less a number that is given",
       [&](RecipeBuilder& work) {
         work.step({.id = "e"}, part_of(exponentials), {"s", "sink"});
         rest(work);
       }},
      {"less a maximum with a sink",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"s", "sink"});
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"});
         work.step({.id = "sum"}, part_of(sum), {"e", "sink", "m"});
         work.step({.id = "a"}, part_of(weights), {"e", "sum"});
       }},
      {"divided by the sum of others",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"s"});
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"});
         work.step({.id = "sum"}, part_of(sum), {"others"});
         work.step({.id = "a"}, part_of(weights), {"e", "sum"});
       }},
      {"divided by the sum of a column",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"s"});
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"});
         work.step({.id = "sum"}, part_of(sum, 0, "query"), {"e"});
         work.step({.id = "a"}, part_of(weights), {"e", "sum"});
       }},
      {"divided by a sum that is given",
       [&](RecipeBuilder& work) {
         work.step({.id = "m"}, part_of(maximum), {"s"});
         work.step({.id = "e"}, part_of(exponentials), {"s", "m"});
         work.step({.id = "a"}, part_of(weights), {"e", "sink"});
       }},
      {"of what is no power",
       [&](RecipeBuilder& work) {
         work.step({.id = "e"}, Map{Unary::square, 0, ""}, {"s"});
         rest(work);
       }},
  };
  Random random(3);
  for (const auto& [name, steps] : all) {
    INFO(name);
    Tensor<Interval> scores(enclosed_shape);
    for (Interval& score : scores.data()) {
      const double low = 2 * random.uniform() - 1;
      score = {low, low + 0.5 * random.uniform()};
    }
    const Recipe recipe = written_down(steps, Tensor<double>(enclosed_shape));
    std::vector<Tensor<Interval>> made(recipe.size());
    Values<Interval> carried(recipe.size());
    for (std::size_t line = 0; line < recipe.size(); ++line) {
      if (recipe.instruction(line).id() == "s") {
        made[line] = scores;
      } else if (recipe.instruction(line).given) {
        const Tensor<double>& given = recipe.given(recipe.instruction(line).id());
        made[line] = Tensor<Interval>(given.shape());
        std::ranges::copy(given.data(), made[line].data().begin());
      } else {
        made[line] = enclosed(recipe, line, carried, carried);
      }
      carried[line] = &made[line];
    }
    for (int sample = 0; sample < 200; ++sample) {
      Tensor<double> drawn(enclosed_shape);
      for (std::size_t at = 0; at < drawn.size(); ++at) drawn[at] = drawn_from(scores[at], random);
      const Trace trace = worked_out(written_down(steps, drawn));
      for (const Step& step : trace.steps) {
        INFO(step.heading.id);
        const Tensor<Interval>& told = made[recipe.line(step.heading.id).value()];
        for (std::size_t at = 0; at < told.size(); ++at) REQUIRE(holds(told[at], step.result[at]));
      }
    }
  }
}

TEST_CASE("what single precision may lose is added to each number, whatever stands before it", "[enclosure]") {
  const Shape row{{"key", 3}};
  RecipeBuilder work;
  work.given_step({.id = "x"}, LateTensor(Tensor<double>(row, {0.5, 0x1p30, 3})));
  work.step({.id = "y"}, Map{Unary::add, 1, ""}, {"x"});
  const Recipe recipe = work.take();
  const std::size_t line = *recipe.line("y");
  const auto widened = [&](std::vector<double> read, const std::vector<double>& numbers) {
    const Tensor<Interval> x(row, {read[0], read[1], read[2]});
    Values<Interval> carried(recipe.size());
    carried[*recipe.line("x")] = &x;
    Tensor<Interval> made(row, {numbers[0], numbers[1], numbers[2]});
    widen_to_single(recipe, line, carried, made);
    return made;
  };
  const Tensor<Interval> infinite = widened({infinity, 0.5, 1}, {infinity, 1.5, 2});
  CHECK(infinite[0].is_point());
  CHECK(infinite[1].low < 1.5);
  CHECK(infinite[2].high > 2);
}

TEST_CASE("where numbers cancel, single precision may lose what it loses of each of them", "[enclosure]") {
  struct Case {
    std::string name;
    Op op;
    std::vector<Tensor<double>> operands;
    double exact;
    float single;
  };
  const auto pair = [](double a, double b) { return Tensor<double>({{"d_k", 2}}, {a, b}); };
  const auto one = [](double a) { return Tensor<double>({{"pair", 1}}, {a}); };
  const double a = 1e6 + 1 / 3.0, b = 1e6, half = std::sqrt(0.5);
  const auto of = [](double number) { return static_cast<float>(number); };
  const auto gelu = [](auto x, auto root) { return x / 2 * (1 + std::erf(x / root)); };
  const auto gelu_tanh = [](auto x, auto root, auto third) {
    return x / 2 * (1 + std::tanh(root * (x + third * x * x * x)));
  };
  const Case cases[] = {
      {"a difference", Combine{Binary::subtract, {}}, {one(a), one(b)}, a - b, of(a) - of(b)},
      {"a rotation",
       Rotate{"d_k", "pair", true},
       {pair(a, b), one(half), one(half)},
       a * half - b * half,
       of(a) * of(half) - of(b) * of(half)},
      {"gelu", Map{Unary::gelu, 0, ""}, {one(-4)}, gelu(-4.0, std::sqrt(2.0)), gelu(-4.0F, std::sqrt(2.0F))},
      {"a gate of gelu",
       Gate{Unary::gelu},
       {one(-4), one(b)},
       gelu(-4.0, std::sqrt(2.0)) * b,
       gelu(-4.0F, std::sqrt(2.0F)) * of(b)},
      {"gelu by a tanh",
       Map{Unary::gelu_tanh, 0, ""},
       {one(-4)},
       gelu_tanh(-4.0, root_of_two_over_pi, 0.044715),
       gelu_tanh(-4.0F, of(root_of_two_over_pi), 0.044715F)},
      {"a gate of gelu by a tanh",
       Gate{Unary::gelu_tanh},
       {one(-4), one(b)},
       gelu_tanh(-4.0, root_of_two_over_pi, 0.044715) * b,
       gelu_tanh(-4.0F, of(root_of_two_over_pi), 0.044715F) * of(b)},
      {"what a norm adds", Normalize{Normalize::Part::affine, "pair"}, {one(a), one(1), one(-b)}, a - b, of(a) - of(b)},
      {"a mean", Normalize{Normalize::Part::mean, "d_k"}, {pair(a, -b)}, (a - b) / 2, (of(a) - of(b)) / 2},
      {"what is added to a score", Close{}, {one(a), one(-b)}, a - b, of(a) - of(b)},
      {"what is taken off each number", Map{Unary::add, -b, ""}, {one(a)}, a - b, of(a) - of(b)},
  };
  for (const Case& test : cases) {
    CAPTURE(test.name);
    RecipeBuilder work;
    std::vector<StepId> read;
    for (const Tensor<double>& operand : test.operands) {
      read.push_back("x" + std::to_string(read.size()));
      work.given_step({.id = read.back()}, LateTensor(operand));
    }
    work.step({.id = "y"}, test.op, {read.begin(), read.end()});
    const Recipe recipe = work.take();
    std::vector<Tensor<Interval>> points;
    for (const Tensor<double>& operand : test.operands) {
      points.emplace_back(operand.shape(), std::vector<Interval>(operand.data().begin(), operand.data().end()));
    }
    Values<Interval> carried(recipe.size());
    for (std::size_t i = 0; i < read.size(); ++i) carried[*recipe.line(read[i])] = &points[i];
    Tensor<Interval> made = run_line(recipe, *recipe.line("y"), carried);
    REQUIRE(made[0].contains(test.exact));
    widen_to_single(recipe, *recipe.line("y"), carried, made);
    CHECK(std::abs(test.single - test.exact) > 1e-5 * std::abs(test.exact));  // so much is lost
    CHECK(made[0].contains(static_cast<double>(test.single)));
    CHECK(made[0].width() < 20);
  }
}

TEST_CASE("a line of a short dtype holds what is exact, and what the dtype makes of it", "[enclosure]") {
  for (const Dtype dtype : {Dtype::bf16, Dtype::f16}) {
    RecipeBuilder work({.dtype = dtype, .hand_rounding = {}});
    work.given_step({.id = "x"}, LateTensor(Tensor<double>({{"d", 3}}, {1, 2, 5})));
    work.step({.id = "y"}, Map{Unary::divide, 3, ""}, {"x"});
    const Recipe recipe = work.take();
    const Tensor<Interval> x({{"d", 3}}, {1, 2, 5});
    Values<Interval> carried(recipe.size());
    carried[*recipe.line("x")] = &x;
    const Tensor<Interval> made = enclosed(recipe, *recipe.line("y"), Values<Interval>(recipe.size()), carried);
    for (std::size_t at = 0; at < made.size(); ++at) {
      const double exact = x[at].low / 3;
      CAPTURE(at, made[at].low, made[at].high);
      CHECK(stored(exact, dtype) != exact);
      CHECK(made[at].contains(exact));
      CHECK(made[at].contains(stored(exact, dtype)));
      CHECK(made[at].width() <= 1.01 * std::abs(stored(exact, dtype) - exact));
    }
  }
}

TEST_CASE("whole sums are exact in single precision as far as its numbers have no gaps", "[enclosure]") {
  const auto widened = [](double q, double k) {
    RecipeBuilder work;
    const Tensor<double> queries({{"d_k", 2}}, {q, 1}), keys({{"d_k", 2}}, {k, 1});
    work.given_step({.id = "q"}, LateTensor(queries));
    work.given_step({.id = "k"}, LateTensor(keys));
    work.step({.id = "s"}, Contract{"d_k"}, {"q", "k"});
    const Recipe recipe = work.take();
    const Tensor<Interval> of_q({{"d_k", 2}}, {q, 1}), of_k({{"d_k", 2}}, {k, 1});
    Values<Interval> carried(recipe.size());
    carried[*recipe.line("q")] = &of_q;
    carried[*recipe.line("k")] = &of_k;
    Tensor<Interval> made = run_line(recipe, *recipe.line("s"), carried);
    REQUIRE(made[0] == Interval(q * k + 1));
    widen_to_single(recipe, *recipe.line("s"), carried, made);
    return made[0];
  };
  CHECK(widened(4096, 4095).is_point());
  for (const double k : {8192.0, 0x1p20}) {
    const Interval sum = widened(4096, k);
    CHECK(sum.contains(static_cast<double>(static_cast<float>(4096 * k + 1))));
    CHECK(sum.contains(4096 * k + 1));
    CHECK(sum.width() < 1e-5 * 4096 * k);
  }
}

TEST_CASE("a quotient of whole numbers is none that single precision has", "[enclosure]") {
  RecipeBuilder work;
  const Shape one{{"key", 1}};
  work.given_step({.id = "a"}, LateTensor(Tensor<double>(one, {1})));
  work.given_step({.id = "b"}, LateTensor(Tensor<double>(one, {3})));
  work.step({.id = "c"}, Combine{Binary::divide, {}}, {"a", "b"});
  const Recipe recipe = work.take();
  const Tensor<Interval> a(one, {1}), b(one, {3});
  Values<Interval> carried(recipe.size());
  carried[*recipe.line("a")] = &a;
  carried[*recipe.line("b")] = &b;
  Tensor<Interval> made = run_line(recipe, *recipe.line("c"), carried);
  REQUIRE_FALSE(made[0].contains(static_cast<double>(1.0F / 3)));
  widen_to_single(recipe, *recipe.line("c"), carried, made);
  CHECK(made[0].contains(static_cast<double>(1.0F / 3)));
}

}  // namespace attn
