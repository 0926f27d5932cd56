// One recipe with two attentions, each in a part of its own: what no problem file
// can ask for yet, and everything that reads recipes and traces has to bear.

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "compare/difference.h"
#include "compare/side_by_side.h"
#include "explain/telling/asked.h"
#include "explain/telling/steps.h"
#include "explain/telling/why.h"
#include "mark/check.h"
#include "mistakes/mistake.h"
#include "unit/explain/examples.h"
#include "unit/model/attentions.h"

namespace attn {
namespace {

const std::string first_text = R"({
  "inputs": [[1, 0, -1, 1, 0], [0, 1, 1, -1, 1], [1, 1, 0, 0, -1]],
  "weights": {
    "query": [[1, 0, 1, 0], [0, 1, 0, -1], [1, 1, 0, 0], [0, 0, 1, 1], [-1, 0, 0, 1]],
    "key":   [[0, 1, 0, 1], [1, 0, 0, 0], [0, -1, 1, 0], [1, 0, 1, 0], [0, 1, 0, -1]],
    "value": [[1, 0], [0, 2], [-1, 1], [1, 1], [0, -1]]
  }
})";
const std::string second_text = R"({
  "inputs": [[2, 1], [0, 1], [1, -1], [1, 2]],
  "weights": {"query": [[1, 2], [0, 1]], "key": [[1, 0], [1, -1]], "value": [[1, 3], [2, 0]]},
  "causal": true
})";

Trace both() {
  const Problem first = problem_of(first_text), second = problem_of(second_text);
  RecipeBuilder work;
  RecipeBuilder one = work.part("one", "The first attention");
  record_attention(one, first.inputs, first.attention());
  RecipeBuilder other = work.part("other", "The second attention");
  record_attention(other, second.inputs, second.attention());
  Trace trace = worked_out(work);
  trace.labels = {{{"Input 1", "Input 2", "Input 3", "Input 4"}}, {{"Input 1", "Input 2", "Input 3", "Input 4"}}};
  return trace;
}

}  // namespace

TEST_CASE("two attentions in two parts compute what each computes alone", "[model]") {
  const Trace trace = both();
  for (const auto& [prefix, text] : {std::pair("one.", first_text), {"other.", second_text}}) {
    for (const Step& step : alone(problem_of(text)).steps) {
      INFO(prefix << step.heading.id);
      const Step* same = trace.find(prefix + step.heading.id);
      REQUIRE(same);
      CHECK(same->result == step.result);
      CHECK(same->heading.symbol.text() == step.heading.symbol.text());
    }
  }
  CHECK(trace.recipe.parts().size() == 3);
  CHECK(trace.result == "other.context");
}

TEST_CASE("a second step of one id is an error when a recipe is built, as is a second part", "[model]") {
  const Problem problem = problem_of(first_text);
  RecipeBuilder work;
  record_attention(work, problem.inputs, problem.attention());
  CHECK_THROWS_AS(record_attention(work, problem.inputs, problem.attention()), std::logic_error);
  RecipeBuilder part = work.part("again", "");
  CHECK_NOTHROW(record_attention(part, problem.inputs, problem.attention()));
  CHECK_THROWS_AS(work.part("again", ""), std::logic_error);
}

TEST_CASE("two attentions are told, and every number of either can be asked why", "[explain]") {
  const Trace trace = both();
  const std::string text = examples::in_text(trace);
  for (const Step& step : trace.steps) {
    INFO(step.heading.id);
    const Result<Question> question = read_question(step.heading.id + "[1,1]");
    REQUIRE(question);
    if (step.result.shape().rank() != 2) continue;
    const Result<Asked> asked = find_asked(trace, question.value());
    REQUIRE(asked);
    CHECK_FALSE(why(trace, asked.value()).blocks.empty());
  }
  CHECK(examples::holds(text, "causal"));
  CHECK(text.find("The first attention") < text.find("The second attention"));
  CHECK(examples::holds(text, "The second attention"));
  for (const char* title : {"The first attention", "The second attention"}) {
    CHECK(examples::holds(text, std::string(title) + ": each row of A sums to 1"));
  }
}

TEST_CASE("a mistake in the second of two attentions is named there, and the first stays right", "[check]") {
  const Trace trace = both();
  Answers answers;
  for (const char* id : {"one.scores", "one.attention_weights", "one.context", "other.scores"}) {
    answers.steps.push_back(answered(id, trace.value(id)));
  }
  const Checker checker(trace);
  CHECK(checker.mark(answers).verdict == Verdict::right);

  // No scale in the second: its scores stand for the scaled ones.
  Tensor<double> unscaled = trace.value("other.scores");
  answers.steps.push_back(answered("other.scaled_scores", unscaled));
  const Report report = checker.mark(answers);
  CHECK(report.verdict == Verdict::wrong);
  CHECK(report.first_wrong == "other.scaled_scores");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(report.diagnoses[0].mistake == "scale.none");
  CHECK(report.diagnoses[0].step == "other.scaled_scores");
}

TEST_CASE("what explains two traces of two attentions that differ is found in the part where it is", "[diff]") {
  const Trace trace = both();
  const auto parts = attentions(trace.recipe);
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].at.scores == "other.scores");
  const auto forgotten = mistake_named("mask.forgotten");
  REQUIRE(forgotten);
  CHECK(forgotten->rewrites(parts[0]).empty());
  const std::vector<Rewrite> rewrites = forgotten->rewrites(parts[1]);
  REQUIRE_FALSE(rewrites.empty());
  Policy<double> plain;
  const Recipe& other = rewrites[0].recipe;
  const Evaluation<double> made = evaluate(other, plain);

  // A rewrite shares every instruction that it leaves alone.
  const auto same = same_lines(other, trace.recipe);
  const auto changed = static_cast<std::size_t>(std::ranges::count(same, std::optional<std::size_t>()));
  CHECK(changed > 0);
  CHECK(changed < 8);

  std::vector<TheirStep> theirs;
  for (const char* id : {"one.context", "other.scaled_scores", "other.attention_weights", "other.context"}) {
    theirs.push_back({id, made.computed[*other.line(id)], Tolerance{1e-12, 1e-12}});
  }
  const std::vector<LikelyCause> causes = explanations(trace, theirs);
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].id == "mask.forgotten");
  CHECK(causes[0].step == "other.attention_weights");

  ComparedSide first = side_of(trace);
  CHECK(first.attentions.size() == 2);
  CHECK_FALSE(side_by_side(first, side_of(both()), {}).different);
}

}  // namespace attn
