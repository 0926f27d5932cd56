#include "explain/telling/steps.h"

#include <algorithm>
#include <clocale>
#include <string>
#include <variant>
#include <vector>

#include "catch.h"
#include "explain/numerals.h"
#include "explain/place.h"
#include "explain/telling/parts.h"
#include "trace/recipe_builder.h"
#include "unit/explain/examples.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

using examples::holds;
using examples::in_text;
using examples::traced;

std::vector<std::string> headlines(const Document& document) {
  std::vector<std::string> texts;
  for (const Block& block : document.blocks) {
    if (const auto* headline = std::get_if<Headline>(&block)) texts.push_back(plain(headline->text));
  }
  return texts;
}

std::vector<Matrix> matrices(const Document& document, const std::string& step) {
  std::vector<Matrix> found;
  for (const Block& block : document.blocks) {
    const auto* matrix = std::get_if<Matrix>(&block);
    if (matrix && matrix->step == step) found.push_back(*matrix);
  }
  return found;
}

std::size_t equations(const Document& document) {
  std::size_t count = 0;
  for (const Block& block : document.blocks) {
    if (const auto* derivation = std::get_if<Derivation>(&block)) count += derivation->lines.size();
  }
  return count;
}

ExplainOptions at(Level level) {
  ExplainOptions options;
  options.level = level;
  return options;
}

TEST_CASE("the worked example is told in the order in which a person works", "[explain]") {
  const Document document = explain(traced(examples::worked_example()));
  CHECK(headlines(document) == std::vector<std::string>{"Self-attention, worked by hand", "What is given", "Keys",
                                                        "Queries", "Values", "Query 1 · Input 1", "Query 2 · Input 2",
                                                        "Query 3 · Input 3", "All queries together",
                                                        "What must hold, and does it?"});
}

TEST_CASE("the worked example shows every product unasked", "[explain]") {
  const std::string text = in_text(examples::worked_example());
  for (const char* line :
       {"k₁ = x₁·W_K", "K[1,1] = 1×0 + 0×1 + 1×0 + 0×1 = 0", "s₁ = q₁·Kᵀ", "S[1,2] = q₁·k₂ = 1×4 + 0×4 + 2×0 = 4",
        "m₁ = max(2, 4, 4) = 4", "E[1,1] = e^(2 − 4) = e^(−2) ≈ 0.1353", "z₁ = 0.1353 + 1 + 1 ≈ 2.1353",
        "A[1,1] = 0.1353 / 2.1353 ≈ 0.0634", "U[1,2] = A[1,2]·v₂ = 0.4683 × [2, 8, 0] ≈ [0.9366, 3.7465, 0]",
        "C[1,1] = 0.0634 + 0.9366 + 0.9366 ≈ 1.9366", "[3 × 4]·[4 × 3] → [3 × 3]",
        "rows: queries, columns: keys; each row sums to 1"}) {
    INFO(line);
    CHECK(holds(text, line));
  }
}

TEST_CASE("values of one number show their products as wider ones do", "[explain]") {
  Problem problem;
  Attention& attention = problem.attention();
  attention.queries = Tensor<double>({{"query", 1}, {"d_k", 2}}, {1, 2});
  attention.keys = Tensor<double>({{"key", 3}, {"d_k", 2}}, {1, 0, 0, 1, 0, 0});
  attention.values = Tensor<double>({{"key", 3}, {"d_v", 1}}, {3, -5, 7});
  attention.query_count = 1;
  attention.key_count = 3;
  attention.key_width = 2;
  attention.value_width = 1;
  attention.score.name = "dot";
  attention.options["lengths"] = PerSequence{{2}};
  attention.query_labels = {{"Query 1"}};
  attention.key_labels = {{"Key 1", "Key 2", "Key 3"}};
  const std::string text = in_text(problem, at(Level::cells));
  for (const char* line :
       {"U[1,1] = A[1,1]·v₁ = 0.2689 × 3    ≈ 0.8068", "U[1,2] = A[1,2]·v₂ = 0.7311 × (−5) ≈ −3.6553", "(closed)"}) {
    INFO(line << "\n" << text);
    CHECK(holds(text, line));
  }
}

