#include "explain/arithmetic/lines.h"

#include <span>
#include <string>
#include <vector>

#include "catch.h"
#include "explain/place.h"
#include "explain/telling/steps.h"
#include "unit/explain/examples.h"
#include "unit/ops/recorded.h"

namespace attn {
namespace {

constexpr auto all_terms = static_cast<std::size_t>(-1);

std::string as_line(const Equation& line) {
  std::string text;
  for (const Expression& side : line.sides) text += (text.empty() ? "" : " ") + plain(side.whole());
  return text + (line.remark.empty() ? "" : " (" + plain(line.remark) + ")");
}

// The lines that tell all cells of the only step at that place.
std::vector<std::string> lines_of_cells(const Trace& trace, const Place& place = {}, std::size_t most = 100) {
  const Numerals numerals(4, trace);
  std::vector<std::string> lines;
  for (const Equation& line : Lines(trace, numerals, all_terms, most).cells(trace.steps.back(), place).lines) {
    lines.push_back(as_line(line));
  }
  return lines;
}

std::string line_of_row(const Trace& trace, const Place& place = {}) {
  const Numerals numerals(4, trace);
  return as_line(Lines(trace, numerals, all_terms).row(trace.steps.back(), place));
}

Tensor<double> counted_cells(const Shape& shape) {
  Tensor<double> tensor(shape);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<double>(i + 1);
  return tensor;
}

TEST_CASE("of a step with more than one row only the formula is on its line", "[explain]") {
  const Trace trace = traced({"", Map{Unary::add, 1, ""}, {counted_cells({{"query", 2}, {"key", 2}})}});
  CHECK(line_of_row(trace) == "Y");
  CHECK(line_of_row(trace, {{"query", 1}}) == "Y = [4, 5]");
  CHECK(line_of_row(trace, {{"key", 0}}) == "Y = [2, 4]");
}

TEST_CASE("a row is labelled by the last token of its place", "[explain]") {
  Trace trace = traced({"", Map{Unary::add, 1, ""}, {counted_cells({{"query", 2}, {"key", 2}, {"d_k", 2}})}});
  trace.labels = {{{"it", "dog"}}, {{"the", "cat"}}, {}};
  const Numerals numerals(4, trace);
  const Lines lines(trace, numerals, all_terms);
  CHECK(plain(lines.row(trace.steps.back(), {{"query", 1}, {"key", 1}}).label) == "cat");
  CHECK(plain(lines.row(trace.steps.back(), {{"query", 1}, {"d_k", 0}}).label) == "dog");
  CHECK(lines.row(trace.steps.back(), {{"d_k", 0}}).label.empty());
}

TEST_CASE("a number that only moved is told as a row is", "[explain]") {
  const Trace trace = traced({"", Copy{}, {counted_cells({{"query", 2}})}});
  CHECK(lines_of_cells(trace) == std::vector<std::string>{"Y = [1, 2]"});
  CHECK(lines_of_cells(trace, {{"query", 1}}) == std::vector<std::string>{"y₂ = 2"});
}

TEST_CASE("of many lines as many are written as may be and the others are counted", "[explain]") {
  const Trace trace = traced({"", Map{Unary::add, 1, ""}, {counted_cells({{"query", 2}, {"key", 3}, {"d_k", 2}})}});
  const std::vector<std::string> all = lines_of_cells(trace);
  REQUIRE(all.size() == 12);
  CHECK(all[4] == "Y[1,3,1] = 5 + 1 = 6");
  for (std::size_t most = 1; most <= 12; ++most) {
    const std::span<const std::string> first = std::span(all).first(most);
    CHECK(lines_of_cells(trace, {}, most) == std::vector<std::string>(first.begin(), first.end()));
    const Numerals numerals(4, trace);
    CHECK(Lines(trace, numerals, all_terms, most).left_out(trace.steps.back(), {}) == 12 - most);
  }
}

TEST_CASE("of one number there is no row to share", "[explain]") {
  const OneStep sum{
      "", Combine{Binary::add, {}}, {counted_cells({{"query", 2}, {"key", 1}}), counted_cells({{"key", 1}})}};
  CHECK(line_of_row(traced(sum), {{"query", 1}}) == "Y = [3]");
  const OneStep wider{
      "", Combine{Binary::add, {}}, {counted_cells({{"query", 2}, {"key", 2}}), counted_cells({{"query", 2}})}};
  CHECK(line_of_row(traced(wider), {{"query", 1}}) == "Y = [5, 6]");
}

TEST_CASE("a list of no numbers is empty", "[explain]") {
  const Trace trace = traced({"", Copy{}, {counted_cells({{"query", 2}})}});
  const Numerals numerals(4, trace);
  const Lines lines(trace, numerals, all_terms);
  CHECK(plain(lines.list(trace.steps.back().result, {"made", 0, 1, 0}, Role::score)[0]) == "[]");
  CHECK(plain(lines.list(trace.steps.back().result, {"made", 1, 1, 1}, Role::score)[0]) == "[2]");
}

// A step that reads what was given and what a hidden step made of it.
Trace beside_what_is_hidden(const Op& op, const Tensor<double>& a, const std::vector<Tensor<double>>& hidden) {
  RecipeBuilder work;
  std::vector<Operand> operands = {work.given({.id = "a", .symbol = "A", .role = Role::query}, LateTensor(a))};
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const std::string id = "given" + std::to_string(i);
    work.given({.id = id, .symbol = "G", .role = Role::key}, LateTensor(hidden[i]));
    operands.emplace_back(work.step({.id = "hidden" + std::to_string(i), .symbol = "H", .role = Role::key}, Copy{},
                                    {id}, std::nullopt, Instruction::Kind::hidden));
  }
  work.step({.id = "made", .symbol = "Y", .title = "made", .formula = "{} = {0}·{1}", .role = Role::score}, op,
            operands);
  return worked_out(work);
}

TEST_CASE("what is made of hidden numbers is told as the number alone", "[explain]") {
  const Tensor<double> q = counted_cells({{"query", 1}, {"d_k", 2}}), k = counted_cells({{"key", 2}, {"d_k", 2}});
  const Tensor<double> row = counted_cells({{"query", 1}, {"key", 2}});
  using Lists = std::vector<std::string>;
  CHECK(lines_of_cells(beside_what_is_hidden(Contract{"d_k"}, q, {k})) == Lists{"Y[1,1] = 5", "Y[1,2] = 11"});
  CHECK(lines_of_cells(beside_what_is_hidden(Contract{"d_k"}, q, {k, row})) == Lists{"Y[1,1] = 6", "Y[1,2] = 13"});
  CHECK(lines_of_cells(beside_what_is_hidden(Close{}, row, {row})) == Lists{"Y[1,1] = 2", "Y[1,2] = 4"});
}

TEST_CASE("a row made of hidden numbers is told by the symbols that the formula has", "[explain]") {
  const Tensor<double> q = counted_cells({{"query", 1}, {"d_k", 2}});
  using Lists = std::vector<std::string>;
  const Trace scaled = beside_what_is_hidden(Combine{Binary::multiply, {}}, q, {counted_cells({{"query", 1}})});
  CHECK(lines_of_cells(scaled) == Lists{"y₁ = [1, 2]"});
  CHECK(line_of_row(scaled, {{"query", 0}}) == "y₁ = a₁·H = [1, 2]");
}

TEST_CASE("a step that reads hidden numbers is told at every level", "[explain]") {
  const Trace trace = beside_what_is_hidden(Contract{"d_k"}, counted_cells({{"query", 2}, {"d_k", 2}}),
                                            {counted_cells({{"key", 3}, {"d_k", 2}})});
  for (const Level level : {Level::result, Level::steps, Level::rows, Level::cells}) {
    ExplainOptions options;
    options.level = level;
    const std::string text = examples::in_text(trace, options);
    INFO(text);
    CHECK(examples::holds(text, "11"));
    CHECK_FALSE(examples::holds(text, "hidden"));
  }
}

}  // namespace
}  // namespace attn
