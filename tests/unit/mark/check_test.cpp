#include "mark/check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/random.h"
#include "catch.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "model/computation.h"
#include "model/possible_steps.h"
#include "reading/answers/answers.h"
#include "reading/names/step_names.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"
#include "trace/evaluate.h"
#include "words/language.h"

namespace attn {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(ATTN_SOURCE_DIR) + "/data/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

Trace traced(const std::string& text) {
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
  REQUIRE(problem);
  ReferenceBackend backend;
  return attention(problem.value(), backend);
}

Report marked(const std::string& problem, const std::string& steps, MarkingRule rule = {}) {
  const Trace trace = traced(problem);
  std::vector<std::string> own;
  for (const Step& one : trace.steps) own.push_back(one.heading.id);
  own.push_back(trace.result);
  const KnownSteps known(std::move(own), possible_steps);
  const Result<Answers> answers = read_answers(R"({"steps": )" + steps + "}", known);
  INFO(steps);
  REQUIRE(answers);
  return Checker(trace, rule).mark(answers.value());
}

// Three queries of width 4, nothing symmetric: n = 3, d_model = 5, d_k = 4, d_v = 2.
const std::string asymmetric = R"({
  "inputs": [[1, 0, -1, 1, 0], [0, 1, 1, -1, 1], [1, 1, 0, 0, -1]],
  "weights": {
    "query": [[1, 0, 1, 0], [0, 1, 0, -1], [1, 1, 0, 0], [0, 0, 1, 1], [-1, 0, 0, 1]],
    "key":   [[0, 1, 0, 1], [1, 0, 0, 0], [0, -1, 1, 0], [1, 0, 1, 0], [0, 1, 0, -1]],
    "value": [[1, 0], [0, 2], [-1, 1], [1, 1], [0, -1]]
  }
})";

// A step of the trace as answers have it: numbers with so many decimals.
std::string written(const Tensor<double>& value, int decimals, RoundingMode mode = RoundingMode::half_up) {
  std::string text;
  const std::size_t width = value.shape().back().size;
  for (std::size_t at = 0; at < value.size(); ++at) {
    std::string number = std::to_string(rounded(value[at], {decimals, mode}));
    number.resize(number.find('.') + 1 + static_cast<std::size_t>(decimals));
    text += (at == 0 ? "[[" : at % width == 0 ? "], [" : ", ") + ("\"" + number + "\"");
  }
  return text + "]]";
}

std::string written(const std::string& id, int decimals, RoundingMode mode = RoundingMode::half_up) {
  return written(traced(asymmetric).find(id)->result, decimals, mode);
}

const MarkedStep& step(const Report& report, const std::string& id) {
  const auto found = std::ranges::find(report.steps, id, &MarkedStep::id);
  REQUIRE(found != report.steps.end());
  return *found;
}

bool names(const Report& report, const std::string& mistake) {
  return std::ranges::any_of(report.diagnoses, [&](const Diagnosis& diagnosis) {
    return diagnosis.mistake == mistake || std::ranges::find(diagnosis.ties, mistake) != diagnosis.ties.end();
  });
}

}  // namespace

TEST_CASE("what the program computes is right, written with 1 to 4 decimals", "[check]") {
  for (int decimals = 1; decimals <= 4; ++decimals) {
    const std::string steps = R"({"scores": )" + written("scores", decimals) + R"(, "attention_weights": )" +
                              written("attention_weights", decimals) + R"(, "context": )" +
                              written("context", decimals) + "}";
    const Report report = marked(asymmetric, steps);
    CHECK(report.verdict == Verdict::right);
    CHECK(report.first_wrong.empty());
  }
}

TEST_CASE("a missing scale is named, and what follows from it loses no mark", "[check]") {
  const Report report = marked(text_of("worked-example-scaled.json"), R"({
    "scaled_scores": [[2, 4, 4], [4, 16, 12], [4, 12, 10]],
    "attention_weights": [["0.06", "0.47", "0.47"], ["0.00", "0.98", "0.02"], ["0.00", "0.88", "0.12"]],
    "context": [["1.94", "6.68", "1.60"], ["2.00", "7.96", "0.05"], ["2.00", "7.76", "0.36"]]})");
  CHECK(report.verdict == Verdict::wrong);
  CHECK(report.first_wrong == "scaled_scores");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(names(report, "scale.none"));
  CHECK_THAT(report.diagnoses[0].evidence, contains("√3 times"));
  CHECK(step(report, "attention_weights").count(CellState::wrong) == 0);
  CHECK(step(report, "attention_weights").count(CellState::consistent) > 0);
  CHECK(step(report, "context").count(CellState::wrong) == 0);
}

TEST_CASE("scaling by d_k and scaling twice are named as a tie", "[check]") {
  const Trace trace = traced(asymmetric);
  Tensor<double> scores = trace.find("scores")->result;
  for (double& score : scores.data()) score /= 4;
  const Report report =
      marked(asymmetric, R"({"scores": )" + written("scores", 2) + R"(, "scaled_scores": )" + written(scores, 2) + "}");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(names(report, "scale.by_dk"));
  CHECK(names(report, "scale.twice"));
  CHECK(report.diagnoses[0].step == "scaled_scores");
}

// Whether some way to make the one mistake and then the other makes these numbers of a step,
// to within so much.
bool two_make(const std::string& problem, const std::string& first, const std::string& second, const std::string& id,
              const std::vector<double>& numbers, double apart) {
  const Trace trace = traced(problem);
  for (const Rewrite& one : rewrites_of(trace.recipe, *mistake_named(first))) {
    for (const Rewrite& both : rewrites_of(one.recipe, *mistake_named(second))) {
      Policy<double> plain;
      const Evaluation<double> made = evaluate(both.recipe, plain);
      const Tensor<double>& found = made.result(*both.recipe.line(id));
      if (std::ranges::equal(found.data(), numbers, [&](double a, double b) { return std::abs(a - b) <= apart; })) {
        return true;
      }
    }
  }
  return false;
}

TEST_CASE("of two mistakes at once each is told with those that may stand in its place", "[check]") {
  const std::string problem = R"({"inputs": [[1, 0, 0], [0, 0, 0]], "causal": true,
      "weights": {"query": [[1, 1, 0], [1, 0, 0], [0, 1, 0]], "key": [[1, 0, 1], [0, 0, 1], [1, 1, 0]],
                  "value": [[0, 1, 1], [0, 0, 0], [1, 1, 0]]}})";
  const Report report = marked(problem, R"({"context": [["0.6", "0.0", "0.6"], ["0.5", "0.0", "0.5"]]})");
  REQUIRE(report.diagnoses.size() == 2);
  const auto& [first, second] = std::pair(report.diagnoses[0], report.diagnoses[1]);
  CHECK(first.ties.size() == 2);
  CHECK(second.ties.size() == 2);
  const auto all_of_one = [](const Diagnosis& one) {
    std::vector<std::string> all = one.ties;
    all.push_back(one.mistake);
    return all;
  };
  const auto make_it = [&](const std::string& one, const std::string& other) {
    return two_make(problem, one, other, "context", {0.6, 0, 0.6, 0.5, 0, 0.5}, 0.05);
  };
  CHECK(make_it(first.mistake, second.mistake));
  // Each of those that tie goes with one that is told of the other, and none is told twice.
  for (const std::string& tie : all_of_one(first)) {
    INFO(tie);
    CHECK(std::ranges::count(all_of_one(first), tie) == 1);
    CHECK(std::ranges::any_of(all_of_one(second), [&](const std::string& other) { return make_it(tie, other); }));
  }
  for (const std::string& tie : all_of_one(second)) {
    INFO(tie);
    CHECK(std::ranges::count(all_of_one(second), tie) == 1);
    CHECK(std::ranges::any_of(all_of_one(first), [&](const std::string& other) { return make_it(other, tie); }));
  }
}

TEST_CASE("two mistakes at once are not told where many would explain the same numbers", "[check]") {
  const std::string problem = R"({"inputs": [[1, 0], [0, 1], [0, 0]], "causal": true, "scale": 0.25,
      "weights": {"query": [[1, 1], [0, 0]], "key": [[0, 1], [1, 1]], "value": [[0, 0], [1, 1]]}})";
  const std::string weights = R"([["0.0", "0.5", "0.5"], ["0.0", "0.0", "1.0"], ["0.0", "0.0", "0.0"]])";
  const Report report = marked(
      problem, R"({"attention_weights": )" + weights + R"(, "context": [["0.5", "0.5"], ["0", "0"], ["0", "0"]]})");
  REQUIRE_FALSE(report.diagnoses.empty());
  CHECK(report.diagnoses[0].mistake == "unexplained");
  CHECK(report.diagnoses[0].step == "attention_weights");
}

TEST_CASE("of two mistakes at once those are told that explain more of what follows", "[check]") {
  const std::string problem = R"({"inputs": [[1, 0, 1], [-1, -1, 1]], "causal": true,
      "weights": {"query": [[-1, -1, 0], [-1, 1, -1], [-1, -1, 1]], "key": [[1, 0, -1], [0, -1, -1], [0, 1, 1]],
                  "value": [[1, 0, 0], [1, 1, -1], [0, -1, 0]], "output": [[1, 0, 0], [1, 0, -1], [1, -1, 0]]}})";
  const std::string context = R"("context": [["1.0", "0.0", "0.0"], ["0.9", "-0.1", "0.0"]])";
  const Report alone = marked(problem, "{" + context + "}");
  const Report both = marked(problem, "{" + context + R"(, "output": [["1", "0", "0"], ["1", "0", "0"]]})");
  REQUIRE(both.diagnoses.size() == 2);
  for (const Diagnosis& one : both.diagnoses) CHECK(one.step != "output");
  CHECK(two_make(problem, both.diagnoses[0].mistake, both.diagnoses[1].mistake, "context", {1, 0, 0, 0.9, -0.1, 0},
                 0.05));
  CHECK(two_make(problem, both.diagnoses[0].mistake, both.diagnoses[1].mistake, "output", {1, 0, 0, 1, 0, 0}, 0.5));
  // Without what follows, more explain it.
  REQUIRE(alone.diagnoses.size() == 2);
  const auto ties = [](const Report& report) {
    return report.diagnoses[0].ties.size() + report.diagnoses[1].ties.size();
  };
  CHECK(ties(alone) > ties(both));
}

TEST_CASE("what follows from two mistakes at once is rounded in the way that explains them", "[check]") {
  // Keys are made with the weights of values, and values with those of keys. The scores are 2.64, 1.84 and 1.88, 1.31,
  // which were not scaled but cut off: 1.88 is 1.8. The weights of both rows are 0.6 and 0.3, cut off, and of the
  // values -0.2, 1.4 and -0.1, 1 come -0.15 and 1.14.
  const Report report = marked(
      R"({"inputs": [[0.6, 0.4], [0.4, 0.3]], "weights": {"query": [[1, 1], [2, 1]], "key": [[-1, 1], [1, 2]],
                                                          "value": [[2, 0], [1, 1]]}})",
      R"({"scaled_scores": [["2.6", "1.8"], ["1.8", "1.3"]], "context": [["-0.1", "1.1"], ["-0.1", "1.1"]]})");
  REQUIRE(report.diagnoses.size() == 2);
  CHECK(report.diagnoses[0].mistake == "projection.swapped_key_value");
  CHECK(report.diagnoses[1].mistake == "scale.none");
  CHECK(step(report, "scaled_scores").count(CellState::wrong) == 4);
  CHECK(step(report, "context").count(CellState::consistent) == 4);
}

