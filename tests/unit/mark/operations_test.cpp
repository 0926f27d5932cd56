#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "catch.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "trace/enclosure.h"
#include "trace/evaluate.h"
#include "trace/recipe.h"
#include "unit/ops/recorded.h"

namespace attn {
namespace {

// What a mask says is no number that somebody rounded.
bool is_mask(const Recipe& recipe, std::size_t line) { return recipe.instruction(line).id() == "mask"; }

template <class Number>
Values<Number> shared(const std::vector<Tensor<Number>>& tensors) {
  Values<Number> all;
  for (const Tensor<Number>& tensor : tensors) all.push_back(&tensor);
  return all;
}

const std::vector<double> given_scores = {1, 2, 4, 0.5, 0.25, 3};

// Scores that are given, their weights in one of the ways there are, and a context.
Recipe weighing(double base, bool sink, bool linear) {
  RecipeBuilder work;
  work.current().attention = attention_anatomy("");
  const auto part = [&](Softmax::Part which) { return Softmax{which, "key", base}; };
  work.given({.id = "values"}, LateTensor(Tensor<double>({{"key", 3}, {"d_v", 2}}, {1, 0, 0, 2, 3, 1})));
  work.given_step({.id = "scores"}, LateTensor(Tensor<double>({{"query", 2}, {"key", 3}}, given_scores)));
  if (linear) {
    work.step({.id = "attention_weights"}, part(Softmax::Part::shares), {"scores"});
  } else {
    std::vector<Operand> largest = {"scores"}, summed = {"exponentials"};
    if (sink) {
      largest.emplace_back(work.given({.id = "softmax.sink"}, LateTensor(Tensor<double>(Shape{}, {1.5}))));
      summed.insert(summed.end(), {"softmax.sink", "row_maximum"});
    }
    work.step({.id = "row_maximum"}, part(Softmax::Part::maximum), largest);
    work.step({.id = "exponentials"}, part(Softmax::Part::exponentials), {"scores", "row_maximum"});
    work.step({.id = "exponential_sums"}, part(Softmax::Part::sum), summed);
    work.step({.id = "attention_weights"}, part(Softmax::Part::weights), {"exponentials", "exponential_sums"});
  }
  work.step({.id = "context"}, Contract{"key"}, {"attention_weights", "values"});
  return work.take();
}

std::vector<Rewrite> rewrites(const std::string& id, const Recipe& right) {
  return mistake_named(id)->rewrites(attentions(right).front());
}

// b^s / (Σ b^s + b^sink), row by row.
std::vector<double> shares_of_powers(const std::vector<double>& scores, double base, std::optional<double> sink) {
  std::vector<double> all;
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = sink ? std::pow(base, *sink) : 0;
    for (std::size_t i = 0; i < 3; ++i) sum += std::pow(base, scores[row * 3 + i]);
    for (std::size_t i = 0; i < 3; ++i) all.push_back(std::pow(base, scores[row * 3 + i]) / sum);
  }
  return all;
}

void check_weights(const Recipe& recipe, const std::vector<double>& expected) {
  const Tensor<double> weights = value_in(recipe, "attention_weights");
  REQUIRE(weights.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(weights[i] == Approx(expected[i]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("what an operation makes of intervals holds what it makes of numbers in them", "[check]") {
  std::uint32_t seed = 7;
  const auto share = [&] {
    seed = seed * 1664525U + 1013904223U;
    const std::uint32_t choice = seed >> 30U;
    return choice == 0 ? 0.0 : choice == 1 ? 1.0 : static_cast<double>(seed >> 8U & 0xfffffU) / 0xfffff;
  };
  for (const OneStep& one : every_operation()) {
    const Recipe recipe = traced(one).recipe;
    const std::size_t last = recipe.size() - 1;
    const double reach = 0.05;

    std::vector<Tensor<Interval>> given;
    for (std::size_t line = 0; line < last; ++line) {
      const Tensor<double>& numbers = recipe.instruction(line).given->points.numbers();
      given.emplace_back(numbers.shape());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        given.back()[i] =
            is_mask(recipe, line) ? Interval(numbers[i]) : Interval(numbers[i] - reach, numbers[i] + reach);
      }
    }
    const Values<Interval> carried = shared(given);
    const Tensor<Interval> enclosing = enclosed(recipe, last, carried, carried);

    const std::size_t samples = 10'000 / enclosing.size() + 400;
    std::size_t outside = 0;
    for (std::size_t sample = 0; sample < samples; ++sample) {
      std::vector<Tensor<double>> drawn;
      for (const Tensor<Interval>& tensor : given) {
        drawn.emplace_back(tensor.shape());
        for (std::size_t i = 0; i < tensor.size(); ++i) {
          drawn.back()[i] = std::clamp(tensor[i].low + share() * tensor[i].width(), tensor[i].low, tensor[i].high);
        }
      }
      const Tensor<double> result = run_line(recipe, last, shared(drawn));
      for (std::size_t i = 0; i < result.size(); ++i) outside += enclosing[i].contains(result[i]) ? 0 : 1;
    }
    INFO(one.name);
    CHECK(outside == 0);
  }
}

TEST_CASE("the terms of a sum add up to it, with all that is added besides", "[check]") {
  for (const OneStep& one : every_operation()) {
    const auto* contract = std::get_if<Contract>(&one.op);
    const auto* reduce = std::get_if<Reduce>(&one.op);
    const auto* softmax = std::get_if<Softmax>(&one.op);
    const bool adds_up = (contract && contract->then == Contract::Then::add) ||
                         (reduce && reduce->function == Reducer::sum) ||
                         (softmax && softmax->part == Softmax::Part::sum);
    const Trace trace = traced(one);
    const Recipe& recipe = trace.recipe;
    Values<double> made;
    for (std::size_t line = 0; line + 1 < recipe.size(); ++line) {
      made.push_back(&recipe.instruction(line).given->points.numbers());
    }
    for (std::size_t cell = 0; cell < trace.steps.back().result.size(); ++cell) {
      const std::vector<double> terms = terms_of(recipe, recipe.size() - 1, cell, made);
      INFO(one.name);
      CHECK(terms.empty() == !adds_up);
      double sum = 0;
      for (const double term : terms) sum += term;
      if (adds_up) CHECK(sum == trace.steps.back().result[cell]);
    }
  }
}

TEST_CASE("mistakes with a softmax keep its sink and its base, but for those about them", "[check]") {
  const double e = std::exp(1.0);
  std::vector<double> negated = given_scores;
  for (double& score : negated) score = -score;
  check_weights(weighing(3, true, false), shares_of_powers(given_scores, 3, 1.5));
  check_weights(rewrites("softmax.negated", weighing(3, true, false))[0].recipe, shares_of_powers(negated, 3, 1.5));
  check_weights(rewrites("sink.left_out", weighing(0, true, false))[0].recipe, shares_of_powers(given_scores, e, {}));
  check_weights(rewrites("softmax.base_e", weighing(3, false, false))[0].recipe, shares_of_powers(given_scores, e, {}));
  check_weights(rewrites("softmax.base_2", weighing(0, true, false))[0].recipe, shares_of_powers(given_scores, 2, 1.5));
  check_weights(rewrites("softmax.linear", weighing(3, false, false))[0].recipe,
                {1.0 / 7, 2.0 / 7, 4.0 / 7, 2.0 / 15, 1.0 / 15, 12.0 / 15});
  CHECK(rewrites("softmax.base_2", weighing(3, false, false)).empty());
  CHECK(rewrites("softmax.base_e", weighing(0, false, false)).empty());
  CHECK(rewrites("sink.left_out", weighing(0, false, false)).empty());
}

TEST_CASE("every mistake that can be made with another softmax gives a computation that runs", "[check]") {
  for (const auto& [base, sink, linear] : {std::tuple(0.0, true, false), std::tuple(3.0, false, false),
                                           std::tuple(2.0, true, false), std::tuple(0.0, false, true)}) {
    const Recipe right = weighing(base, sink, linear);
    std::size_t made = 0;
    for (const Family& family : families()) {
      for (const Mistake& mistake : family.mistakes) {
        if (!mistake.rewrites) continue;
        for (const Rewrite& rewrite : mistake.rewrites(attentions(right).front())) {
          INFO(mistake.id << " " << rewrite.variant);
          REQUIRE(rewrite.recipe.fits());
          CHECK(value_in(rewrite.recipe, "context").size() > 0);
          ++made;
        }
      }
    }
    CHECK(made > (linear ? 2U : 10U));
  }
}

TEST_CASE("the weights of a softmax to another base, known to intervals, hold all of them and little more", "[check]") {
  const Recipe recipe = weighing(3, false, false);
  Values<Interval> made(recipe.size());
  std::deque<Tensor<Interval>> kept;
  const double reach = 0.05;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    Tensor<Interval> interval(recipe.shape(line));
    if (recipe.instruction(line).given) {
      const Tensor<double>& numbers = recipe.instruction(line).given->points.numbers();
      for (std::size_t i = 0; i < numbers.size(); ++i) interval[i] = Interval(numbers[i] - reach, numbers[i] + reach);
    } else {
      interval = enclosed(recipe, line, made, made);
    }
    made[line] = &kept.emplace_back(std::move(interval));
  }
  const Tensor<Interval>& weights = *made[*recipe.line("attention_weights")];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<double> up = given_scores, down = given_scores;
    for (std::size_t j = 0; j < up.size(); ++j) {
      up[j] += i == j ? reach : -reach;
      down[j] += i == j ? -reach : reach;
    }
    const double most = shares_of_powers(up, 3, {})[i];
    const double least = shares_of_powers(down, 3, {})[i];
    CHECK(weights[i].low <= least);
    CHECK(weights[i].high >= most);
    CHECK(weights[i].width() <= 1.001 * (most - least));
  }
}

TEST_CASE("a recipe knows whether its lines can read one another", "[check]") {
  const Trace trace =
      traced({"", Join{"key"}, {Tensor<double>({{"key", 2}, {"d_k", 3}}), Tensor<double>({{"key", 1}, {"d_k", 3}})}});
  Recipe recipe = trace.recipe;
  CHECK(recipe.fits());
  CHECK(recipe.fitting_shape("made") == Shape{{"key", 3}, {"d_k", 3}});
  recipe.give("wide", Tensor<double>({{"key", 1}, {"d_k", 4}}));
  recipe.replace("made", Join{"key"}, {"a", "wide"});
  CHECK_FALSE(recipe.fits());
  CHECK_FALSE(recipe.fitting_shape("made").has_value());
}

}  // namespace attn
