#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "formats/format.h"
#include "formats/outline.h"
#include "formats/places.h"
#include "formats/svg/drawings.h"
#include "formats/svg/fit.h"
#include "formats/svg/pen.h"
#include "unit/formats/texts.h"

namespace attn {
namespace {

const Format& svg_row() { return *std::ranges::find(formats(), "svg", &Format::name); }

std::string in_svg_file(const Document& document, const std::string& fit = "none") {
  FormatOptions options;
  options.settings["fit"] = fit;
  return written(svg_row(), document, options);
}

// What its <text> elements show, a line each, without <title> and <tspan>.
std::string words_shown(const std::string& drawing) {
  std::string words;
  for (std::size_t at = drawing.find("<text "); at != drawing.npos; at = drawing.find("<text ", at + 1)) {
    const std::string element = drawing.substr(at, drawing.find("</text>", at) - at);
    bool within = false;
    for (std::size_t i = 0; i < element.size(); ++i) {
      if (element.compare(i, 7, "<title>") == 0) i = element.find("</title>", i) + 7;
      if (element[i] == '<') within = true;
      if (!within) words += element[i];
      if (element[i] == '>') within = false;
    }
    words += "\n";
  }
  return words;
}

std::string joined_text(const Runs& runs) {
  std::string text;
  for (const TextRun& run : runs) text += run.text;
  return text;
}

std::vector<std::string> names_of(const std::string& kind, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(kind + " " + std::to_string(i));
  return names;
}

// Numbers in queries × keys, or what the axes are called then.
Matrix drawn_matrix(const std::string& step, Role role, std::size_t rows, std::size_t columns) {
  Matrix matrix;
  matrix.step = step;
  matrix.role = role;
  matrix.symbol = matrix.formula = Formula(step);
  matrix.title = "The " + step;
  matrix.row_axis = "query";
  matrix.column_axis = "key";
  matrix.row_labels = names_of("Query", rows);
  matrix.column_labels = names_of("Key", columns);
  for (std::size_t i = 0; i < rows * columns; ++i) matrix.cells.push_back(static_cast<double>(i % 7) / 8);
  matrix.format = {.decimals = 3};
  matrix.reading.result = Shape{{"query", rows}, {"key", columns}};
  return matrix;
}

Matrix drawn_vector(const std::string& step, Role role, std::size_t rows) {
  Matrix matrix = drawn_matrix(step, role, rows, 1);
  matrix.column_axis = "";
  matrix.reading.result = Shape{{"query", rows}};
  return matrix;
}

Matrix made_from(Matrix matrix, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) matrix.reading.operands.push_back({id, matrix.reading.result});
  return matrix;
}

Matrix turned_over(const Matrix& matrix) {
  Matrix turned = matrix;
  std::swap(turned.row_axis, turned.column_axis);
  std::swap(turned.row_labels, turned.column_labels);
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (std::size_t column = 0; column < matrix.columns(); ++column) {
      turned.cells[column * matrix.rows() + row] = matrix.number(row, column);
    }
  }
  return turned;
}

Document document_of(std::vector<Matrix> matrices) {
  Document document;
  for (Matrix& matrix : matrices) document.add(std::move(matrix));
  return document;
}

bool has_box(const std::string& figure, const std::string& step) {
  return has(figure, "\" data-step=\"" + step + "\"><title>");
}

bool has_arrow(const std::string& figure, const std::string& from, const std::string& to) {
  return has(figure, "data-from=\"" + from + "\" data-to=\"" + to + "\"");
}

Branch branch_of(std::vector<NumbersRead> made_of, std::vector<Expression> sides) {
  Branch branch;
  branch.made_of = std::move(made_of);
  branch.line.sides = std::move(sides);
  return branch;
}

Drawing with_letters(double width, double height, const std::string& element) { return {width, height, element}; }

