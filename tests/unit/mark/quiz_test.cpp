#include "mark/quiz.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "catch.h"
#include "mark/leeway.h"
#include "model/attention.h"
#include "model/computation.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"
#include "trace/recipe_builder.h"

namespace attn {
namespace {

using Cells = std::vector<AnsweredStep::Cell>;
using Kind = QuizReaction::Kind;

Trace quiz_trace(const std::string& text) {
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
  REQUIRE(problem);
  ReferenceBackend backend;
  return attention(problem.value(), backend);
}

// The trace of a recipe that no problem has.
Trace worked_out_for_quiz(Recipe recipe) {
  Trace trace;
  Policy<double> plainly;
  const Evaluation<double> all = evaluate(recipe, plainly);
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    if (recipe.instruction(line).kind != Instruction::Kind::step) continue;
    trace.steps.emplace_back(recipe.shared(line), std::make_shared<const Tensor<double>>(all.result(line)));
  }
  trace.recipe = std::move(recipe);
  return trace;
}

const std::string two_tokens = R"({"inputs": [[1, 0, 2], [0, 1, 1]], "score": "dot")";
const std::string plain = two_tokens + "}";

Cells cells_of(std::vector<double> numbers, int decimals = 0) {
  Cells cells;
  for (const double number : numbers) cells.push_back(WrittenNumber{number, decimals, std::to_string(number)});
  return cells;
}

// A quiz on these steps, with what it needs to live.
struct Taken {
  explicit Taken(const std::string& problem, const std::vector<std::string>& steps, std::size_t tries = 3)
      : trace(quiz_trace(problem)), checker(trace), quiz(checker, quiz_plan(trace, steps), tries) {}

  QuizReaction answer(std::vector<double> numbers, int decimals = 0) {
    QuizReaction reaction = quiz.answer(cells_of(std::move(numbers), decimals));
    quiz.on();
    return reaction;
  }

  Trace trace;
  Checker checker;
  Quiz quiz;
};

}  // namespace

TEST_CASE("a quiz asks for every row of a step, in the order of the computation", "[quiz]") {
  const QuizPlan plan = quiz_plan(quiz_trace(plain), {"context", "scores"});
  REQUIRE(plan.questions.size() == 4);
  CHECK(plan.questions[0].step == "scores");
  CHECK(plan.questions[3].step == "context");
  CHECK(plan.questions[1].cell(1) == std::vector<std::size_t>{1, 1});
  CHECK_FALSE(plan.is_selection);
}

TEST_CASE("with vectors as columns a question is still what one token has", "[quiz]") {
  const QuizPlan plan =
      quiz_plan(quiz_trace(R"({"inputs": [[1, 0], [0, 1], [2, 1]], "vectors": "columns"})"), {"context"});
  REQUIRE(plan.questions.size() == 2);
  CHECK(plan.questions[0].along == 0);
  CHECK(plan.questions[0].count == 3);
}

TEST_CASE("of a large problem few questions are asked, about the query that sees most", "[quiz]") {
  const Trace trace = quiz_trace(R"({"inputs": {"random": "normal", "shape": [12, 16], "seed": 1}, "causal": true})");
  const QuizPlan plan = quiz_plan(trace, {"scores", "attention_weights", "context"});
  CHECK(plan.is_selection);
  CHECK(plan.questions.size() <= 40);
  CHECK(plan.questions.front().index[0] == 11);
  CHECK_FALSE(plan.questions.front().along);
}

TEST_CASE("forty questions are not too many, and forty-one are", "[quiz]") {
  for (const std::size_t tokens : {40, 41}) {
    const Trace trace =
        quiz_trace(R"({"inputs": {"random": "normal", "shape": [)" + std::to_string(tokens) + R"(, 4], "seed": 1}})");
    const QuizPlan plan = quiz_plan(trace, {"context"});
    CHECK(plan.is_selection == (tokens > 40));
    CHECK((plan.questions.size() == tokens) == (tokens <= 40));
  }
}

