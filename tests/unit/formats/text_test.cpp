#include "base/text.h"

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "catch.h"
#include "formats/spelling.h"
#include "formats/styled.h"
#include "unit/explain/examples.h"
#include "unit/formats/as_text.h"
#include "unit/formats/widest.h"

namespace attn {
namespace {

using examples::holds;
using examples::in_text;
using examples::lines_of;

std::vector<Problem> all_examples() {
  return {examples::worked_example(), examples::causal_sentence(), examples::ragged_heads(),
          examples::closed_row(),     examples::in_columns(),      examples::large()};
}

std::vector<ExplainOptions> all_levels() {
  std::vector<ExplainOptions> all;
  for (const Level level : {Level::result, Level::steps, Level::rows, Level::cells}) {
    all.emplace_back().level = level;
    all.back().head = 1;
  }
  return all;
}

Matrix one_matrix(std::vector<double> cells, std::vector<std::string> rows, std::vector<std::string> columns) {
  Matrix matrix;
  matrix.symbol = matrix.formula = "N";
  matrix.title = "Numbers";
  matrix.sizes = "[…]";
  matrix.words = "rows: rows, columns: columns";
  matrix.row_labels = std::move(rows);
  matrix.column_labels = std::move(columns);
  matrix.format = Numerals(4, Dtype::f64).format(cells);
  matrix.cells = std::move(cells);
  return matrix;
}

std::string in_text(Matrix matrix, const FormatOptions& options = {}) {
  return as_text({{std::move(matrix)}}, options);
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(std::to_string(i));
  return names;
}

TEST_CASE("no line is wider than the terminal", "[text]") {
  const std::size_t width = GENERATE(60u, 80u, 132u);
  for (const Problem& problem : all_examples()) {
    for (const ExplainOptions& level : all_levels()) {
      FormatOptions format;
      format.width = width;
      const std::vector<std::string> lines = lines_of(in_text(problem, level, format));
      INFO(problem.title << ": " << widest_of(lines));
      CHECK(display_width(widest_of(lines)) <= width);
    }
  }
}

TEST_CASE("ASCII output leaves nothing but ASCII", "[text]") {
  std::vector<Problem> problems = all_examples();
  problems.push_back(examples::causal_sentence({"猫", "naïve", "🙂", "ὦ"}));
  for (const Problem& problem : problems) {
    FormatOptions format;
    format.ascii = true;
    ExplainOptions cells;
    cells.level = Level::cells;
    cells.head = 1;
    const std::string text = in_text(problem, cells, format);
    CHECK(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  }
}

TEST_CASE("signs that ASCII lacks are spelled out", "[text]") {
  CHECK(asciified("k₁₂ = x₁₂·W_K") == "k_12 = x_12.W_K");
  CHECK(asciified("s′₁ = s₁ / √3 ≈ −1.2") == "s'_1 = s_1 / sqrt(3) ~= -1.2");
  CHECK(asciified("√d_k, √(−2), S″, Kᵀ, Σ") == "sqrt(d_k), sqrt(-2), S'', K^T, sum");
  CHECK(asciified("[3 × 4] → … −∞") == "[3 x 4] -> ... -inf");
  CHECK(asciified("√2.5 + √x_1") == "sqrt(2.5) + sqrt(x_1)");
  CHECK(asciified("x₊ₐ₉") == "x\\u{208a}\\u{2090}_9");          // lowered, and no digits
  CHECK(asciified("\xff\xe2\x82") == "\\u{ff}\\u{e2}\\u{82}");  // no text at all
  CHECK(asciified("é 猫") == "\\u{e9} \\u{732b}");
}

TEST_CASE("decimals of a column stand under each other, closed cells and infinities with the whole numbers", "[text]") {
  Matrix matrix =
      one_matrix({0.5, 10.25, -3, 0, -std::numeric_limits<double>::infinity(), 7}, {"a", "b"}, {"x", "y", "z"});
  matrix.closed = {false, false, false, true, false, false};
  const std::vector<std::string> lines = lines_of(in_text(matrix));
  CHECK(lines[3] == "    │     x      y      z");
  CHECK(lines[5] == "  a │  0.50  10.25  −3.00");
  CHECK(lines[6] == "  b │  0     −∞      7.00");
}

TEST_CASE("a matrix of whole numbers has no decimals", "[text]") {
  CHECK(holds(in_text(one_matrix({1, -2, 30, 4}, {"1", "2"}, {"1", "2"})), "1 │   1  −2"));
}

TEST_CASE("a wide matrix breaks into blocks of columns that say which they are", "[text]") {
  const std::string text = in_text(one_matrix(std::vector<double>(60, 1.0 / 3), {"1", "2"}, numbered(30)));
  CHECK(holds(text, "columns 1–9 of 30"));
  CHECK(holds(text, "columns 28–30 of 30"));
}

TEST_CASE("a long matrix is cut with a count unless all of it is asked for", "[text]") {
  const Matrix matrix = one_matrix(std::vector<double>(40 * 50, 0.25), numbered(40), numbered(50));
  const std::string cut = in_text(matrix);
  CHECK(holds(cut, "… rows 17 to 40 are left out"));
  CHECK(holds(cut, "… columns 17 to 50 are left out"));
  FormatOptions full;
  full.full = true;
  const std::string whole = in_text(matrix, full);
  CHECK_FALSE(holds(whole, "more"));
  CHECK(holds(whole, "  40 │"));
}

std::string in_text(const Inline& prose, std::size_t width) {
  FormatOptions format;
  format.width = width;
  return as_text({{Prose{prose}}}, format);
}

TEST_CASE("a word of several spans is measured in columns, not in bytes", "[text]") {
  std::string subscripts;
  for (int i = 0; i < 30; ++i) subscripts += "₁";
  CHECK(in_text({"x", subscripts}, 40) == "  x" + subscripts + "\n");
  CHECK(in_text({"see ", "猫", "猫猫猫猫猫猫猫猫猫猫猫猫猫猫", "."}, 40) == "  see 猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫.\n");
}

TEST_CASE("a word longer than a line fills lines and gets no space inside", "[text]") {
  const Inline word = {"a", "猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫", "b", std::string(70, 'x'),
                       "e\u0301₁₂猫c"};
  for (std::size_t width = 40; width < 90; ++width) {
    std::string joined;
    for (const std::string& line : lines_of(in_text(word, width))) {
      CHECK(display_width(line) <= width);
      joined += line.substr(std::min<std::size_t>(line.size(), 2));
    }
    CHECK(joined == plain(word));
  }
}

TEST_CASE("a word of 400,000 letters is wrapped whole", "[text]") {
  const std::string text = in_text({std::string(400'000, 'x')}, 80);
  CHECK(text.size() > 400'000);
}

TEST_CASE("labels that ASCII spells at length leave the lines as narrow", "[text]") {
  FormatOptions format;
  format.ascii = true;
  const std::vector<std::string> words(4, "猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫");
  for (const ExplainOptions& level : all_levels()) {
    for (const std::string& line : lines_of(in_text(examples::causal_sentence(words), level, format))) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("wide, combining and joined characters leave columns aligned", "[text]") {
  const std::vector<std::string> words = {"猫", "e\u0301te\u0301", "🙂", "👩\u200d🚀", "ｶﾅ", "plain"};
  const std::string text = in_text(one_matrix(std::vector<double>(36, 0.125), words, words));
  std::vector<std::size_t> bars;
  for (const std::string& line : lines_of(text)) {
    const std::size_t bar = std::min(line.find("│"), line.find("┼"));
    if (bar != std::string::npos) bars.push_back(display_width(line.substr(0, bar)));
  }
  REQUIRE(bars.size() == 8);
  CHECK(std::ranges::all_of(bars, [&](std::size_t bar) { return bar == bars[0]; }));
}

TEST_CASE("other people's text cannot steer the terminal", "[text]") {
  const std::string hostile = "\x1b[2J\x1b]0;owned\x07 a\nb\tc\r\u202e\u2066 \xff\xfe {} %s";
  Problem problem = examples::causal_sentence({hostile,
                                               "\x9b"
                                               "31m",
                                               "", std::string(300, 'x')});
  problem.title = hostile + std::string(500, 'y');
  problem.notes.push_back({"", {}, "truncated", hostile});
  for (const ExplainOptions& level : all_levels()) {
    const std::string text = in_text(problem, level);
    CHECK(std::ranges::none_of(
        text, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; }));
    CHECK_FALSE(holds(text, "\u202e"));
    CHECK_FALSE(holds(text, "\xff"));
    for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= 80);
  }
}

TEST_CASE("colour changes how text looks and nothing of what it says", "[text]") {
  for (const Problem& problem : all_examples()) {
    FormatOptions format;
    const std::string plain_text = in_text(problem, {}, format);
    format.color = true;
    const std::string colored = in_text(problem, {}, format);
    CHECK(colored != plain_text);
    CHECK(std::regex_replace(colored, std::regex("\x1b\\[[0-9;]*m"), "") == plain_text);
  }
}

TEST_CASE("no line ends in a space, and no two empty lines follow each other", "[text]") {
  for (const Problem& problem : all_examples()) {
    for (const ExplainOptions& level : all_levels()) {
      const std::string text = in_text(problem, level);
      CHECK_FALSE(holds(text, " \n"));
      CHECK_FALSE(holds(text, "\n\n\n"));
      CHECK(text.ends_with("\n"));
    }
  }
}

TEST_CASE("a line that is only a label stands among lines that are too long", "[text]") {
  std::vector<Inline> terms(20, Inline{"+ 0.1234×0.5678"});
  const Derivation sums{{}, "", {{{"the"}, {{"", {{"s"}}}, {"=", terms}}}, {{"cat"}, {}, {"padding"}}}};
  const std::vector<std::string> lines = lines_of(as_text({{sums}}));
  CHECK(lines[0].starts_with("  the  s = + 0.1234×0.5678 + 0.1234×0.5678"));
  CHECK(std::ranges::find(lines, "  cat    (padding)") != lines.end());
}

TEST_CASE("a row of a table may have fewer cells than others and a table none at all", "[text]") {
  const Table table{{}, {{"step"}, {"bytes"}}, {{{"scores"}, {"72"}}, {{"mask"}}}};
  CHECK(as_text({{table}}) == "  step    bytes\n  scores  72\n  mask\n");
  CHECK(as_text({{Table{{"Nothing to compare"}, {}, {}}}}) == "  Nothing to compare\n");
}

TEST_CASE("columns of a table that cannot all have room have one letter a line each", "[text]") {
  const std::string text = as_text({{Table{{}, {}, {std::vector<Inline>(40, Inline{"ab"})}}}});
  const std::vector<std::string> lines = lines_of(text);
  CHECK(lines[0].starts_with("  a  a  a"));
  CHECK(lines[1].starts_with("  b  b  b"));
  CHECK(std::ranges::count(text, 'a') == 40);
}

TEST_CASE("a matrix that would stand beside another one stands alone where there is none", "[text]") {
  Matrix matrix = one_matrix({1, 2}, {"a"}, {"x", "y"});
  const std::string alone = in_text(matrix);
  matrix.beside = true;
  CHECK(in_text(matrix) == alone);
}

TEST_CASE("weight matrices stand side by side where there is room", "[text]") {
  const std::vector<std::string> lines = lines_of(in_text(examples::worked_example()));
  CHECK(std::ranges::any_of(
      lines, [](const std::string& line) { return holds(line, "W_K") && holds(line, "W_Q") && holds(line, "W_V"); }));
  FormatOptions narrow;
  narrow.width = 50;
  const std::vector<std::string> narrower = lines_of(in_text(examples::worked_example(), {}, narrow));
  CHECK(std::ranges::none_of(narrower,
                             [](const std::string& line) { return holds(line, "W_K") && holds(line, "W_Q   "); }));
}

TEST_CASE("characters that are wider than a line stand alone in one", "[text]") {
  FormatOptions options;
  const Typesetter typesetter(options);
  const auto shown = [&](const Inline& text, std::size_t width) {
    std::string all;
    for (const StyledLine& line : typesetter.wrapped(text, width)) all += typesetter.printed(line);
    return all;
  };
  CHECK(shown({"漢字a"}, 1) == "漢\n字\na\n");
  CHECK(shown({"a漢"}, 2) == "a\n漢\n");
  CHECK(shown({"漢", "字"}, 3) == "漢\n字\n");
  CHECK(widest(typesetter.wrapped({"漢字 a"}, 4)) == 4);
  CHECK(widest(std::vector<StyledLine>()) == 0);
}

}  // namespace
}  // namespace attn
