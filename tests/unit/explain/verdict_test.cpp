#include "explain/reports/verdict.h"

#include <string>
#include <vector>

#include "catch.h"
#include "exports/json.h"
#include "unit/explain/examples.h"
#include "unit/formats/as_text.h"

namespace attn {
namespace {

using examples::holds;
using examples::traced;

// The worked example handed in: keys right, scores wrong in two cells, the
// weights following from them, one weight blank.
Report example_report() {
  const auto step = [](const std::string& id, const std::vector<CellState>& states, const std::string& given) {
    MarkedStep marked{.id = id};
    for (std::size_t at = 0; at < states.size(); ++at) {
      MarkedCell cell{.index = {at / 3, at % 3}, .state = states[at], .expected = 777.25};
      if (states[at] != CellState::blank) cell.given = given;
      marked.cells.push_back(cell);
    }
    return marked;
  };
  using enum CellState;
  Report report;
  report.verdict = Verdict::wrong;
  report.first_wrong = "scores";
  report.steps = {
      step("keys", std::vector<CellState>(9, right), "1"),
      step("scores", {wrong, right, right, right, right, right, right, right, wrong}, "5"),
      step("attention_weights", {consistent, consistent, too_coarse, right, right, right, blank, right, right}, "0.3"),
      step("context", std::vector<CellState>(9, consistent), "2.5")};
  report.diagnoses = {{.mistake = "slip.sign",
                       .step = "scores",
                       .cells = {{0, 0}, {2, 2}},
                       .ties = {"nobody.knows"},
                       .evidence = "term 2 has the other sign",
                       .message = "It looks as if a sign was lost.",
                       .hint = "look at the signs"}};
  report.notes = {"the weights add up to 0.99"};
  return report;
}

std::string told(const Report& report, Reveal reveal, FormatOptions options = {}) {
  const Trace trace = traced(examples::worked_example());
  return as_text(verdict(report, trace, {.reveal = reveal}), options);
}

TEST_CASE("a verdict says first what is right", "[verdict]") {
  const std::string text = told(example_report(), Reveal::hint);
  const std::size_t right = text.find("Keys: right.");
  REQUIRE(right != std::string::npos);
  CHECK(right < text.find("not right yet"));
}

TEST_CASE("each state of a cell has a sign of its own without colour", "[verdict]") {
  const std::string text = told(example_report(), Reveal::hint, {.width = 300});
  for (const char* words : {"✓ 5", "✗ 5", "↳ 0.3", "? 0.3", "·", "✓ right", "✗ not right yet",
                            "↳ follows from your earlier numbers", "? too few digits to tell", "· blank"}) {
    INFO(words << "\n" << text);
    CHECK(holds(text, words));
  }
}

TEST_CASE("a verdict in ASCII has nothing else", "[verdict]") {
  const std::string text = told(example_report(), Reveal::value, {.ascii = true});
  for (const char c : text) CHECK(static_cast<unsigned char>(c) < 0x80);
  CHECK(holds(text, "x 5"));
}

TEST_CASE("what is right is green, what is wrong red and what follows from it yellow", "[verdict]") {
  const std::string text = told(example_report(), Reveal::hint, {.color = true});
  CHECK(holds(text, "\x1b[32m"));
  CHECK(holds(text, "\x1b[1;31m"));
  CHECK(holds(text, "\x1b[33m"));
}

TEST_CASE("what follows from an earlier step is not marked again, and the step is named", "[verdict]") {
  const std::string text = told(example_report(), Reveal::hint);
  CHECK(holds(text, "Context: follows from your scores; not marked again."));
  CHECK(!holds(text, "2.5"));
}

TEST_CASE("a diagnosis is told with its place, evidence, ties and what to do", "[verdict]") {
  FormatOptions wide;
  wide.width = 300;
  const std::string text = told(example_report(), Reveal::hint, wide);
  CHECK(holds(text, "It looks as if a sign was lost (scores[1,1], [3,3]). Term 2 has the other sign."));
  CHECK(holds(text, "Or: `nobody.knows`. These numbers cannot tell the two apart."));
  CHECK(holds(text, "What to do: Look at the signs."));
  CHECK(holds(text, "Note: The weights add up to 0.99."));
}

TEST_CASE("reports of no files are an empty list", "[verdict]") { CHECK(reports_json({}, Reveal::value) == "[]\n"); }

TEST_CASE("each degree of revealing gives away so much and no more", "[verdict]") {
  const Report report = example_report();
  struct Given {
    Reveal reveal;
    bool cells, hints, values;
  };
  for (const Given& row : {Given{Reveal::none, false, false, false}, Given{Reveal::cell, true, false, false},
                           Given{Reveal::hint, true, true, false}, Given{Reveal::value, true, true, true}}) {
    const std::string text = told(report, row.reveal);
    const std::string json = report_json(report, row.reveal);
    INFO(text << json);
    CHECK(holds(text, "✗ 5") == row.cells);
    CHECK(holds(json, "\"index\"") == row.cells);
    CHECK(holds(text, "sign was lost") == row.hints);
    CHECK(holds(json, "\"diagnoses\"") == row.hints);
    CHECK(holds(text, "777.25") == row.values);
    CHECK(holds(json, "777.25") == row.values);
    CHECK(holds(text, "2 not right yet"));
    CHECK(holds(json, "\"wrong\": 2"));
  }
}

TEST_CASE("a mistake in a step that was not handed in is told where it shows, and says so", "[verdict]") {
  Report report = example_report();
  report.diagnoses[0].step = "queries";
  const std::string text = told(report, Reveal::hint, {.width = 300});
  CHECK(holds(text, "That is at the step queries, which you did not hand in."));
  CHECK(text.find("sign was lost") > text.find("Scores"));
}

// One score of nine.
Report lone_number(CellState state) {
  Report report;
  report.verdict = state == CellState::wrong ? Verdict::wrong : Verdict::right;
  report.steps = {{.id = "scores", .cells = {{.index = {1, 2}, .state = state, .given = "5"}}}};
  return report;
}

TEST_CASE("a lone number is told as one", "[verdict]") {
  auto [state, words] = GENERATE(table<CellState, std::string>({
      {CellState::wrong, "The number is not right yet."},
      {CellState::too_coarse, "the number has too few digits to tell."},
      {CellState::right, "Scores: right, the one number of it."},
  }));
  const std::string text = told(lone_number(state), Reveal::hint);
  INFO(text);
  CHECK(holds(text, words));
  CHECK(!holds(text, "1 numbers"));
}

TEST_CASE("a number that no mistake explains points to its own arithmetic, where hints are given", "[verdict]") {
  Report report = lone_number(CellState::wrong);
  report.diagnoses = {{.mistake = "unexplained", .step = "scores", .message = "nothing explains it"}};
  const Trace trace = traced(examples::worked_example());
  for (const Reveal reveal : {Reveal::none, Reveal::cell, Reveal::hint, Reveal::value}) {
    const auto text = [&](const std::string& problem) {
      const Document told = verdict(report, trace, {.reveal = reveal, .problem = problem});
      CHECK(!holds(as_text(told), "attn why"));  // that is for whoever runs the program
      std::string hints;
      for (const std::string& hint : told.hints) hints += hint + "\n";
      return hints;
    };
    CHECK(holds(text("a/b.json"), "attn why a/b.json 'scores[2,3]'") == (reveal >= Reveal::hint));
    CHECK(holds(text("it's.json"), R"(attn why "it's.json" 'scores[2,3]')") == (reveal >= Reveal::hint));
    CHECK(!holds(text("-"), "attn why"));
  }
  report.diagnoses[0].mistake = "slip.sign";
  CHECK(verdict(report, trace, {.problem = "a.json"}).hints.empty());
}

TEST_CASE("what is accepted in a wide range says how wide and why", "[verdict]") {
  const auto step = [](const std::string& id, const std::string& given, double low, double high) {
    return MarkedStep{
        .id = id, .cells = {{.index = {0, 0}, .given = given, .accepted = {low, high}}}, .width = high - low};
  };
  Report report;
  report.steps = {step("scores", "2", 2, 2), step("attention_weights", "0.1", 0.0634, 0.0634),
                  step("context", "1.9366", 1.6, 2.1235)};
  FormatOptions wide;
  wide.width = 300;
  CHECK(holds(told(report, Reveal::hint, wide),
              "For context a range of 0.52 is accepted, wide for the digits written: these numbers follow from your "
              "attention weights, written with 1 decimal."));
  CHECK(!holds(told(report, Reveal::cell, wide), "a range"));

  report.steps[2] = step("context", "1.9", 1.6, 2.1235);
  CHECK(!holds(told(report, Reveal::hint, wide), "a range"));

  report.steps = {step("context", "1.9366", 1.6, 2.1235)};
  CHECK(holds(told(report, Reveal::hint, wide), "what comes before was not handed in, and may have been rounded."));
}

TEST_CASE("whose answers they are stands above the marks, and in the table of many", "[verdict]") {
  const Trace trace = traced(examples::worked_example());
  const Report report = lone_number(CellState::wrong);
  CHECK(holds(as_text(verdict(report, trace, {.name = "Ada"})), "Handed in by Ada."));
  CHECK(!holds(as_text(verdict(report, trace)), "Handed in"));
  CHECK(holds(report_json(report, Reveal::hint, "Ada"), "\"name\": \"Ada\""));

  const std::vector<MarkedFile> files = {{{"a_scores.csv", "a_keys.csv"}, report, "", "a"}, {{"b.json"}, report}};
  const std::string text = as_text(verdicts(files, trace));
  CHECK(holds(text, "2 hand-ins: 2 wrong."));
  CHECK(holds(text, "a · a_scores.csv, a_keys.csv"));
  CHECK(holds(reports_json(files, Reveal::hint), "\"files\": [\"a_scores.csv\", \"a_keys.csv\"]"));
}

TEST_CASE("a wrong shape is told with both shapes", "[verdict]") {
  Report report;
  report.verdict = Verdict::wrong;
  report.first_wrong = "scores";
  report.steps = {{.id = "scores", .cells = {}, .given_shape = {3, 2}}};
  CHECK(holds(told(report, Reveal::hint), "You wrote 3 × 2; this step is 3 × 3, queries × keys."));
  CHECK(holds(report_json(report, Reveal::hint), "\"given_shape\": [3, 2]"));
}

TEST_CASE("a convention is a note, and nothing is called wrong", "[verdict]") {
  Report report = example_report();
  report.verdict = Verdict::right;
  report.steps.resize(1);
  report.diagnoses = {{.mistake = "layout.transposed_answer",
                       .kind = MistakeKind::convention,
                       .step = "keys",
                       .message = "rows and columns are exchanged: that is the other convention"}};
  const std::string text = told(report, Reveal::hint);
  CHECK(holds(text, "Keys: right, all 9 numbers."));
  CHECK(holds(text, "Note: Rows and columns are exchanged: that is the other convention."));
  CHECK(!holds(text, "not right"));
}

TEST_CASE("cells that were not asked are left empty", "[verdict]") {
  Report report = example_report();
  std::erase_if(report.steps[1].cells, [](const MarkedCell& cell) { return cell.state == CellState::right; });
  report.steps.resize(2);
  const std::string text = told(report, Reveal::hint);
  CHECK(holds(text, "✗ 5"));
  CHECK(!holds(text, "· blank"));
}

TEST_CASE("scaled scores where nothing is scaled are laid out like scores", "[verdict]") {
  Report report = example_report();
  report.steps[1].id = "scaled_scores";
  report.diagnoses.clear();
  const std::string text = told(report, Reveal::hint);
  CHECK(holds(text, "Scaled scores"));
  CHECK(holds(text, "✗ 5"));
}

TEST_CASE("many hand-ins are a table first, then those that are not all right", "[verdict]") {
  Report right = example_report();
  right.verdict = Verdict::right;
  right.first_wrong.clear();
  right.diagnoses.clear();
  right.steps.resize(1);
  const std::vector<MarkedFile> files = {
      {{"anna.json"}, example_report()}, {{"ben.json"}, right}, {{"\x1b[31mchris.json"}, std::nullopt, "no such file"}};
  const Trace trace = traced(examples::worked_example());
  const std::string text = as_text(verdicts(files, trace));
  CHECK(holds(text, "3 files: 1 right, 1 wrong, 1 not read."));
  CHECK(holds(text, "slip.sign or nobody.knows"));
  CHECK(text.find("slip.sign") < text.find("✗ 5"));
  CHECK(!holds(text, "\x1b"));

  const std::string json = reports_json(files, Reveal::hint);
  CHECK(json.starts_with("[\n  {\n    \"schema\": \"attn/report/1\",\n    \"file\": \"anna.json\""));
  CHECK(holds(json, "{\"file\": \"\\u001b[31mchris.json\", \"error\": \"no such file\"}"));
}

TEST_CASE("a lone number beside a wrong step is told as one", "[verdict]") {
  const auto beside = [](CellState state) {
    Report report = lone_number(CellState::wrong);
    report.steps.push_back({.id = "context", .cells = {{.index = {0, 0}, .state = state, .given = "2"}}});
    return told(report, Reveal::hint, {.width = 300});
  };
  CHECK(holds(beside(CellState::blank), "Context: the number is blank."));
  CHECK(holds(beside(CellState::too_coarse), "Context: the number has too few digits to tell."));
  CHECK(holds(beside(CellState::consistent), "Context: follows from your scores; not marked again."));
  CHECK(holds(beside(CellState::right), "Context: right."));
}

TEST_CASE("nothing handed in is told, and so is a sheet of nothing wrong", "[verdict]") {
  CHECK(holds(told({}, Reveal::hint), "nothing to mark"));
  Report report = lone_number(CellState::blank);
  report.verdict = Verdict::incomplete;
  CHECK(!holds(told(report, Reveal::hint), "nothing to mark"));
}

TEST_CASE("a sentence keeps the sign that it ends with", "[verdict]") {
  Report report = lone_number(CellState::wrong);
  report.steps[0].cells.push_back({.index = {0, 0}, .state = CellState::right, .given = "2"});
  report.diagnoses = {{.mistake = "slip.sign",
                       .step = "scores",
                       .cells = {{1, 2}},
                       .evidence = "so it is!",
                       .message = "was a sign lost?",
                       .hint = ""}};
  const std::string text = told(report, Reveal::hint, {.width = 300});
  CHECK(holds(text, "Was a sign lost? So it is!\n"));
  CHECK(!holds(text, "What to do"));
  report.diagnoses[0].message.clear();
  const std::string bare = told(report, Reveal::hint, {.width = 300});
  INFO(bare);
  CHECK(holds(bare, " So it is!"));
  CHECK(!holds(bare, "lost"));
}

TEST_CASE("a wrong shape of one row of numbers is told as so many numbers", "[verdict]") {
  Report report;
  report.verdict = Verdict::wrong;
  report.steps = {{.id = "scores", .cells = {}, .given_shape = {4}}};
  CHECK(holds(told(report, Reveal::hint), "You wrote 4 numbers; this step is 3 × 3, queries × keys."));
  const std::string plain = told(report, Reveal::none);
  CHECK(holds(plain, "4 numbers; this step is 3 × 3, queries × keys."));
  CHECK(holds(plain, "Scores"));
}

TEST_CASE("a wrong step that the problem has nothing like is told without a matrix", "[verdict]") {
  const Trace nothing;
  Report report = lone_number(CellState::wrong);
  report.steps.push_back({.id = "context", .cells = {}, .given_shape = {2, 2}});
  const std::string text = as_text(verdict(report, nothing, {.problem = "a.json"}));
  INFO(text);
  CHECK(holds(text, "The number is not right yet."));
  CHECK(holds(text, "You wrote 2 × 2."));
  CHECK(!holds(text, "✗"));
}

TEST_CASE("numbers that have no place in their step are counted and not drawn", "[verdict]") {
  for (const std::vector<std::size_t>& index : {std::vector<std::size_t>{0, 3}, {1}}) {
    Report report = lone_number(CellState::wrong);
    report.steps[0].cells[0].index = index;
    const std::string text = told(report, Reveal::value);
    CHECK(holds(text, "The number is not right yet."));
    CHECK(!holds(text, "✗"));
  }
}

TEST_CASE("a step without a number is neither right nor wrong", "[verdict]") {
  Report report = lone_number(CellState::wrong);
  report.steps.push_back({.id = "context"});
  CHECK(!holds(told(report, Reveal::hint), "Context"));
}

TEST_CASE("of many heads the first with something wrong are drawn unless all are asked for", "[verdict]") {
  Problem problem = examples::large();
  problem.inputs.self = examples::scattered({{"token", 1}, {"d_model", 64}}, 1);
  problem.attention().heads = 16;
  problem.attention().key_width = problem.attention().value_width = 4;
  problem.attention().query_count = problem.attention().key_count = 1;
  problem.attention().query_labels = problem.attention().key_labels = {examples::numbered(1)};
  const Trace trace = traced(problem);
  Report report;
  report.verdict = Verdict::wrong;
  report.steps = {{.id = "scores"}};
  for (std::size_t head = 0; head < 16; ++head) {
    const CellState state = head < 2 ? CellState::right : CellState::wrong;
    report.steps[0].cells.push_back({.index = {head, 0, 0}, .state = state, .given = std::to_string(100 + head)});
  }
  const Document some = verdict(report, trace);
  const std::string text = as_text(some);
  CHECK(holds(text, "✗ 102"));
  CHECK(holds(text, "✗ 109"));
  CHECK(!holds(text, "✗ 110"));
  CHECK(!holds(text, "✓"));  // nothing is wrong in the first two
  CHECK(holds(text, "… 6 more matrices like this."));
  CHECK(some.hints.size() == 1);
  const std::string whole = as_text(verdict(report, trace, {.full = true}));
  CHECK(holds(whole, "✗ 115"));
  CHECK(!holds(whole, "more matrices"));
}

TEST_CASE("a mistake of a step not handed in is told at the first wrong step behind it", "[verdict]") {
  Report report = lone_number(CellState::wrong);
  report.steps.push_back({.id = "context", .cells = {{.index = {0, 0}, .state = CellState::wrong, .given = "2"}}});
  report.diagnoses = {{.mistake = "slip.sign", .step = "queries", .message = "a sign was lost"}};
  const std::string text = told(report, Reveal::hint, {.width = 300});
  CHECK(holds(text, "That is at the step queries, which you did not hand in."));
  CHECK(text.find("A sign was lost") < text.find("Context"));

  report.diagnoses[0].step.clear();
  const std::string anywhere = told(report, Reveal::hint, {.width = 300});
  CHECK(holds(anywhere, "A sign was lost."));
  CHECK(!holds(anywhere, "did not hand in"));
}

TEST_CASE("only a wrong number of a step of the problem points to its own arithmetic", "[verdict]") {
  const Trace trace = traced(examples::worked_example());
  const auto hints = [&](const std::string& step, CellState state) {
    Report report;
    report.verdict = Verdict::wrong;
    report.steps = {{.id = step, .cells = {{.index = {1, 2}, .state = state, .given = "5"}}}};
    report.diagnoses = {{.mistake = "unexplained", .step = step, .message = "nothing explains it"}};
    return verdict(report, trace, {.problem = "a.json"}).hints.size();
  };
  CHECK(hints("scores", CellState::wrong) == 1);
  CHECK(hints("scores", CellState::right) == 0);
  CHECK(hints("scaled_scores", CellState::wrong) == 0);
}

TEST_CASE("what follows in a step that the problem has not names no step of it", "[verdict]") {
  Report report = lone_number(CellState::wrong);
  report.steps.push_back(
      {.id = "scaled_scores", .cells = {{.index = {0, 0}, .state = CellState::consistent, .given = "2"}}});
  const std::string text = told(report, Reveal::hint, {.width = 300});
  INFO(text);
  CHECK(holds(text, "Scaled scores: follows from what you wrote before; not marked again"));
}

TEST_CASE("of very many mistakes that fit as well the first three are told unless all are asked for", "[verdict]") {
  Report report = lone_number(CellState::wrong);
  report.diagnoses = {{.mistake = "slip.sign",
                       .step = "scores",
                       .ties = {"tie.one", "tie.two", "tie.three", "tie.four"},
                       .message = "a sign was lost"}};
  const Trace trace = traced(examples::worked_example());
  const std::string some = as_text(verdict(report, trace));
  CHECK(holds(some, "`tie.three`"));
  CHECK(!holds(some, "`tie.four`"));
  CHECK(holds(as_text(verdict(report, trace, {.full = true})), "`tie.four`"));

  Report noted = report;
  noted.diagnoses.insert(noted.diagnoses.begin(), {.mistake = "rounding.early", .kind = MistakeKind::note});
  for (const Report& one : {report, noted}) {
    const std::vector<MarkedFile> files = {{{"a.json"}, one}, {{"b.json"}, one}};
    const std::string table = as_text(verdicts(files, trace), {.width = 300});
    CHECK(holds(table, "slip.sign or tie.one or tie.two or tie.three or …"));
    CHECK(!holds(table, "rounding.early or"));
  }
}

TEST_CASE("only a range of which something was accepted is told and in digits that say something", "[verdict]") {
  const auto wide = [](CellState state, const std::string& given, double width) {
    Report report;
    const MarkedCell cell{.index = {0, 0}, .state = state, .given = given, .accepted = {1.6, 1.6 + width}};
    report.steps = {{.id = "context", .cells = {cell}, .width = width}};
    return told(report, Reveal::hint, {.width = 300});
  };
  CHECK(holds(wide(CellState::right, "1.9366", 0.5235), "For context a range of 0.52 is accepted"));
  const std::string tiny = wide(CellState::right, "1.9366000000000000", 1e-12);
  INFO(tiny);
  CHECK(holds(tiny, "a range of 1e-12 is accepted"));
  CHECK(!holds(wide(CellState::too_coarse, "1.9366", 0.5235), "a range"));
}

}  // namespace
}  // namespace attn