TEST_CASE("arcs lead from queries to keys whichever of them are the rows", "[svg]") {
  Matrix weights = drawn_matrix("weights", Role::attention_weight, 3, 4);
  weights.row_labels.own()[2] = "·";     // padding
  weights.column_labels.own()[3] = "·";  // which nobody closed
  const Palette palette = Theme{}.palette();
  const Drawing drawing = arcs_drawing(weights, palette);
  CHECK(times_in(drawing.content, "data-column=") == 10);  // 12 weights, two of them 0
  CHECK(times_in(drawing.content, "→ Key 1: ") == 2);
  CHECK(arcs_drawing(turned_over(weights), palette).content == drawing.content);
  // Of 5/8; of 3/8 for a padding key, and of 1/8 for a padding query: a quarter as strong.
  CHECK(has(drawing.content, "stroke-opacity=\"0.694\" data-column=\"1\""));
  CHECK(has(drawing.content, "stroke-opacity=\"0.139\" data-column=\"3\""));
  CHECK(has(drawing.content, "stroke-opacity=\"0.105\" data-column=\"0\""));
  CHECK(Theme{}.ink_of(Mark::none) == Theme{}.ink);
}

TEST_CASE("what somebody handed in has neither arcs nor shades", "[svg]") {
  Matrix weights = drawn_matrix("weights", Role::attention_weight, 2, 2);
  weights.cells = {0.25, 0.75, 0.5, 0.5};
  const Palette palette = Theme{}.palette();
  CHECK(times_in(arcs_drawing(weights, palette).content, "data-column=") == 4);
  CHECK(has(small_map_drawing(weights, palette, 8).content, "<path"));
  weights.handed_in = {"1/4", "3/4", "1/2", "half"};
  CHECK(times_in(arcs_drawing(weights, palette).content, "data-column=") == 0);
  CHECK_FALSE(has(small_map_drawing(weights, palette, 8).content, "<path"));
  const std::vector<ToldMatrix> told = {{&weights, "Weights", ""}};
  const std::string map = map_drawing(told, {}, Theme{}, {}).content;
  for (const char* written : {">1/4<", ">3/4<", ">1/2<", ">half<"}) CHECK(times_in(map, written) == 1);
}

TEST_CASE("a sheet that is drawn has the boxes of what is asked, and no number of them", "[svg]") {
  Matrix weights = drawn_matrix("weights", Role::attention_weight, 2, 2);
  weights.cells = {0.125, 0.875, 0, 0};
  weights.boxes = {Box::filled, Box::filled, Box::open, Box::open};
  const std::string figure = words_shown(in_svg_file(document_of({weights})));
  CHECK(times_in(figure, weights.in_box(0, 0)) == 1);
  CHECK(times_in(figure, weights.in_box(0, 1)) == 1);
  CHECK_FALSE(has(figure, "0.000\n0.000"));
}

TEST_CASE("weights that are not of queries and keys have no arcs", "[svg]") {
  Matrix weights = drawn_matrix("weights", Role::attention_weight, 2, 3);
  const auto arcs_of = [](const Matrix& matrix) {
    const std::vector<ToldMatrix> told = {{&matrix, "Weights", ""}};
    return times_in(map_drawing(told, {}, Theme{}, {}).content, "class=\"arcs\"");
  };
  CHECK(arcs_of(weights) == 1);
  CHECK(arcs_of(turned_over(weights)) == 1);
  for (const auto& [rows, columns] : {std::pair("query", "d_v"), {"key", "key"}, {"token", "key"}}) {
    weights.row_axis = rows;
    weights.column_axis = columns;
    CHECK(arcs_of(weights) == 0);
  }
}

TEST_CASE("arcs stand beside their map where there is room, else below it", "[svg]") {
  const Matrix weights = drawn_matrix("weights", Role::attention_weight, 2, 3);
  const std::vector<ToldMatrix> told = {{&weights, "Weights", ""}};
  const Drawing beside = map_drawing(told, {}, Theme{}, {.width = 1000}),
                below = map_drawing(told, {}, Theme{}, {.width = 200});
  CHECK(beside.width > below.width);
  CHECK(beside.height < below.height);
}