TEST_CASE("two mistakes in two steps are two diagnoses in the order of the steps", "[check]") {
  // Scores not divided by √d_k, then the softmax not normalised.
  const Trace trace = traced(asymmetric);
  const Tensor<double>& scores = trace.find("scores")->result;
  Tensor<double> weights = scores;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    const std::size_t row = at / 3 * 3;
    weights[at] = exp(scores[at] - std::max({scores[row], scores[row + 1], scores[row + 2]}));
  }
  const Report report =
      marked(asymmetric, R"({"scores": )" + written("scores", 3) + R"(, "scaled_scores": )" + written("scores", 3) +
                             R"(, "attention_weights": )" + written(weights, 3) + "}");
  REQUIRE(report.diagnoses.size() == 2);
  CHECK(report.diagnoses[0].mistake == "scale.none");
  CHECK(report.diagnoses[1].step == "attention_weights");
  CHECK(names(report, "softmax.not_normalised"));
  CHECK(report.first_wrong == "scaled_scores");
}

TEST_CASE("powers of the scores behind a maximum that was handed in are named as such", "[check]") {
  const Trace trace = traced(asymmetric);
  Tensor<double> powers = trace.find("scaled_scores")->result, sums = trace.find("exponential_sums")->result;
  for (double& number : powers.data()) number = exp(number);
  for (std::size_t row = 0; row < 3; ++row) sums[row] = powers[3 * row] + powers[3 * row + 1] + powers[3 * row + 2];
  const auto row = [](const std::string& rows) { return rows.substr(1, rows.size() - 2); };
  const std::string maximum = R"({"row_maximum": )" + row(written("row_maximum", 3));
  const std::string until_sums =
      R"(, "exponentials": )" + written(powers, 3) + R"(, "exponential_sums": )" + row(written(sums, 3));
  const std::string weights = R"(, "attention_weights": )";
  for (const std::string& more : {std::string(), weights + written("attention_weights", 3)}) {
    const Report report = marked(asymmetric, maximum + until_sums + more + "}");
    REQUIRE(report.diagnoses.size() == 1);
    CHECK(report.diagnoses[0].mistake == "softmax.maximum_not_subtracted");
    CHECK(report.diagnoses[0].step == "exponentials");
    CHECK(report.diagnoses[0].ties.empty());
    CHECK(step(report, "exponential_sums").count(CellState::consistent) == 3);
  }

  // Who does not divide them either makes a second mistake.
  const Report undivided = marked(asymmetric, maximum + until_sums + weights + written(powers, 3) + "}");
  REQUIRE(undivided.diagnoses.size() == 2);
  CHECK(undivided.diagnoses[0].mistake == "softmax.maximum_not_subtracted");
  CHECK(undivided.diagnoses[1].mistake == "softmax.not_normalised");
  CHECK(undivided.diagnoses[1].step == "attention_weights");
}

TEST_CASE("a slip is found in its cell, and honest work after it is consistent", "[check]") {
  const Report report = marked(text_of("worked-example.json"), R"({
    "keys": [[0, 1, 1], [4, 4, 0], [2, 3, -1]],
    "scores": [[2, 4, 0], [4, 16, 8], [4, 12, 4]]})");
  CHECK(report.verdict == Verdict::wrong);
  CHECK(report.first_wrong == "keys");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(report.diagnoses[0].mistake == "slip.sign");
  CHECK(report.diagnoses[0].cells == std::vector<std::vector<std::size_t>>{{2, 2}});
  CHECK(step(report, "keys").count(CellState::wrong) == 1);
  CHECK(step(report, "scores").count(CellState::wrong) == 0);
  CHECK(step(report, "scores").count(CellState::consistent) == 3);
}

TEST_CASE("a blank in the middle is blank, and the rest is marked", "[check]") {
  const Report report = marked(text_of("worked-example.json"), R"({
    "scores": [[2, 4, 4], [4, null, 12], null], "context": {"1,2": 6.68}})");
  CHECK(report.verdict == Verdict::incomplete);
  CHECK(step(report, "scores").count(CellState::blank) == 4);
  CHECK(step(report, "scores").count(CellState::right) == 5);
  CHECK(step(report, "context").cells.size() == 1);
}

TEST_CASE("what is left blank in a step may have been rounded to the decimals of that step", "[check]") {
  const std::string problem = text_of("worked-example.json");
  const auto verdict = [&](const std::string& weights, const std::string& context) {
    return marked(problem, R"({"attention_weights": )" + weights + R"(, "context": {"1,2": ")" + context + R"("}})")
        .verdict;
  };
  // 2 · 0.06 + 8 · 0.47 + 6 · 0.47 is 6.70, with a weight of 0.468 it is 6.69.
  for (const std::string weights : {R"([["0.06", null, "0.47"], null, null])", R"({"1,1": "0.06", "1,3": "0.47"})"}) {
    INFO(weights);
    for (const char* right : {"6.700", "6.686"}) CHECK(verdict(weights, right) != Verdict::wrong);
    for (const char* wrong : {"6.710", "6.600"}) CHECK(verdict(weights, wrong) == Verdict::wrong);
  }
}

TEST_CASE("right numbers with rows and columns exchanged are another convention, not wrong", "[check]") {
  const Trace trace = traced(asymmetric);
  const Tensor<double>& values = trace.find("values")->result;
  std::string turned;
  for (std::size_t column = 0; column < 2; ++column) {
    for (std::size_t row = 0; row < 3; ++row) {
      turned += (column == 0 && row == 0 ? "[[" : row == 0 ? "], [" : ", ") + std::to_string(values[row * 2 + column]);
    }
  }
  const Report other = marked(asymmetric, R"({"values": )" + turned + "]]}");
  CHECK(other.verdict == Verdict::right);
  REQUIRE(other.diagnoses.size() == 1);
  CHECK(other.diagnoses[0].mistake == "layout.transposed_answer");
  CHECK(other.diagnoses[0].kind == MistakeKind::convention);
}

TEST_CASE("two steps with rows and columns exchanged are another convention if no mistake explains more", "[check]") {
  // Of these inputs come the weights themselves, and transposed ones if these were transposed.
  const std::string problem = R"({"inputs": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
      "weights": {"query": [[1, 2, 0], [0, 1, 3], [2, 0, 1]], "key": [[0, 1, 1], [2, 1, 0], [1, 3, 0]],
                  "value": [[1, 0, 0], [0, 1, 0], [1, 1, 1]]}})";
  const std::string turned =
      R"("queries": [[1, 0, 2], [2, 1, 0], [0, 3, 1]], "keys": [[0, 2, 1], [1, 1, 3], [1, 0, 0]])";
  const Report two = marked(problem, "{" + turned + "}");
  CHECK(two.verdict == Verdict::right);
  REQUIRE(two.diagnoses.size() == 1);
  CHECK(two.diagnoses[0].mistake == "layout.transposed_answer");
  // The scores of these matrices as they stand follow from the mistake alone.
  const Report more = marked(problem, "{" + turned + R"(, "scores": [[2, 7, 1], [2, 3, 2], [7, 6, 0]]})");
  CHECK(more.first_wrong == "keys");
  CHECK(names(more, "projection.transposed"));
}

TEST_CASE("all steps that can be meant with rows and columns exchanged are, where one of them has to be", "[check]") {
  const std::string problem = R"({"inputs": [[0.02, -1.11, -0.23], [0.03, -0.44, -0.06]], "weights": {
    "query": [[-0.71, 0.91], [0.51, 0.47], [0.97, 1.19]],
    "key": [[-0.03, 1.08], [-0.08, 1.1], [0.36, -0.86]],
    "value": [[-1.16, 0.0, 0.63], [-1.14, -0.87, -0.94], [0.02, 0.22, -0.4]]}})";
  // The context shows it by its shape, the weights only by what follows from them.
  const Report report = marked(problem, R"({"attention_weights": [["0.6", "0.5"], ["0.4", "0.5"]],
                                            "context": [["0.9", "0.9"], ["0.7", "0.7"], ["0.9", "0.9"]]})");
  CHECK(report.verdict == Verdict::right);
  CHECK(names(report, "layout.transposed_answer"));
}

TEST_CASE("what follows from an own mistake does so, too, where it has too few digits to tell", "[check]") {
  // Scores of 1 and 3 over √2, rounded or not, make weights of 0.20 to 0.27 and of 0.73 to 0.80.
  const std::string problem = R"({"queries": [[1, 1]], "keys": [[1, 0], [1, 2]], "values": [[1], [2]]})";
  const Report right = marked(problem, R"({"scores": [[1, 3]], "attention_weights": [[0, 1]]})");
  CHECK(step(right, "attention_weights").count(CellState::too_coarse) == 1);
  const Report exchanged = marked(problem, R"({"scores": [[3, 1]], "attention_weights": [[1, 0]]})");
  CHECK(step(exchanged, "scores").count(CellState::wrong) == 2);
  CHECK(step(exchanged, "attention_weights").count(CellState::consistent) == 2);
}

TEST_CASE("of two ways to round the one is believed by which the first mistake comes later", "[check]") {
  // The scores are -0.12, 0.30, -0.36 and -0.22, 0.10, -0.30, cut off, of which -0.3 for -0.36 alone shows it. They
  // were halved then rather than divided by √2: of -0.05, 0.15, -0.15 come weights of 0.319, 0.390, 0.289, cut off
  // again. Whoever cuts off has five of these wrong; whoever rounds has two of them wrong, and a score before them.
  const Report report =
      marked(R"({"queries": [[-0.6, -0.6], [-0.2, 0.7]], "keys": [[0.4, -0.2], [-0.5, 0], [0.8, -0.2]],
                 "values": [[1], [2], [3]]})",
             R"({"scores": [["-0.1", "0.3", "-0.3"], ["-0.2", "0.1", "-0.3"]],
                 "attention_weights": [["0.31", "0.39", "0.28"], ["0.32", "0.37", "0.30"]]})");
  CHECK(report.first_wrong == "attention_weights");
  CHECK(step(report, "scores").count(CellState::right) == 6);
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(names(report, "scale.by_dk"));
}

TEST_CASE("a maximum that was handed in says what was subtracted in its own row alone", "[check]") {
  const auto verdict = [](const std::string& maximum, const std::string& first, const std::string& second) {
    return marked(text_of("worked-example.json"), R"({"row_maximum": )" + maximum + R"(, "exponentials": [)" + first +
                                                      ", " + second + R"(, ["0.0003", "1.0000", "0.1353"]]})")
        .verdict;
  };
  const std::string first = R"(["0.1353", "1.0000", "1.0000"])", second = R"(["0.0000", "1.0000", "0.0183"])";
  // Nothing subtracted.
  const std::string plain_first = R"(["7.389", "54.598", "54.598"])",
                    plain_second = R"(["54.5982", "8886110.5205", "162754.7914"])";
  CHECK(verdict(R"([null, "16", "12"])", plain_first, second) == Verdict::incomplete);
  CHECK(verdict(R"([null, "16", "12"])", first, plain_second) == Verdict::wrong);
  CHECK(verdict(R"(["4", null, "12"])", first, plain_second) == Verdict::incomplete);
  CHECK(verdict(R"(["4", null, "12"])", plain_first, second) == Verdict::wrong);
}

