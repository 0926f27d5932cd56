#include "mark/grade.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/rounding.h"
#include "catch.h"
#include "model/attention.h"
#include "model/computation.h"
#include "reading/names/step_names.h"
#include "reading/problem/problem.h"
#include "reading/scheme.h"
#include "reference_backend.h"
#include "unit/reading/known_steps.h"

namespace attn {
namespace {

const Trace& worked_example() {
  static const Trace trace = [] {
    std::ifstream file(std::string(ATTN_SOURCE_DIR) + "/data/worked-example.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
    ReferenceBackend backend;
    return attention(problem.value(), backend);
  }();
  return trace;
}

// A step of 3 × 3 cells in these states: "rrrwwwccc".
MarkedStep step(const std::string& id, const std::string& states) {
  MarkedStep marked{.id = id};
  for (std::size_t at = 0; at < states.size(); ++at) {
    const std::size_t state = std::string("rwbct").find(states[at]);  // as CellState has them
    marked.cells.push_back({.index = {at / 3, at % 3}, .state = CellState(state), .given = "1"});
  }
  return marked;
}

Diagnosis diagnosed(const std::string& mistake, const std::string& step) {
  Diagnosis one;
  one.mistake = mistake;
  one.step = step;
  return one;
}

Report report(std::vector<MarkedStep> steps, std::vector<Diagnosis> diagnoses = {}) {
  Report made;
  made.steps = std::move(steps);
  made.diagnoses = std::move(diagnoses);
  return made;
}

Grade graded(const Report& report, const Scheme& scheme) { return Grader(scheme, worked_example()).grade(report); }

// Points for three steps, rounded to a whole number of hundredths unless said otherwise.
Scheme ten_points() {
  Scheme scheme;
  scheme.points = {{"scores", 3}, {"attention_weights", 4}, {"context", 3}};
  return scheme;
}

std::size_t below(Random& random, int count) { return static_cast<std::size_t>(random.integer(0, count - 1)); }

Report drawn_report(Random& random) {
  std::vector<MarkedStep> steps;
  for (const char* id : {"queries", "scores", "attention_weights", "context"}) {
    if (below(random, 4) == 0) continue;
    std::string states;
    for (int cell = 0; cell < 9; ++cell) states += std::string("rrrwbct")[below(random, 7)];
    steps.push_back(step(id, states.substr(0, 1 + below(random, 9))));
    if (below(random, 8) == 0) steps.back().given_shape = {2, 2};
  }
  std::vector<Diagnosis> diagnoses;
  for (const char* id : {"scale.none", "slip.sign", "rounding.early", "unexplained"}) {
    if (below(random, 2) == 0) diagnoses.push_back(diagnosed(id, below(random, 2) == 0 ? "scores" : "scaled_scores"));
  }
  return report(std::move(steps), std::move(diagnoses));
}

Scheme drawn_scheme(Random& random) {
  Scheme scheme;
  if (below(random, 4) > 0) scheme = ten_points();
  scheme.per = Scheme::Per(below(random, 2));
  scheme.follow_through = below(random, 2) == 0;
  scheme.too_coarse = Scheme::TooCoarse(below(random, 3));
  scheme.round_to = std::vector{0.01, 0.25, 0.3, 0.5, 1.0, 7.0}[below(random, 6)];
  if (below(random, 2) == 0) scheme.deduct = {{"scale.*", 0.5 + static_cast<double>(below(random, 9))}, {"*", 1}};
  return scheme;
}

}  // namespace

TEST_CASE("points are never negative and never more than there are", "[grade]") {
  Random random(20);
  for (int i = 0; i < 2000; ++i) {
    const Scheme scheme = drawn_scheme(random);
    const Grade grade = graded(drawn_report(random), scheme);
    CAPTURE(i);
    CHECK(grade.points >= 0);
    CHECK(grade.points <= grade.of);
    double sum = 0;
    for (const StepGrade& one : grade.steps) {
      CHECK(one.points() >= 0);
      CHECK(one.points() <= one.of);
      CHECK(one.undecided >= 0);
      CHECK(one.points() + one.undecided + one.deducted <= one.of + 1e-9);
      CHECK(one.right + one.consistent + one.too_coarse + one.wrong + one.blank + one.missing == one.cells);
      sum += one.points();
    }
    CHECK(grade.sum == Approx(sum).margin(1e-12));
    const bool is_whole = grade.points == grade.of;
    CHECK((is_whole || std::abs(grade.points - grade.sum) <= scheme.round_to / 2 + 1e-9));
  }
}

TEST_CASE("follow-through takes no point from anybody", "[grade]") {
  Random random(21);
  for (int i = 0; i < 1000; ++i) {
    Scheme scheme = drawn_scheme(random);
    const Report drawn = drawn_report(random);
    scheme.follow_through = true;
    const double with = graded(drawn, scheme).points;
    scheme.follow_through = false;
    CAPTURE(i);
    CHECK(with >= graded(drawn, scheme).points);
  }
}

TEST_CASE("a slip costs the cells where it was made, and none of those that follow", "[grade]") {
  const Report slip =
      report({step("scores", "rrrrrwrrr"), step("attention_weights", "rrrcccrrr"), step("context", "rrrcccrrr")});
  Scheme scheme = ten_points();
  const Grade grade = graded(slip, scheme);
  CHECK(grade.steps[0].points() == Approx(3 * 8 / 9.0));
  CHECK(grade.steps[1].points() == 4);
  CHECK(grade.steps[2].points() == 3);
  CHECK(grade.points == Approx(9.67));
  scheme.per = Scheme::Per::step;
  CHECK(graded(slip, scheme).points == 7);
  scheme.follow_through = false;
  CHECK(graded(slip, scheme).points == 0);
}

TEST_CASE("the sum is rounded once, and the middle goes up", "[grade]") {
  Scheme scheme = ten_points();
  scheme.points = {{"scores", 9}};
  scheme.round_to = 2;
  CHECK(graded(report({step("scores", "rrrrrrrww")}), scheme).points == 8);  // 7 lies between 6 and 8
  CHECK(graded(report({step("scores", "rrrrrrwww")}), scheme).points == 6);
  CHECK(graded(report({step("scores", "rrrrrrrrr")}), scheme).points == 9);  // everything is everything
  // Thirds that are rounded one by one would come to 0.9.
  scheme.points = {{"scores", 1}, {"attention_weights", 1}, {"context", 1}};
  scheme.round_to = 0.1;
  const std::string third = "rrrwwwwww";
  const Grade grade =
      graded(report({step("scores", third), step("attention_weights", third), step("context", third)}), scheme);
  CHECK(grade.points == 1);
}

TEST_CASE("a sum that is rounded to nothing stays as it is, and is not below nothing", "[grade]") {
  Scheme scheme;
  scheme.round_to = 0;
  CHECK(rounded_points(1.23456, 3, scheme) == 1.23456);
  CHECK(rounded_points(-0.5, 3, scheme) == 0);
  CHECK(rounded_points(3, 3, scheme) == 3);
}

TEST_CASE("what a problem has no step or no cell of has no points", "[grade]") {
  Scheme scheme;
  scheme.points = {{"scores", 3}, {"layer7.scores", 2}};
  // Of several problems one may have a step that another has not.
  const Grade grade = graded(report({step("scores", "rrrrrrrrr")}), scheme);
  REQUIRE(grade.steps.size() == 1);
  CHECK((grade.points == 3 && grade.of == 3));
  const Grade empty = graded(report({step("scores", "rrrrrrrrr"), step("layer7.scores", "")}), scheme);
  REQUIRE(empty.steps.size() == 2);
  CHECK((empty.steps[1].cells == 0 && empty.steps[1].earned == 0 && empty.steps[1].of == 2));
  CHECK((empty.points == 3 && empty.of == 5));
}

TEST_CASE("of a batch with padding the rows that are nobody's are not asked for", "[grade]") {
  const Result<Problem> problem =
      read_problem(R"({"inputs": [[[1, 0], [0, 1], [1, 1]], [[1, 2]]], "positions": "sinusoidal"})", catalog(),
                   std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
  REQUIRE(problem);
  ReferenceBackend backend;
  const Trace trace = attention(problem.value(), backend);
  Scheme scheme;
  // Positions are the same for all sequences, and padded keys have scores: of these all are asked for.
  const std::map<std::string, std::size_t> asked = {{"position_encoding", 6}, {"keys", 8},    {"queries", 8},
                                                    {"scores", 12},           {"context", 8}, {"weighted_values", 20}};
  for (const auto& [id, cells] : asked) scheme.points.push_back({id, 1});
  const Grade grade = Grader(scheme, trace).nothing();
  REQUIRE(grade.steps.size() == asked.size());
  for (const StepGrade& one : grade.steps) {
    INFO(one.id);
    CHECK((one.cells == asked.at(one.id) && one.missing == one.cells && one.points() == 0));
  }
}

TEST_CASE("what is asked for and not handed in has no points, and what was not asked for costs nothing", "[grade]") {
  const Grade grade = graded(report({step("queries", "wwwwwwwww"), step("context", "rrrrrrrrr")}), ten_points());
  CHECK(grade.of == 10);
  CHECK(grade.points == 3);
  std::vector<std::string> ids;
  for (const StepGrade& one : grade.steps) ids.push_back(one.id);
  CHECK(ids == std::vector<std::string>{"queries", "scores", "attention_weights", "context"});
  CHECK_FALSE(grade.steps[1].handed_in);
  CHECK(Grader(ten_points(), worked_example()).nothing().points == 0);
  CHECK(Grader(ten_points(), worked_example()).nothing().of == 10);
  CHECK(graded(report({step("queries", "rrrrrrrrr"), step("context", "wwwwwwwww")}), {}).of == 2);
}

TEST_CASE("single cells are a part of the whole step", "[grade]") {
  const Grade grade = graded(report({step("context", "rrr")}), ten_points());
  CHECK(grade.steps.back().missing == 6);
  CHECK(grade.points == 1);
}

TEST_CASE("a deduction is taken once a diagnosis, from its step, and not below nothing", "[grade]") {
  Scheme scheme = ten_points();
  scheme.deduct = {{"scale.none", 1}, {"rounding.*", 0}, {"slip.*", 0.5}};
  const Report wrong = report({step("scores", "rrrrrrrrr"), step("attention_weights", "wwwwwwwrr")},
                              {diagnosed("scale.none", "scaled_scores"), diagnosed("rounding.early", "scores")});
  const Grade grade = graded(wrong, scheme);
  REQUIRE(grade.deductions.size() == 1);
  // The step where it was made is none of this problem's: it shows in the weights, which have 4·2/9.
  CHECK(grade.deductions[0].step == "attention_weights");
  CHECK(grade.deductions[0].asked == 1);
  CHECK(grade.deductions[0].taken == Approx(8 / 9.0));
  CHECK(grade.sum == Approx(3));
  const Grade twice = graded(
      report({step("scores", "wrrrrrrrw")}, {diagnosed("slip.sign", "scores"), diagnosed("slip.sign", "scores")}),
      scheme);
  CHECK(twice.sum == Approx(3 * 7 / 9.0 - 1));
  // What is no error costs nothing that the scheme does not say.
  CHECK(graded(report({step("scores", "rrrrrrrrr")}, {diagnosed("layout.transposed_answer", "scores")}), scheme).sum ==
        3);
}

TEST_CASE("a deduction falls on the next step that has points", "[grade]") {
  Scheme scheme;
  scheme.points = {{"scores", 3}, {"context", 3}};
  scheme.deduct = {{"softmax.columns", 1}};
  const Grade grade =
      graded(report({step("scores", "rrrrrrrrr"), step("attention_weights", "wwwwwwwww"), step("context", "rrrrrrrrr")},
                    {diagnosed("softmax.columns", "attention_weights")}),
             scheme);
  REQUIRE(grade.deductions.size() == 1);
  CHECK(grade.deductions[0].step == "context");
  CHECK(grade.deductions[0].taken == 1);
  CHECK(grade.sum == Approx(5));
}

TEST_CASE("the id of a mistake comes before patterns, and a longer pattern before a shorter one", "[grade]") {
  Scheme scheme;
  scheme.deduct = {{"*", 1}, {"scale.*", 2}, {"scale.none*", 3}, {"scale.none", 0}};
  CHECK(deduction_for("scale.none", scheme)->points == 0);
  CHECK(deduction_for("scale.twice", scheme)->points == 2);
  CHECK(deduction_for("slip.sign", scheme)->points == 1);
  scheme.deduct.erase(scheme.deduct.begin());
  CHECK(deduction_for("slip.sign", scheme) == nullptr);
}

TEST_CASE("numbers with too few digits count as the scheme says", "[grade]") {
  const Report coarse = report({step("scores", "rrrrrrttt")});
  Scheme scheme;
  scheme.points = {{"scores", 3}};
  CHECK(graded(coarse, scheme).points == 3);
  scheme.too_coarse = Scheme::TooCoarse::wrong;
  CHECK(graded(coarse, scheme).points == 2);
  scheme.too_coarse = Scheme::TooCoarse::ask;
  const Grade asked = graded(coarse, scheme);
  CHECK(asked.points == 2);
  CHECK(asked.steps[0].undecided == 1);
  CHECK(asked.undecided.size() == 3);
}

TEST_CASE("a class is the same in any order", "[grade]") {
  Random random(22);
  const Scheme scheme = ten_points();
  std::vector<Report> reports;
  for (int i = 0; i < 40; ++i) reports.push_back(drawn_report(random));
  const auto summary_of = [&] {
    ClassSummary summary;
    for (const Report& one : reports) summary.add(one, graded(one, scheme), worked_example());
    return summary;
  };
  const ClassSummary before = summary_of();
  std::ranges::reverse(reports);
  const ClassSummary after = summary_of();
  CHECK(before.distribution() == after.distribution());
  CHECK(before.median_percent() == after.median_percent());
  REQUIRE(before.mistakes().size() == after.mistakes().size());
  for (std::size_t i = 0; i < before.mistakes().size(); ++i) {
    CHECK(before.mistakes()[i].mistake == after.mistakes()[i].mistake);
    CHECK(before.mistakes()[i].people == after.mistakes()[i].people);
  }
  REQUIRE(before.steps().size() == after.steps().size());
  for (std::size_t i = 0; i < before.steps().size(); ++i) {
    CHECK(before.steps()[i].id == after.steps()[i].id);
    CHECK(before.steps()[i].cells == after.steps()[i].cells);
  }
}

TEST_CASE("points of a symbol that several steps have are nobody's", "[grade]") {
  const std::vector<std::string> steps = {"layer1.self.queries", "layer2.self.queries"};
  const Result<Scheme> read =
      read_scheme(R"({"points": {"Q": 3, "scores": 1}})", steps_of_example("induction.json"), steps);
  REQUIRE_FALSE(read);
  CHECK(read.faults().front().code == "ambiguous-step");
  CHECK(read.faults().front().where == "/points/Q");
}

TEST_CASE("points for many more steps than there are is one fault, for a few more one each", "[grade]") {
  const std::vector<std::string> steps = {"scores", "context"};
  const auto faults_of = [&](std::size_t more) {
    std::string text = R"({"points": {"scores": 1, "context": 2)";
    for (std::size_t i = 0; i < more; ++i) text += ", \"zzz" + std::to_string(i) + "\": 1";
    const Result<Scheme> read = read_scheme(text + "}}", steps_of_example("worked-example.json"), steps);
    REQUIRE_FALSE(read);
    return read.faults();
  };
  CHECK(faults_of(1000).size() == 1000);
  CHECK(faults_of(1000).front().where == "/points/zzz0");
  // What is meant is a step of the problem, but no hand-in has it.
  const Result<Scheme> meant =
      read_scheme(R"({"points": {"softmax": 1}})", steps_of_example("worked-example.json"), steps);
  REQUIRE_FALSE(meant);
  CHECK(meant.faults().front().help.text() == "its steps are scores, context");
  const Diagnostics faults = faults_of(1001);
  REQUIRE(faults.size() == 1);
  CHECK(faults.front().message == "/points has 1003 steps, and there are 2");
  CHECK(faults.front().help.text() == "its steps are scores, context");
}

TEST_CASE("all faults of a scheme are reported at once, each with what to do", "[grade]") {
  const KnownSteps known = KnownSteps::of(worked_example().recipe, []() -> const KnownSteps::Ids& {
    static const KnownSteps::Ids none;
    return none;
  });
  const std::vector<std::string> steps = worked_example().recipe.steps();
  const auto read = [&](const std::string& text) { return read_scheme(text, known, steps); };
  const auto faulty = read(
      R"({"points": {"score": 3, "context": -1}, "pre": "cell", "per": "cells", "deduct": {"scale.nnoe": 1},
          "round_to": 0, "too_coarse": true, "follow_through": "yes"})");
  REQUIRE_FALSE(faulty);
  std::vector<std::string> codes, helps;
  for (const Diagnostic& fault : faulty.faults()) {
    codes.push_back(fault.code);
    helps.push_back(fault.help.text());
  }
  CHECK(codes == std::vector<std::string>{"unknown-step", "out-of-range", "unknown-key", "unknown-choice",
                                          "unknown-mistake", "out-of-range", "wrong-kind", "wrong-kind"});
  CHECK(helps[0] == "did you mean scores?");
  CHECK(helps[4] == "did you mean scale.none?");
  const auto right = read(R"({"points": {"S": 3, "context": 0.5}, "deduct": {"rounding.*": 0}, "x-mine": 1})");
  REQUIRE(right);
  CHECK(right.value().points[0].step == "scores");
  CHECK(right.value().follow_through);
  CHECK_FALSE(read(R"({"points": {"S": 3, "scores": 1}})"));
  const auto code_of = [&](const std::string& text) {
    const auto refused = read(text);
    REQUIRE_FALSE(refused);
    return refused.faults().front().code + " " + refused.faults().front().where;
  };
  CHECK(read(R"({"$schema": "x", "title": "y", "notes": "z", "round_to": 0.5})").value().round_to == 0.5);
  CHECK(read(R"({"round_to": 0.001})").value().round_to == 0.001);
  CHECK(read(R"({"round_to": 1000000})").value().round_to == 1e6);
  CHECK(code_of(R"({"round_to": 0.0009999})") == "out-of-range /round_to");
  CHECK(code_of(R"({"round_to": 1000001})") == "out-of-range /round_to");
  CHECK(code_of(R"({"round_to": 1e9})") == "out-of-range /round_to");
  CHECK(code_of(R"({"round_to": 1e-310})") == "out-of-range /round_to");
  CHECK(code_of(R"({"round_to": "half"})") == "wrong-kind /round_to");
  CHECK(code_of(R"({"points": {"scores": "three"}})") == "wrong-kind /points/scores");
  CHECK(code_of(R"({"points": {"scores": 1e9}})") == "out-of-range /points/scores");
  const auto help_of = [&](const std::string& text) { return read(text).faults().front().help.text(); };
  CHECK(help_of(R"({"zzzzzzzz": 1})").find("round_to") != std::string::npos);
  CHECK(help_of(R"({"deduct": {"zzzzzzzz": 1}})").find("attn mistakes") != std::string::npos);
  CHECK(help_of(R"({"points": {"zzzzzzzz": 1}})").find("its steps are ") != std::string::npos);
  CHECK(help_of(R"({"points": {"softmax": 1}})") == "did you mean attention_weights?");
  CHECK(help_of(R"({"deduct": {"scal.*": 1}})") == "did you mean scale.*?");
  CHECK(read(R"({"deduct": {"zzzzzzzz": 1, "scale.none": 1, "yyyyyyyy": 1}})").faults().size() == 2);
  CHECK(code_of("[3, 2]") == "wrong-kind ");
  CHECK(code_of(R"({"points": [3, 2]})") == "wrong-kind /points");
  CHECK(code_of(R"({"points": {"S": 3}, "deduct": 1})") == "wrong-kind /deduct");
  CHECK(code_of(R"({"schema": "attn/answers/1", "points": {"S": 3}})") == "not-scheme /schema");
  CHECK(read(R"({"schema": "attn/scheme/1", "points": {"S": 3}})"));
}

TEST_CASE("a whole number of percent is one, and in its own row of ten", "[grade]") {
  for (int tenths = 1; tenths <= 100; ++tenths) {
    for (int share = 0; share <= 10; ++share) {
      Grade grade;
      grade.of = tenths / 10.0;
      grade.points = rounded(tenths * share / 100.0, {2, RoundingMode::half_up});
      INFO(grade.points << " of " << grade.of);
      CHECK(grade.percent() == 10.0 * share);
      ClassSummary summary;
      summary.add({}, grade, worked_example());
      CHECK(summary.distribution()[static_cast<std::size_t>(share)] == 1);
    }
  }
}

TEST_CASE("points are spelled with two decimals, and with three where they are thousandths", "[grade]") {
  CHECK(spelled_points(2) == "2");
  CHECK(spelled_points(2.0 / 3) == "0.67");
  CHECK(spelled_points(1.876) == "1.876");
  CHECK(spelled_points(3 * 0.1) == "0.3");
}

TEST_CASE("of sequences without a token nobody is asked anything, and nobody gets points", "[grade]") {
  Trace trace;
  const Shape shape{{"batch", 2}, {"query", 0}, {"key", 0}};
  trace.steps.emplace_back(
      Instruction{.heading = {.id = "scores"}, .op = Given{}, .given = GivenNumbers(LateTensor(Tensor<double>(shape)))},
      Tensor<double>(shape));
  trace.own_queries = {0, 0};
  Scheme scheme;
  scheme.points = {{"scores", 3}};
  const Grade grade = Grader(scheme, trace).nothing();
  REQUIRE(grade.steps.size() == 1);
  CHECK(grade.steps[0].cells == 0);
  CHECK(grade.steps[0].missing == 0);
  CHECK(grade.points == 0);
  CHECK(grade.of == 3);
}

TEST_CASE("of a step that the problem gains with an answer as many cells are asked as it has", "[grade]") {
  MarkedStep single = step("masked_scores", "rrr");
  single.asked = 9;
  const Grade grade = graded(report({single}), {});
  REQUIRE(grade.steps.size() == 1);
  CHECK((grade.steps[0].cells == 9 && grade.steps[0].missing == 6));
  CHECK(grade.points == Approx(0.33));
  // Of another shape all of it is wrong, however little that is.
  MarkedStep other = step("masked_scores", "");
  other.given_shape = {2, 2};
  const Grade of_other_shape = graded(report({other}), {});
  CHECK((of_other_shape.steps[0].cells == 1 && of_other_shape.steps[0].wrong == 1 && of_other_shape.points == 0));
}

TEST_CASE("points that are rounded up end at those that there are", "[grade]") {
  Scheme scheme;
  scheme.round_to = 2;
  CHECK(rounded_points(3.1, 3.2, scheme) == 3.2);
  CHECK(rounded_points(2.9, 3.2, scheme) == 2);
}

TEST_CASE("a deduction falls on a step of another shape, which is wrong", "[grade]") {
  MarkedStep other = step("attention_weights", "");
  other.given_shape = {2, 2};
  Scheme scheme = ten_points();
  scheme.deduct = {{"scale.none", 1}};
  const Grade grade = graded(report({step("scores", "rrrrrrrrr"), other, step("context", "wrrrrrrrr")},
                                    {diagnosed("scale.none", "scaled_scores")}),
                             scheme);
  REQUIRE(grade.deductions.size() == 1);
  CHECK(grade.deductions[0].step == "attention_weights");
  CHECK(grade.deductions[0].taken == 0);  // it has no points to lose
  CHECK(grade.sum == Approx(3 + 3 * 8 / 9.0));
}

TEST_CASE("of a class it is told which numbers were wrong, and nothing of those that follow or are missing",
          "[grade]") {
  ClassSummary summary;
  const auto add = [&](const Report& one) { summary.add(one, graded(one, ten_points()), worked_example()); };
  add(report({step("scores", "rwbctwrrr")}));
  add(report({step("scores", "rwrrrrrrr")}));
  add(report({step("scores", "rcbtrrrrr")}));
  REQUIRE(summary.steps().size() == 1);
  CHECK((summary.steps()[0].people == 3 && summary.steps()[0].wrong == 2));
  CHECK(summary.steps()[0].cells == std::vector<std::size_t>{0, 2, 0, 0, 0, 1, 0, 0, 0});
}

TEST_CASE("mistakes of a class are errors and other conventions, the most common first, and the rest by name",
          "[grade]") {
  ClassSummary summary;
  const auto add = [&](std::vector<Diagnosis> diagnoses) {
    const Report one = report({step("scores", "wrrrrrrrr")}, std::move(diagnoses));
    summary.add(one, graded(one, ten_points()), worked_example());
  };
  Diagnosis early = diagnosed("rounding.early", "scores");
  early.kind = MistakeKind::note;
  add({diagnosed("slip.sign", "scores"), early});
  add({diagnosed("mask.forgotten", "scores"), diagnosed("scale.none", "scores"), early});
  add({diagnosed("scale.none", "scores"), diagnosed("scale.none", "scores")});
  std::vector<std::string> told;
  for (const ClassSummary::Made& one : summary.mistakes()) told.push_back(one.mistake + std::to_string(one.people));
  CHECK(told == std::vector<std::string>{"scale.none2", "mask.forgotten1", "slip.sign1"});
}

TEST_CASE("where there are no points nobody has a share of them", "[grade]") {
  ClassSummary summary;
  summary.add({}, {}, worked_example());
  CHECK(summary.distribution() == std::array<std::size_t, 11>{});
  Grade half;
  half.points = 1;
  half.of = 2;
  summary.add({}, half, worked_example());
  CHECK(summary.mean_percent() == 50);
  CHECK(summary.median_percent() == 50);
}

TEST_CASE("a class is told of a step cell by cell up to 4096 of them, and of each of its shapes alone", "[grade]") {
  ClassSummary summary;
  const auto add = [&](std::size_t rows, std::size_t columns) {
    Trace trace;
    const Shape shape{{"query", rows}, {"key", columns}};
    trace.steps.emplace_back(
        Instruction{
            .heading = {.id = "scores"}, .op = Given{}, .given = GivenNumbers(LateTensor(Tensor<double>(shape)))},
        Tensor<double>(shape));
    summary.add(report({step("scores", "w")}), {}, trace);
  };
  add(64, 64);
  add(64, 64);
  add(65, 64);
  REQUIRE(summary.steps().size() == 2);
  CHECK((summary.steps()[0].people == 2 && summary.steps()[1].people == 1));
  REQUIRE(summary.steps()[0].cells.size() == 4096);
  CHECK(summary.steps()[0].cells[0] == 2);
  CHECK(summary.steps()[1].cells.empty());
  CHECK(summary.steps()[1].wrong == 1);
}

}  // namespace attn