TEST_CASE("the longest label of a map stands there in full", "[svg]") {
  for (const char* longest : {"last", "second", "tokens", "a b c", "Wort"}) {
    Matrix weights = drawn_matrix("weights", Role::attention_weight, 30, 30);
    for (std::size_t i = 0; i < 30; ++i) weights.row_labels.own()[i] = std::to_string(i + 1);
    weights.row_labels.own()[29] = longest;
    const std::vector<ToldMatrix> told = {{&weights, "Weights", ""}};
    const std::string words = words_shown(map_drawing(told, {}, Theme{}, {}).content);
    CHECK(has(words, std::string("\n30 ") + longest + "\n"));
    CHECK(has(words, "\n29\n"));
  }
}

TEST_CASE("grey cells are explained by their rules where these are known", "[svg]") {
  Matrix scores = drawn_matrix("scores", Role::score, 2, 2);
  CHECK(cell_words({&scores}).empty());
  scores.closed = {false, true, false, false};
  CHECK(cell_words({&scores}) == "Grey: closed.");
  scores.closed_by = {"causal", "mask"};
  CHECK(cell_words({&scores, &scores}) == "Grey: closed by causal and mask.");
}

TEST_CASE("of what is left out at most eight steps of a kind are named", "[svg]") {
  std::vector<Matrix> steps;
  for (std::size_t i = 1; i <= 9; ++i) steps.push_back(drawn_matrix("s" + std::to_string(i), Role::score, 1, 1));
  std::vector<const Matrix*> eight, nine;
  for (const Matrix& step : steps) nine.push_back(&step);
  eight.assign(nine.begin(), nine.end() - 1);
  const Theme theme;
  CHECK(joined_text(left_out_runs(eight, false, theme)) == "Left out here: scores (s1, s2, s3, s4, s5, s6, s7, s8).");
  CHECK(joined_text(left_out_runs(nine, true, theme)) ==
        "Left out here: scores (s1, s2, s3, s4, s5, s6, s7, s8, …); the notes of the problem.");
  CHECK(left_out_runs({}, false, theme).empty());
}

TEST_CASE("a figure goes on over the next page where its letters could not be read on one", "[svg]") {
  const std::string letters = "<text font-size=\"10\">a</text>";
  const auto fitted = [&](const Drawing& drawing) {
    return fitted_figure("column", [&](const Room&) { return drawing; });
  };
  const FittedFigure small = fitted(with_letters(100, 100, letters));
  CHECK(small.is_readable);
  CHECK(hint_on_fit("column", small, "--only").empty());
  const FittedFigure tall = fitted(with_letters(200, 2000, letters));
  CHECK(tall.is_readable);
  CHECK(tall.smallest == Approx(10));
  CHECK(tall.millimetres == Approx(2008 / 72.0 * 25.4));  // with its margins
  CHECK(hint_on_fit("column", tall, "--only") == "the figure is 708 mm high, more than a page has; --only shows less");
  const FittedFigure wide = fitted(with_letters(2330, 100, letters));  // a higher page is of no help
  CHECK_FALSE(wide.is_readable);
  CHECK(wide.millimetres == 0);
  CHECK(hint_on_fit("column", wide, "--only") ==
        "the letters of the figure are down to 1.0 points high, hard to read; --only shows less");
  CHECK(hint_on_fit("none", wide, "--only").empty());
}

TEST_CASE("only letters that have a size count for how small they are", "[svg]") {
  const auto smallest = [](const std::string& content) {
    return fitted_figure("slide", [&](const Room&) { return with_letters(680, 360, content); }).smallest;
  };
  CHECK(smallest("<text font-size=\"10\">a</text><text font-size=\"8\">b</text>") == Approx(14.4));  // 1.8 times
  CHECK(smallest("<text font-size=\"10\">a</text><text font-size=\"large\">b</text>") == Approx(18));
  CHECK(smallest("<text font-size=\"10\">a</text><text x=\"1\">b</text>") == Approx(18));
  CHECK(smallest("<path d=\"M0 0H9\"/>") > 1000);  // nothing to read
}