TEST_CASE("a mistake in some rows is told of whichever head has them", "[check]") {
  const std::string problem = asymmetric.substr(0, asymmetric.rfind('}')) + R"(, "heads": 2})";
  const Tensor<double> scaled = traced(problem).find("scaled_scores")->result;
  const auto of_head = [&](std::size_t head, std::size_t unscaled_rows) {
    Tensor<double> rows(Shape{{"query", 3}, {"key", 3}});
    for (std::size_t at = 0; at < 9; ++at)
      rows[at] = scaled[head * 9 + at] * (at < 3 * unscaled_rows ? std::sqrt(2.0) : 1);
    return written(rows, 6);
  };
  const Report report = marked(problem, R"({"scaled_scores": [)" + of_head(0, 0) + ", " + of_head(1, 2) + "]}");
  CHECK(report.verdict == Verdict::wrong);
  CHECK(names(report, "scale.none"));
  // Where rows of the other head are wrong in another way, it is not told of all of them.
  const std::string off = R"([["9.1", "8.7", "7.3"], ["2.828427", "0.0", "0.0"], ["2.828427", "0.0", "1.414214"]])";
  CHECK_FALSE(names(marked(problem, R"({"scaled_scores": [)" + off + ", " + of_head(1, 2) + "]}"), "scale.none"));
}

TEST_CASE("a mask of one's own is known by the exponentials, too", "[check]") {
  const std::string problem = asymmetric.substr(0, asymmetric.rfind('}')) + R"(, "causal": true})";
  const Tensor<double> scores = traced(asymmetric).find("scaled_scores")->result;
  Tensor<double> handed(scores.shape());
  // The first token is closed to the last one, too.
  const auto is_open = [](std::size_t query, std::size_t key) { return key <= query && query - key < 2; };
  for (std::size_t query = 0; query < 3; ++query) {
    double largest = -infinity;
    for (std::size_t key = 0; key < 3; ++key) {
      if (is_open(query, key)) largest = std::max(largest, scores[query * 3 + key]);
    }
    for (std::size_t key = 0; key < 3; ++key) {
      handed[query * 3 + key] = is_open(query, key) ? std::exp(scores[query * 3 + key] - largest) : 0;
    }
  }
  const Report report = marked(problem, R"({"exponentials": )" + written(handed, 5) + "}");
  CHECK(report.verdict == Verdict::wrong);
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(report.diagnoses[0].evidence == language().verdicts.follows_from_these_cells.text());
}

TEST_CASE("what is right either way does not speak for rows and columns exchanged", "[check]") {
  // The scores are symmetric; the softmax of the weights was taken down their columns.
  const std::string problem = R"({"inputs": [[-0.16, -0.05, -1.1, 1.11], [-0.36, 0.44, 0.55, 0.54]], "score": "dot"})";
  const Report report = marked(problem, R"({"scores": [["2.47", "0.03"], ["0.03", "0.91"]],
      "attention_weights": [["0.91", "0.29"], ["0.08", "0.70"]],
      "context": [["-0.17", "-0.01", "-0.95", "1.05"], ["-0.29", "0.29", "0.06", "0.69"]]})");
  CHECK(report.verdict == Verdict::wrong);
  CHECK(names(report, "softmax.columns"));
}

TEST_CASE("a whole number alone does not make weights of 0 and 1", "[check]") {
  // The weights are 0.09, 0.24 and 0.67, the result is 0.13. Weights of 0, 0 and 1 would give 0.7.
  const std::string problem = R"({"queries": [[1]], "keys": [[0], [1], [2]], "values": [[-1], [-1], [0.7]],
                                  "score": "dot"})";
  CHECK(marked(problem, R"({"context": {"1,1": "1"}})").verdict == Verdict::wrong);
  CHECK(marked(problem, R"({"context": {"1,1": "0.13"}})").verdict == Verdict::right);
}

TEST_CASE("whole numbers do not leave open what stands beside or behind them", "[check]") {
  const std::string worked = text_of("worked-example.json");
  const auto verdict = [&](const std::string& steps) { return marked(worked, steps).verdict; };
  // Rows of 0 and 1 add up to 1, and no sum was kept.
  CHECK(verdict(R"({"attention_weights": [["1", "0", "0"], null, null]})") == Verdict::wrong);
  CHECK(verdict(R"({"attention_weights": {"1,1": "1"}})") == Verdict::wrong);
  // 1 beside an expression is 1; an expression is not rounded to whole numbers.
  const std::string powers = R"("exponentials": [["e^-2", "1", "1"], ["e^-12", "1", "e^-4"], ["e^-8", "1", "e^-2"]])";
  CHECK(verdict("{" + powers + R"(, "exponential_sums": ["2.9", "1.5", "1.9"]})") == Verdict::wrong);
  CHECK(verdict("{" + powers + R"(, "exponential_sums": ["2.1353", "1.0183", "1.1357"]})") == Verdict::right);
  const std::string weights =
      R"_("attention_weights": [["e^2/(e^2+2e^4)", "e^4/(e^2+2e^4)", "e^4/(e^2+2e^4)"], null, null])_";
  CHECK(verdict("{" + weights + R"(, "context": {"1,2": "4"}})") == Verdict::wrong);
  CHECK(verdict("{" + weights + R"(, "context": {"1,2": "6.68"}})") == Verdict::incomplete);  // null are blanks
}

TEST_CASE("numbers of a row that do not agree on what was subtracted show nothing", "[check]") {
  for (const std::string others : {R"("0", "0")", R"("2", "2")", R"("7", "7")"}) {
    const Report report =
        marked(text_of("worked-example.json"), R"({"exponentials": [["0.1353", )" + others + R"(], null, null]})");
    CHECK(step(report, "exponentials").count(CellState::wrong) == 2);
    CHECK(step(report, "exponentials").cells[0].state == CellState::right);
  }
}

TEST_CASE("no cells are exchanged, and no digits, that nobody wrote", "[check]") {
  // C[2,1] is 2; it was not handed in.
  CHECK(!names(marked(text_of("worked-example.json"), R"({"context": {"1,2": "2.0000"}})"), "slip.cells_swapped"));
  const Report sums = marked(text_of("worked-example.json"), R"({"exponential_sums": ["3", "1.0183", "1.1357"]})");
  CHECK(!names(sums, "slip.digits_swapped"));
}

TEST_CASE("an expression in a transposed step has the decimals of its step", "[check]") {
  const std::string problem = R"({"queries": [[0.7, 1.1], [2.5, 3], [1.9, 3.7]], "keys": [[1, 0], [0, 1], [1, 1]],
                                  "values": [[1], [2], [3]], "score": "dot"})";
  const std::string turned = R"("queries": [["0.7*1", "2.5", "1.9"], ["1.1", "3.0", "3.7*1"]])";
  CHECK(marked(problem,
               "{" + turned + R"(, "scores": [["0.7", "1.1", "1.8"], ["2.5", "3.0", "5.5"], ["1.9", "3.7", "5.6"]]})")
            .verdict == Verdict::right);
  CHECK(marked(problem,
               "{" + turned + R"(, "scores": [["1.0", "1.1", "2.1"], ["2.5", "3.0", "5.5"], ["1.9", "4.0", "5.9"]]})")
            .verdict == Verdict::wrong);
}

TEST_CASE("a mask that closes too much or too little is followed", "[check]") {
  const std::string problem = R"({"queries": [[1], [2], [0.5]], "keys": [[1], [0.5], [-1]], "score": "dot",
                                  "values": [[3], [1], [2]], "causal": true})";
  const std::string masks = R"("mask": [[1, 0, 0], [1, 1, 0], [0, 1, 1]], )";
  const std::string scores = R"("masked_scores": [[1, "-inf", "-inf"], [2, 1, "-inf"], ["-inf", 0.25, -0.5]], )";
  const std::string weights = R"("attention_weights": [[1, 0, 0], ["0.731", "0.269", 0], [0, "0.679", "0.321"]], )";
  const std::string context = R"("context": [[3], ["2.462"], ["1.321"]])";
  for (const std::string& handed :
       {masks + context, scores + context, weights + context, masks + scores + weights + context}) {
    const Report report = marked(problem, "{" + handed + "}");
    CHECK(report.verdict == Verdict::wrong);
    REQUIRE(report.diagnoses.size() == 1);
    CHECK_THAT(report.diagnoses[0].message, contains("cells were closed that are open"));
    CHECK(step(report, "context").count(CellState::consistent) == 1);
  }
  const Report open =
      marked(problem, R"({"masked_scores": [[1, "0.5", "-inf"], [2, 1, "-inf"], ["0.5", "0.25", "-0.5"]],
      "attention_weights": [["0.622", "0.378", 0], ["0.731", "0.269", 0], ["0.466", "0.363", "0.171"]]})");
  REQUIRE(open.diagnoses.size() == 1);
  CHECK_THAT(open.diagnoses[0].message, contains("It looks as if cells were left open that are closed."));
  CHECK(step(open, "attention_weights").count(CellState::consistent) == 2);
  // But who closes everything has not done the rest.
  const Report zeros =
      marked(problem, R"({"mask": [[0, 0, 0], [0, 0, 0], [0, 0, 0]], "context": [["0.00"], ["0.00"], ["0.00"]]})");
  CHECK(step(zeros, "context").count(CellState::wrong) == 3);
}

TEST_CASE("zeros do not make the rest free", "[check]") {
  const Report report = marked(asymmetric, R"({
    "queries": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    "scores": [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    "attention_weights": [["0.33", "0.33", "0.33"], ["0.33", "0.33", "0.33"], ["0.33", "0.33", "0.33"]]})");
  CHECK(report.first_wrong == "queries");
  CHECK(step(report, "scores").count(CellState::consistent) == 0);
}

TEST_CASE("numbers without decimals are too coarse to tell small weights apart", "[check]") {
  const Report report =
      marked(text_of("worked-example-scaled.json"), R"({"attention_weights": [[0, 0, 0], [0, 1, 0], [0, 1, 0]]})");
  CHECK(report.verdict == Verdict::incomplete);
  CHECK(step(report, "attention_weights").count(CellState::too_coarse) > 0);
}

TEST_CASE("a step of another shape is wrong and its shape is told", "[check]") {
  const Report report = marked(asymmetric, R"({"context": [[1, 2, 3, 4]]})");
  CHECK(report.verdict == Verdict::wrong);
  CHECK(step(report, "context").given_shape == std::vector<std::size_t>{1, 4});
  CHECK(report.first_wrong == "context");
}

TEST_CASE("scaled scores are marked where nothing is scaled", "[check]") {
  const std::string problem = text_of("worked-example.json");
  CHECK(marked(problem, R"({"scaled_scores": [[2, 4, 4], [4, 16, 12], [4, 12, 10]]})").verdict == Verdict::right);
  const Report scaled = marked(
      problem, R"({"scaled_scores": [["1.15", "2.31", "2.31"], ["2.31", "9.24", "6.93"], ["2.31", "6.93", "5.77"]]})");
  CHECK(scaled.verdict == Verdict::wrong);
  CHECK(names(scaled, "scale.added"));
}