TEST_CASE("of a batch the questions are about one sequence, and its query that sees most", "[quiz]") {
  const Trace trace = quiz_trace(
      R"({"inputs": {"random": "normal", "shape": [2, 12, 16], "seed": 1}, "causal": true, "lengths": [12, 5]})");
  // Of 12 tokens the last sees all; of 5 the fifth does, and there are no others to ask about.
  for (const auto& [sequence, query] : {std::pair<std::size_t, std::size_t>{0, 11}, {1, 4}}) {
    const QuizPlan plan = quiz_plan(trace, {"scores", "attention_weights", "context"}, sequence);
    CHECK(plan.is_selection);
    REQUIRE_FALSE(plan.questions.empty());
    for (const QuizQuestion& question : plan.questions) {
      CHECK(question.index[0] == sequence);
      CHECK(question.index[1] == query);
    }
  }
}

TEST_CASE("positions are asked about whichever sequence of a batch a quiz is on", "[quiz]") {
  const Trace trace = quiz_trace(R"({"inputs": [[[1, 0], [0, 1], [1, 1]], [[1, 2]]], "positions": "sinusoidal"})");
  for (const std::size_t sequence : {0u, 1u}) {
    const QuizPlan plan = quiz_plan(trace, {"position_encoding", "context"}, sequence);
    CHECK(std::ranges::count(plan.questions, "position_encoding", &QuizQuestion::step) == 3);
    CHECK(std::ranges::count(plan.questions, "context", &QuizQuestion::step) == (sequence == 0 ? 3 : 1));
  }
}

TEST_CASE("of a large block one number of each step is asked", "[quiz]") {
  std::ifstream file(std::string(ATTN_SOURCE_DIR) + "/data/block-by-hand.json");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string few = "[[-1, 2, 1], [2, -1, 1]]", tokens = R"("tokens": ["It", "rains"],)";
  REQUIRE(text.find(few) != std::string::npos);
  REQUIRE(text.find(tokens) != std::string::npos);
  text.replace(text.find(few), few.size(), R"({"random": "normal", "shape": [12, 3], "seed": 1})");
  text.replace(text.find(tokens), tokens.size(), "");
  const Trace trace = quiz_trace(text);
  std::vector<std::string> steps;
  for (const Step& step : trace.steps) steps.push_back(step.heading.id);
  const QuizPlan plan = quiz_plan(trace, steps);
  CHECK(plan.is_selection);
  // The tokens' own steps have no queries and keys that some see more of: the first token is asked.
  for (const QuizQuestion& question : plan.questions) CHECK(question.index[0] == 0);
  for (const std::string& step : steps) CHECK(std::ranges::count(plan.questions, step, &QuizQuestion::step) >= 1);
}

TEST_CASE("a hint does not say what happened where much would explain it", "[quiz]") {
  // Q·Kᵀ is 1, 2 and 0, 1. Its first column may be K·Qᵀ, or what comes of turned matrices, or of none at all.
  const std::string problem = R"({"inputs": [[1, 0], [0, 1]], "weights": {"query": [[1, 1], [0, 1]],
    "key": [[1, 0], [1, 1]], "value": [[2, 0], [0, 1]]}})";
  Taken taken(problem, {"scores"});
  const QuizReaction reaction = taken.answer({1, 0});
  CHECK(reaction.kind == Kind::wrong);
  CHECK_FALSE(reaction.diagnosis);
  CHECK(taken.quiz.mistakes().empty());
  const Report report = taken.quiz.report();
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(report.diagnoses[0].ties.size() > 2);
}

TEST_CASE("a hint says what happened where two others would explain it, too", "[quiz]") {
  // With values of width 1 a score divided by √d_v is not scaled either.
  Taken taken(R"({"inputs": [[1, 0, -1, 1, 0], [0, 1, 1, -1, 1], [1, 1, 0, 0, -1]], "weights": {
    "query": [[1, 0, 1, 0], [0, 1, 0, -1], [1, 1, 0, 0], [0, 0, 1, 1], [-1, 0, 0, 1]],
    "key": [[0, 1, 0, 1], [1, 0, 0, 0], [0, -1, 1, 0], [1, 0, 1, 0], [0, 1, 0, -1]],
    "value": [[1], [0], [-1], [1], [0]]}})",
              {"scaled_scores"});
  const QuizReaction reaction = taken.answer({-1, -1, 2});
  CHECK(reaction.kind == Kind::wrong);
  REQUIRE(reaction.diagnosis);
  CHECK(reaction.diagnosis->mistake == "scale.none");
  CHECK(reaction.diagnosis->ties.size() == 2);
  CHECK(taken.quiz.mistakes().size() == 1);
}