TEST_CASE("signs of formulas have the spaces that a person leaves", "[svg]") {
  const auto set = [](const std::string& formula) { return joined_text(formula_runs({formula}, Theme{})); };
  CHECK(set("a + b − c") == "a + b − c");
  CHECK(set("2×−3") == "2×−3");  // the sign of a number
  CHECK(set("= → a") == "= → a");
  CHECK(set("a] = b)") == "a] = b)");  // closes what was never opened
  CHECK(set("√(a + b)") == "√(a + b)");
  CHECK(set("√3") == "√3");
  CHECK(set("√()") == "√()");
}

TEST_CASE("words that are read from the right do not turn those around them", "[svg]") {
  for (const char* word : {"שלום", "ﬠ", "ﺍﺏ", "𐤀𐤁", "𞤀𞤁"}) {
    INFO(word);
    CHECK(has(svg_runs(0, 0, {{word}}, {}), "unicode-bidi=\"isolate\""));
  }
  for (const char* word : {"word", "слово", "漢字", "ﬀ", "︙", "😀", "𝒜", "𒀀"}) {
    INFO(word);
    CHECK_FALSE(has(svg_runs(0, 0, {{word}}, {}), "unicode-bidi"));
  }
}

TEST_CASE("a long word begins a line of its own, also behind another colour", "[svg]") {
  const std::vector<Runs> lines = wrapped({{"see"}, {std::string(60, 'a'), "#123456"}}, 10, 100);
  REQUIRE(lines.size() > 2);
  CHECK(joined_text(lines[0]) == "see");
  std::string all;
  for (const Runs& line : lines) {
    CHECK(runs_width(line, 10) <= 100);
    all += joined_text(line);
  }
  CHECK(all == "see" + std::string(60, 'a'));
  CHECK(text_width("—", 10) > text_width("–", 10));
}

TEST_CASE("a sum of products is drawn with its bias, and in narrow rooms too where it fits", "[svg]") {
  const std::vector<NumbersRead> rows = {{Span("x", Role::input), {"1", "2"}},
                                         {Span("w", Role::weight_matrix), {"3", "4"}}};
  const Theme theme;
  const Branch products = branch_of(rows, {{"", {{"y"}}}, {"=", {{"1×3"}, {"+ 2×4"}}}, {"=", {{"11"}}}});
  const Room narrow{.width = 345, .paper = 345};
  const Drawing wide = sum_drawing(products, theme, {}), fitting = sum_drawing(products, theme, narrow);
  CHECK(wide.content == fitting.content);
  CHECK(has(words_shown(wide.content), "y =\n1×3\n2×4\n+\n=\n11\n"));
  CHECK(fitting.width <= 345 * 1.1);

  std::vector<NumbersRead> biased = rows;
  biased.push_back({Span("b"), {"5"}});
  const Drawing more = sum_drawing(
      branch_of(biased, {{"", {{"y"}}}, {"=", {{"1×3"}, {"+ 2×4"}, {"+ 5"}}}, {"=", {{"16"}}}, {"≈", {{"16.0"}}}}),
      theme, {});
  CHECK(has(words_shown(more.content), "b\n"));
  CHECK(has(words_shown(more.content), "y =\n1×3\n2×4\n+\n5\n+\n=\n16\n≈\n16.0\n"));
  CHECK(times_in(more.content, "stroke-width=\"2.5\"") == 1);  // the last in a box of its own
}