TEST_CASE("what a mask would leave is the capped scores where there is none", "[check]") {
  const std::string problem = R"({"queries": [[3], [1]], "keys": [[2], [1]], "values": [[1], [2]], "score": "dot",
                                  "softcap": 4})";
  CHECK(marked(problem, R"({"masked_scores": [["3.62", "2.54"], ["1.85", "0.98"]]})").verdict == Verdict::right);
  CHECK(marked(problem, R"({"masked_scores": [[6, 3], [2, 1]]})").verdict == Verdict::wrong);
}

TEST_CASE("what follows from a step that the problem has under another name alone loses no mark", "[check]") {
  // 2.5 is wrong, and the output follows from it; so do the scores from the keys.
  const Report outputs = marked(R"({"inputs": [[1, 2]], "weights": {"output": [[1, 0], [1, 1]]}})",
                                R"({"concat": [[1, 2.5]], "output": [[3.5, 2.5]]})");
  REQUIRE(outputs.steps.size() == 2);
  CHECK(outputs.steps[0].id == "concat");
  CHECK(outputs.first_wrong == "concat");
  CHECK(outputs.diagnoses.size() == 1);
  CHECK(outputs.steps[1].count(CellState::wrong) == 0);
  const Report scores = marked(R"({"inputs": [[1, 2], [2, 0]], "score": "dot"})",
                               R"({"projected_keys": [[1, 3], [2, 0]], "scores": [[7, 2], [2, 4]]})");
  REQUIRE(scores.steps.size() == 2);
  CHECK(scores.first_wrong == "projected_keys");
  CHECK(scores.steps[1].count(CellState::wrong) == 0);
}

TEST_CASE("exponentials may stand without the maximum subtracted", "[check]") {
  const Tensor<double> scores = traced(asymmetric).find("scaled_scores")->result;
  const auto power = [&](std::size_t at) { return "\"e^" + std::to_string(scores[at]) + "\""; };
  const auto handed_in = [&](const std::string& exponentials) {
    return marked(asymmetric, R"({"scores": )" + written("scores", 2) + R"(, "exponentials": )" + exponentials + "}");
  };
  CHECK(handed_in(R"({"1,1": )" + power(0) + R"(, "1,2": )" + power(1) + "}").verdict == Verdict::right);
  // One number alone could be anything; and two of them belong to one maximum.
  CHECK(handed_in(R"({"1,1": )" + power(0) + "}").verdict == Verdict::wrong);
  CHECK(handed_in(R"({"1,1": )" + power(0) + R"(, "1,2": "e^5.4321"})").verdict == Verdict::wrong);
}

// The mistake is that nothing was divided by the root: by chance one of the sums is one of powers
// from which no maximum was subtracted.
const std::string unscaled = R"({"inputs": [[1, -1], [-1, -1], [1, -2]],
    "weights": {"query": [[1, 0], [0, 1]], "key": [[1, -1], [-1, -2]], "value": [[1, 0], [0, 1]]}})";

TEST_CASE("sums that fit by chance do not say that no maximum was subtracted", "[check]") {
  const Report report = marked(unscaled, R"({"exponential_sums": ["1.39", "2.05", "1.05"],
      "context": [["0.97", "-1.27"], ["0.02", "-1.02"], ["1.00", "-1.05"]]})");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(names(report, "scale.none"));
  CHECK(step(report, "context").count(CellState::wrong) == 0);
  const Report added = marked(R"({"inputs": [[2, -1], [-2, -2], [0, 1], [1, 0]], "score": "dot",
      "weights": {"query": [[1, 0], [0, 1]], "key": [[-1, 0], [0, -1]], "value": [[1, 0], [0, 1]]}})",
                              R"({"exponential_sums": ["1.5593", "3.0008", "1.8561", "1.4221"],
      "context": [["-1.2357", "-0.9710"], ["0.9992", "-0.0006"], ["-0.4153", "-1.2786"], ["-1.2390", "-1.2770"]]})");
  REQUIRE(added.diagnoses.size() == 1);
  CHECK(names(added, "scale.added"));
}

TEST_CASE("beside sums of powers without a maximum a slip is one, and is told as those beside it are", "[check]") {
  const Trace trace = traced(asymmetric);
  const Tensor<double>& most = trace.find("row_maximum")->result;
  const Tensor<double>& asked = trace.find("exponential_sums")->result;
  Tensor<double> sums = asked;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    REQUIRE(most[row] != 0);
    sums[row] *= std::exp(most[row]);
  }
  const auto marked_sums = [&] {
    const std::string rows = written(sums, 3);
    return marked(asymmetric, R"({"exponential_sums": )" + rows.substr(1, rows.size() - 2) + "}");
  };
  CHECK(marked_sums().verdict == Verdict::right);
  sums[1] += 3;
  const MarkedStep marks = step(marked_sums(), "exponential_sums");
  REQUIRE(marks.count(CellState::wrong) == 1);
  CHECK(marks.cells[1].state == CellState::wrong);
  CHECK(marks.cells[1].expected == Approx(asked[1] * std::exp(most[1])));
}

TEST_CASE("exponentials of logits may stand without the maximum subtracted", "[check]") {
  const std::string problem = R"({"inputs": [[1, 0]], "block": {
      "layers": [{"ffn": {"in": [[1], [1]], "out": [[0, 1]]}}], "unembedding": [[1, 0, 1], [0, 0, 1]]}})";
  CHECK(marked(problem, R"({"probabilities.exponentials": [["2.718", "1.000", "7.389"]],
      "probabilities.sums": ["11.107"], "probabilities": [["0.245", "0.090", "0.665"]]})")
            .verdict == Verdict::right);
  CHECK(marked(problem, R"({"probabilities.sums": ["11.107"]})").verdict == Verdict::right);
  CHECK(marked(problem, R"({"probabilities.sums": ["11.207"]})").verdict == Verdict::wrong);
}

TEST_CASE("probabilities of a vocabulary may keep their sum as weights do", "[check]") {
  const std::string problem =
      R"({"inputs": [[1, 0]], "block": {"layers": [{"ffn": {"in": [[1], [1]], "out": [[1, 1]]}}],
      "unembedding": [[1, 1, 1], [0, 0, 0]]}})";
  CHECK(marked(problem, R"({"probabilities": [["0.334", "0.333", "0.333"]]})").verdict == Verdict::right);
  CHECK(marked(problem, R"({"probabilities": [["0.333", "0.333", "0.333"]]})").verdict == Verdict::right);
  CHECK(marked(problem, R"({"probabilities": [["0.335", "0.333", "0.333"]]})").verdict == Verdict::wrong);
}

TEST_CASE("cosines of a rotation may be rounded to the decimals of the file", "[check]") {
  const auto verdict = [](const char* last, const char* x, const char* y) {
    return marked(std::string(R"({"inputs": [[1, 2], )") + last + R"(], "positions": "rope", "score": "dot"})",
                  std::string(R"({"rotated_keys": [["1", "2"], [")") + x + R"(", ")" + y + R"("]]})")
        .verdict;
  };
  CHECK(verdict("[3, 4]", "-1.74", "4.69") == Verdict::right);
  CHECK(verdict("[3, 4]", "-1.73", "4.69") == Verdict::wrong);
  CHECK(verdict("[10, 1]", "4.56", "8.94") == Verdict::right);      // by 0.54 and 0.84
  CHECK(verdict("[10, 1]", "4.5615", "8.9553") == Verdict::right);  // by 0.5403 and 0.8415
  CHECK(verdict("[10, 1]", "4.5715", "8.9553") == Verdict::wrong);
}

TEST_CASE("whoever forgets all masks but the padding is told so", "[check]") {
  const Report report = marked(R"({"inputs": [[[1, 0], [2, 1], [0, 1]], [[1, 1], [0, 2], [1, 0]]],
      "causal": true, "window": [1, 1], "lengths": [3, 2]})",
                               R"({"context": [[["1.44", "0.72"], ["1.80", "0.90"], ["1.00", "0.80"]],
      [["0.50", "1.50"], ["0.20", "1.80"], ["0.67", "1.33"]]]})");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(names(report, "mask.forgotten"));
}

TEST_CASE("exponentials follow from the maximum that was handed in", "[check]") {
  const std::string problem = text_of("worked-example.json");
  CHECK(marked(problem, R"({"row_maximum": [4, null, null], "exponentials": [["0.1353", "1", "1"], null, null]})")
            .verdict == Verdict::incomplete);
  CHECK(marked(problem, R"({"exponentials": [["1.0000", "7.3891", "7.3891"], null, null]})").verdict ==
        Verdict::incomplete);
  CHECK(marked(problem,
               R"({"row_maximum": [4, null, null], "exponentials": [["1.0000", "7.3891", "7.3891"], null, null]})")
            .verdict == Verdict::wrong);
}

TEST_CASE("another number than the largest score may be subtracted, with a note where it is no usual one", "[check]") {
  const std::string problem = text_of("worked-example.json");
  const auto notes = [&](const char* row) {
    const Report report = marked(problem, std::string(R"({"exponentials": [)") + row + ", null, null]}");
    CHECK(report.verdict == Verdict::incomplete);
    return report.notes.size();
  };
  CHECK(notes(R"(["0.1353", "1.0000", "1.0000"])") == 0);    // 4, the largest of the row
  CHECK(notes(R"(["7.3891", "54.5982", "54.5982"])") == 0);  // nothing
  CHECK(notes(R"(["0.3679", "2.7183", "2.7183"])") == 1);    // 3
}

TEST_CASE("no number is right because it would be after some other freedom", "[check]") {
  const std::string problem = text_of("worked-example.json");
  const char* wrong[] = {
      R"({"exponentials": [["123.456", "7.1111", "0.0321"], null, null]})",
      R"({"exponentials": [["0.1535", "1", "1"], null, null]})",
      R"({"exponentials": [["0.1535", "1", "1"], null, null], "attention_weights": [["0.0713", "0.4644", "0.4644"], null, null]})",
      R"({"row_maximum": [4, 16, 12], "exponentials": [["0.1535", "1", "1"], null, null]})",
      R"({"context": {"1,2": "2.0000"}})",
      R"({"exponentials": [["0.14", "1", "1"], null, null], "exponential_sums": ["2.46", null, null]})",
      R"({"attention_weights": [["0.0634", "0.0000", "0.0003"], ["0.4683", "0.9820", "0.8805"], ["0.4683", "0.0180", "0.1192"]]})",
  };
  for (const char* answers : wrong) {
    INFO(answers);
    CHECK(marked(problem, answers).verdict == Verdict::wrong);
  }
}

TEST_CASE("a result alone is right only where one honest way of rounding gives it", "[check]") {
  const std::string problem = text_of("worked-example.json");
  const auto context = [&](const char* second) {
    return marked(problem, std::string(R"({"context": [["1.9366", ")") + second +
                               R"(", "1.5951"], ["2.0000", "7.9640", )" +
                               R"("0.0540"], ["1.9997", "7.7599", "0.3584"]]})")
        .verdict;
  };
  CHECK(context("6.6831") == Verdict::right);
  for (const char* changed : {"6.6834", "6.6828", "6.6836", "6.6826", "6.6841"}) {
    INFO(changed);
    CHECK(context(changed) == Verdict::wrong);
  }
}