TEST_CASE("each level shows what the one before shows, and more", "[explain]") {
  const Trace trace = traced(examples::worked_example());
  CHECK(equations(explain(trace, at(Level::result))) == 0);
  CHECK(equations(explain(trace, at(Level::steps))) == 0);
  const std::size_t rows = equations(explain(trace, at(Level::rows)));
  CHECK(rows == 9 + 3 * 6);
  CHECK(equations(explain(trace, at(Level::cells))) > rows);
  for (const char* id : {"keys", "scores", "attention_weights", "context"}) {
    CHECK(matrices(explain(trace, at(Level::steps)), id).size() == 1);
    CHECK(matrices(explain(trace, at(Level::cells)), id).size() == 1);
  }
  CHECK(matrices(explain(trace, at(Level::steps)), "weighted_values").size() == 3);
}

TEST_CASE("a level that leaves something out says so, and hints at how to get it beside the document", "[explain]") {
  const auto hints = [](const Problem& problem, const ExplainOptions& options = {}) {
    return explain(examples::traced(problem), options).hints;
  };
  CHECK(holds(in_text(examples::large()), "Only the result is shown.\n"));
  CHECK(hints(examples::large()).front() == "--explain steps shows every step, rows and cells more of each");
  CHECK(holds(in_text(examples::worked_example(), at(Level::rows)), "Every row is shown on a line.\n"));
  CHECK(hints(examples::worked_example(), at(Level::rows)).empty());  // who asked for it knows
  CHECK(hints(examples::worked_example()).empty());
}

TEST_CASE("the notes of a problem stand below its title, whatever of it is told", "[explain]") {
  Trace trace = examples::traced(examples::worked_example());
  trace.remarks = {"Mind the third input."};
  const auto is_note = [](const Block& block) {
    const auto* prose = std::get_if<Prose>(&block);
    return prose && prose->by_author && plain(prose->text) == "Mind the third input.";
  };
  for (const Level level : {Level::result, Level::steps, Level::cells}) {
    CHECK(is_note(explain(trace, at(level)).blocks[1]));
  }
  ExplainOptions scores;
  scores.only = {"scores"};
  CHECK(std::ranges::count_if(explain(trace, scores).blocks, is_note) == 1);
}

TEST_CASE("every head of every sequence is told, and says which it is", "[explain]") {
  const std::vector<std::string> told = headlines(explain(traced(examples::ragged_heads()), at(Level::cells)));
  for (const char* headline :
       {"Sequence 1 of 2 · Head 1 of 2 · Query 3 · Input 3", "Sequence 2 of 2 · Head 2 of 2 · Query 2 · Input 2",
        "Sequence 2 of 2 · All heads · Query 1 · Input 1"}) {
    INFO(headline);
    CHECK(std::ranges::count(told, headline) == 1);
  }
}

TEST_CASE("padded queries are worked out but not told, and a line says so", "[explain]") {
  const Document document = explain(traced(examples::ragged_heads()), at(Level::cells));
  const std::vector<std::string> told = headlines(document);
  CHECK(std::ranges::none_of(told,
                             [](const std::string& h) { return h.starts_with("Sequence 2") && holds(h, "Query 3"); }));
  CHECK(holds(in_text(examples::ragged_heads(), at(Level::cells)), "1 row of queries is padding"));
}

TEST_CASE("batch, head and query narrow what is told", "[explain]") {
  ExplainOptions options = at(Level::cells);
  options.batch = 2;
  options.head = 1;
  options.query = 2;
  for (const std::string& headline : headlines(explain(traced(examples::ragged_heads()), options))) {
    INFO(headline);
    CHECK_FALSE(holds(headline, "Sequence 1"));
    CHECK_FALSE(holds(headline, "Head 2"));
    CHECK_FALSE(holds(headline, "Query 1"));
  }
  options.level = Level::steps;
  const auto weights = matrices(explain(traced(examples::ragged_heads()), options), "attention_weights");
  REQUIRE(weights.size() == 1);
  CHECK(weights[0].rows() == 1);
  CHECK(weights[0].row_labels[0] == "Input 2");
}