TEST_CASE("what is no sum of products is drawn as what went in and the arithmetic", "[svg]") {
  const Theme theme;
  const auto shown = [&](const std::vector<NumbersRead>& rows, const std::vector<Expression>& sides) {
    return words_shown(sum_drawing(branch_of(rows, sides), theme, {}).content);
  };
  const NumbersRead two{Span("x", Role::input), {"1", "2"}}, one{Span("z"), {"3"}};
  const std::vector<Expression> sides = {{"", {{"y"}}}, {"=", {{"1"}, {"+ 2"}}}, {"=", {{Span("3", Role::score)}}}};
  for (const std::vector<NumbersRead>& rows :
       {std::vector<NumbersRead>{two}, {two, one}, {two, two, two}, {two, two, one, one}}) {
    CHECK(has(shown(rows, sides), "y = 1 + 2\n=\n3\n"));
  }
  // The terms are as many as the numbers only with the bias; one product alone is no sum; a term may be empty.
  CHECK(has(shown({two, two, one}, {{"", {{"y"}}}, {"=", {{"1×1"}, {"+ 2×2"}}}, {"=", {{"5"}}}}), "y = 1×1 + 2×2\n"));
  CHECK(has(shown({one, one}, {{"", {{"y"}}}, {"=", {{"3×3"}}}, {"=", {{"9"}}}}), "y = 3×3\n=\n9\n"));
  CHECK(has(shown({one, one, one}, {{"", {{"y"}}}, {"=", {{"3×3"}, {"+ 3"}}}, {"=", {{}}}}), "y =\n3×3\n3\n+\n=\n"));
  CHECK(has(shown({one, one, one}, {{"", {{"y"}}}, {"=", {{"3×3"}, Inline()}}, {"=", {{"9"}}}}), "y =\n3×3\n"));
  CHECK(has(shown({two, two}, {{"", {{"y"}}}, {"=", {{"1×1"}, Inline()}}, {"=", {{"1"}}}}), "y = 1×1"));
}

TEST_CASE("lines of a tree have their labels and remarks, and the first its drawing", "[svg]") {
  const NumbersRead row{Span("x", Role::input), {"1", "2"}};
  Branch root = branch_of({row, row}, {{"", {{"y"}}}, {"=", {{"1×1"}, {"+ 2×2"}}}, {"=", {{"5"}}}});
  root.line.remark = {"closed by causal"};
  Document document;
  document.add(Headline{1, {"One number"}});
  document.add(Headline{1, {"Another title"}});
  document.add(Tree{});
  document.add(Tree{{root}});
  CHECK(has(words_shown(in_svg_file(document)), "(closed by causal)\n"));
  CHECK(has(in_svg_file(document), "<title>One number</title>"));
  CHECK(has(in_svg_file(document), "<desc>One number. Another title. y = 1×1 + 2×2 = 5</desc>"));

  Branch given;
  given.line.label = {"the"};
  given.line.sides = {{"", {{"x"}}}, {"=", {{"1"}}}};
  Branch only_remark;
  only_remark.depth = 1;
  only_remark.line.remark = {"given"};
  Document lines;
  lines.add(Prose{{""}});
  lines.add(Tree{{given, only_remark}});
  CHECK(has(words_shown(in_svg_file(lines)), "the x = 1\n"));
  CHECK(has(words_shown(in_svg_file(lines)), "\n(given)\n"));
  CHECK(has(in_svg_file(lines), "<desc>x = 1</desc>"));
}

TEST_CASE("matrices beside a tree are drawn as they stand in the document", "[svg]") {
  Matrix beside = drawn_matrix("second", Role::score, 1, 2);
  beside.beside = true;
  Branch branch;
  branch.line.sides = {{"", {{"x"}}}};
  const auto place_of = [](const std::string& figure, const std::string& number) {
    const std::size_t at = figure.find(">" + number + "<");
    const std::size_t element = figure.rfind("<text x=\"", at) + 9;
    return std::pair(std::stod(figure.substr(element)), std::stod(figure.substr(figure.find("y=\"", element) + 3)));
  };
  const auto drawn = [&](const Matrix& before) {
    Document document = document_of({before, beside});
    document.add(Tree{{branch}});
    return in_svg_file(document);
  };
  Matrix first = drawn_matrix("first", Role::score, 1, 2);
  first.cells = {0.5, 0.625};
  beside.cells = {0.75, 0.875};
  const auto [x, y] = place_of(drawn(first), "0.500");
  const auto [right, same] = place_of(drawn(first), "0.750");
  CHECK(right > x + 100);
  CHECK(same == y);
  Matrix wide = drawn_matrix("first", Role::score, 1, 16);
  wide.cells = std::vector<double>(16, 0.5);
  CHECK(place_of(drawn(wide), "0.750").second > place_of(drawn(wide), "0.500").second);
  Document alone = document_of({beside});
  alone.add(Tree{{branch}});
  CHECK(place_of(in_svg_file(alone), "0.750").first < right);
}

