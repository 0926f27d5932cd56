#include "explain/reports/differences.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "unit/formats/as_text.h"

namespace attn {
namespace {

constexpr double infinite_difference = std::numeric_limits<double>::infinity();

using PairVerdict = StepPair::Verdict;

StepPair step_pair(const std::string& id, PairVerdict verdict) {
  StepPair pair;
  pair.id = id;
  pair.verdict = verdict;
  pair.first_sizes = "2 × 3";
  pair.second_sizes = "4 × 5";
  pair.same_bits = verdict == PairVerdict::same;
  if (verdict == PairVerdict::differs) {
    pair.cells = 6;
    pair.differing = 2;
    pair.absolute = FarthestCell{{1, 2}, 4, 1, 3};
    pair.relative = pair.absolute;
    pair.relative->apart = 0.75;
  }
  return pair;
}

// A problem and tensors of which the steps are these; the first that is no longer the same is where they differ.
DiffReport difference(std::vector<StepPair> pairs, ComparedFile::Kind second = ComparedFile::Kind::dump) {
  DiffReport report;
  report.first = {"A", "a.json", ComparedFile::Kind::problem, "f64"};
  report.second = {"B", "b.npz", second, "f32"};
  report.closeness.relative = 1e-4;
  report.sides.steps = std::move(pairs);
  for (std::size_t at = report.sides.steps.size(); at-- > 0;) {
    if (report.sides.steps[at].verdict != PairVerdict::same) report.sides.different = at;
  }
  return report;
}

std::string difference_in_text(const DiffReport& report) { return as_text(told_difference(report), {.width = 400}); }

// What a report says has these words; and not those.
void check_words_of_difference(const DiffReport& report, const std::vector<std::string>& words,
                               const std::vector<std::string>& others = {}) {
  const std::string text = difference_in_text(report);
  INFO(text);
  for (const std::string& one : words) {
    INFO(one);
    CHECK(text.find(one) != std::string::npos);
  }
  for (const std::string& one : others) {
    INFO("not " + one);
    CHECK(text.find(one) == std::string::npos);
  }
}

TEST_CASE("two sides are the same, or so up to rounding, and by how much is told", "[diff]") {
  StepPair close = step_pair("scores", PairVerdict::same);
  check_words_of_difference(difference({close}), {"A and B are the same\n"}, {"rounding,", "close"});
  close.same_bits = false;
  close.absolute = FarthestCell{{0, 0}, 1, 1.0000002, 2e-7};
  check_words_of_difference(difference({close}), {"A and B are the same, up to rounding", "close", "by up to 2e-07"});
  close.absolute.reset();
  check_words_of_difference(difference({close}), {"up to rounding"}, {"by up to"});
}

TEST_CASE("what counts as the same is told: bits, what is usual, or what was asked for", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  check_words_of_difference(report, {"the same within 0.0001 of themselves"});
  CHECK(told_difference(report).hints.front() == "--rtol and --atol ask for another tolerance");
  report.is_usual = false;
  check_words_of_difference(report, {"the same within 0.0001 of A's, or 0."});
  CHECK(told_difference(report).hints.empty());
  report.closeness = {};
  check_words_of_difference(report, {"the same if all their bits are"});
  CHECK(told_difference(report).hints.front() == "--rtol and --atol ask for less than the same bits");
}

TEST_CASE("how the other side stores a step stands beside it", "[diff]") {
  StepPair pair = step_pair("queries", PairVerdict::same);
  pair.name = "q_proj";
  pair.stored = "[batch, query, head·d_k]";
  pair.remarks = {"−1e+09 for −∞"};
  check_words_of_difference(difference({pair}),
                            {"called q_proj in B; [batch, query, head·d_k] in B; −1e+09 for −∞ in B"});
}

TEST_CASE("steps that one side alone has are listed where it is of tensors, and rows of the table else", "[diff]") {
  const std::vector<StepPair> pairs = {step_pair("keys", PairVerdict::only_first),
                                       step_pair("scores", PairVerdict::same),
                                       step_pair("extra", PairVerdict::only_second)};
  DiffReport report = difference(pairs);
  report.sides.different.reset();
  check_words_of_difference(report, {"Only in A: keys.", "Only in B: extra."}, {"only in"});
  std::swap(report.first.kind, report.second.kind);  // named the other way round
  check_words_of_difference(report, {"Only in A: keys.", "Only in B: extra."}, {"only in"});
  report.first.kind = report.second.kind = ComparedFile::Kind::trace;
  check_words_of_difference(report, {"only in A", "only in B"}, {"Only in"});
}

TEST_CASE("of thousands of names that one side alone has the first are listed, and the others counted", "[diff]") {
  std::vector<StepPair> pairs = {step_pair("scores", PairVerdict::same)};
  for (int i = 1; i <= 2060; ++i) pairs.push_back(step_pair("w" + std::to_string(i), PairVerdict::only_first));
  DiffReport report = difference(pairs);
  report.sides.different.reset();
  for (int i = 1; i <= 61; ++i) report.sides.unknown.push_back("u" + std::to_string(i));
  check_words_of_difference(report, {"Only in A: w1, ", "w60, and 2000 more.", "u60, and 1 more."}, {"w61", "u61"});
}

TEST_CASE("a step that one side alone has may be the first difference", "[diff]") {
  const auto kind = ComparedFile::Kind::problem;
  check_words_of_difference(difference({step_pair("scaled_scores", PairVerdict::only_first)}, kind),
                            {"A and B differ first in scaled_scores", "scaled_scores is a step of A, and not of B."});
  check_words_of_difference(difference({step_pair("scaled_scores", PairVerdict::only_second)}, kind),
                            {"scaled_scores is a step of B, and not of A."});
  check_words_of_difference(difference({step_pair("scores", PairVerdict::other_shape)}),
                            {"2 × 3 in A, 4 × 5 in B", "which no exchange of axes makes the same"});
}

TEST_CASE("the cell that is farthest apart is told with both numbers", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  StepPair& pair = report.sides.steps[0];
  check_words_of_difference(report, {"2 of 6, by up to 3", "Farthest apart: scores[2,3] is 4 in A and 1 in B, 3 apart.",
                                     "That is 75 % of A's number, the most of all cells."});
  pair.relative = FarthestCell{{0, 0}, 0.1, 1.6, 15};
  check_words_of_difference(report, {"Relative to A: scores[1,1] is 0.1 in A and 1.6 in B, apart by 15 times it."});
  pair.relative->apart = 2e-7;
  check_words_of_difference(report, {"apart by 2e-07 of it"});
  pair.relative->apart = infinite_difference;  // of a number that is 0
  check_words_of_difference(report, {"3 apart."}, {"Relative to", "the most of all"});
  pair.relative.reset();
  check_words_of_difference(report, {"3 apart."}, {"Relative to", "the most of all"});
  pair.absolute = FarthestCell{{1, 2}, 0.1, 0.100000000001, 1e-12};
  check_words_of_difference(report, {"scores[2,3] is 0.1 in A and 0.100000000001 in B"});
}

TEST_CASE("NaN against a number is told as such, on whichever side it is", "[diff]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  report.sides.steps[0].absolute = FarthestCell{{0, 1}, nan, 2, infinite_difference};
  check_words_of_difference(report, {"2 of 6, NaN among them", "for one: scores[1,2] is NaN in A and 2 in B."},
                            {"apart"});
  report.sides.steps[0].absolute = FarthestCell{{0, 1}, -infinite_difference, 2, infinite_difference};
  check_words_of_difference(report, {"by up to ∞", "scores[1,2] is −∞ in A and 2 in B, ∞ apart."});
}

TEST_CASE("what the first different step is made of agrees or differs", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  report.inputs = {{"queries", true}, {"keys", false}};
  check_words_of_difference(report, {"What it is made of agrees: queries.", "What it is made of differs, too: keys."});
  report.inputs = {{"queries", false}};
  check_words_of_difference(report, {"What it is made of differs, too: queries."}, {"agrees"});
}

TEST_CASE("a factor between two sides has its name where it has one", "[diff]") {
  struct Named {
    double factor;
    std::string said;
  };
  const Named all[] = {{std::log2(std::exp(1.0)), "1.4427 times that of A (log₂e, as where powers of 2 are taken)."},
                       {std::log(2.0), "0.693147 times that of A (ln 2)."},
                       {-1, "−1 times that of A (the signs are turned)."},
                       {std::sqrt(2.0), "1.41421 times that of A (√2)."},
                       {std::sqrt(0.5), "0.707107 times that of A (1/√2)."},
                       {0.125, "0.125 times that of A (1/8)."},
                       {8, "8 times that of A."},
                       {1.0000001, "1.0000001 times that of A."},
                       {-0.9999999, "−0.9999999 times that of A (the signs are turned)."},
                       {1.1, "1.1 times that of A."},
                       {1.3, "1.3 times that of A."},
                       {1 / 1.3, "0.769231 times that of A."},
                       {-3, "−3 times that of A."},
                       {2048, "2048 times that of A."}};
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  report.relation = Relation{};
  for (const Named& one : all) {
    report.relation->factor = one.factor;
    check_words_of_difference(report, {"Every number of B is " + one.said});
  }
}

TEST_CASE("heads in another order, and numbers of another step, are told", "[diff]") {
  DiffReport report = difference({step_pair("queries", PairVerdict::differs)});
  report.relation = Relation{.kind = Relation::Kind::exchanged_heads, .heads = {1, 0, 2}};
  check_words_of_difference(report, {"those of B are A's 2, 1, 3."});
  report.relation = Relation{.kind = Relation::Kind::other_step, .step = "keys"};
  check_words_of_difference(report, {"The numbers of B are those of A's keys."});
}

TEST_CASE("what nothing explains is said to be so, unless its numbers belong together", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  check_words_of_difference(report, {}, {"What explains it"});
  report.could_explain = true;
  check_words_of_difference(
      report, {"What explains it", "No mistake or convention that attn knows makes A's scores those of B."});
  report.relation = Relation{.factor = 3};
  check_words_of_difference(report, {"Of mistakes and conventions nothing more than that."},
                            {"No mistake or convention"});
  report.second.kind = ComparedFile::Kind::problem;  // their keys say it
  check_words_of_difference(report, {"Both say the same, words aside."}, {"What explains it"});
}

TEST_CASE("what was not tried as an explanation is said beside what was", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  report.could_explain = true;
  report.all_tried = false;
  const std::string left = "Not every mistake and convention was tried";
  check_words_of_difference(report,
                            {"None of the mistakes and conventions that were tried makes A's scores those of B.", left},
                            {"that attn knows"});
  report.relation = Relation{.factor = 3};
  check_words_of_difference(report, {"None of the mistakes", left}, {"nothing more than that"});
  report.explanations = {{.id = "scale.none", .what = "the scores were not scaled", .variant = "", .step = "scores"}};
  check_words_of_difference(report,
                            {"With that scores agrees", "Whether other mistakes and conventions explain as much was"},
                            {"None of the mistakes", left});
  report.explanations[0].next = "context";
  check_words_of_difference(report, {"context still differs", left}, {"explain as much"});
}

TEST_CASE("an explanation says how much of what follows agrees with it", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  report.could_explain = true;
  const LikelyCause cause = {.id = "scale.none", .what = "the scores were not scaled", .variant = "", .step = "scores"};
  report.explanations = {cause};
  check_words_of_difference(
      report, {"In B it is as if the scores were not scaled: scale.none. With that scores agrees, the last that "
               "both have."});
  report.explanations[0].follow = {"attention_weights", "context"};
  check_words_of_difference(report, {"With that scores agrees, and all that follows: attention_weights, context."});
  report.explanations[0].next = "output";
  check_words_of_difference(report, {"agrees, and so do attention_weights, context; output still differs."});
  report.explanations[0].follow = {"attention_weights"};
  check_words_of_difference(report, {"agrees, and so does attention_weights; output still differs."});
  report.explanations[0].follow.clear();
  check_words_of_difference(report, {"With that scores agrees; output still differs."});
  report.explanations[0].next = "scores";
  report.explanations[0].variant = "tiled";
  report.explanations[0].also = {"scale.by_n"};
  report.explanations.push_back(cause);
  check_words_of_difference(
      report, {"the scores were not scaled (tiled): scale.none. That alone does not make scores agree.",
               "As much would be explained by scale.by_n.", "Besides, it is as if the scores were not scaled"});
  report.second.kind = ComparedFile::Kind::problem;
  check_words_of_difference(report, {"From A one gets B's numbers as if the scores were not scaled"});
}

TEST_CASE("a difference that rounding leaves is said to be no more", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)});
  check_words_of_difference(report, {}, {"no more than rounding leaves"});
  report.is_rounding = true;
  check_words_of_difference(report, {"That is no more than rounding leaves: nothing else differs."});
}