TEST_CASE("only the steps that are asked for are shown", "[explain]") {
  ExplainOptions options;
  options.only = {"scores"};
  const std::string text = in_text(examples::worked_example(), options);
  CHECK(holds(text, "S[1,2] = q₁·k₂ = 1×4 + 0×4 + 2×0 = 4"));
  CHECK_FALSE(holds(text, "W_K"));
  CHECK_FALSE(holds(text, "K[1,1]"));
  options.only = {"result"};
  CHECK(holds(in_text(examples::worked_example(), options), "1.9366"));
}

TEST_CASE("a matrix knows which cells made each of its cells", "[explain]") {
  ExplainOptions options = at(Level::steps);
  options.batch = 2;
  options.head = 2;
  const Trace trace = traced(examples::ragged_heads());
  for (const Matrix& matrix : matrices(explain(trace, options), "scores")) {
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      for (std::size_t column = 0; column < matrix.columns(); ++column) {
        const Provenance made = provenance(matrix.reading, matrix.place_of(row, column));
        double sum = 0;
        for (std::size_t i = 0; i < made.operands[0].count; ++i) {
          sum += trace.value(made.operands[0].tensor)[made.operands[0].cell(i)] *
                 trace.value(made.operands[1].tensor)[made.operands[1].cell(i)];
        }
        CHECK(sum == matrix.cells[row * matrix.columns() + column]);
      }
    }
  }
}

TEST_CASE("sizes are those of the formula, whichever way the tensors are stored", "[explain]") {
  Problem problem = examples::closed_row();
  CHECK(holds(in_text(problem), "[2 × 4]·[4 × 5] → [2 × 5]"));
  CHECK(holds(in_text(examples::in_columns()), "[3 × 4]·[4 × 3] → [3 × 3], rows: features (d_k), columns: keys"));
  CHECK(holds(in_text(examples::in_columns(), at(Level::rows)), "k₂ = W_K·x₂ = [4, 4, 0]"));
}

TEST_CASE("what must hold is checked in the numbers, and told if it does not", "[explain]") {
  CHECK(holds(in_text(examples::worked_example()), "yes, all 3 rows"));
  CHECK(holds(in_text(examples::causal_sentence()), "yes, all 6 cells"));
  CHECK(holds(in_text(examples::closed_row()), "1 closed row left out"));

  Problem by_hand = examples::causal_sentence();
  by_hand.arithmetic.hand_rounding = parse_hand_rounding("1:truncate");
  const std::string truncated = in_text(by_hand);
  CHECK(holds(truncated, "no: not"));
  CHECK(holds(truncated, "rounded by hand"));

  const Trace one_wrong = with_number(traced(examples::causal_sentence()), "attention_weights", 1, 0.25);
  const Trace broken = with_number(one_wrong, "context", 0, 100);
  const std::string told = in_text(broken);
  CHECK(holds(told, "no: not in 1 of 4 rows"));
  CHECK(holds(told, "no: not in 1 of 6 cells"));
  CHECK(holds(told, "no: not in 1 of 8 numbers"));
}

TEST_CASE("the range of the values is that of the open keys of the very row", "[explain]") {
  Problem problem = examples::worked_example();
  problem.attention().options["mask"] = std::vector<MaskTerm>{
      {MaskTerm::Kind::allow, Tensor<double>(Shape{{"query", 3}, {"key", 3}}, {1, 0, 0, 1, 1, 0, 0, 0, 1})}};
  const Trace trace = traced(problem);
  CHECK(holds(in_text(trace), "yes, all 9 numbers"));
  // Of key 1, which the third query does not see.
  CHECK(holds(in_text(with_number(trace, "context", 6, 1)), "no: not in 1 of 9 numbers"));
}

// Weights over many keys, and contexts of ones: all that checks read.
Trace many_weights(std::size_t heads, std::size_t queries, std::size_t width) {
  const Dim head{"head", heads}, query{"query", queries}, key{"key", queries}, feature{"d_v", width};
  const auto filled = [](const Shape& shape, double number) {
    return Tensor<double>(shape, std::vector<double>(shape.count(), number));
  };
  Trace trace;
  trace.givens.push_back(given_of({.id = "mask", .symbol = "M"}, filled({query, key}, 1)));
  trace.steps.push_back(step_of({.id = "values", .symbol = "V"}, Given{}, {}, {}, filled({head, key, feature}, 1)));
  trace.steps.push_back(step_of({.id = "attention_weights", .symbol = "A"}, Softmax{Softmax::Part::weights, "key"}, {},
                                "mask", filled({head, query, key}, 1 / static_cast<double>(queries))));
  trace.steps.push_back(step_of({.id = "context", .symbol = "C"}, Contract{"key"}, {"attention_weights", "values"},
                                "mask", filled({head, query, feature}, 1)));
  return trace;
}