TEST_CASE("a table without a header has no bold row", "[svg]") {
  Document document;
  document.add(Table{.caption = {"Sizes"}, .header = {}, .rows = {{{"a"}, {"1"}}, {{"b"}, {"2"}}}});
  CHECK(times_in(in_svg_file(document), "font-weight=\"bold\"") == 1);  // the caption
  std::get<Table>(document.blocks[0]).header = {{"name"}, {"size"}};
  CHECK(times_in(in_svg_file(document), "font-weight=\"bold\"") == 3);
}

TEST_CASE("of many heads sixteen are small maps and the others are counted", "[svg]") {
  const auto figure_of = [](std::size_t heads) {
    std::vector<Matrix> matrices;
    for (std::size_t head = 0; head < heads; ++head) {
      for (const char* step : {"queries", "scores"}) {
        Matrix matrix = drawn_matrix(step, Role::score, 2, 2);
        matrix.place = "head " + std::to_string(head + 1) + " of " + std::to_string(heads);
        matrix.reading.result = Shape{{"head", heads}, {"query", 2}, {"key", 2}};
        matrix.first = 4 * head;
        matrices.push_back(std::move(matrix));
      }
    }
    return words_shown(in_svg_file(document_of(std::move(matrices))));
  };
  const std::string large = "head 1 of ", small = " is drawn with its numbers, the others as small maps";
  CHECK(has(figure_of(17), large + "17" + small + ".\n"));
  CHECK(has(figure_of(18), large + "18" + small + "; 1 more is left out.\n"));
  CHECK(has(figure_of(20), large + "20" + small + "; 3 more are left out.\n"));
  CHECK(has(figure_of(20), "… 3 more\n"));
}

TEST_CASE("where only one place is drawn its name is part of the sentence", "[svg]") {
  std::vector<Matrix> matrices;
  for (const char* place : {"head 1 of 2", "head 2 of 2"}) {
    for (const char* step : {"queries", "scores"}) {
      matrices.push_back(drawn_matrix(step, Role::score, 2, 2));
      matrices.back().place = place;
      matrices.back().reading.result = Shape{{"head", 2}, {"query", 2}, {"key", 2}};
    }
  }
  Document document = document_of(std::move(matrices));
  const auto places = [&] { return flow_drawing(document, {}, Theme{}, {.one_place = true}).places; };
  CHECK(places() == "Only head 1 of 2 is drawn here.");
  for (Block& block : document.blocks) std::get<Matrix>(block).place[0] = 'H';
  CHECK(places() == "Only head 1 of 2 is drawn here.");
  for (Block& block : document.blocks) std::get<Matrix>(block).place.replace(0, 4, "½");
  CHECK(places() == "Only ½ 1 of 2 is drawn here.");
}