TEST_CASE("a whole number has the decimals of its row", "[check]") {
  const std::string problem = text_of("worked-example.json");
  CHECK(marked(problem, R"({"attention_weights": [["0.0634", "0", "0.4683"], null, null]})").verdict == Verdict::wrong);
  CHECK(marked(problem, R"({"exponentials": [["0.1353", "1", "1"], null, null]})").verdict == Verdict::incomplete);
}

TEST_CASE("a large number stands for −∞ in a sum, too", "[check]") {
  const std::string problem = R"({"inputs": [[1, 0], [0, 1]], "positions": "alibi",
                                  "mask": {"add": [[0, "-inf"], [0, 0.5]]}})";
  for (const char* closed : {"-inf", "-1e9", "-10000"}) {
    const std::string bias = R"({"score_bias": [["0.000", ")" + std::string(closed) + R"("], ["-0.004", "0.500"]]})";
    CHECK(marked(problem, bias).verdict == Verdict::right);
  }
  CHECK(marked(problem, R"({"score_bias": [["0.000", "-100"], ["-0.004", "0.500"]]})").verdict == Verdict::wrong);
}

TEST_CASE("cutting digits off is right throughout, with a note", "[check]") {
  const Report report =
      marked(asymmetric, R"({"attention_weights": )" + written("attention_weights", 2, RoundingMode::truncate) +
                             R"(, "context": )" + written("context", 2, RoundingMode::truncate) + "}");
  CHECK(report.verdict == Verdict::right);
  CHECK(report.rounding == "truncate");
  CHECK(names(report, "rounding.truncated"));
}

TEST_CASE("a number that lies a whole unit off is not cut off", "[check]") {
  CHECK(marked(text_of("worked-example.json"), R"({"keys": [[0, 1, 1], [4, 3, 0], [2, 3, 1]]})").verdict ==
        Verdict::wrong);
}

TEST_CASE("exact expressions are marked exactly", "[check]") {
  const std::string problem = text_of("worked-example-scaled.json");
  CHECK(marked(problem, R"({"scaled_scores": {"1,1": "2/√3"}})").verdict == Verdict::right);
  CHECK(marked(problem, R"({"scaled_scores": {"1,1": "2/√2"}})").verdict == Verdict::wrong);
}

TEST_CASE("the decimals of numbers in an expression are not those of the file", "[check]") {
  const std::string problem =
      R"({"queries": [[1], [3]], "keys": [[1], [0]], "values": [[0.2641], [1.5601]], "score": "dot"})";
  // The weights are 0.731 and 0.269, 0.953 and 0.047; with one decimal 0.7 and 0.3, 1.0 and 0.0.
  CHECK(marked(problem, R"({"context": [["0.7*0.2641+0.3*1.5601"], ["0.3"]]})").verdict == Verdict::right);
  CHECK(marked(problem, R"({"context": [["0.7*0.2641+0.4*1.5601"], ["0.3"]]})").verdict == Verdict::wrong);
  CHECK(marked(problem, R"({"context": [["0.7311*0.2641+0.2689*1.5601"], ["0.3"]]})").verdict == Verdict::right);
}

TEST_CASE("a teacher's own rule takes the place of honest rounding", "[check]") {
  const std::string problem = text_of("worked-example-scaled.json");
  const std::string near = R"({"attention_weights": {"1,1": "0.14"}})";  // 0.1361
  const std::string far = R"({"attention_weights": {"1,1": "0.15"}})";
  CHECK(marked(problem, near, {.kind = MarkingRule::Kind::decimal_digits, .digits = 2}).verdict == Verdict::right);
  CHECK(marked(problem, far, {.kind = MarkingRule::Kind::decimal_digits, .digits = 2}).verdict == Verdict::wrong);
  CHECK(marked(problem, far, {.kind = MarkingRule::Kind::decimal_digits, .digits = 0}).verdict == Verdict::right);
  CHECK(marked(problem, near, {.kind = MarkingRule::Kind::significant, .digits = 2}).verdict == Verdict::right);
  CHECK(marked(problem, far, {.kind = MarkingRule::Kind::significant, .digits = 2}).verdict == Verdict::wrong);
  const auto within = [](double relative, double absolute) {
    return MarkingRule{
        .kind = MarkingRule::Kind::relative_absolute, .digits = 2, .relative = relative, .absolute = absolute};
  };
  CHECK(marked(problem, far, within(0, 0.02)).verdict == Verdict::right);
  CHECK(marked(problem, far, within(0.01, 0)).verdict == Verdict::wrong);
  CHECK(marked(problem, far, within(0.12, 0)).verdict == Verdict::right);
}

TEST_CASE("what cannot be a weighted mean of the values is told as such", "[check]") {
  const Report report =
      marked(R"({"queries": [[1, 2], [3, 4]], "keys": [[5, 6], [7, 8]], "values": [[9, 10], [11, 12]]})",
             R"({"context": [["2.5", "3.5"], ["6.5", "7.5"]]})");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(report.diagnoses[0].mistake == "unexplained");
  CHECK_THAT(report.diagnoses[0].evidence, contains("from 9 to 11, and 2.5 lies outside"));
}

TEST_CASE("a context is not held against values that are not all there are", "[check]") {
  // The past value is 9; the new ones are 1 and 2. And two heads share one of values.
  const std::string past = R"({"queries": [[1], [1]], "keys": [[1], [2]], "values": [[1], [2]], "score": "dot",
                               "past": {"keys": [[3]], "values": [[9]]}})";
  const std::string grouped = R"({"queries": [[1, 1], [1, 2]], "keys": [[1], [2]], "values": [[1], [2]],
                                  "score": "dot", "heads": 2, "kv_heads": 1})";
  for (const auto& [problem, steps] : {std::pair(past, R"({"context": [["4.123"], ["5.456"]]})"),
                                       {grouped, R"({"context": [[["4.123"], ["5.456"]], [["7.7"], ["8.1"]]]})"}}) {
    const Report report = marked(problem, steps);
    REQUIRE(!report.diagnoses.empty());
    CHECK(report.diagnoses[0].evidence.find("lies outside") == std::string::npos);
  }
}

TEST_CASE("what a softmax alone rules out is not said of other weights", "[check]") {
  const std::string given =
      R"({"queries": [[1, 2], [3, 4]], "keys": [[5, 6], [7, 8]], "values": [[9, 10], [11, 12]], )";
  for (const char* option : {R"("softmax": {"sink": 3})", R"("softmax": "linear")",
                             R"("positions": {"type": "relative", "values": [[1, 1], [2, 2], [3, 3]]})"}) {
    const Report report = marked(given + option + "}", R"({"context": [["2.512", "3.534"], ["6.557", "7.561"]]})");
    INFO(option);
    REQUIRE(report.diagnoses.size() == 1);
    CHECK(report.diagnoses[0].evidence.find("lies outside") == std::string::npos);
  }
  for (const char* option : {R"("softmax": {"sink": 3})", R"("softmax": "linear")"}) {
    const Report report = marked(given + option + "}", R"({"attention_weights": [["-0.31", "0.66"], ["0.2", "0.3"]]})");
    INFO(option);
    REQUIRE(report.diagnoses.size() == 1);
    CHECK(report.diagnoses[0].evidence.find("below zero") == std::string::npos);
    CHECK(report.diagnoses[0].evidence.find("sum") == std::string::npos);
  }
}

TEST_CASE("a wrong whole number among whole numbers was not rounded, and what follows it follows it alone", "[check]") {
  const std::string whole = R"([[1, 0, 2], [0, 1, 1]])";     // scores 5 2, 2 2
  const std::string halves = R"([[1.5, 0, 2], [0, 1, 1]])";  // scores 6.25 2, 2 2
  const auto weight_is = [](CellState state, const std::string& inputs, const std::string& scores,
                            const std::string& weight) {
    const Report report = marked(R"({"inputs": )" + inputs + R"(, "score": "dot"})",
                                 R"({"scores": )" + scores + R"(, "attention_weights": {"1,2": ")" + weight + R"("}})");
    return step(report, "attention_weights").count(state) == 1;
  };
  using enum CellState;
  // 1/(1 + e²) = 0.119; from any of 2.5 to 3.5 up to 0.18.
  CHECK(weight_is(consistent, whole, "[[5, 3], [2, 2]]", "0.12"));
  CHECK(weight_is(wrong, whole, "[[5, 3], [2, 2]]", "0.16"));
  CHECK(weight_is(wrong, whole, "[[5, 3], [2, 2]]", "0.08"));
  // A 3 where there was something to round: 1/(1 + e^3.25) = 0.0373, from 3.5 up to 0.0601.
  CHECK(weight_is(consistent, halves, "[[6.25, 3], [2, 2]]", "0.04"));
  CHECK(weight_is(consistent, halves, "[[6, 3], [2, 2]]", "0.06"));
  // 3.1 may have been 3.14 before.
  CHECK(weight_is(consistent, whole, "[[5, 3.1], [2, 2]]", "0.1347"));
}

TEST_CASE("a row of weights that does not add up to 1 is told as such", "[check]") {
  const Report report = marked(asymmetric, R"({"attention_weights": [["0.71", "0.66", "0.93"], null, null]})");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK_THAT(report.diagnoses[0].evidence, contains("those of row 1 to 2.3"));
  // Three numbers that were cut off to two decimals may lack nearly three units.
  const auto evidence = [](const std::string& row) {
    const Report one = marked(asymmetric, R"({"attention_weights": [)" + row + ", null, null]}");
    REQUIRE(one.diagnoses.size() == 1);
    return one.diagnoses[0].evidence;
  };
  CHECK(evidence(R"(["0.05", "0.80", "0.13"])").empty());
  CHECK_THAT(evidence(R"(["0.05", "0.80", "0.11"])"), contains("those of row 1 to 0.96"));
}

TEST_CASE("a row that the problem rounds to whole numbers of its sum is right as it is", "[check]") {
  const auto verdict = [](const std::string& query, const std::string& weights) {
    const std::string problem =
        R"({"queries": [[)" + query + R"(]], "keys": [[1], [2], [3]], "values": [[1], [2], [3]], "score": "dot"})";
    return marked(problem, R"({"attention_weights": [)" + weights + "]}",
                  {.problem_rounding = HandRounding{0, RoundingMode::keep_sum}})
        .verdict;
  };
  CHECK(verdict("0", R"(["1", "0", "0"])") == Verdict::right);
  CHECK(verdict("0", R"(["1", "1", "0"])") == Verdict::wrong);
  // The weights are 0.19, 0.31 and 0.51, then 0.09, 0.24 and 0.67: the 1 is that of the largest.
  for (const std::string query : {"0.5", "1"}) {
    CHECK(verdict(query, R"(["0", "0", "1"])") == Verdict::right);
    CHECK(verdict(query, R"(["0", "1", "0"])") == Verdict::wrong);
    CHECK(verdict(query, R"([null, "1", null])") == Verdict::wrong);
  }
}

