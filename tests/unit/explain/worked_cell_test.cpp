#include "explain/worked_cell.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>
#include <string>

#include "catch.h"
#include "unit/explain/calculator.h"
#include "unit/explain/examples.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

bool close(double a, double b, double room) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= room * std::max(1.0, std::abs(b));
}

TEST_CASE("written arithmetic, worked out by somebody else, gives the number", "[explain]") {
  const std::vector<Problem> problems = {examples::worked_example(), examples::causal_sentence(),
                                         examples::ragged_heads(), examples::closed_row(), examples::in_columns()};
  for (const Problem& problem : problems) {
    const Trace trace = examples::traced(problem);
    const Numerals numerals(12, trace);
    for (const Step& step : trace.steps) {
      const Reading reading = reading_of(trace, step);
      for (std::size_t cell = 0; cell < step.result.size(); ++cell) {
        const Working working = worked_cell(trace, step, reading, cell, numerals, 1000);
        REQUIRE_FALSE(working.sides.empty());
        CHECK_FALSE(working.rounded);
        for (const Expression& side : working.sides) {
          const std::string text = written_out(side);
          INFO(trace.title << ": " << step.heading.id << " " << cell << ": " << text);
          Calculator calculator(text);
          CHECK(close(calculator.result(), step.result[cell], 1e-9));
          CHECK(calculator.done());
        }
      }
    }
  }
}

std::string line(const Trace& trace, const std::string& id, std::size_t cell, int precision = 4,
                 std::size_t most_terms = 16) {
  const Step& step = *trace.find(id);
  const Numerals numerals(precision, trace);
  const Working working = worked_cell(trace, step, reading_of(trace, step), cell, numerals, most_terms);
  std::string text;
  for (const Expression& side : working.sides) text += side.relation + " " + written_out(side) + " ";
  return text + plain(working.remark);
}

TEST_CASE("an equation is exact where every number in it is whole, and says so where not", "[explain]") {
  const Trace trace = examples::traced(examples::worked_example());
  CHECK(line(trace, "keys", 0) == "= 1×0 + 0×1 + 1×0 + 0×1 = 0 ");
  CHECK(line(trace, "scores", 1) == "= 1×4 + 0×4 + 2×0 = 4 ");
  CHECK(line(trace, "row_maximum", 0) == "= max(2, 4, 4) = 4 ");
  CHECK(line(trace, "exponentials", 0) == "= e^(2 − 4) = e^(−2) ≈ 0.1353 ");
  CHECK(line(trace, "exponentials", 1) == "= e^(4 − 4) = e^0 = 1 ");
  CHECK(line(trace, "exponential_sums", 0) == "= 0.1353 + 1 + 1 ≈ 2.1353 ");
  CHECK(line(trace, "attention_weights", 0) == "= 0.1353 / 2.1353 ≈ 0.0634 ");
  CHECK(line(trace, "context", 0) == "= 0.0634 + 0.9366 + 0.9366 ≈ 1.9366 ");
}

TEST_CASE("a step rounded by hand is not called equal to its arithmetic", "[explain]") {
  Problem problem = examples::worked_example();
  problem.attention().score.name = "scaled_dot";
  problem.arithmetic.hand_rounding = parse_hand_rounding("1:keep-sum");
  const Trace trace = examples::traced(problem);
  CHECK(line(trace, "scaled_scores", 0) == "= 2 / √3 ≈ 1.2 ");
  CHECK(line(trace, "scores", 0) == "= 1×0 + 0×1 + 2×1 = 2 ");
}

TEST_CASE("negative numbers behind an operator stand in parentheses", "[explain]") {
  const Trace trace = examples::traced(examples::closed_row());
  const std::string text = line(trace, "scores", 0);
  INFO(text);
  CHECK(examples::holds(text, ")×"));
  CHECK_FALSE(examples::holds(text, "+ −"));
  CHECK_FALSE(examples::holds(text, "×−"));
}

TEST_CASE("a closed score names the rule that closes it", "[explain]") {
  const Trace trace = examples::traced(examples::causal_sentence());
  CHECK(line(trace, "masked_scores", 1) == "= −∞ closed by causal");
  CHECK(line(trace, "attention_weights", 1) == "= 0 closed");
}

TEST_CASE("of a row whose open scores are all −∞ only what a rule closes is called closed", "[explain]") {
  Problem problem = examples::closed_row();
  problem.attention().queries = Tensor<double>(Shape{{"query", 2}, {"d_k", 4}}, std::vector<double>(8, 1e200));
  problem.attention().keys = Tensor<double>(Shape{{"key", 5}, {"d_k", 4}}, std::vector<double>(20, -1e200));
  const Trace trace = examples::traced(problem);
  CHECK(line(trace, "exponentials", 0) == "= e^(−∞) = 0 ");
  CHECK(line(trace, "attention_weights", 0) == "= 0 0 where the divisor is 0");
  CHECK(line(trace, "exponentials", 2) == "= 0 closed");
  CHECK(line(trace, "attention_weights", 2) == "= 0 closed");
  CHECK(line(trace, "attention_weights", 5) == "= 0 closed");
}

