#include "mark/comparison.h"

#include <optional>
#include <string>
#include <vector>

#include "catch.h"
#include "mark/allowance.h"

namespace attn {
namespace {

// A step of one row as somebody wrote it, all of it with so many decimals.
HandedStep row_written(HandedStep::What what, const std::vector<double>& numbers, std::optional<int> decimals,
                       const MarkingRule& rule) {
  HandedStep step{.id = "step", .what = what, .shape = {1, numbers.size()}, .cells = {}, .is_whole = true};
  for (const double number : numbers) {
    step.cells.push_back({HandedCell::Kind::number, {number, decimals, ""}});
    step.cells.back().may_keep_sum = what == HandedStep::What::weights;
    step.cells.back().may_have_factor = what == HandedStep::What::exponentials;
  }
  fill_in_allowances(step, rule);
  return step;
}

Tensor<double> row_computed(const std::vector<double>& numbers) {
  return {Shape{{"query", 1}, {"key", numbers.size()}}, numbers};
}

}  // namespace

TEST_CASE("a teacher's own rule marks weights number by number, whoever keeps their sum", "[check]") {
  const Tensor<double> thirds = row_computed({1.0 / 3, 1.0 / 3, 1.0 / 3});
  const auto matched = [&](const MarkingRule& rule) {
    const HandedStep step = row_written(HandedStep::What::weights, {0.34, 0.33, 0.33}, 2, rule);
    return matched_cells(Comparand<double>{step, thirds, nullptr, "key"}, RoundingMode::keep_sum, rule);
  };
  CHECK(matched({}) == std::vector<bool>{true, true, true});
  CHECK(matched({.kind = MarkingRule::Kind::decimal_digits, .digits = 2}) == std::vector<bool>{false, true, true});
}

TEST_CASE("weights that keep their sum have the decimals of whichever of them was written with most", "[check]") {
  const Tensor<double> computed = row_computed({0.62, 0.38});
  const MarkingRule rule;
  const std::size_t precise = GENERATE(0u, 1u);
  HandedStep step = row_written(HandedStep::What::weights, {0.6, 0.4}, 1, rule);
  step.cells[precise].number.value = computed[precise];
  step.cells[precise].number.decimals = 2;
  step.cells[1 - precise] = HandedCell{};  // not asked for
  fill_in_allowances(step, rule);
  const std::vector<bool> matched =
      matched_cells(Comparand<double>{step, computed, nullptr, "key"}, RoundingMode::keep_sum, rule);
  CHECK(matched == std::vector<bool>{true, true});
}

TEST_CASE("whole weights keep their sum where the largest is 1 and the rest are 0", "[check]") {
  const Tensor<double> computed = row_computed({0.4, 0.35, 0.25});
  const MarkingRule rule;
  const HandedStep step = row_written(HandedStep::What::weights, {1, 0, 0}, 0, rule);
  const std::vector<bool> matched =
      matched_cells(Comparand<double>{step, computed, nullptr, "key"}, RoundingMode::keep_sum, rule);
  CHECK(matched == std::vector<bool>{true, true, true});
}

TEST_CASE("a number written in full is not rounded to what lies just beside it", "[check]") {
  // Both are forgiven 1e-14, and the written one no more.
  const MarkingRule rule;
  const auto is_matched = [&](std::optional<int> decimals, double written, double computed) {
    const HandedStep step = row_written(HandedStep::What::other, {written}, decimals, rule);
    const Tensor<double> made = row_computed({computed});
    return bool{matched_cells(Comparand<double>{step, made, nullptr, "key"}, RoundingMode::half_up, rule)[0]};
  };
  CHECK(is_matched(std::nullopt, 0, 1.99e-14));
  CHECK_FALSE(is_matched(std::nullopt, 0, 2.00000001e-14));
  CHECK_FALSE(is_matched(std::nullopt, 0, 3e-14));
  CHECK(is_matched(2, 0, 3e-14));
}

TEST_CASE("exponentials may stand multiplied by e to what was not subtracted, where that is known", "[check]") {
  const MarkingRule rule;
  // Scores 1 and 2; somebody subtracts nothing.
  const HandedStep step = row_written(HandedStep::What::exponentials, {2.72, 7.39}, 2, rule);
  const Tensor<double> computed = row_computed({exp(-1.0), 1});
  const auto matched = [&](const Tensor<double>* maxima, bool any_factor) {
    return matched_cells(Comparand<double>{step, computed, nullptr, "key", maxima, any_factor}, RoundingMode::half_up,
                         rule);
  };
  const std::vector<bool> all = {true, true}, none = {false, false};
  const Tensor<double> maximum(Shape{{"query", 1}}, {2}), two(Shape{{"query", 2}}, {2, infinity});
  CHECK(matched(&maximum, false) == all);
  CHECK(matched(nullptr, false) == none);
  CHECK(matched(nullptr, true) == all);
  // Beside a row whose scores are infinite nobody can say what the largest score of all is.
  CHECK(matched(&two, false) == none);
  CHECK(matched(&two, true) == all);
}

TEST_CASE("two small exponentials speak for what was not subtracted, a blank one against nothing", "[check]") {
  const MarkingRule rule;
  // Scores −2, −1 and 3, of which nothing is subtracted; the last number is another, or left blank.
  const Tensor<double> computed = row_computed({exp(-5.0), exp(-4.0), 1}), maximum(Shape{{"query", 1}}, {3});
  HandedStep step = row_written(HandedStep::What::exponentials, {0.1353, 0.3679, 99}, 4, rule);
  const auto matched = [&] {
    return matched_cells(Comparand<double>{step, computed, nullptr, "key", &maximum, false}, RoundingMode::half_up,
                         rule);
  };
  CHECK(matched() == std::vector<bool>{true, true, false});
  step.cells[2].kind = HandedCell::Kind::blank;
  CHECK(matched() == std::vector<bool>{true, true, true});
}

TEST_CASE("of whole weights that keep their sum only one that may be the largest is 1", "[check]") {
  const MarkingRule rule;
  const Tensor<Interval> computed(Shape{{"query", 1}, {"key", 2}}, {Interval(0.3, 0.35), Interval(0.65, 0.7)});
  const auto matched = [&](const std::vector<double>& written) {
    HandedStep step = row_written(HandedStep::What::weights, written, 0, rule);
    step.keeps_whole_sum = true;
    return matched_cells(Comparand<Interval>{step, computed, nullptr, "key"}, RoundingMode::keep_sum, rule);
  };
  CHECK(matched({0, 1}) == std::vector<bool>{true, true});
  CHECK_FALSE(matched({1, 0})[0]);
}

TEST_CASE("of each head the largest score of its own matrix may be subtracted", "[check]") {
  const MarkingRule rule;
  const Shape heads{{"head", 2}, {"query", 2}, {"key", 2}};
  // Scores 1, 2 / 3, 4 and 5, 6 / 7, 8: of their rows 2, 4 and 6, 8 are the largest.
  const Tensor<double> maxima(Shape{{"head", 2}, {"query", 2}}, {2, 4, 6, 8});
  const Tensor<double> computed(heads, {exp(-1.0), 1, exp(-1.0), 1, exp(-1.0), 1, exp(-1.0), 1});
  HandedStep step{
      .id = "step", .what = HandedStep::What::exponentials, .shape = {2, 2, 2}, .cells = {}, .is_whole = true};
  for (const double below : {3, 2, 1, 0, 3, 2, 1, 0}) {
    const double number = std::round(exp(-below) * 1e4) / 1e4;
    step.cells.push_back({HandedCell::Kind::number, {number, 4, ""}});
    step.cells.back().may_have_factor = true;
  }
  fill_in_allowances(step, rule);
  const std::vector<bool> matched =
      matched_cells(Comparand<double>{step, computed, nullptr, "key", &maxima, false}, RoundingMode::half_up, rule);
  CHECK(matched == std::vector<bool>(8, true));
}

TEST_CASE("one number alone leaves the rest free where it is 0", "[check]") {
  const auto is_free = [](double number) {
    HandedStep step = row_written(HandedStep::What::other, {number}, 0, {});
    step.shape = {};
    return makes_the_rest_free(step);
  };
  CHECK(is_free(0));
  CHECK_FALSE(is_free(1));
  CHECK_FALSE(is_free(2));
}

TEST_CASE("weights add up along what their softmax was taken along, else along the last axis", "[check]") {
  const Shape shape{{"query", 2}, {"key", 3}};
  const auto axis = [](const Op& op, const Shape& made) { return sum_axis({.heading = {}, .op = op}, made); };
  CHECK(axis(Softmax{Softmax::Part::weights, "query"}, shape) == "query");
  CHECK(axis(Softmax{Softmax::Part::weights, "head"}, shape) == "key");
  CHECK(axis(Copy{}, shape) == "key");
  CHECK(axis(Copy{}, Shape{}).empty());
}

TEST_CASE("one exponential alone says nothing of what was subtracted in its row", "[check]") {
  const MarkingRule rule;
  const Tensor<double> maximum(Shape{{"query", 1}}, {2});
  const auto matched = [&](const std::vector<double>& written, const std::vector<double>& computed,
                           const Tensor<double>* maxima) {
    const HandedStep step = row_written(HandedStep::What::exponentials, written, 2, rule);
    const Tensor<double> made = row_computed(computed);
    return matched_cells(Comparand<double>{step, made, nullptr, "key", maxima}, RoundingMode::half_up, rule);
  };
  // Beside what is 0 however it is multiplied, 5 would be ten times too much.
  CHECK(matched({5, 0}, {0.5, exp(-20.0)}, nullptr) == std::vector<bool>{false, true});
  // Of scores 1 and 2, e is there by chance: nobody has 5.55 for e².
  CHECK(matched({2.72, 5.55}, {exp(-1.0), 1}, &maximum) == std::vector<bool>{false, false});
}

TEST_CASE("zeros and the identity leave the rest free, whatever is left blank in them", "[check]") {
  const auto is_free = [](std::vector<double> numbers, std::vector<std::size_t> shape, std::size_t blank = 99) {
    HandedStep step = row_written(HandedStep::What::other, numbers, 0, {});
    step.shape = std::move(shape);
    if (blank < step.cells.size()) step.cells[blank].kind = HandedCell::Kind::blank;
    return makes_the_rest_free(step);
  };
  CHECK(is_free({1, 0, 0, 1}, {2, 2}));
  CHECK(is_free({1, 0, 0, 1, 1, 0, 0, 1}, {2, 2, 2}));
  CHECK_FALSE(is_free({1, 0, 0, 1}, {1, 4}));
  CHECK_FALSE(is_free({0, 1, 1, 0}, {2, 2}));
  CHECK(is_free({1, 0, 0, 0}, {2, 2}, 3));
  CHECK(is_free({0, 0, 0, 7}, {2, 2}, 3));
  CHECK_FALSE(is_free({0, 0, 0, 7}, {2, 2}, 2));
}

}  // namespace attn