TEST_CASE("steps that only lines tell have boxes where the figure has what they are made from", "[svg]") {
  Document document =
      document_of({drawn_matrix("scores", Role::score, 2, 2),
                   made_from(drawn_matrix("powers", Role::softmax, 2, 2), {"maximum", "of nothing"}),
                   made_from(drawn_matrix("weights", Role::attention_weight, 2, 2), {"maximum", "sums"})});
  document.behind = {made_from(drawn_vector("maximum", Role::softmax, 2), {"scores"}),
                     made_from(drawn_vector("of nothing", Role::softmax, 2), {"unknown"}),
                     made_from(drawn_vector("sums", Role::softmax, 2), {"powers"})};
  const std::string figure = in_svg_file(document);
  CHECK(times_in(figure, "data-step=\"maximum\"") == 1);  // two read it
  CHECK(has_box(figure, "sums"));
  CHECK_FALSE(has_box(figure, "of nothing"));
  CHECK_FALSE(has_box(figure, "unknown"));
  for (const auto& [from, to] : {std::pair("scores", "maximum"), {"maximum", "powers"}, {"maximum", "weights"}}) {
    CHECK(has_arrow(figure, from, to));
  }
  // What is of another head than all that is told has none.
  Matrix& sums = document.behind.back();
  sums.reading.result = Shape{{"head", 2}, {"query", 2}};
  CHECK_FALSE(has_box(in_svg_file(document), "sums"));
}

TEST_CASE("a mask is joined once to what is made with it", "[svg]") {
  const auto with_mask = [](Matrix matrix, const std::string& mask) {
    matrix.reading.open = Reading::Source{mask, matrix.reading.result};
    return matrix;
  };
  const Matrix scores = drawn_matrix("scores", Role::score, 2, 2), mask = drawn_matrix("mask", Role::mask, 2, 2);
  const auto arrows_to_weights = [&](const Matrix& between) {
    const Matrix weights =
        with_mask(made_from(drawn_matrix("weights", Role::attention_weight, 2, 2), {"between"}), "mask");
    return has_arrow(in_svg_file(document_of({scores, mask, between, weights})), "mask", "weights");
  };
  const Matrix between = made_from(drawn_matrix("between", Role::score, 2, 2), {"scores"});
  CHECK(arrows_to_weights(between));
  CHECK_FALSE(arrows_to_weights(with_mask(between, "mask")));
  CHECK(arrows_to_weights(with_mask(between, "another mask")));
  CHECK_FALSE(arrows_to_weights(made_from(between, {"mask"})));  // which adds it
}

TEST_CASE("one vector stands beside what it is made from, others below", "[svg]") {
  const Matrix scores = drawn_matrix("scores", Role::score, 3, 3);
  const Matrix mean = made_from(drawn_vector("mean", Role::softmax, 3), {"scores"});
  const Matrix spread = made_from(drawn_vector("spread", Role::softmax, 3), {"scores"});
  const Matrix of_mean = made_from(drawn_vector("root", Role::softmax, 3), {"mean"});
  const Matrix of_none = drawn_vector("bias", Role::mask, 3),
               scaled = made_from(drawn_vector("scaled", Role::mask, 3), {"bias"});
  const auto is_beside = [](const std::string& figure, const std::string& from, const std::string& to) {
    const std::size_t at = figure.find("data-from=\"" + from + "\" data-to=\"" + to + "\"");
    REQUIRE(at != figure.npos);
    const std::size_t way = figure.find("d=\"M", at);
    return figure.substr(way, figure.find('"', way + 3) - way).find('V') == std::string::npos;
  };
  const std::string figure = in_svg_file(document_of({scores, mean, spread, of_mean, of_none, scaled}));
  CHECK(is_beside(figure, "scores", "mean"));
  CHECK_FALSE(is_beside(figure, "scores", "spread"));
  CHECK_FALSE(is_beside(figure, "mean", "root"));
  CHECK_FALSE(is_beside(figure, "bias", "scaled"));
}

TEST_CASE("a figure of which everything is left out has nothing but words", "[svg]") {
  const Document document =
      document_of({drawn_matrix("powers", Role::softmax, 2, 2), drawn_matrix("sums", Role::softmax, 2, 2)});
  const FlowDrawing flow = flow_drawing(document, {}, Theme{}, {.detail = Detail::gist});
  CHECK(flow.drawing.content.empty());
  CHECK(flow.left_out.size() == 2);
}