TEST_CASE("help grows with each wrong try, and the answer comes with the last", "[quiz]") {
  const std::size_t tries = GENERATE(1u, 2u, 3u, 5u);
  Taken taken(plain, {"scores"}, tries);
  for (std::size_t i = 1; i <= tries; ++i) {
    const QuizReaction reaction = taken.answer({9, 9});
    CHECK(reaction.kind == Kind::wrong);
    CHECK(reaction.tries_left == tries - i);
    CHECK(reaction.help == (i == tries ? QuizHelp::answer : i == 1 ? QuizHelp::hint : QuizHelp::stronger));
  }
  CHECK(taken.quiz.at() == 1);
  CHECK_FALSE(taken.quiz.records()[0].is_right);
}

TEST_CASE("it says which numbers of a row are wrong", "[quiz]") {
  Taken taken(plain, {"scores"});
  CHECK(taken.answer({5, 3}).wrong == std::vector<std::size_t>{1});
  CHECK(taken.answer({5, 2}).kind == Kind::right);
  CHECK(taken.quiz.records()[0].tries == 1);
  CHECK_FALSE(taken.quiz.records()[0].is_right_at_first());
}

TEST_CASE("blanks are no try", "[quiz]") {
  Taken taken(plain, {"scores"});
  CHECK(taken.quiz.answer({WrittenNumber{5, 0, "5"}, std::nullopt}).kind == Kind::incomplete);
  CHECK(taken.answer({5, 2}).kind == Kind::right);
  CHECK(taken.quiz.records()[0].is_right_at_first());
}

TEST_CASE("a hint that was asked for costs no try, but the first one", "[quiz]") {
  Taken taken(plain, {"scores"});
  CHECK(taken.quiz.hint().help == QuizHelp::hint);
  CHECK(taken.quiz.hint().help == QuizHelp::stronger);
  CHECK(taken.quiz.hint().help == QuizHelp::stronger);
  CHECK(taken.answer({5, 2}).kind == Kind::right);
  CHECK(taken.quiz.records()[0].tries == 0);
  CHECK_FALSE(taken.quiz.records()[0].is_right_at_first());
}

TEST_CASE("what follows from an own earlier number is right", "[quiz]") {
  Taken taken(plain, {"attention_weights", "context"});
  // e⁵ and e² over their sum are 0.9526 and 0.0474; carried on as 0.95 and 0.05.
  CHECK(taken.answer({0.95, 0.05}, 2).kind == Kind::right);
  CHECK(taken.answer({0.5, 0.5}, 2).kind == Kind::right);
  CHECK(taken.answer({0.95, 0.05, 1.95}, 2).kind == Kind::right);
}

TEST_CASE("each answer may be rounded in a way of its own", "[quiz]") {
  Taken taken(R"({"inputs": [[1, 0], [1, 3]]})", {"scaled_scores"});
  // 1/√2 is 0.7071…
  CHECK(taken.answer({0.70, 0.70}, 2).kind == Kind::right);
  CHECK(taken.answer({0.71, 7.07}, 2).kind == Kind::right);
  CHECK_FALSE(taken.quiz.has_wrong());
  CHECK(taken.quiz.mistakes().empty());
  Taken other(R"({"inputs": [[1, 0], [1, 3]]})", {"scaled_scores"});
  CHECK(other.answer({0.70, 0.70}, 2).kind == Kind::right);
  CHECK(other.answer({0.72, 7.07}, 2).kind == Kind::wrong);
  CHECK(other.quiz.has_wrong());
}

TEST_CASE("powers are taken in one way by all answers", "[quiz]") {
  // The scores are 5, 2 and 2, 2.
  const auto answered = [](const std::vector<std::string>& steps, const std::vector<std::vector<double>>& rows) {
    Taken taken(plain, steps);
    std::vector<Kind> kinds;
    for (const auto& row : rows) kinds.push_back(taken.answer(row, 3).kind);
    if (kinds.back() == Kind::right) CHECK(taken.quiz.report().verdict != Verdict::wrong);
    CHECK(taken.quiz.mistakes().empty());  // which a hint would name
    return kinds.back();
  };
  const std::vector<double> subtracted = {1, 0.050}, nothing_subtracted = {148.413, 7.389};
  CHECK(answered({"row_maximum", "exponentials"}, {{5, 2}, subtracted}) == Kind::right);
  CHECK(answered({"row_maximum", "exponentials"}, {{5, 2}, nothing_subtracted}) == Kind::wrong);
  CHECK(answered({"exponentials"}, {nothing_subtracted}) == Kind::right);
  const std::vector<std::string> to_sums = {"exponentials", "exponential_sums"};
  CHECK(answered(to_sums, {nothing_subtracted, {7.389, 7.389}, {155.802, 14.778}}) == Kind::right);
  CHECK(answered(to_sums, {nothing_subtracted, {7.389, 7.389}, {1.050, 2}}) == Kind::wrong);
  CHECK(answered(to_sums, {subtracted, {1, 1}, {1.050, 2}}) == Kind::right);
  // Rounded in ways of their own: e^−3 is 0.0498.
  CHECK(answered(to_sums, {{1, 0.049}, {1, 1}, {1.050, 2}}) == Kind::right);
}