TEST_CASE("rules are those that the mask's step reads, whatever they are called", "[explain]") {
  Problem problem = examples::causal_sentence();
  Tensor<double> open(Shape{{"query", 4}, {"key", 4}}, std::vector<double>(16, 1));
  open[1] = 0;
  problem.attention().options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::allow, open}};
  Trace trace = examples::traced(problem);
  CHECK(line(trace, "masked_scores", 1) == "= −∞ closed by mask and causal");
  CHECK(line(trace, "masked_scores", 2) == "= −∞ closed by causal");

  // Not by their ids, and one name may be part of another.
  const auto rename = [&](const std::string& from, const std::string& to, const std::string& title) {
    const auto givens = std::move(trace.givens);
    const auto steps = std::move(trace.steps);
    trace.givens.clear();
    trace.steps.clear();
    for (const GivenTensor& given : givens) {
      Heading heading = given.heading;
      if (heading.id == from) heading.title = title;
      if (heading.id == from) heading.id = to;
      trace.givens.push_back(given_of(heading, given.value));
    }
    for (const Step& step : steps) {
      std::vector<Operand> operands = step.operands;
      for (Operand& operand : operands) operand.id = operand.id == from ? to : operand.id;
      trace.steps.push_back(step_of(step.heading, step.op, operands, step.open, step.result));
    }
  };
  rename("mask.1", "later", "no later word: each sees what was");
  rename("mask.causal", "word", "word");
  trace.givens.push_back(given_of({.id = "mask.unread", .title = "unread: nobody reads it", .role = Role::mask},
                                  Tensor<double>(Shape{{"key", 4}})));
  CHECK(line(trace, "masked_scores", 1) == "= −∞ closed by no later word and word");
  const std::string text = examples::in_text(trace);
  CHECK(examples::holds(text, "no later word: each sees what was; word"));
  CHECK_FALSE(examples::holds(text, "unread"));
}

TEST_CASE("a long sum is cut in the middle and says by how much", "[explain]") {
  const Trace trace = examples::traced(examples::large());
  CHECK(examples::holds(line(trace, "projected_keys", 0), "… 48 more …"));
  CHECK_FALSE(examples::holds(line(trace, "projected_keys", 0, 4, 64), "more"));
}

// The arithmetic with the largest terms alone, without the words around what the others come to.
std::string without_words(std::string text) {
  text = std::regex_replace(text, std::regex(", … \\d+ more"), "");
  return std::regex_replace(text, std::regex("\\d+ more: "), "");
}

TEST_CASE("the largest terms of a sum and what the others come to are the number", "[explain]") {
  constexpr std::size_t most = 3;
  std::size_t cut = 0;
  for (const Problem& problem : {examples::large(), examples::causal_sentence(), examples::in_columns()}) {
    const Trace trace = examples::traced(problem);
    const Numerals numerals(17, trace);
    for (const Step& step : trace.steps) {
      const Reading reading = reading_of(trace, step);
      for (std::size_t cell = 0; cell < step.result.size(); cell += 7) {
        const Working working = worked_cell(trace, step, reading, cell, numerals, {most, TermLimit::Kept::largest});
        if (working.of == 0) continue;
        ++cut;
        CHECK(working.written.size() == most);
        CHECK(working.of > most);
        const std::string text = without_words(written_out(working.sides.front()));
        INFO(step.heading.id << " " << cell << ": " << text);
        Calculator calculator(text);
        CHECK(close(calculator.result(), step.result[cell], 1e-9));
        CHECK(calculator.done());
      }
    }
  }
  CHECK(cut > 1000);
}

TEST_CASE("no term that is left out is larger than one that is written", "[explain]") {
  const Trace trace = examples::traced(examples::large());
  const Step& step = *trace.find("projected_keys");
  const Reading reading = reading_of(trace, step);
  const Numerals numerals(4, trace);
  for (const std::size_t most : {1u, 5u, 63u}) {
    const Working working = worked_cell(trace, step, reading, 0, numerals, {most, TermLimit::Kept::largest});
    const Provenance made = provenance(reading, 0);
    const auto size = [&](std::size_t term) {
      const auto number = [&](const Slice& cells) { return trace.value(cells.tensor)[cells.cell(term)]; };
      return std::abs(number(made.operands[0]) * number(made.operands[1]));
    };
    REQUIRE(working.places.size() == most);
    CHECK(std::ranges::is_sorted(working.places, std::ranges::greater_equal(), size));
    for (std::size_t term = 0; term < made.operands[0].count; ++term) {
      if (std::ranges::find(working.places, term) != working.places.end()) continue;
      CHECK(size(term) <= size(working.places.back()));
    }
  }
  const Working whole = worked_cell(trace, step, reading, 0, numerals, {64, TermLimit::Kept::largest});
  CHECK(whole.of == 0);
  CHECK(whole.sides.front().terms.size() == 64);
}

}  // namespace
}  // namespace attn