TEST_CASE("notes are left out of a slide where they leave no room, and only notes", "[svg]") {
  const auto left_out = [](std::size_t count, std::size_t lines) {
    std::vector<Matrix> steps = {drawn_matrix("s0", Role::output, 2, 2)};
    for (std::size_t i = 1; i < count; ++i) {
      steps.push_back(made_from(drawn_matrix("s" + std::to_string(i), Role::output, 2, 2), {steps.back().step}));
    }
    Document document = document_of(std::move(steps));
    document.add(Prose{{"A word of the program."}});
    for (std::size_t i = 0; i < lines; ++i) document.add(Prose{{"A word of the author."}, true});
    const std::string words = words_shown(in_svg_file(document, "slide"));
    CHECK(has(words, "A word of the author.") == (lines > 0 && lines < 60));
    return has(words, "the notes of the problem.");
  };
  CHECK_FALSE(left_out(3, 2));
  CHECK(left_out(3, 60));
  CHECK_FALSE(left_out(60, 0));  // too many steps, and no notes
}

TEST_CASE("matrices of one step share their decimals, and scientific notation", "[svg]") {
  std::vector<Matrix> matrices;
  for (const char* place : {"head 1 of 2", "head 2 of 2"}) {
    matrices.push_back(drawn_matrix("values", Role::value, 1, 3));
    matrices.back().place = place;
    matrices.back().format = {.decimals = 1};
    matrices.back().cells = {0.25, 0.5, 1};
  }
  CHECK(times_in(words_shown(in_svg_file(document_of(matrices))), "0.5\n") == 2);
  matrices[1].format = {.decimals = 2};
  CHECK(times_in(words_shown(in_svg_file(document_of(matrices))), "0.50\n") == 2);
  matrices[1].format = {.decimals = 2, .scientific = true};
  CHECK(times_in(words_shown(in_svg_file(document_of(matrices))), "5.00e-01\n") == 2);
}

TEST_CASE("a matrix without columns is a frame and its rows", "[svg]") {
  const Matrix empty = drawn_matrix("empty", Role::score, 2, 0);
  const std::string figure = in_svg_file(document_of({empty, drawn_matrix("scores", Role::score, 2, 2)}));
  CHECK(has_box(figure, "empty"));
  CHECK(times_in(words_shown(figure), "Query 2\n") == 2);
}

TEST_CASE("an outline joins what follows directly by straight arrows alone", "[svg]") {
  std::vector<OutlinePart> parts = {{.id = "one", .title = "First", .name = {}, .sizes = "[2 × 3]"},
                                    {.id = "two", .title = "Second", .name = {"Y"}, .sizes = "[2 × 3]", .reads = {0}},
                                    {.id = "three", .title = "Third", .name = {"Z"}, .sizes = "[2 × 3]", .reads = {1}}};
  const Drawing straight = outline_drawing(parts, Theme{}, {});
  CHECK(has(words_shown(straight.content), "First\n[2 × 3]\n"));  // its result has no name
  CHECK(has(words_shown(straight.content), "Second\nY  [2 × 3]\n"));
  CHECK_FALSE(has(straight.content, "Q"));
  parts[2].reads.push_back(0);
  const Drawing around = outline_drawing(parts, Theme{}, {});
  CHECK(around.width > straight.width);
  CHECK(times_in(around.content, "class=\"arrow\"") == times_in(straight.content, "class=\"arrow\"") + 1);
}

TEST_CASE("a matrix without a title is called by what else is known of it", "[svg]") {
  Matrix matrix = drawn_matrix("scores", Role::score, 1, 1);
  matrix.title = "";
  CHECK(in_words({&matrix, "", "head 1 of 2"}) == "scores, head 1 of 2");
  CHECK(in_words({&matrix, "Scores", "head 1 of 2"}) == "Scores: scores, head 1 of 2");
}

}  // namespace
}  // namespace attn