TEST_CASE("sums that are asked one by one are of powers taken in one way", "[quiz]") {
  const std::string nine =
      R"({"queries": [[1, 0], [0, 1], [1, 1], [2, 0], [0, 2], [1, 2], [2, 1], [0.5, 0.5], [1, 0.5]],
      "keys": [[1, 0.5], [0.5, 0.25]], "values": [[1, 0], [0, 1]], "score": "dot"})";
  const auto last_of = [&](const std::vector<double>& sums) {
    Taken taken(nine, {"exponential_sums"});
    for (std::size_t i = 0; i + 1 < sums.size(); ++i) CHECK(taken.answer({sums[i]}, 3).kind == Kind::right);
    return taken.answer({sums.back()}, 3).kind;
  };
  // The scores are 1 and 0.5; 0.5 and 0.25; 1.5 and 0.75.
  CHECK(last_of({4.367, 2.933, 6.599}) == Kind::right);
  CHECK(last_of({1.607, 1.779, 1.472}) == Kind::right);
  CHECK(last_of({4.367, 1.779}) == Kind::wrong);
  CHECK(last_of({4.367, 2.933, 1.472}) == Kind::wrong);
  CHECK(last_of({1.607, 2.933}) == Kind::wrong);
}

TEST_CASE("what follows from an earlier number that was wrong is marked beside it", "[quiz]") {
  // With 3 for 2, e⁵ and e³ over their sum are 0.8808 and 0.1192; the right ones are 0.9526 and 0.0474.
  const auto after_slip = [](std::vector<double> weights) {
    Taken taken(plain, {"scores", "attention_weights"}, 1);
    CHECK(taken.answer({5, 3}).kind == Kind::wrong);
    CHECK(taken.answer({2, 2}).kind == Kind::right);
    return taken.answer(std::move(weights), 2).kind;
  };
  CHECK(after_slip({0.88, 0.12}) == Kind::follows);
  CHECK(after_slip({0.95, 0.05}) == Kind::right);
  CHECK(after_slip({0.6, 0.4}) == Kind::wrong);
  CHECK(after_slip({0.5, 0.5}) == Kind::wrong);
}

TEST_CASE("answers are those that were given, with blanks for what was given up", "[quiz]") {
  Taken taken(plain, {"scores", "context"});
  taken.answer({5, 2});
  taken.quiz.give_up();
  taken.quiz.on();
  const Answers answers = taken.quiz.answers();
  REQUIRE(answers.steps.size() == 2);
  CHECK_FALSE(answers.steps[0].by_cell);
  CHECK(answers.steps[0].shape == std::vector<std::size_t>{2, 2});
  CHECK(answers.steps[0].cells[1]->value == 2);
  CHECK_FALSE(answers.steps[0].cells[2]);
  CHECK(taken.quiz.report().verdict == Verdict::incomplete);
}

TEST_CASE("going back asks again, but for what was shown", "[quiz]") {
  Taken taken(plain, {"scores"});
  CHECK_FALSE(taken.quiz.back());
  taken.answer({5, 2});
  CHECK(taken.quiz.back());
  CHECK(taken.quiz.at() == 0);
  taken.answer({5, 2});
  taken.quiz.give_up();
  taken.quiz.on();
  CHECK(taken.quiz.is_over());
  CHECK_FALSE(taken.quiz.back());
}

// Every cell of these steps.
AskedCells all_cells(const Trace& trace, const std::vector<std::string>& steps) {
  AskedCells cells;
  for (const std::string& id : steps) {
    for (std::size_t at = 0; at < trace.value(id).size(); ++at) cells[id].push_back(at);
  }
  return cells;
}