TEST_CASE("where the problem rounds to whole numbers so may weights that nobody saw", "[check]") {
  const auto verdict = [](const std::string& steps, std::optional<HandRounding> rounding) {
    return marked(text_of("worked-example.json"), steps, {.problem_rounding = rounding}).verdict;
  };
  // The weights 0.06, 0.47, 0.47 then are 0, and of 0, 0.98, 0.02 one is 1, or none where digits are cut off.
  const std::string nearest = R"({"context": [[0, 0, 0], [2, 8, 0], [2, 8, 0]]})";
  const std::string cut_off = R"({"context": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]})";
  CHECK(verdict(nearest, HandRounding{0, RoundingMode::half_up}) == Verdict::right);
  CHECK(verdict(cut_off, HandRounding{0, RoundingMode::truncate}) == Verdict::right);
  CHECK(verdict(R"({"context": [[0, 0, 0], [2, 8, 0], [2, 7, 0]]})", HandRounding{}) == Verdict::wrong);
  for (const auto& rounding : {std::optional<HandRounding>(), std::optional(HandRounding{1})}) {
    CHECK(verdict(nearest, rounding) == Verdict::wrong);
    CHECK(verdict(cut_off, rounding) == Verdict::wrong);
  }
}

TEST_CASE("a row of weights without a wrong number is no evidence, whatever rounding makes of its sum", "[check]") {
  const char* const even = R"({"queries": [[0, 0], [1, 2]], "keys": [[1, 0], [0, 1], [1, 1]]})";
  const Report report = marked(even, R"({"exponentials": [["0.9", "1", "1"], ["0.2", "0.3", "1"]],
    "exponential_sums": ["3", "1.5"], "attention_weights": [["0.30", "0.333", "0.333"], ["0.75", "0.15", "0.10"]]})");
  const auto weights = std::ranges::find(report.diagnoses, "attention_weights", &Diagnosis::step);
  REQUIRE(weights != report.diagnoses.end());
  CHECK(std::ranges::none_of(weights->cells, [](const auto& cell) { return cell.front() == 0; }));
  CHECK(weights->evidence == "");
}

TEST_CASE("a table of rows is read as the matrices of all heads, one under the other", "[check]") {
  const Trace trace = traced(text_of("tom-yeh-three-heads.json"));
  const Step* keys = trace.find("keys");
  std::string table;
  const std::size_t width = keys->result.shape().back().size;
  for (std::size_t at = 0; at < keys->result.size(); ++at) {
    table += std::to_string(keys->result[at]) + (at % width == width - 1 ? "\n" : ",");
  }
  const Result<Answers> answers = read_answers_csv(table, KnownSteps({trace.result}, possible_steps), "keys");
  REQUIRE(answers);
  CHECK(Checker(trace).mark(answers.value()).verdict == Verdict::right);
}

TEST_CASE("blank single cells are blank, and cells that a step does not have are named", "[check]") {
  const Report blank = marked(asymmetric, R"({"scores": {"1,1": null}})");
  CHECK(blank.verdict == Verdict::incomplete);
  CHECK(step(blank, "scores").count(CellState::blank) == 1);
  const Report outside = marked(asymmetric, R"({"scores": {"7,9": 1}})");
  CHECK(outside.verdict == Verdict::incomplete);
  REQUIRE(outside.notes.size() == 1);
  CHECK_THAT(outside.notes[0], contains("scores[7,9]"));
}

TEST_CASE("one wrong number accuses no step that nobody saw, and a mistake after it is named", "[check]") {
  // A term of scores[1,1] is dropped, and not handed in; then the plain mean is taken.
  const Trace trace = traced(asymmetric);
  Tensor<double> scaled = trace.find("scaled_scores")->result;
  scaled[0] -= 1.0 / 2;  // one term of q₁·k₁ is 1 × 1, and √d_k is 2
  const Tensor<double>& values = trace.find("values")->result;
  Tensor<double> mean = trace.find("context")->result;
  for (std::size_t at = 0; at < mean.size(); ++at)
    mean[at] = (values[at % 2] + values[2 + at % 2] + values[4 + at % 2]) / 3;
  const Report report = marked(asymmetric, R"({"keys": )" + written("keys", 3) + R"(, "queries": )" +
                                               written("queries", 3) + R"(, "scaled_scores": )" + written(scaled, 3) +
                                               R"(, "context": )" + written(mean, 3) + "}");
  REQUIRE(report.diagnoses.size() == 2);
  CHECK(report.first_wrong == "scaled_scores");
  CHECK(report.diagnoses[0].mistake == "unexplained");
  CHECK(report.diagnoses[0].step == "scaled_scores");
  CHECK(names(report, "sum.mean_of_values"));
}

TEST_CASE("numbers rounded early are right, with a note of where", "[check]") {
  const Trace trace = traced(asymmetric);
  const Tensor<double>& weights = trace.find("attention_weights")->result;
  const Tensor<double>& values = trace.find("values")->result;
  const std::size_t keys = weights.shape().back().size;
  const auto context_by = [&](int carried) {
    Tensor<double> context = trace.find("context")->result;
    const std::size_t width = context.shape().back().size;
    for (std::size_t at = 0; at < context.size(); ++at) {
      context[at] = 0;
      for (std::size_t key = 0; key < keys; ++key) {
        const double weight = rounded(weights[at / width * keys + key], {carried, RoundingMode::half_up});
        context[at] += weight * values[key * width + at % width];
      }
    }
    return context;
  };
  const Tensor<double> context = context_by(2);
  // Weights with two decimals, whether they are handed in or not, and a context with more.
  for (const int decimals : {3, 4}) {
    for (const std::string& before :
         {std::string(), R"("attention_weights": )" + written("attention_weights", 2) + ", "}) {
      const Report report = marked(asymmetric, "{" + before + R"("context": )" + written(context, decimals) + "}");
      CHECK(report.verdict == Verdict::right);
      CHECK(names(report, "rounding.early"));
      CHECK(report.diagnoses.front().step == "attention_weights");
    }
  }
  // The same with one, and with none, which nobody can have meant.
  const Report with_one = marked(asymmetric, R"({"context": )" + written(context_by(1), 3) + "}");
  CHECK(with_one.verdict == Verdict::right);
  CHECK(names(with_one, "rounding.early"));
  CHECK(marked(asymmetric, R"({"context": )" + written(context_by(0), 3) + "}").verdict == Verdict::wrong);
}

TEST_CASE("weights that were rounded so that they add up to 1 are right, and said to be so", "[check]") {
  const std::string problem = R"({"queries": [[0], [1]], "keys": [[1], [1], [1]], "values": [[1], [2], [4]]})";
  const std::string row = R"(["0.34", "0.33", "0.33"])";
  const Report report = marked(problem, R"({"attention_weights": [)" + row + ", " + row + "]}");
  CHECK(report.verdict == Verdict::right);
  CHECK(report.rounding == "keep-sum");
  CHECK(report.notes.size() == 1);
}

TEST_CASE("slips that would give the same number are told with the one of that step", "[check]") {
  const std::string problem = R"({"inputs": [[3, 1], [2, 5]], "weights": {"query": [[1, 0], [0, 1]],
      "key": [[1, 0], [0, 1]], "value": [[1, 2], [3, 4]]}, "score": "dot"})";
  // 5 lost its sign, and the score 9 + 1 stands there as 1, whether 9 was left out, the point moved or digits were
  // exchanged.
  const Report report = marked(problem, R"({"queries": [[3, 1], [2, -5]], "scores": [[1, 11], [1, -21]]})");
  REQUIRE(report.diagnoses.size() == 2);
  CHECK(report.diagnoses[0].mistake == "slip.sign");
  CHECK(report.diagnoses[0].ties.empty());
  std::vector<std::string> all = report.diagnoses[1].ties;
  all.push_back(report.diagnoses[1].mistake);
  std::ranges::sort(all);
  CHECK(all == std::vector<std::string>{"slip.decimal_point", "slip.digits_swapped", "slip.term_dropped"});
}

TEST_CASE("of what nothing explains it is said whether it is one number or several", "[check]") {
  const auto message = [](const std::string& row) {
    const Report report =
        marked(asymmetric, R"({"scaled_scores": [)" + row + ", [null, null, null], [null, null, null]]}");
    REQUIRE(report.diagnoses.size() == 1);
    CHECK(report.diagnoses[0].mistake == "unexplained");
    return report.diagnoses[0].message;
  };
  CHECK(message(R"([1234.5, null, null])") == "No mistake known here gives this number for scaled scores.");
  CHECK(message(R"([1234.5, 777.77, null])") == "No mistake known here gives these numbers for scaled scores.");
}

TEST_CASE("the evidence for a mistake counts the numbers that it explains, and those that need none", "[check]") {
  const std::string problem = R"({"queries": [[1, 0], [0, 1]], "keys": [[1, 0], [0, 2]], "values": [[1], [3]],
                                  "score": "dot"})";
  const auto evidence = [&](const std::string& first, const std::string& last) {
    const Report report =
        marked(problem, R"({"attention_weights": [[)" + first + R"(, "0.12"], ["0.27", )" + last + "]]}");
    REQUIRE(report.diagnoses.size() == 1);
    CHECK(names(report, "softmax.columns"));
    return report.diagnoses[0].evidence;
  };
  const auto counted = [](const std::string& all, const std::string& right) {
    return "all " + all + " numbers you wrote for attention weights come out this way, and " + right +
           " the way the problem asks for";
  };
  // Down the columns and along the rows the first number is 0.73, and the last one 0.88.
  CHECK(evidence("\"0.73\"", "\"0.88\"") == counted("4", "2"));
  CHECK(evidence("null", "\"0.88\"") == counted("3", "1"));
  CHECK(evidence("\"0.73\"", "null") == counted("3", "1"));
}

TEST_CASE("a weight that rounding could make anything is no rounded one", "[check]") {
  // The value of the largest weight alone: weights with no decimals would give it.
  const Trace trace = traced(asymmetric);
  const Tensor<double>& weights = trace.find("attention_weights")->result;
  const Tensor<double>& values = trace.find("values")->result;
  Tensor<double> context = trace.find("context")->result;
  for (std::size_t at = 0; at < context.size(); ++at) {
    const auto row = weights.data().begin() + static_cast<std::ptrdiff_t>(at / 2 * 3);
    context[at] = values[static_cast<std::size_t>(std::max_element(row, row + 3) - row) * 2 + at % 2];
  }
  CHECK(names(marked(asymmetric, R"({"context": )" + written(context, 3) + "}"), "sum.top_only"));
  // Exponentials cut off to whole numbers could be 0, and weights of them anything.
  const std::string problem = R"({"queries": [[0.58], [0.44], [-0.41], [-0.48]], "keys": [[-0.63], [0.29]],
                                  "values": [[0.91], [0.15]], "score": "dot"})";
  const Report columns = marked(problem, R"({"queries": [["0.5"], ["0.4"], ["-0.4"], ["-0.4"]],
      "keys": [["-0.6"], ["0.2"]], "attention_weights": [["0.1", "0.2"], ["0.1", "0.2"], ["0.3", "0.1"], ["0.3", "0.1"]]})");
  CHECK(columns.verdict == Verdict::wrong);
}

TEST_CASE("who drops all but the largest weight has not rounded early", "[check]") {
  // e^-2.5 is 0.082: a whole 0 only where all but the largest is cut off.
  const std::string far_apart = R"({"queries": [[1], [2]], "keys": [[2.5], [0], [-1]], "values": [[1], [2], [4]],
                                    "score": "dot"})";
  const Report hard =
      marked(far_apart, R"({"attention_weights": [["1.00", "0.00", "0.00"], ["1.00", "0.00", "0.00"]]})");
  CHECK(hard.verdict == Verdict::wrong);
  CHECK(names(hard, "softmax.hard_max"));
}

