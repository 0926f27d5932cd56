#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "catch.h"
#include "explain/telling/parts.h"
#include "unit/explain/examples.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

using RowsOfCells = std::vector<std::vector<double>>;

const Axis of_queries = "query", of_keys = "key", of_features = "d_v";

Table checked_steps(const Trace& trace) {
  std::vector<const Step*> steps;
  for (const Step& step : trace.steps) steps.push_back(&step);
  const auto table = checks(trace, steps, Numerals(4, Dtype::f64));
  REQUIRE(table);
  return *table;
}

std::string verdict_of(const Table& table, std::size_t row) { return plain(table.rows.at(row)[1]); }

Step step_called(const std::string& id, Op op, std::vector<Operand> operands, Tensor<double> numbers) {
  return step_of({.id = id, .symbol = id}, std::move(op), std::move(operands), std::nullopt, std::move(numbers));
}

// Weights that were divided by what that operation made.
Trace weights_over(const Op& sum, std::vector<Operand> summed, const RowsOfCells& weights) {
  const std::vector<double> sums(weights.size(), 1);
  Trace trace;
  trace.steps.push_back(
      step_called("z", sum, std::move(summed), Tensor<double>(Shape{{of_queries, sums.size()}}, sums)));
  trace.steps.push_back(step_called("A", Softmax{Softmax::Part::weights, of_keys}, {"E", "z"},
                                    examples::matrix(of_queries, of_keys, weights)));
  return trace;
}

TEST_CASE("a row may sum to less than 1 only where a sink takes a part of it", "[explain]") {
  const RowsOfCells rows = {{0.5, 0.25}, {0.9, 0.3}, {-0.5, 0.2}, {0.75, 0.25}};
  const Softmax sum{Softmax::Part::sum, of_keys};
  const std::string with_sink = verdict_of(checked_steps(weights_over(sum, {"E", "sink", "m"}, rows)), 0);
  CHECK(with_sink.starts_with("no: not in 2 of 4 rows"));
  CHECK(examples::holds(with_sink, "−0.3"));
  CHECK(examples::holds(with_sink, "1.2"));
  CHECK(verdict_of(checked_steps(weights_over(sum, {"E"}, rows)), 0).starts_with("no: not in 3 of 4 rows"));
  CHECK(verdict_of(checked_steps(weights_over(Reduce{Reducer::sum, of_keys}, {"E", "more"}, rows)), 0)
            .starts_with("no: not in 3 of 4 rows"));
  Trace without_sums;
  without_sums.steps.push_back(weights_over(sum, {"E", "sink", "m"}, rows).steps.back());
  CHECK(verdict_of(checked_steps(without_sums), 0).starts_with("no: not in 3 of 4 rows"));
}

// Weights and values, two keys for one query.
Trace weights_and_values(const RowsOfCells& values) {
  Trace trace;
  trace.steps.push_back(step_called("V", Given{}, {}, examples::matrix(of_keys, of_features, values)));
  trace.steps.push_back(step_called("A", Softmax{Softmax::Part::weights, of_keys}, {},
                                    examples::matrix(of_queries, of_keys, {{0.5, 0.5}})));
  return trace;
}

TEST_CASE("only what sums weighted values over the keys is held against the values", "[explain]") {
  const Tensor<double> numbers = examples::matrix(of_queries, of_features, {{100, 100}});
  const Tensor<double> products({{of_queries, 1}, {of_keys, 2}, {of_features, 2}}, {50, 50, 50, 50});
  const Op others[] = {Combine{Binary::add, {}}, Contract{of_queries}, Close{}};
  for (const Op& op : others) {
    Trace trace = weights_and_values({{1, 2}, {3, 4}});
    trace.steps.push_back(step_called("Y", op, {"A", "V"}, numbers));
    CHECK(checked_steps(trace).rows.size() == 1);
    trace.steps.push_back(step_called("C", Contract{of_keys}, {"A", "V"}, numbers));
    CHECK(verdict_of(checked_steps(trace), 1) == "no: not in 2 of 2 numbers");
  }
  for (const Axis& over : {of_queries, of_keys}) {
    Trace trace = weights_and_values({{1, 2}, {3, 4}});
    trace.steps.push_back(step_called("U", Combine{Binary::multiply, {}}, {"A", "V"}, products));
    trace.steps.push_back(step_called("C", Reduce{Reducer::sum, over}, {"U"}, numbers));
    CHECK(checked_steps(trace).rows.size() == (over == of_keys ? 2 : 1));
  }
}

TEST_CASE("contexts are not held against values that are given or no numbers", "[explain]") {
  const double nan = std::nan("");
  Trace one_column = weights_and_values({{nan, 1, 2}, {nan, 3, 4}});
  one_column.steps.push_back(
      step_called("C", Contract{of_keys}, {"A", "V"}, examples::matrix(of_queries, of_features, {{nan, 2, 3}})));
  CHECK(verdict_of(checked_steps(one_column), 1) == "yes, all 2 numbers");

  Trace given = weights_and_values({{1, 2}, {3, 4}});
  given.givens.push_back(
      given_of({.id = "W", .symbol = "W"}, examples::matrix(of_keys, of_features, {{1, 2}, {3, 4}})));
  given.steps.push_back(
      step_called("C", Contract{of_keys}, {"A", "W"}, examples::matrix(of_queries, of_features, {{100, 100}})));
  CHECK(checked_steps(given).rows.size() == 1);
}

TEST_CASE("an online softmax holds for a query that sees nothing", "[explain]") {
  for (const std::size_t keys_a_block : {1U, 2U, 5U}) {
    Problem problem = examples::closed_row();
    problem.keys_a_block = keys_a_block;
    const Trace trace = examples::traced(problem);
    const Table table = checked_steps(trace);
    REQUIRE(table.rows.size() == 3);
    for (std::size_t row = 0; row < 3; ++row) CHECK(verdict_of(table, row).starts_with("yes, all "));
    const std::span<const double> context = trace.value("context").data();
    CHECK(std::vector<double>(context.begin() + 2, context.end()) == std::vector<double>{0, 0});
    // A number there would be wrong.
    CHECK(verdict_of(checked_steps(with_number(trace, "context", 2, 0.5)), 2) == "no: not in 1 of 4 numbers");
  }
}

TEST_CASE("an online softmax holds for a query whose scores are too small to be numbers", "[explain]") {
  Problem problem = examples::closed_row();
  problem.attention().options.erase("mask");
  problem.keys_a_block = 2;
  problem.attention().queries = examples::matrix("query", "d_k", {{-1e200, -1e200, -1e200, -1e200}, {0, 0, 0, 0}});
  problem.attention().keys = Tensor<double>(Shape{{"key", 5}, {"d_k", 4}}, std::vector<double>(20, 1e200));
  const Trace trace = examples::traced(problem);
  CHECK(trace.value("scores")[0] == -infinity);
  const Table table = checked_steps(trace);
  for (std::size_t row = 0; row < 3; ++row) CHECK(verdict_of(table, row).starts_with("yes, all "));
}

}  // namespace
}  // namespace attn