TEST_CASE("leeway is none where nothing is rounded, and grows from step to step", "[leeway]") {
  const Trace trace = quiz_trace(plain);
  const auto all = leeways(trace, all_cells(trace, {"scores", "attention_weights", "context"}), 2);
  for (const auto& [at, score] : all.at("scores")) CHECK(score.is_exact);
  // Of two equal scores each has half, exactly; of the others nothing is.
  for (std::size_t at = 0; at < 4; ++at) CHECK(all.at("attention_weights").at(at).is_exact == (at >= 2));
  const auto widest = [&](const std::string& id) {
    std::size_t above = 0;
    for (const auto& [at, leeway] : all.at(id)) above = std::max(above, leeway.above);
    return above;
  };
  CHECK(widest("context") >= widest("attention_weights"));
}

TEST_CASE("every number that some way of rounding gives is within the leeway", "[leeway]") {
  const int digits = GENERATE(1, 2, 3);
  const std::string problem = R"({"inputs": [[1, 0, 2, 1], [0, 1, 1, -1], [1, 1, 0, 2]]})";
  const Trace trace = quiz_trace(problem);
  const auto allowed = leeways(trace, all_cells(trace, {"scaled_scores", "attention_weights", "context"}), digits);
  for (const std::string mode : {"half-up", "half-even", "truncate", "keep-sum"}) {
    const Trace rounded_trace =
        quiz_trace(problem.substr(0, problem.size() - 1) + R"(, "arithmetic": {"hand_rounding": ")" +
                   std::to_string(digits) + ":" + mode + R"("}})");
    for (const auto& [id, cells] : allowed) {
      const Tensor<double>& numbers = rounded_trace.value(id);
      for (std::size_t at = 0; at < numbers.size(); ++at) {
        double unit = 1;
        for (int i = 0; i < digits; ++i) unit /= 10;
        INFO(id << " " << at << " " << mode << " " << digits);
        CHECK(numbers[at] >= cells.at(at).value - (static_cast<double>(cells.at(at).below) + 0.5) * unit);
        CHECK(numbers[at] <= cells.at(at).value + (static_cast<double>(cells.at(at).above) + 0.5) * unit);
      }
    }
  }
}

TEST_CASE("the leeway of one number is what it is beside all others", "[leeway]") {
  const Trace trace = quiz_trace(R"({"inputs": [[1, 0, 2, 1], [0, 1, 1, -1], [1, 1, 0, 2]]})");
  const Leeway beside =
      leeways(trace, all_cells(trace, {"scores", "attention_weights", "context"}), 2).at("context").at(5);
  const auto alone = leeways(trace, {{"context", {5}}}, 2);
  REQUIRE(alone.size() == 1);
  REQUIRE(alone.at("context").size() == 1);
  const Leeway& same = alone.at("context").at(5);
  CHECK(std::tuple(same.value, same.below, same.above) == std::tuple(beside.value, beside.below, beside.above));
}

TEST_CASE("a number of which anything could be written is not asked", "[leeway]") {
  // Where the weights are rounded to whole numbers, the value 400 counts once or not at all.
  const Trace trace = quiz_trace(R"({"queries": [[1]], "keys": [[1], [1.1]], "values": [[400], [-400]]})");
  const auto all = leeways(trace, {{"attention_weights", {0}}, {"context", {0}}}, 1);
  CHECK(all.at("attention_weights").at(0).is_asked);
  CHECK_FALSE(all.at("context").at(0).is_asked);
}

TEST_CASE("a step of one number is one question", "[quiz]") {
  RecipeBuilder work;
  work.given({.id = "numbers"}, LateTensor(Tensor<double>({{"token", 3}}, {1, 2, 4})));
  work.step({.id = "sum"}, Reduce{Reducer::sum, "token"}, {"numbers"});
  const QuizPlan plan = quiz_plan(worked_out_for_quiz(work.take()), {"sum"});
  CHECK(plan.questions == std::vector<QuizQuestion>{{"sum", {}}});
  CHECK(plan.questions[0].cell(0).empty());
  CHECK(plan.sizes.at("sum").empty());
}