TEST_CASE("what two problems say is a table of the keys in which they differ", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::differs)}, ComparedFile::Kind::problem);
  report.keys = {{"/scale", "2", ""}, {"/causal", "", "true"}};
  check_words_of_difference(report, {"What the problems say", "/scale", "/causal", "not given"}, {"Both say the same"});
}

TEST_CASE("of sides with names that are no steps it is told how much was compared", "[diff]") {
  StepPair close = step_pair("scores", PairVerdict::same);
  DiffReport report = difference({close, step_pair("keys", PairVerdict::same)});
  report.sides.unknown = {"rotary"};
  check_words_of_difference(report,
                            {"A and B are the same in 2 steps; 1 of B was not compared", "no step of A: rotary."});
  report.sides.steps[0].same_bits = false;
  report.sides.unknown = {"rotary", "cache"};
  check_words_of_difference(report, {"A and B are the same, up to rounding, in 2 steps; 2 of B were not compared"});
}

TEST_CASE("of what cannot be read it is told why, of either side", "[diff]") {
  DiffReport report = difference({step_pair("scores", PairVerdict::same)});
  report.sides.first_unread = {{"version", "has an array version that holds texts"}};
  report.sides.steps[0].same_bits = true;
  check_words_of_difference(
      report, {"A and B are the same in 1 step; 1 of A was not compared", "A has an array version that holds texts."});
  report.sides.second_unread = report.sides.first_unread;
  check_words_of_difference(
      report, {"A and B are the same in 1 step; 2 were not compared", "B has an array version that holds texts."});
  for (int i = 0; i < 100; ++i)
    report.sides.second_unread.push_back({"x" + std::to_string(i), "has x" + std::to_string(i)});
  check_words_of_difference(
      report, {"102 were not compared", "B has x6.", "B has 93 more of which no numbers are read."}, {"B has x7."});
}

}  // namespace
}  // namespace attn
