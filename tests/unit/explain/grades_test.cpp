#include "explain/reports/grades.h"

#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "unit/explain/examples.h"
#include "unit/formats/as_text.h"

namespace attn {
namespace {

using examples::holds;
using examples::traced;

// A step of three columns in these states: "rrrwwwcct".
MarkedStep step_of_pupil(const std::string& id, const std::string& states) {
  MarkedStep marked{.id = id};
  for (std::size_t at = 0; at < states.size(); ++at) {
    const std::size_t state = std::string("rwbct").find(states[at]);  // as CellState has them
    marked.cells.push_back({.index = {at / 3, at % 3}, .state = CellState(state), .given = "0.3"});
  }
  return marked;
}

Report report_of_pupil(std::vector<MarkedStep> steps, const std::vector<std::string>& mistakes = {}) {
  Report made;
  made.verdict = Verdict::wrong;
  made.steps = std::move(steps);
  for (const std::string& mistake : mistakes) {
    made.diagnoses.push_back({.mistake = mistake, .step = made.steps.front().id, .message = "it looks so"});
  }
  return made;
}

std::string told_feedback(const GradedHandIn& one, const Report& report, const Trace& trace, const Scheme& scheme) {
  return as_text(feedback(one, report, trace, scheme), {.width = 400});
}

std::string told_feedback(const Report& report, const Scheme& scheme, const std::string& name = "") {
  const Trace trace = traced(examples::worked_example());
  return told_feedback({.name = name, .grade = Grader(scheme, trace).grade(report)}, report, trace, scheme);
}

// Adds a hand-in of one step, of which the numbers at these places are wrong.
void add_wrong(ClassSummary& summary, const Trace& trace, const std::string& id,
               const std::vector<std::vector<std::size_t>>& places) {
  MarkedStep marked{.id = id};
  for (const auto& place : places) marked.cells.push_back({.index = place, .state = CellState::wrong, .given = "7"});
  const Report report = report_of_pupil({marked});
  summary.add(report, Grader({}, trace).grade(report), trace);
}

std::string told_summary(const ClassSummary& summary) {
  return as_text(told_class({.summary = summary}), {.width = 400});
}

TEST_CASE("feedback tells each deduction and how much of it could be taken", "[grades]") {
  const Report report = report_of_pupil({step_of_pupil("scores", "wwwwwwwwr"), step_of_pupil("context", "rrrrrrrrr")},
                                        {"slip.sign", "nobody.knows"});
  Scheme scheme;
  scheme.points = {{"scores", 9}, {"context", 3}};
  scheme.deduct = {{"slip.*", 0.25}, {"nobody.*", 2}};
  const std::string text = told_feedback(report, scheme, "Ada");
  INFO(text);
  CHECK(holds(text, "Handed in by Ada."));
  CHECK(holds(text, "3 of 12 points"));
  CHECK(holds(text, "The sum: 9·1/9 + 3 − 0.25 − 0.75 = 3."));
  CHECK(holds(text, "(slip.sign)."));
  CHECK(holds(text, "Taken off scores: 2, because "));
  CHECK(holds(text, "(nobody.knows). Only 0.75 of it, since a step has no less than 0 points."));
  CHECK(holds(text, "−1"));  // of both, in the table
  CHECK(!holds(told_feedback(report, {}, "Ada"), "Taken off"));
}

TEST_CASE("a mistake is told among the points even where it could cost nothing", "[grades]") {
  Scheme scheme;
  scheme.deduct = {{"*", 1}};
  const Report report = report_of_pupil({step_of_pupil("scores", "wwwwwwwww")}, {"slip.sign"});
  const std::string text = told_feedback(report, scheme);
  INFO(text);
  CHECK(holds(text, "0 of 1 points"));
  CHECK(holds(text, "Only 0 of it"));
  CHECK(!holds(text, "The sum"));
  CHECK(!holds(text, "−"));
  CHECK(!holds(text, "Handed in by"));
}

TEST_CASE("numbers that a teacher decides about are listed and the first of very many", "[grades]") {
  Scheme scheme;
  scheme.points = {{"scores", 9}};
  scheme.too_coarse = Scheme::TooCoarse::ask;
  const auto told = [&](const std::string& states) {
    return told_feedback(report_of_pupil({step_of_pupil("scores", states)}), scheme);
  };
  CHECK(holds(told("trrrrrrrt"),
              "Too few digits to tell, so far without points: scores[1,1] = 0.3, scores[3,3] = 0.3. With all of them "
              "right there are 2 more points."));
  CHECK(holds(told("ttttttttr"), "scores[2,2] = 0.3, scores[2,3] = 0.3, …. With all of them right there are 8 more"));
  CHECK(!holds(told("ttttttttr"), "scores[3,1]"));
  CHECK(!holds(told("rrrrrrrrr"), "Too few digits"));
}

TEST_CASE("a sum is spelled term by term and is nothing where nothing is worth anything", "[grades]") {
  Grade grade;
  CHECK(spelled_sum(grade) == "0");
  grade.steps = {{.id = "scores", .cells = 9, .right = 9, .counted = 9}};
  CHECK(spelled_sum(grade) == "0");
  grade.steps = {{.id = "scores", .cells = 9, .counted = 8, .of = 3, .earned = 8.0 / 3},
                 {.id = "context", .cells = 9, .counted = 9, .of = 4, .earned = 4},
                 {.id = "keys", .cells = 9, .counted = 8, .of = 2, .earned = 0}};
  CHECK(spelled_sum(grade) == "3·8/9 + 4 + 0");
  grade.deductions = {{"slip.sign", "context", 1, 0}, {"scale.none", "context", 2, 1.5}};
  CHECK(spelled_sum(grade) == "3·8/9 + 4 + 0 − 1.5");
}

TEST_CASE("a scheme is told with its points and deductions or without", "[grades]") {
  const auto told = [](const Scheme& scheme) {
    std::string all;
    for (const std::string& sentence : told_scheme(scheme)) all += sentence + "\n";
    return all;
  };
  Scheme scheme;
  CHECK(holds(told(scheme), "; each in proportion to its right numbers.\n"));
  CHECK(!holds(told(scheme), "deducted"));
  scheme.per = Scheme::Per::step;
  scheme.points = {{"attention_weights", 2.5}, {"context", 1}};
  scheme.deduct = {{"rounding.*", 0}};
  CHECK(holds(told(scheme), "Points: attention weights 2.5, context 1; each all or nothing.\n"));
  CHECK(!holds(told(scheme), "educted"));
  scheme.deduct.push_back({"slip.*", 0.5});
  CHECK(holds(told(scheme), "Deducted, once for each time it is found: slip.* 0.5.\n"));
  CHECK(!holds(told(scheme), "rounding.*"));
}

TEST_CASE("the likeliest mistakes are each told once with two others that fit", "[grades]") {
  GradedHandIn one;
  CHECK(likely_of(one).empty());
  one.findings = {{.mistake = "scale.none", .step = "scores", .ties = {"scale.by_n", "scale.half"}},
                  {.mistake = "slip.sign", .step = "scores", .ties = {"a.a", "b.b", "c.c"}},
                  {.mistake = "rounding.early", .step = "scores", .kind = MistakeKind::note},
                  {.mistake = "scale.none", .step = "context", .ties = {"scale.by_n", "scale.half"}}};
  CHECK(likely_of(one) == "scale.none or scale.by_n or scale.half, slip.sign or a.a or b.b or …");
}

TEST_CASE("whoever cannot win as many points as others is told of", "[grades]") {
  const auto worth = [](double of) {
    GradedHandIn one;
    one.grade.of = of;
    return one;
  };
  GradedHandIn unread = worth(9);
  unread.what = GradedHandIn::What::unreadable;
  unread.error = "it is empty";
  GradedClass graded{.hand_ins = {worth(3), unread, worth(3)}};
  CHECK(!has_different_points(graded));
  const std::string said = "Not all hand-ins are of as many points";
  CHECK(!holds(as_text(told_class(graded), {.width = 400}), said));
  graded.hand_ins.push_back(worth(2));
  CHECK(has_different_points(graded));
  CHECK(holds(as_text(told_class(graded), {.width = 400}), said));

  REQUIRE(to_look_at(graded).size() == 1);
  CHECK(to_look_at(graded)[0].remark == "it is empty");
  graded.hand_ins[1].files = {"a.json", "b.csv"};
  CHECK(to_look_at(graded)[0].remark == "a.json, b.csv: it is empty");
}

TEST_CASE("grids of wrong numbers are those in which any is wrong with their places", "[grades]") {
  CHECK(wrong_cells({.id = "scores", .shape = {3, 3}, .cells = {}}).empty());
  CHECK(wrong_cells({.id = "scores", .shape = {}, .cells = {1}}).empty());
  CHECK(wrong_cells({.id = "scores", .shape = {1, 2}, .cells = {0, 0}}).empty());
  CHECK(wrong_cells({.id = "scores", .shape = {2, 0}, .cells = {1}}).empty());

  const auto row = wrong_cells({.id = "norms", .shape = {3}, .cells = {0, 2, 1}});
  REQUIRE(row.size() == 1);
  CHECK((row[0].rows == 1 && row[0].columns == 3 && row[0].place.empty()));

  const auto stack = wrong_cells({.id = "scores", .shape = {2, 2, 1, 2}, .cells = {0, 0, 0, 1, 0, 0, 5, 0}});
  REQUIRE(stack.size() == 2);
  CHECK(stack[0].place == "[1,2,·,·]");
  CHECK(stack[0].people == std::vector<std::size_t>{0, 1});
  CHECK(stack[1].place == "[2,2,·,·]");
  CHECK(stack[1].people == std::vector<std::size_t>{5, 0});
}

TEST_CASE("wrong numbers of a few heads are drawn by head", "[grades]") {
  const Trace trace = traced(examples::ragged_heads());
  ClassSummary summary;
  add_wrong(summary, trace, "scores", {{0, 1, 2, 0}, {1, 0, 0, 1}});
  add_wrong(summary, trace, "scores", {{0, 1, 2, 0}});
  const std::string text = told_summary(summary);
  INFO(text);
  CHECK(holds(text, "Scores: wrong in 2 of 2 · [1,2,·,·]"));
  CHECK(holds(text, "Scores: wrong in 2 of 2 · [2,1,·,·]"));
  CHECK(!holds(text, "[1,1,·,·]"));
}

TEST_CASE("of a wide step the numbers that most have wrong are listed", "[grades]") {
  const Trace trace = traced(examples::causal_sentence(std::vector<std::string>(13, "word")));
  ClassSummary few, many;
  add_wrong(few, trace, "scores", {{0, 0}, {12, 12}});
  add_wrong(few, trace, "scores", {{12, 12}});
  CHECK(holds(told_summary(few), "Scores: wrong in 2 of 2: [13,13] 2, [1,1] 1.\n"));

  for (std::size_t person = 1; person <= 8; ++person) {
    std::vector<std::vector<std::size_t>> places;
    for (std::size_t row = 0; row < person; ++row) places.push_back({row, 1});
    add_wrong(many, trace, "scores", places);
  }
  CHECK(holds(told_summary(many), "Scores: wrong in 8 of 8: [1,2] 8, [2,2] 7, [3,2] 6, [4,2] 5, [5,2] 4, [6,2] 3.\n"));
}

TEST_CASE("of more heads than are drawn the numbers that most have wrong are listed", "[grades]") {
  Problem problem = examples::large();
  problem.inputs.self = examples::scattered({{"token", 2}, {"d_model", 64}}, 1);
  problem.attention().query_count = problem.attention().key_count = 2;
  problem.attention().query_labels = problem.attention().key_labels = {examples::numbered(2)};
  const Trace trace = traced(problem);
  ClassSummary summary;
  std::vector<std::vector<std::size_t>> places;
  for (std::size_t head = 0; head < 5; ++head) places.push_back({head, 1, 0});
  add_wrong(summary, trace, "scores", places);
  CHECK(
      holds(told_summary(summary), "Scores: wrong in 1 of 1: [1,2,1] 1, [2,2,1] 1, [3,2,1] 1, [4,2,1] 1, [5,2,1] 1."));
}

TEST_CASE("of a step of another shape throughout no number is named", "[grades]") {
  const Trace trace = traced(examples::worked_example());
  const Report report = report_of_pupil({{.id = "scores", .cells = {}, .given_shape = {2, 3}}});
  ClassSummary summary;
  summary.add(report, Grader({}, trace).grade(report), trace);
  CHECK(holds(told_summary(summary), "Scores: wrong in 1 of 1.\n"));
}

TEST_CASE("whoever has no name is told why there is no grade all the same", "[grades]") {
  GradedHandIn one{.what = GradedHandIn::What::unreadable, .files = {"class/a.json"}, .error = "it is empty"};
  one.name = "Ada";
  CHECK(holds(as_text(feedback_without_grade(one)), "Handed in by Ada."));
  one.name.clear();
  const std::string text = as_text(feedback_without_grade(one));
  CHECK(!holds(text, "Handed in by"));
  CHECK(holds(text, "\n  a.json: it is empty\n"));
}

TEST_CASE("points that are one term are rounded without a sum before them", "[grades]") {
  const Trace trace = traced(examples::worked_example());
  Scheme scheme;
  scheme.round_to = 0.5;
  GradedHandIn one;
  one.grade.steps = {{.id = "scores", .cells = 9, .right = 9, .counted = 9, .of = 3, .earned = 2.2}};
  one.grade.sum = 2.2;
  one.grade.points = 2;
  one.grade.of = 3;
  const std::string text = told_feedback(one, report_of_pupil({step_of_pupil("scores", "rrrrrrrrr")}), trace, scheme);
  INFO(text);
  CHECK(holds(text, "The sum is rounded once, to the nearest 0.5, the middle up: 2."));
  CHECK(!holds(text, "The sum:"));
}

TEST_CASE("what points are rounded to is spelled in full", "[grades]") {
  GradedClass graded;
  graded.scheme.round_to = 0.004;
  CHECK(holds(as_text(told_class(graded)), "0.004"));
}

}  // namespace
}  // namespace attn