TEST_CASE("where a mask says the same of every query, the first one is asked", "[quiz]") {
  RecipeBuilder work;
  work.current().attention = attention_anatomy("");
  work.given_step({.id = "mask"}, LateTensor(Tensor<double>({{"key", 2}}, {1, 0})));
  work.given_step({.id = "scores"}, LateTensor(Tensor<double>(Shape{{"query", 60}, {"key", 2}})));
  const QuizPlan plan = quiz_plan(worked_out_for_quiz(work.take()), {"scores"});
  CHECK(plan.is_selection);
  REQUIRE(plan.questions.size() == 1);
  CHECK(plan.questions[0].index == std::vector<std::size_t>{0, 0});
}

TEST_CASE("rows of up to eight numbers are asked together, and rows with padding number by number", "[quiz]") {
  for (const std::size_t width : {8u, 9u}) {
    const Trace trace =
        quiz_trace(R"({"inputs": {"random": "normal", "shape": [2, )" + std::to_string(width) + R"(], "seed": 1}})");
    const QuizPlan plan = quiz_plan(trace, {"context"});
    CHECK(plan.questions.size() == (width == 8 ? 2 : 18));
    CHECK(plan.questions[0].count == (width == 8 ? 8 : 1));
  }
  const Trace batch = quiz_trace(R"({"inputs": [[[1, 0], [0, 1], [1, 1]], [[1, 2], [2, 1]]]})");
  const QuizPlan whole = quiz_plan(batch, {"row_maximum"}, 0), padded = quiz_plan(batch, {"row_maximum"}, 1);
  CHECK((whole.questions.size() == 1 && whole.questions[0].count == 3));
  CHECK((padded.questions.size() == 2 && padded.questions[0].count == 1));
}

TEST_CASE("numbers with too few digits are no try, and leave what was written before", "[quiz]") {
  // Two weights of a half, cut off to whole numbers.
  Taken taken(R"({"inputs": [[1, 0], [1, 3]]})", {"attention_weights"});
  CHECK(taken.answer({0, 0}).kind == Kind::too_coarse);
  CHECK(taken.quiz.records()[0].written.empty());
  CHECK(taken.quiz.records()[0].tries == 0);
  CHECK_FALSE(taken.quiz.has_wrong());
  CHECK(taken.answer({0.5, 0.5}, 2).kind == Kind::right);
}

TEST_CASE("an answer that was right and was changed to a wrong one is wrong", "[quiz]") {
  Taken taken(plain, {"scores"});
  CHECK(taken.answer({5, 2}).kind == Kind::right);
  CHECK(taken.quiz.back());
  CHECK(taken.answer({9, 9}).kind == Kind::wrong);
  CHECK(taken.quiz.has_wrong());
  // Nothing is left of what was given up.
  taken.quiz.give_up();
  CHECK(taken.quiz.records()[0].written.empty());
  CHECK_FALSE(taken.quiz.has_wrong());
}

TEST_CASE("help is given again for want of a stronger one, and never with the answer", "[quiz]") {
  Taken taken(plain, {"scores"}, 4);
  for (const bool again : {false, false, true, false}) CHECK(taken.answer({9, 9}).is_given_again == again);
}

TEST_CASE("answers about columns are a step row by row", "[quiz]") {
  Taken taken(R"({"inputs": [[1, 0], [0, 1], [2, 1]], "vectors": "columns"})", {"values"});
  REQUIRE(taken.quiz.plan().questions.size() == 2);
  CHECK(taken.answer({1, 0, 2}).kind == Kind::right);
  CHECK(taken.answer({0, 1, 1}).kind == Kind::right);
  const Answers answers = taken.quiz.answers();
  REQUIRE(answers.steps.size() == 1);
  CHECK(answers.steps[0].shape == std::vector<std::size_t>{3, 2});
  std::vector<double> numbers;
  for (const AnsweredStep::Cell& cell : answers.steps[0].cells) numbers.push_back(cell.value().value);
  CHECK(numbers == std::vector<double>{1, 0, 0, 1, 2, 1});
}

TEST_CASE("no leeway is worked out of padding, which is not asked", "[leeway]") {
  const Trace trace = quiz_trace(R"({"inputs": [[[1, 0], [0, 1]], [[1, 2]]]})");
  const auto all = leeways(trace, all_cells(trace, {"context"}), 2).at("context");
  for (std::size_t at = 0; at < 8; ++at) CHECK(all.at(at).is_asked == (at < 6));
}

}  // namespace attn