TEST_CASE("the largest of two scores that differ by little has all of a hard maximum", "[check]") {
  const std::string near = R"({"queries": [[1]], "keys": [[1], [0.999999], [-1]], "values": [[1], [2], [4]],
                               "score": "dot"})";
  CHECK(names(marked(near, R"({"attention_weights": [["1.00", "0.00", "0.00"]]})"), "softmax.hard_max"));
}

TEST_CASE("scores with rows and columns exchanged are known whatever the scores are", "[check]") {
  const std::string given = R"({"queries": [[1, 0], [2, 1], [0, 1]], "keys": [[1, 1], [0, 2], [1, -1]],
                                "values": [[1], [2], [4]], )";
  const Report rope = marked(given + R"("positions": "rope", "score": "dot"})",
                             R"({"scores": [["1.000", "2.462", "-1.325"], ["-1.683", "2.000", "1.081"],
                                            ["0.493", "3.065", "-1.000"]],
                                 "attention_weights": [["0.185", "0.797", "0.018"], ["0.018", "0.702", "0.280"],
                                                       ["0.070", "0.914", "0.016"]]})");
  CHECK(rope.first_wrong == "scores");
  CHECK(names(rope, "scores.transposed"));
  CHECK(step(rope, "attention_weights").count(CellState::wrong) == 0);
}

TEST_CASE("whoever subtracts no maximum rounds other powers, and is right", "[check]") {
  const std::string problem = R"({"queries": [[1, 0], [0, 1]], "keys": [[-1, 2], [-1, 2], [-2, -1]],
                                  "values": [[1], [2], [3]], "score": "dot"})";
  // e^-1, e^-1 and e^-2 are 0.368, 0.368 and 0.135, which add up to 0.871.
  const std::string weights = R"("attention_weights": [["0.423", "0.423", "0.155"], ["0.488", "0.488", "0.024"]])";
  const Report report = marked(problem, "{" + weights + "}");
  CHECK(report.verdict == Verdict::right);
  CHECK(names(report, "rounding.early"));
  CHECK(marked(problem, "{" + weights + R"(, "exponential_sums": ["2.368", "2.050"]})").verdict == Verdict::wrong);
}

TEST_CASE("a root may be rounded to any digits, and be multiplied with", "[check]") {
  const std::string problem = text_of("worked-example-scaled.json");
  const Tensor<double> scores = traced(problem).find("scores")->result;
  const auto scaled = [&](double by) {
    Tensor<double> made = scores;
    for (double& number : made.data()) number *= by;
    return marked(problem, R"({"scaled_scores": )" + written(made, 4) + "}");
  };
  for (const double by : {1 / 1.7, 1 / 1.73, 1 / 1.732, 1 / 1.7321, 0.58, 0.577}) {
    INFO(by);
    CHECK(scaled(by).verdict == Verdict::right);
    CHECK(names(scaled(by), "rounding.early"));
  }
  for (const double by : {1 / 1.74, 1 / 1.734, 0.57, 0.579}) CHECK(scaled(by).verdict == Verdict::wrong);
}

TEST_CASE("many digits of whole numbers leave no room for errors of single precision", "[check]") {
  const std::string row = R"({"attention_weights": [null, null, ["0.00029539", "0.)";
  const std::string problem = text_of("worked-example.json");
  CHECK(marked(problem, row + R"(88053688", "0.11916773"]]})").verdict == Verdict::incomplete);
  CHECK(marked(problem, row + R"(88073688", "0.11916773"]]})").verdict == Verdict::wrong);
}

TEST_CASE("a maximum is one of the scores, however they were rounded", "[check]") {
  // Each query sees itself alone: whatever the scores, the weight is 1.
  const std::string problem = R"({"queries": [[1, 1], [-3, 1]], "keys": [[1, -4], [2, 1]],
      "values": [[-2, -4], [-4, -2]], "score": "scaled_dot", "mask": {"allow": [[1, 0], [0, 1]]}})";
  const auto context = [&](const std::string& number) {
    return marked(problem, R"({"attention_weights": [["1.00", "0.00"], ["0.00", "1.00"]],
                              "context": [["-2.00", ")" +
                               number + R"("], ["-4.00", "-2.00"]]})");
  };
  CHECK(context("-4.00").verdict == Verdict::right);
  CHECK(context("-4.02").verdict == Verdict::wrong);
  CHECK(context("-4.02").first_wrong == "context");
}

TEST_CASE("whole scores are not said to be rounded", "[check]") {
  const Report report = marked(R"({"queries": [[1]], "keys": [[-2], [-3]], "values": [[1], [3]], "score": "dot"})",
                               R"({"scores": [[-2, -3]], "attention_weights": [["0.74", "0.26"]]})");
  CHECK_FALSE(names(report, "rounding.scores_rounded"));
}

TEST_CASE("behind a slip a mistake is named of few numbers of very many, and of one row beside right ones", "[check]") {
  const std::size_t tokens = GENERATE(40, 70);
  const std::string problem =
      R"({"inputs": {"random": "normal", "shape": [)" + std::to_string(tokens) + R"(, 16], "seed": 3}})";
  const Tensor<double> scores = traced(problem).find("scores")->result;
  // The numbers of some keys in a row, times a factor.
  const auto cells = [&](std::size_t query, const std::vector<std::size_t>& keys, double times) {
    std::string text;
    for (const std::size_t key : keys) {
      text += (text.empty() ? "" : ", ") + ("\"" + std::to_string(query) + "," + std::to_string(key)) + R"(": ")" +
              std::to_string(times * scores[(query - 1) * tokens + key - 1]) + "\"";
    }
    return text;
  };
  const std::string with_slip = R"({"scores": {)" + cells(1, {2}, -1) + ", " + cells(1, {3, 4}, 1) + "}, ";
  const std::string not_scaled = cells(1, {3, 4, 5}, 1);
  const std::string right = cells(2, {1, 2, 3, 4}, 0.25) + ", " + cells(3, {1, 2, 3, 4}, 0.25);
  for (const std::string& scaled : {not_scaled, not_scaled + ", " + right}) {
    const Report report = marked(problem, with_slip + R"("scaled_scores": {)" + scaled + "}}");
    CHECK(names(report, "slip.sign"));
    CHECK(names(report, "scale.none"));
  }
}

TEST_CASE("large lines have the bits of the plain loops", "[check]") {
  const std::string text = R"({"inputs": {"random": "normal", "shape": [70, 40], "seed": 3}, "causal": true})";
  const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30);
  REQUIRE(problem);
  const Recipe recipe = recipe_of(problem.value());
  Policy<double> policy;
  const Evaluation<double> made = evaluate(recipe, policy);
  for (const Step& step : traced(text).steps) {
    INFO(step.heading.id);
    CHECK(made.result(*recipe.line(step.heading.id)) == step.result);
  }
}

TEST_CASE("an axis of size 1 before all others may be left out", "[check]") {
  const std::string one = R"({"queries": [[1, 0]], "keys": [[1, 1], [0, 1]], "values": [[2], [4]], "score": "dot"})";
  CHECK(marked(one, R"({"scores": [1, 0]})").verdict == Verdict::right);
}

TEST_CASE("vectors as columns are recognised in what was cut off, though rounding hides one of them", "[check]") {
  // Queries [[1, 2], [3, 1]]; keys [[1.5, 1.28], [1.16, 2.5]], of which 1.2 in the place of 1.16 is well rounded.
  const Report report = marked(R"({"inputs": [[1, 2], [3, 1]],
    "weights": {"query": [[1, 0], [0, 1]], "key": [[0.164, 0.744], [0.668, 0.268]], "value": [[1, 0], [0, 1]]}})",
                               R"({"queries": [[1, 3], [2, 1]], "keys": [["1.5", "1.1"], ["1.2", "2.5"]]})");
  CHECK(report.verdict == Verdict::right);
  REQUIRE_FALSE(report.diagnoses.empty());
  CHECK(report.diagnoses[0].mistake == "layout.transposed_answer");
  CHECK_THAT(report.diagnoses[0].evidence, contains("queries"));
  CHECK_THAT(report.diagnoses[0].evidence, contains("keys"));
}

TEST_CASE("numbers of another shape are not read as columns where what follows speaks against it", "[check]") {
  const Tensor<double> values = traced(asymmetric).find("values")->result;
  const auto turned_with = [&](double off) {
    Tensor<double> columns(Shape{{"d_v", 2}, {"key", 3}});
    for (std::size_t at = 0; at < 6; ++at) columns[at] = values[at % 3 * 2 + at / 3] + (at % 3 == 1 ? off : 0);
    return marked(asymmetric,
                  R"({"values": )" + written(columns, 1) + R"(, "context": )" + written("context", 3) + "}");
  };
  CHECK(turned_with(0).verdict == Verdict::right);
  CHECK(names(turned_with(0), "layout.transposed_answer"));
  const Report report = turned_with(40);
  CHECK(report.verdict == Verdict::wrong);
  CHECK(report.first_wrong == "values");
  CHECK(step(report, "values").given_shape == std::vector<std::size_t>{2, 3});
  CHECK_FALSE(names(report, "layout.transposed_answer"));
  CHECK(step(report, "context").count(CellState::right) == 6);
}

TEST_CASE("what follows from a wrong whole number is followed in a short dtype too", "[check]") {
  const std::string problem = R"({"inputs": [[1, 0, 2], [0, 1, 1]], "score": "dot", "arithmetic": {"dtype": "bf16"}})";
  // 6 for 5: e^4/(e^4 + 1) = 0.982, and 0.5 where both scores are 2.
  const Report report = marked(problem, R"({"scores": [[6, 2], [2, 2]],
    "attention_weights": [["0.982", "0.018"], ["0.500", "0.500"]]})");
  CHECK(report.first_wrong == "scores");
  CHECK(step(report, "scores").count(CellState::wrong) == 1);
  CHECK(step(report, "attention_weights").count(CellState::wrong) == 0);
  CHECK(step(report, "attention_weights").count(CellState::consistent) == 2);
}

TEST_CASE("a score beyond all numbers does not hide a wrong weight", "[check]") {
  // The first score of the first row is 1e400: it takes all the weight. The second row has equal scores.
  const Report report = marked(R"({"score": "dot", "queries": [[1e200, 0], [0, 1]], "keys": [[1e200, 1], [0, 1]],
    "values": [[1, 2], [3, 4]]})",
                               R"({"attention_weights": [["0.10", "0.20"], ["0.30", "0.40"]]})");
  CHECK(report.verdict == Verdict::wrong);
  CHECK(report.first_wrong == "attention_weights");
  const MarkedStep& weights = step(report, "attention_weights");
  CHECK(weights.cells[2].state == CellState::wrong);
  CHECK(weights.cells[2].expected == 0.5);
  CHECK(weights.cells[3].state == CellState::wrong);
}

// Of an encoder of so many layers all but the first numbers are random.
std::string layers_of_encoder(std::size_t count, const std::string& norm, const std::string& more = "") {
  std::size_t seed = 1;
  const auto matrix = [&] {
    return R"({"random": "normal", "shape": [4, 4], "seed": )" + std::to_string(seed++) + "}";
  };
  std::string layers;
  for (std::size_t layer = 0; layer < count; ++layer) {
    layers += layer > 0 ? ", " : "";
    layers += R"({"self": {"weights": {"query": )" + matrix() + R"(, "key": )" + matrix() + R"(, "value": )" +
              matrix() + R"(, "output": )" + matrix() + R"(}}, "norm1": {}, "norm2": {}, "ffn": {"in": )" + matrix() +
              R"(, "out": )" + matrix() + "}}";
  }
  return R"({"inputs": [[1, -1, 0, 2], [0.5, 1, -2, 1], [-1, 0, 1, 0.5]], "block": {"kind": "encoder", "norm": ")" +
         norm + R"(", "layers": [)" + layers + "]}" + more + "}";
}