TEST_CASE("half a million weights are checked row by row", "[explain]") {
  const Trace trace = many_weights(8, 512, 64);
  std::vector<const Step*> steps;
  for (const Step& step : trace.steps) steps.push_back(&step);
  const auto table = checks(trace, steps, Numerals(4, Dtype::f64));
  REQUIRE(table);
  REQUIRE(table->rows.size() == 2);
  CHECK(plain(table->rows[0][1]) == "yes, all 4096 rows");
  CHECK(plain(table->rows[1][1]) == "yes, all 262144 numbers");
}

TEST_CASE("one label is that of the whole axis", "[explain]") {
  for (const Problem& problem : {examples::ragged_heads(), examples::closed_row(), examples::causal_sentence()}) {
    const Trace trace = traced(problem);
    for (const Step& step : trace.steps) {
      const Shape& shape = step.result.shape();
      for (const Place& place : outer_places(shape, 0, 0)) {
        for (const Dim& dim : inner_axes(shape, place)) {
          const std::vector<std::string> all = axis_labels(trace, step.heading, dim, place);
          REQUIRE(all.size() == dim.size);
          for (std::size_t i = 0; i < dim.size; ++i) CHECK(axis_label(trace, step.heading, dim, place, i) == all[i]);
        }
      }
    }
  }
}

TEST_CASE("notes stand with the step that they are about", "[explain]") {
  const std::string text = in_text(examples::closed_row(), at(Level::cells));
  const std::size_t note = text.find("Note: ");
  REQUIRE(note != std::string::npos);
  CHECK(text.find("Query 2 ·") < note);
  CHECK(text.find("Note: ", note + 1) == std::string::npos);
  CHECK(holds(in_text(examples::closed_row(), at(Level::result)), "Note: "));
}

TEST_CASE("numbers of the rounding by hand keep its decimals", "[explain]") {
  Problem problem = examples::worked_example();
  problem.arithmetic.hand_rounding = parse_hand_rounding("1:keep-sum");
  const std::string text = in_text(problem, at(Level::rows));
  CHECK(holds(text, "= [2.0, 7.0, 1.5]"));
  CHECK(holds(text, "= [2.0, 8.0, 0.0]"));
}

// A score that nobody here has heard of: minus the squared distance.
Trace with_unknown_score() {
  RecipeBuilder work;
  work.given_step({"queries", "Q", "Queries", "Q is given", Role::query},
                  LateTensor(examples::matrix("query", "d_k", {{1, 0, 2}, {2, 2, 2}})));
  work.given_step({"keys", "K", "Keys", "K is given", Role::key},
                  LateTensor(examples::matrix("key", "d_k", {{0, 1, 1}, {4, 4, 0}})));
  work.step({"gaps", "G", "Gaps between each query and each key", "G = Q − K", Role::score},
            Combine{Binary::subtract, {}}, {"queries", "keys"});
  work.step({"squares", "G²", "Squared gaps", "G² = G²", Role::score}, Map{Unary::square, 0, ""}, {"gaps"});
  work.step({"distances", "D", "Squared distances", "D = the sum of G² over d_k", Role::score},
            Reduce{Reducer::sum, "d_k"}, {"squares"});
  work.step({"scores", "S", "Scores: the nearer the larger", "S = D × (−1)", Role::score}, Map{Unary::multiply, -1, ""},
            {"distances"});
  Trace trace = worked_out(work);
  trace.labels = {{{"ich", "du"}}, {{"hier", "dort"}}};
  return trace;
}

TEST_CASE("a score that nobody here has heard of is told query by query", "[explain]") {
  const std::string text = in_text(with_unknown_score());
  for (const char* line : {"Query 2 · du", "Gaps between each query and each key",
                           "hier  G[1,1] = q₁ − k₁ = [1, 0, 2] − [0, 1, 1] = [1, −1, 1]", "G²[1,1,2] = (−1)² = 1",
                           "D[1,1] = 1 + 1 + 1  = 3", "S[1,1] = 3 × (−1)  = −3"}) {
    INFO(line << "\n" << text);
    CHECK(holds(text, line));
  }
}

