// Two attentions in two parts of a recipe, the second of which reads what the first one made.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.h"
#include "compare/difference.h"
#include "explain/telling/asked.h"
#include "explain/telling/why.h"
#include "mark/check.h"
#include "mistakes/rewriting.h"
#include "trace/evaluate.h"
#include "unit/explain/examples.h"
#include "unit/model/attentions.h"

namespace attn {
namespace {

const std::string first_text = R"({
  "inputs": [[1, 0, -1], [0, 1, 1], [1, 1, 0]],
  "weights": {
    "query": [[1, 0], [0, 1], [1, 1]],
    "key":   [[0, 1], [1, 0], [0, -1]],
    "value": [[1, 0], [0, 2], [-1, 1]]
  }
})";
const std::string second_text = R"({
  "inputs": [[0, 0], [0, 0], [0, 0]],
  "weights": {"query": [[1, 2], [0, 1]], "key": [[1, 0], [1, -1]], "value": [[1, 3], [2, 0]]},
  "causal": true
})";

Trace chained() {
  const Problem first = problem_of(first_text), second = problem_of(second_text);
  RecipeBuilder work;
  RecipeBuilder one = work.part("one", "The first attention");
  const StepId made = record_attention(one, first.inputs, first.attention());
  RecipeBuilder other = work.part("other", "The second attention");
  record_attention(other, second.inputs, second.attention());
  Recipe recipe = work.take();
  recipe.replace("other.inputs", Copy{}, {Operand(made, {{"query", "token"}, {"d_v", "d_model"}})});
  REQUIRE(recipe.fits());

  Trace trace = worked_out(std::move(recipe));
  trace.labels = {{examples::numbered(3)}, {examples::numbered(3)}};
  return trace;
}

Tensor<double> as_inputs(const Tensor<double>& made) {
  return Tensor<double>(Shape{{"token", 3}, {"d_model", 2}}, std::vector(made.data().begin(), made.data().end()));
}

// What each line of the rewrite makes.
Tensor<double> made_by(const Recipe& recipe, const std::string& id) {
  Policy<double> plain;
  return evaluate(recipe, plain).result(*recipe.line(id));
}

Recipe gone_astray(const Recipe& recipe, const std::string& mistake, std::size_t which) {
  const auto parts = attentions(recipe);
  const std::vector<Rewrite> rewrites = mistake_named(mistake)->rewrites(parts.at(which));
  REQUIRE_FALSE(rewrites.empty());
  return rewrites[0].recipe;
}

}  // namespace

TEST_CASE("an attention that reads another's output computes what it computes of such inputs", "[model]") {
  const Trace trace = chained();
  const Problem first = problem_of(first_text);
  Problem second = problem_of(second_text);
  second.inputs.self = as_inputs(alone(first).value("context"));
  for (const Step& step : alone(second).steps) {
    INFO(step.heading.id);
    REQUIRE(trace.find("other." + step.heading.id));
    CHECK(trace.value("other." + step.heading.id) == step.result);
  }
}

TEST_CASE(
    "a number of the second of two chained attentions is followed to its edge, and into the first where depth says so",
    "[why]") {
  const Trace trace = chained();
  const Result<Question> question = read_question("other.context[2,1]");
  REQUIRE(question);
  const Result<Asked> asked = find_asked(trace, question.value());
  REQUIRE(asked);
  const std::string at_edge = as_text(why(trace, asked.value()));
  CAPTURE(at_edge);
  CHECK(examples::holds(at_edge, "other.inputs"));
  CHECK(examples::holds(at_edge, "(The first attention)"));
  CHECK_FALSE(examples::holds(at_edge, "one.inputs"));
  const std::string text = as_text(why(trace, asked.value(), {.depth = 20}));
  CAPTURE(text);
  CHECK(examples::holds(text, "one.context"));
  CHECK(examples::holds(text, "one.inputs"));
}

TEST_CASE("the mistakes and conventions of chained attentions are named where they were made", "[check]") {
  const Trace trace = chained();
  for (const auto& [mistake, which, at] : {std::tuple("scale.none", 0, "one.scaled_scores"),
                                           {"scale.by_dk", 1, "other.scaled_scores"},
                                           {"mask.forgotten", 1, "other.masked_scores"}}) {
    CAPTURE(mistake, at);
    const Recipe astray = gone_astray(trace.recipe, mistake, static_cast<std::size_t>(which));
    Answers answers;
    answers.steps.push_back(answered("other.context", made_by(astray, "other.context")));
    const Report report = Checker(trace).mark(answers);
    CHECK(report.verdict == Verdict::wrong);
    REQUIRE_FALSE(report.diagnoses.empty());
    CHECK(report.diagnoses[0].mistake == mistake);
    CHECK(report.diagnoses[0].step.starts_with(which == 0 ? "one." : "other."));
  }
}

TEST_CASE("one mistake in both of two chained attentions is found in both", "[check]") {
  const Trace trace = chained();
  // The second has an instruction that only it needs, as the first does.
  for (const std::string mistake : {"scale.none", "scale.after_softmax"}) {
    CAPTURE(mistake);
    const Recipe both = gone_astray(gone_astray(trace.recipe, mistake, 0), mistake, 1);
    Answers answers;
    std::vector<TheirStep> theirs;
    std::vector<Tensor<double>> numbers;
    numbers.reserve(4);
    for (const char* id : {"one.scores", "one.attention_weights", "one.context", "other.context"}) {
      numbers.push_back(made_by(both, id));
      answers.steps.push_back(answered(id, numbers.back()));
      theirs.push_back({id, &numbers.back(), Tolerance{1e-12, 1e-12}});
    }
    const Report report = Checker(trace).mark(answers);
    CHECK(report.verdict == Verdict::wrong);
    REQUIRE_FALSE(report.diagnoses.empty());
    CHECK(report.diagnoses[0].mistake == mistake);

    const std::vector<LikelyCause> causes = explanations(trace, theirs);
    CHECK(causes.size() == 2);
    for (const LikelyCause& cause : causes) {
      INFO(cause.id << " at " << cause.step << ", next " << cause.next);
      CHECK(cause.id == mistake);
    }
  }
}

TEST_CASE("an instruction that would read what stands below it is refused", "[trace]") {
  Recipe recipe = chained().recipe;
  CHECK_THROWS_AS(recipe.replace("one.scores", Copy{}, {"one.context"}), std::logic_error);
  CHECK_THROWS_AS(recipe.insert_before("one.scores", line("~late", Copy{}, {"one.context"})), std::logic_error);
}

TEST_CASE("a convention in the second of two chained attentions explains the difference", "[diff]") {
  const Trace trace = chained();
  const double log2 = 0.69314718055994530942;
  Tensor<double> folded = trace.value("other.scaled_scores");
  for (double& number : folded.data()) number /= log2;
  const std::vector<TheirStep> theirs = {{"one.context", &trace.value("one.context"), Tolerance{1e-12, 1e-12}},
                                         {"other.scaled_scores", &folded, Tolerance{1e-9, 1e-9}},
                                         {"other.context", &trace.value("other.context"), Tolerance{1e-9, 1e-9}}};
  const std::vector<LikelyCause> causes = explanations(trace, theirs);
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].id == "softmax.folded_log2");
  CHECK(causes[0].step == "other.scaled_scores");
}

}  // namespace attn