// Rows of eighths and tenths.
std::string drawn_rows(Random& random, std::size_t rows, std::size_t columns) {
  std::string text;
  for (std::size_t at = 0; at < rows * columns; ++at) {
    const double number = static_cast<double>(random.integer(-30, 30)) / (at % 2 == 0 ? 8 : 10);
    text += (at == 0 ? "[[" : at % columns == 0 ? "], [" : ", ") + shortest(number);
  }
  return text + "]]";
}

TEST_CASE("what a dtype of few digits makes of numbers that are rounded by hand is not wrong as it is held",
          "[check]") {
  Random random(11);
  const std::string dtype = GENERATE("f16", "bf16"),
                    rounding = GENERATE("1", "2", "3", "2:half-even", "1:truncate", "2:truncate", "3:truncate");
  CAPTURE(dtype, rounding);
  for (int i = 0; i < 5; ++i) {
    const std::string problem = R"({"queries": )" + drawn_rows(random, 3, 3) + R"(, "keys": )" +
                                drawn_rows(random, 4, 3) + R"(, "values": )" + drawn_rows(random, 4, 2) +
                                R"(, "arithmetic": {"dtype": ")" + dtype + R"(", "hand_rounding": ")" + rounding +
                                R"("}})";
    const Trace trace = traced(problem);
    MarkingRule rule;
    rule.problem_rounding = trace.arithmetic.hand_rounding;
    const auto held = [&](const std::string& id) {
      const Tensor<double>& numbers = trace.find(id)->result;
      std::string text;
      for (std::size_t at = 0; at < numbers.size(); ++at) {
        const bool is_first = at % numbers.shape().back().size == 0;
        text += (at == 0 ? "[[" : is_first ? "], [" : ", ") + shortest(numbers[at]);
      }
      return "\"" + id + "\": " + text + "]]";
    };
    std::string all;
    for (const char* id : {"scores", "scaled_scores", "exponentials", "attention_weights", "context"}) {
      CHECK(marked(problem, "{" + held(id) + "}", rule).verdict != Verdict::wrong);
      all += (all.empty() ? "" : ", ") + held(id);
    }
    CHECK(marked(problem, "{" + all + "}", rule).verdict != Verdict::wrong);
    const double right = trace.find("scores")->result[0], off = 3 * std::pow(10, '0' - rounding[0]);
    const std::string wrong = shortest(right + off + 0.03 * std::abs(right));
    CHECK(marked(problem, R"({"scores": {"1,1": ")" + wrong + "\"}}", rule).verdict == Verdict::wrong);
  }
}

TEST_CASE("behind layers of a block what rounding gives is right, and what is far from it is wrong", "[check]") {
  const std::size_t layers = 2;
  const std::string norm = GENERATE("pre", "post");
  const std::string problem = layers_of_encoder(layers, norm);
  const std::string last = traced(problem).result;
  CAPTURE(norm);
  const auto verdict_of = [&](const Tensor<double>& numbers, int decimals) {
    return marked(problem, "{\"" + last + "\": " + written(numbers, decimals) + "}").verdict;
  };
  struct Manner {
    std::string said;
    int decimals;
    double far;  // as a part of the largest number
  };
  for (const Manner& manner : {Manner{R"(, "arithmetic": {"dtype": "f32"})", 6, 0.25},
                               {R"(, "arithmetic": {"hand_rounding": "4:half-even"})", 4, 0.5}}) {
    CAPTURE(manner.said);
    Tensor<double> numbers = traced(layers_of_encoder(layers, norm, manner.said)).find(last)->result;
    CHECK(verdict_of(numbers, manner.decimals) == Verdict::right);
    const auto is_smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
    numbers[5] += manner.far * std::abs(*std::ranges::max_element(numbers.data(), is_smaller));
    CHECK(verdict_of(numbers, manner.decimals) == Verdict::wrong);
  }
}

TEST_CASE("hand-ins of which some have a step more than the problem are marked by one checker", "[check]") {
  const Trace trace = traced(R"({"inputs": [[1, 2], [2, 0]], "score": "dot"})");
  const Checker checker(trace);
  const auto verdict = [&](const std::string& id, double last) {
    AnsweredStep answered{.id = id, .shape = {2, 2}};
    for (const double number : {5.0, 2.0, 2.0, last}) answered.cells.push_back(WrittenNumber{number, 0, ""});
    return checker.mark({.steps = {answered}}).verdict;
  };
  CHECK(verdict("scores", 4) == Verdict::right);
  CHECK(verdict("scaled_scores", 4) == Verdict::right);
  CHECK(verdict("masked_scores", 5) == Verdict::wrong);
  CHECK(verdict("masked_scores", 4) == Verdict::right);
  CHECK(checker.mark({}).verdict == Verdict::incomplete);
}

TEST_CASE("where all that was written of a step is wrong no cell of it is named", "[check]") {
  const Report all = marked(asymmetric, R"({"scores": {"1,1": "9.87", "2,3": "8.76"}})");
  REQUIRE(all.diagnoses.size() == 1);
  CHECK(all.diagnoses[0].cells.empty());
  CHECK(all.diagnoses[0].hint == language().verdicts.work_out_again(false));
  const std::string right = std::to_string(traced(asymmetric).find("scores")->result[0]);
  const Report one = marked(asymmetric, R"({"scores": {"1,1": )" + right + R"(, "2,3": "8.76"}})");
  REQUIRE(one.diagnoses.size() == 1);
  CHECK(one.diagnoses[0].cells == std::vector<std::vector<std::size_t>>{{1, 2}});
  CHECK(one.diagnoses[0].hint == language().verdicts.work_out_again(true));
}

TEST_CASE("one number alone is no multiple of what all should be", "[check]") {
  const auto evidence = [](const std::string& scores) {
    const Report report = marked(text_of("worked-example-scaled.json"), R"({"scaled_scores": )" + scores + "}");
    REQUIRE(report.diagnoses.size() == 1);
    CHECK(names(report, "scale.none"));
    return report.diagnoses[0].evidence;
  };
  CHECK_THAT(evidence(R"({"1,1": "2.00", "1,2": "4.00"})"), contains("√3 times"));
  CHECK(evidence(R"({"1,1": "2.00"})").find("times") == std::string::npos);
  CHECK_THAT(evidence(R"({"1,1": "2.00"})"), contains("the number you wrote"));
}

TEST_CASE("a root in which numbers are too small is told as one", "[check]") {
  // d_model is 3 and d_k is 1.
  const Report report = marked(R"({"inputs": [[1, 2, 1], [0, 1, 1]],
      "weights": {"query": [[1], [1], [0]], "key": [[0], [1], [2]], "value": [[1], [0], [1]]}})",
                               R"({"scaled_scores": [["6.93", "5.20"], ["2.31", "1.73"]]})");
  REQUIRE(report.diagnoses.size() == 1);
  CHECK(names(report, "scale.by_dmodel"));
  CHECK_THAT(report.diagnoses[0].evidence, contains("1/√3"));
}

TEST_CASE("a closed row, or values that nobody knows, rule out no context", "[check]") {
  const auto evidence = [](const std::string& problem, const std::string& steps) {
    const Report report = marked(problem, steps);
    REQUIRE(!report.diagnoses.empty());
    return report.diagnoses.back().evidence;
  };
  CHECK_THAT(evidence(R"({"queries": [[1, 2], [3, 4]], "keys": [[5, 6], [7, 8]], "values": [[9, 10], [11, 12]]})",
                      R"({"context": [["0.0", "0.0"], ["6.5", "7.5"]]})"),
             contains("from 9 to 11, and 6.5 lies outside"));
  const std::string context = R"("context": [["31.7", "45.2"], ["17.3", "28.9"], ["55.1", "91.4"]])";
  CHECK(evidence(asymmetric, "{" + context + "}").empty());
  CHECK_THAT(evidence(asymmetric, R"({"values": )" + written("values", 1) + ", " + context + "}"),
             contains("lies outside"));
}

TEST_CASE("a row of weights that is not all there, or all 0, has no sum to be told of", "[check]") {
  for (const char* row : {R"(["0.71", "0.66", null])", R"(["0.00", "0.00", "0.00"])"}) {
    const Report report = marked(asymmetric, R"({"attention_weights": [)" + std::string(row) + ", null, null]}");
    INFO(row);
    REQUIRE(report.diagnoses.size() == 1);
    CHECK(report.diagnoses[0].evidence.find("those of row") == std::string::npos);
  }
}

TEST_CASE("numbers with fewer decimals than later ones are said to be scores, or rounded early", "[check]") {
  const Trace trace = traced(text_of("worked-example-scaled.json"));
  const auto mistakes = [&](const char* first, const char* second) {
    const Report report =
        marked(text_of("worked-example-scaled.json"),
               R"({")" + std::string(first) + R"(": )" + written(trace.find(first)->result, 1) + R"(, ")" +
                   std::string(second) + R"(": )" + written(trace.find(second)->result, 4) + "}");
    CHECK(report.verdict == Verdict::right);
    REQUIRE(report.diagnoses.size() == 1);
    return report.diagnoses[0].mistake + " " + report.diagnoses[0].step;
  };
  CHECK(mistakes("scaled_scores", "attention_weights") == "rounding.scores_rounded scaled_scores");
  CHECK(mistakes("attention_weights", "context") == "rounding.early attention_weights");
}

TEST_CASE("a large number for minus infinity was not rounded early", "[check]") {
  const Report report = marked(R"({"inputs": [[1, 0], [0, 1]], "score": "dot", "causal": true})",
                               R"({"masked_scores": [[1, -1000000000], [0, 1]],
                                   "attention_weights": [["1.0000", "0.0000"], ["0.2689", "0.7311"]]})");
  CHECK(report.verdict == Verdict::right);
  CHECK(report.diagnoses.empty());
}

TEST_CASE("whole weights that are exact are not too coarse", "[check]") {
  const Report report = marked(R"({"inputs": [[1, 0], [0, 1]], "score": "dot", "causal": true})",
                               R"({"attention_weights": {"1,1": 1, "1,2": 0}})");
  CHECK(report.verdict == Verdict::right);
  CHECK(step(report, "attention_weights").count(CellState::right) == 2);
}

TEST_CASE("several slips in one step are each told once", "[check]") {
  Tensor<double> scores = traced(asymmetric).find("scores")->result;
  REQUIRE(scores[1] != scores[5]);
  REQUIRE(scores[6] != 0);
  std::swap(scores[1], scores[5]);
  scores[6] = -scores[6];
  const Report report = marked(asymmetric, R"({"scores": )" + written(scores, 1) + "}");
  CHECK(step(report, "scores").count(CellState::wrong) == 3);
  std::vector<std::string> told;
  for (const Diagnosis& one : report.diagnoses) told.push_back(one.mistake);
  CHECK(told == std::vector<std::string>{"slip.cells_swapped", "slip.sign"});
}

}  // namespace attn