TEST_CASE("long work is cut with a count, and --full shows it", "[explain]") {
  ExplainOptions options = at(Level::rows);
  options.head = 1;
  const std::string text = in_text(examples::large(), options);
  CHECK(holds(text, "… 28 more queries\n"));
  CHECK(holds(text, "… 28 more rows\n"));
  options.full = true;
  const std::string full = in_text(examples::large(), options);
  CHECK_FALSE(holds(full, "more queries"));
  CHECK(holds(full, "Query 40 · Input 40"));
}

TEST_CASE("a number has as many decimals as it needs, and no more than asked for", "[explain][numbers]") {
  const Numerals numerals(4, Dtype::f64);
  CHECK(numerals.in_line(2) == "2");
  CHECK(numerals.in_line(-0.5) == "−0.5");
  CHECK(numerals.in_line(0.1 + 0.2) == "0.3");
  CHECK(numerals.in_line(1.0 / 3) == "0.3333");
  CHECK(numerals.in_line(1e-9) == "0.0000");
  CHECK(numerals.in_line(-1e-9) == "0.0000");
  CHECK(numerals.in_line(1.5e20) == "1.5000e+20");
  CHECK(numerals.in_line(-std::numeric_limits<double>::infinity()) == "−∞");
  CHECK(numerals.in_line(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(numerals.exact(0.1 + 0.2));
  CHECK_FALSE(numerals.exact(1.0 / 3));

  CHECK(numerals.in_line(1.9999999999999998) == "2");

  const Numerals floats(4, Dtype::f32);
  CHECK(floats.in_line(static_cast<double>(0.1f)) == "0.1");
}

TEST_CASE("numbers are written and read back alike in every locale", "[explain][numbers]") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"}) {
    if (!std::setlocale(LC_NUMERIC, locale)) continue;
    CHECK(Numerals(4, Dtype::f64).in_line(0.5) == "0.5");
    CHECK(Numerals(4, Dtype::f64).exact(0.5));
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST_CASE("where every cell is written out, a tiny number keeps two digits", "[explain][numbers]") {
  const Numerals numerals(4, Dtype::f64, Tiny::two_digits);
  CHECK(numerals.in_line(6.144e-6) == "0.0000061");
  CHECK(numerals.in_line(-6.144e-6) == "−0.0000061");
  CHECK(numerals.in_line(6.03e-6) == "0.0000060");
  CHECK(numerals.in_line(9.99e-6) == "0.000010");
  CHECK(numerals.in_line(1e-5) == "0.00001");
  CHECK(numerals.in_line(1.2e-7) == "0.00000012");
  CHECK(numerals.in_line(1.9e-22) == "1.9e-22");
  CHECK(numerals.in_line(0.0003) == "0.0003");
  CHECK(numerals.in_line(1.0 / 3) == "0.3333");
  CHECK(numerals.in_line(0) == "0");
  CHECK(numerals.exact(1e-5));
  CHECK_FALSE(numerals.exact(6.144e-6));
  for (const int precision : {0, 13, 17}) {
    CHECK_FALSE(Numerals(precision, Dtype::f64, Tiny::two_digits).in_line(1e-300).empty());
  }

  const std::string cells = in_text(examples::worked_example());
  CHECK(holds(cells, "e^(−12) ≈ 0.0000061"));
  CHECK(holds(cells, "A[2,1]·v₁ = 0.0000060 × [1, 2, 3]"));
  CHECK(holds(cells, "Input 2 │   0.0000   0.9820   0.0180"));
  CHECK_FALSE(holds(in_text(examples::worked_example(), at(Level::rows)), "0.0000061"));
}

TEST_CASE("of many notes of a kind the first are told, and how many more there are", "[explain]") {
  Trace trace = traced(examples::worked_example());
  const auto note = [&](const std::string& kind, std::size_t number) {
    trace.notes.push_back({"inputs", {number}, kind, kind + " " + std::to_string(number)});
  };
  for (std::size_t i = 1; i <= 100; ++i) note("padding", i);
  note("misread", 1);
  for (const Level level : {Level::result, Level::steps, Level::cells}) {
    const std::string text = as_text(explain(trace, at(level)));
    CHECK(holds(text, "padding 8"));
    CHECK_FALSE(holds(text, "padding 9"));
    CHECK(holds(text, "… 92 more notes of this kind\n"));
    CHECK(holds(text, "misread 1"));
    ExplainOptions whole = at(level);
    whole.full = true;
    CHECK(holds(as_text(explain(trace, whole)), "padding 100"));
  }
}

TEST_CASE("a sentence of forty words shows its weights, and its weighted values for the first queries", "[explain]") {
  const std::string text = in_text(examples::causal_sentence(std::vector<std::string>(40, "word")));
  CHECK(holds(text, "A = E / z"));
  CHECK(holds(text, "query 12"));
  CHECK_FALSE(holds(text, "query 13"));
  CHECK(holds(text, "… 28 more queries\n"));
  CHECK_FALSE(holds(text, "Only the result is shown"));
}

std::size_t times_told(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_CASE("a note on a whole step is told once and one on another head is left out", "[explain]") {
  Trace trace = traced(examples::ragged_heads());
  trace.notes = {{"scores", {}, "step", "about all scores"},
                 {"scores", {0, 1}, "head", "about head 2"},
                 {"scores", {0, 0, 2}, "query", "about query 3"},
                 {"weights.key", {1}, "given", "about a weight"}};
  ExplainOptions options = at(Level::cells);
  const std::string all = in_text(trace, options);
  for (const char* note : {"about all scores", "about head 2", "about query 3", "about a weight"}) {
    CHECK(times_told(all, note) == 1);
  }
  options.batch = options.head = options.query = 1;
  const std::string some = in_text(trace, options);
  CHECK(times_told(some, "about all scores") == 1);
  CHECK(times_told(some, "about a weight") == 1);
  CHECK(times_told(some, "about head 2") + times_told(some, "about query 3") == 0);
}

TEST_CASE("in brief steps that only regroup numbers are left out unless each step is rounded", "[explain]") {
  Problem problem = examples::ragged_heads();
  ExplainOptions options = at(Level::steps);
  CHECK_FALSE(matrices(explain(traced(problem), options), "keys").empty());
  options.brief = true;
  CHECK(matrices(explain(traced(problem), options), "keys").empty());
  problem.arithmetic.hand_rounding = parse_hand_rounding("2");
  CHECK_FALSE(matrices(explain(traced(problem), options), "keys").empty());
}

TEST_CASE("of what is behind a document so many numbers are kept unless nothing is left out", "[explain]") {
  const Trace trace = traced(examples::large());
  ExplainOptions options = at(Level::result);
  options.behind = true;
  const auto numbers = [&] {
    std::size_t count = 0;
    for (const Matrix& matrix : explain(trace, options).behind) count += matrix.cells.size();
    return count;
  };
  CHECK(numbers() > 30'000);
  CHECK(numbers() <= 50'000);
  options.full = true;
  std::size_t all = 0;
  for (const GivenTensor& given : trace.givens) all += given.value.size();
  for (const Step& step : trace.steps) all += step.result.size();
  CHECK(numbers() + trace.value(trace.result).size() == all);
}

TEST_CASE("one head of an attention that is too large is no smaller without parts", "[explain]") {
  Problem problem = examples::large();
  problem.inputs.self = examples::scattered({{"token", 120}, {"d_model", 64}}, 1);
  problem.attention().query_count = problem.attention().key_count = 120;
  problem.attention().query_labels = problem.attention().key_labels = {examples::numbered(120)};
  ExplainOptions options;
  options.head = 1;
  CHECK(holds(in_text(problem, options), "Only the result is shown.\n"));
}

TEST_CASE("of many sequences the first are shown and of what is given too", "[explain]") {
  RecipeBuilder work;
  work.given_step({"inputs", "X", "Inputs", "X is given", Role::input},
                  LateTensor(examples::scattered({{"batch", 30}, {"query", 2}, {"d_k", 2}}, 1)));
  work.step({"sums", "S", "Sums", "S = X + 1", Role::score}, Map{Unary::add, 1, ""}, {"inputs"});
  const Trace trace = worked_out(work);
  ExplainOptions options = at(Level::steps);
  const std::size_t shown = matrices(explain(trace, options), "inputs").size();
  CHECK(shown < 30);
  CHECK(matrices(explain(trace, options), "sums").size() == shown);
  options.full = true;
  CHECK(matrices(explain(trace, options), "inputs").size() == 30);
}

TEST_CASE("what is given between two steps is told with what is given", "[explain]") {
  RecipeBuilder work;
  const Tensor<double> numbers = examples::matrix("query", "d_k", {{1, 2}, {3, 4}});
  work.given({.id = "a", .symbol = "A", .title = "First", .role = Role::input}, LateTensor(numbers));
  work.step({"b", "B", "Second", "{} = {0} + 1", Role::value}, Map{Unary::add, 1, ""}, {"a"});
  work.given_step({"c", "C", "Third", "{} is given", Role::query}, LateTensor(numbers));
  work.step({"d", "D", "Fourth", "{} = {0} + {1}", Role::value}, Combine{Binary::add, {}}, {"b", "c"});
  const Trace trace = worked_out(work);
  for (const Level level : {Level::rows, Level::cells}) {
    const std::string text = in_text(trace, at(level));
    INFO(text);
    CHECK(times_told(text, "Third") == 1);
    CHECK(text.find("Third") < text.find("Second"));
    CHECK(text.find("Second") < text.find("Fourth"));
    CHECK(holds(text, level == Level::rows ? "d₂ = b₂ + c₂ = [7, 9]" : "d₂ = b₂ + c₂ = [4, 5] + [3, 4] = [7, 9]"));
  }
}

TEST_CASE("of a sequence that is all padding no query is told in brief", "[explain]") {
  Problem problem = examples::ragged_heads();
  problem.attention().options["lengths"] = PerSequence{{3, 0}};
  problem.attention().own_queries = {3, 0};
  problem.attention().query_labels = problem.attention().key_labels = {examples::numbered(3), {"·", "·", "·"}};
  ExplainOptions options = at(Level::rows);
  options.brief = true;
  options.batch = 2;
  const std::string text = in_text(problem, options);
  INFO(text);
  CHECK(holds(text, "3 rows of queries are padding"));
  CHECK_FALSE(holds(text, "Query 1"));
}

TEST_CASE("in brief the first query is told where none weighs several keys", "[explain]") {
  RecipeBuilder work;
  const Tensor<double> numbers = examples::matrix("query", "key", {{1, 2}, {3, 4}});
  work.given({.id = "a", .symbol = "A", .role = Role::input}, LateTensor(numbers));
  work.given({.id = "v", .symbol = "V", .role = Role::value},
             LateTensor(examples::matrix("key", "d_v", {{1, 0}, {0, 1}})));
  work.step({"shares", "P", "Shares of all", "{} = sum of {0}", Role::attention_weight}, Reduce{Reducer::sum, "query"},
            {"a"});
  work.step({"scores", "S", "Scores", "{} = {0}·{1}", Role::score}, Contract{"key"}, {"a", "v"});
  work.step({"sums", "T", "Sums", "{} = {0} + 1", Role::score}, Map{Unary::add, 1, ""}, {"scores"});
  ExplainOptions options;
  options.brief = true;
  const std::string text = in_text(worked_out(work), options);
  INFO(text);
  CHECK(holds(text, "S[1,2] = 1×0 + 2×1 = 2"));
  CHECK_FALSE(holds(text, "S[2,2] = "));
}

TEST_CASE("what is made of hidden numbers alone is told by its own", "[explain]") {
  RecipeBuilder work;
  const Tensor<double> numbers = examples::matrix("query", "d_k", {{1, 2}, {3, 4}});
  work.given({.id = "a", .symbol = "A"}, LateTensor(numbers));
  work.step({.id = "h", .symbol = "H"}, Copy{}, {"a"}, std::nullopt, Instruction::Kind::hidden);
  work.step({"made", "Y", "Made", "{} = sum", Role::score}, Contract{"d_k"}, {"h", "a"});
  CHECK(holds(in_text(worked_out(work)), "25"));
}

}  // namespace
}  // namespace attn
