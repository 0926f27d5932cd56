#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "formats/format.h"
#include "formats/html/elements.h"
#include "formats/html/heads.h"
#include "problem/labels.h"
#include "unit/formats/texts.h"

namespace attn {
namespace {

std::string page_of(Document document, const FormatOptions& options = {}) {
  for (const Format& format : formats()) {
    if (format.name == "html") return written(format, document, options);
  }
  return "there is no such format";
}

std::string body_of(Document document) {
  const std::string page = page_of(std::move(document));
  const std::size_t begin = page.find("<body");
  return page.substr(begin, page.find("<script", begin) - begin);
}

std::string sheet_of(std::vector<Block> blocks) {
  Document document{std::move(blocks)};
  document.sheet = FillIn{"{}", true};
  return page_of(std::move(document));
}

// Its reading is such that its numbers say where they come from.
Matrix page_matrix(const std::string& step, std::size_t rows, std::size_t columns, double number = 0.5) {
  Matrix matrix;
  matrix.step = step;
  matrix.symbol = "S";
  matrix.title = step;
  matrix.row_axis = "query";
  matrix.column_axis = "key";
  for (std::size_t i = 1; i <= rows; ++i) matrix.row_labels.own().push_back("q" + std::to_string(i));
  for (std::size_t i = 1; i <= columns; ++i) matrix.column_labels.own().push_back("k" + std::to_string(i));
  matrix.cells = std::vector<double>(rows * columns, number);
  matrix.format = {.decimals = 2};
  matrix.row_stride = columns;
  matrix.column_stride = 1;
  matrix.reading.result = Shape{{"query", rows}, {"key", columns}};
  return matrix;
}

Matrix page_weights(std::size_t queries, std::size_t keys, const std::string& place = "") {
  Matrix matrix = page_matrix("attention_weights", queries, keys);
  matrix.role = Role::attention_weight;
  matrix.symbol = "A";
  matrix.place = place;
  return matrix;
}

std::string written_matrix(const Matrix& matrix) {
  StringSink sink;
  Outgoing page(sink);
  write_matrix(matrix, {matrix.rows(), matrix.columns()}, std::nullopt, {}, page);
  page.hand_over();
  return sink.take();
}

// --- what closes a number

Matrix page_mask(const std::string& step, const std::vector<double>& cells) {
  Matrix mask = page_matrix(step, 2, 2);
  mask.role = Role::mask;
  mask.title = step + ": a rule";
  mask.cells = cells;
  return mask;
}

// Scores of which the second of the first row is closed.
Matrix closed_scores() {
  Matrix scores = page_matrix("scores", 2, 2);
  scores.closed = {false, true, false, false};
  scores.reading.op = Close{};
  scores.reading.open = Reading::Source{"mask", scores.reading.result};
  return scores;
}

std::vector<std::string> rules_that_close(const Matrix& matrix, const std::vector<Matrix>& masks) {
  std::vector<PageMatrix> page;
  for (const Matrix& mask : masks) page.push_back({&mask, {mask.rows(), mask.columns()}});
  std::vector<std::string> steps;
  for (const Matrix* rule : closing_rules(matrix, {matrix.rows(), matrix.columns()}, page)) steps.push_back(rule->step);
  return steps;
}

using Rules = std::vector<std::string>;

TEST_CASE("a page names of the rules in it those that close a number") {
  const Matrix scores = closed_scores();
  const Matrix causal = page_mask("causal", {1, 0, 1, 1}), padding = page_mask("padding", {1, 1, 1, 0});
  Matrix mask = page_mask("mask", {1, 0, 1, 0});
  mask.reading.op = Combine{Binary::minimum, {}};
  mask.reading.operands = {{"causal", mask.reading.result}, {"padding", mask.reading.result}};
  CHECK(rules_that_close(scores, {mask, causal, padding}) == Rules{"causal"});
  CHECK(rules_that_close(scores, {mask, padding}).empty());    // the rule is not in the page
  CHECK(rules_that_close(scores, {causal, padding}).empty());  // nor what was made of both
  Matrix both = padding;
  both.cells = causal.cells;
  CHECK(rules_that_close(scores, {mask, causal, both}) == Rules{"causal", "padding"});
  Matrix unnamed = causal;
  unnamed.title.clear();
  CHECK(rules_that_close(scores, {mask, unnamed, both}) == Rules{"padding"});

  Matrix open = scores, given = scores;
  open.closed.clear();
  given.reading.open.reset();
  CHECK(rules_that_close(open, {mask, causal, padding}).empty());
  CHECK(rules_that_close(given, {mask, causal, padding}).empty());
}

TEST_CASE("a mask that is given is itself what closes a number in a page where it is that sequence's") {
  const Matrix scores = closed_scores(), mask = page_mask("mask", {1, 0, 1, 1});
  CHECK(rules_that_close(scores, {mask}) == Rules{"mask"});
  Matrix of_next_sequence = mask;
  of_next_sequence.first = 4;
  CHECK(rules_that_close(scores, {of_next_sequence}).empty());
  CHECK(rules_that_close(scores, {of_next_sequence, mask}) == Rules{"mask"});
}

TEST_CASE("of a mask that was joined of two a page names the one that the number was read from") {
  const Matrix scores = closed_scores();
  Matrix mask = page_mask("mask", {1, 0, 1, 1}), cached = page_mask("cached", {0, 0}),
         added = page_mask("added", {0, 0});
  mask.reading.op = Join{"key"};
  for (Matrix* half : {&cached, &added}) {
    half->column_labels.own().pop_back();
    half->row_stride = 1;
    half->reading.result = Shape{{"query", 2}, {"key", 1}};
    mask.reading.operands.push_back({half->step, half->reading.result});
  }
  CHECK(rules_that_close(scores, {mask, cached, added}) == Rules{"added"});
}

// --- matrices

TEST_CASE("a matrix of a page is called only what it has a name for") {
  Matrix matrix = page_matrix("scores", 1, 2);
  matrix.sizes = "[1 × 2]";
  const std::string named = written_matrix(matrix);
  CHECK(has(named, "<math><mi class=\"score\">S</mi></math> <span class=\"title\"><bdi>scores</bdi></span>"));
  CHECK(has(named, "<span class=\"meaning\">[1 × 2]</span>"));
  matrix.symbol = Formula();
  matrix.title.clear();
  matrix.sizes.clear();
  CHECK(has(written_matrix(matrix), "<span class=\"about\"><span class=\"name\"></span></span></caption>"));
}

TEST_CASE("a page says how to read weights of queries over keys where there are any") {
  CHECK(has(written_matrix(page_weights(2, 2)), "How to read it: row 2 belongs to"));
  CHECK(has(written_matrix(page_weights(1, 2)), "How to read it: row 1 belongs to"));
  CHECK_FALSE(has(written_matrix(page_weights(0, 2)), "How to read it"));
  CHECK_FALSE(has(written_matrix(page_weights(2, 0)), "How to read it"));
  Matrix of_tokens = page_weights(2, 2), by_features = page_weights(2, 2), handed_in = page_weights(2, 2);
  of_tokens.row_axis = "token";
  by_features.column_axis = "feature";
  handed_in.handed_in = {"1", "0", "0", "1"};
  for (const Matrix& other : {of_tokens, by_features, handed_in, page_matrix("scores", 2, 2)}) {
    CHECK_FALSE(are_weights(other));
    CHECK_FALSE(has(written_matrix(other), "How to read it"));
  }
}

TEST_CASE("a page draws arcs of no more tokens than can be told apart") {
  CHECK(has(page_arcs(page_weights(24, 24)), "<svg"));
  CHECK(page_arcs(page_weights(24, 25)).empty());
  CHECK(page_arcs(page_weights(25, 24)).empty());
}

TEST_CASE("only numbers that are there say where they come from") {
  CHECK(is_sourced(page_matrix("scores", 2, 2)));
  CHECK_FALSE(is_sourced(page_matrix("scores", 0, 2)));
  Matrix handed_in = page_matrix("scores", 1, 1);
  handed_in.handed_in = {"1"};
  CHECK_FALSE(is_sourced(handed_in));
}

TEST_CASE("a head of many rows needs room for what scrolls it") {
  const Matrix few = page_matrix("scores", 20, 2), many = page_matrix("scores", 21, 2);
  CHECK(room_of(many, {21, 2}).spaces == Approx(room_of(few, {20, 2}).spaces + 0.6));
  CHECK(room_of(many, {20, 2}).spaces == Approx(room_of(few, {20, 2}).spaces));
}

TEST_CASE("rows that are drawn late say which of their numbers are closed in runs") {
  Matrix matrix = page_matrix("scores", 1, 7);
  CHECK_FALSE(has(late_cells(matrix, 0, 7), "data-closed"));
  matrix.closed = {true, false, true, true, false, false, true};
  CHECK(has(late_cells(matrix, 0, 7), " data-closed=\"1-1 3-4 7-7\""));
  CHECK(has(late_cells(matrix, 0, 6), " data-closed=\"1-1 3-4\""));
  CHECK(late_format(matrix) == " data-decimals=\"2\"");
  matrix.format = {.decimals = 1, .scientific = true};
  CHECK(late_format(matrix) == " data-decimals=\"1\" data-scientific");
}

TEST_CASE("a factor that is no number is null in what the page's script reads") {
  Matrix scaled = page_matrix("scaled_scores", 1, 1);
  scaled.reading.operands = {{"scores", scaled.reading.result}};
  const auto json_of = [&](double factor) {
    scaled.reading.op = Map{Unary::multiply, factor, ""};
    return numbers_json({}, {{&scaled, {1, 1}}});
  };
  CHECK(has(json_of(0.5), "\"parameter\":0.5,"));
  CHECK(has(json_of(std::numeric_limits<double>::infinity()), "\"parameter\":null,"));
  CHECK(has(json_of(std::nan("")), "\"parameter\":null,"));
}

// --- lines, tables, trees

TEST_CASE("blanks within a formula of a page are kept") {
  CHECK(math_elements({"e^(a b)"}) ==
        "<math><msup><mi>e</mi><mrow><mi>a</mi><mtext>\u00a0</mtext><mi>b</mi></mrow></msup></math>");
}

TEST_CASE("a line of a page that says closed is told why where another line has said it of that cell") {
  const auto line = [](const std::string& name, const std::string& remark) {
    return Equation{{}, {{"", {{name}}}, {"=", {{"0"}}}}, {remark}};
  };
  ClosingReasons reasons;
  const std::string text = page_lines(
      {{"S"},
       "",
       {line("S[1,2]", "closed by causal"), line("E[1,2]", "closed"), line("E[2,2]", "closed"), line("E", "closed")}},
      reasons);
  CHECK(times_in(text, "<span class=\"extra\"> by causal</span>") == 1);
  CHECK(times_in(text, "(closed)</span>") == 2);
  CHECK_FALSE(has(text, "<span class=\"title\">"));
  CHECK(
      has(page_lines({{}, "", {{{"cat"}, {}, {"closed"}}}}, reasons),
          "<span class=\"label\"><bdi>cat</bdi></span>  <span class=\"remark\" style=\"--column:2\">(closed)</span>"));
}

TEST_CASE("a table of a page has names only where it has them and pairs are a list") {
  CHECK(has(page_table({{}, {}, {{{"heads"}, {"2"}}}}, "Sizes"), "<dl class=\"pairs\">"));
  const std::string three = page_table({{}, {}, {{{"a"}, {"b"}, {"c"}}}}, "Sizes");
  CHECK(has(three, "<caption class=\"unseen extra\">Sizes</caption>"));
  CHECK_FALSE(has(three, "<thead>"));
  const std::string headed = page_table({{"Bytes"}, {{"step"}, {"bytes"}}, {{{"scores"}, {"72"}}}}, "Sizes");
  CHECK(has(headed, "<caption>Bytes</caption>\n<thead>\n<tr><th scope=\"col\"><bdi>step</bdi></th>"));
  const std::string untitled = page_table({{"Bytes"}, {}, {{{"scores"}, {"72"}}}}, "Sizes");
  CHECK(has(untitled, "<caption>Bytes</caption>\n<tbody>\n"));
}

TEST_CASE("a tree of a page closes each list that it opens also where there is no branch") {
  CHECK(page_tree({}) == "<ul class=\"tree\">\n</ul>\n");
  Tree tree;
  for (const std::size_t depth : {0u, 1u, 2u, 1u, 0u}) tree.branches.push_back({depth, {}, {{}, {{"", {{"x"}}}}}});
  const std::string text = page_tree(tree);
  CHECK(times_in(text, "<li>") == 5);
  CHECK(times_in(text, "</li>") == 5);
  CHECK(times_in(text, "<ul") == times_in(text, "</ul>"));
}

TEST_CASE("pictures of a page move where there is a rule and a context and a vector to move") {
  GeometryTold told;
  told.title = "Query 1";
  told.drawn.queries = {{"q₁", "cat", Role::query, {3, 4}}};
  told.drawn.rule = WeighingRule();
  told.drawn.context = DrawnVector{"c₁", "", Role::output, {1, 2}};
  CHECK(has(page_geometry(told), "<script type=\"application/json\">{\"query\":0,"));
  GeometryTold no_rule = told, no_context = told, no_vector = told;
  no_rule.drawn.rule.reset();
  no_context.drawn.context.reset();
  no_vector.drawn.queries[0].numbers.clear();
  for (const GeometryTold& still : {no_rule, no_context, no_vector}) CHECK_FALSE(has(page_geometry(still), "<script"));
}

// --- whole pages

TEST_CASE("a page of nothing says what it would be") {
  const std::string text = page_of({});
  CHECK(has(text, "<title>Worked out step by step</title>"));
  CHECK(has(text, "<h1 class=\"extra\">Worked out step by step</h1>"));
  CHECK_FALSE(has(text, "class=\"stop\""));
  const std::string titled_only = page_of(titled("Nothing <yet>"));
  CHECK(has(titled_only, "<title>Nothing &lt;yet&gt;</title>"));
  CHECK_FALSE(has(titled_only, "class=\"stop\""));
}

TEST_CASE("a folded step of a page says its size where that is known") {
  Matrix large = page_matrix("scores", 100, 2), small = page_matrix("mask", 100, 2);
  large.sizes = "[100 × 4]·[4 × 2] → [100 × 2]";
  const std::string text = body_of({{Headline{2, {"Scores"}}, large, Headline{2, {"Mask"}}, small}});
  CHECK(times_in(text, "<details class=\"fold\">") == 2);
  CHECK(has(text, "<span class=\"size\">[100 × 2]</span>"));
  CHECK(has(text, "<span class=\"size\"></span>"));
}

TEST_CASE("a map leads to weights of many keys or queries and not to a few that are seen at once") {
  CHECK(has(body_of({{Headline{2, {"A"}}, page_weights(2, 9)}}), "The map leads to its numbers"));
  CHECK(has(body_of({{Headline{2, {"A"}}, page_weights(9, 2)}}), "The map leads to its numbers"));
  CHECK_FALSE(has(body_of({{Headline{2, {"A"}}, page_weights(8, 8)}}), "class=\"overview"));
  CHECK_FALSE(has(body_of({{Headline{2, {"A"}}, page_weights(0, 9)}}), "class=\"overview"));
}

TEST_CASE("maps say that what is faint is padding be it of queries or of keys") {
  Matrix of_keys = page_weights(2, 9), of_queries = page_weights(9, 2);
  of_keys.column_labels.own().back() = padding_label;
  of_queries.row_labels.own().back() = padding_label;
  CHECK(has(body_of({{Headline{2, {"A"}}, of_keys}}), "Faint rows are padding."));
  CHECK(has(body_of({{Headline{2, {"A"}}, of_queries}}), "Faint rows are padding."));
  CHECK_FALSE(has(body_of({{Headline{2, {"A"}}, page_weights(2, 9)}}), "Faint rows are padding."));
}

TEST_CASE("maps of heads of one sequence stand together and those that are of none before them") {
  const std::string text = body_of(
      {{Headline{2, {"A"}}, page_weights(2, 2, "Alone"), page_weights(2, 2, "Sequence 1 of 2 · Head 1 of 2"),
        page_weights(2, 2, "Sequence 1 of 2 · Head 2 of 2"), page_weights(2, 2, "Sequence 2 of 2 · Head 1 of 2"),
        page_weights(2, 2, "Sequence 2 of 2 · Head 2 of 2")}});
  const std::string maps = text.substr(0, text.find("</nav>"));
  CHECK(times_in(maps, "<ul style=") == 3);
  CHECK(times_in(maps, "</ul>\n") == 3);
  CHECK(times_in(maps, "<li><a href=\"#m") == 5);
  CHECK(times_in(maps, "<p><bdi>Sequence ") == 2);
  CHECK(maps.find("<bdi>Alone</bdi>") < maps.find("<p><bdi>Sequence 1 of 2</bdi></p>"));
}

TEST_CASE("what is said behind the last head without a matrix is still of that head") {
  const Matrix first = page_weights(2, 2, "Head 1 of 2"), second = page_weights(2, 2, "Head 2 of 2");
  const std::string text =
      body_of({{Headline{2, {"Head 1 of 2"}}, first, Headline{2, {"Head 1 of 2 · Context"}}, Prose{{"Both."}},
                Headline{2, {"Head 2 of 2 · Weights"}}, second, Derivation{{}, "", {{{}, {{"", {{"y"}}}}}}}}});
  CHECK(times_in(text, "<details class=\"place\"") == 2);
  CHECK(has(text, "<h2>Head 1 of 2</h2>"));
  CHECK(has(text, "<h2><span class=\"around\">Head 1 of 2 · </span>Context</h2>"));
  CHECK(text.find("<mi>y</mi>") < text.rfind("</details>"));
}

TEST_CASE("a sheet of a page need not begin with a title and has what stands on any page") {
  const std::string none = sheet_of({});
  CHECK(has(none, "<title></title>"));
  Matrix matrix = page_matrix("scores", 1, 1);
  matrix.title.clear();
  Tree tree{{{0, {}, {{}, {{"", {{"x"}}}}}}}};
  const std::string text = sheet_of({Prose{{"Fill in."}}, matrix, tree});
  CHECK(has(text, "<title></title>"));
  CHECK(has(text, "</math></span></figcaption>"));
  CHECK(has(text, "</figure>\n</div>\n<ul class=\"tree\">"));
  CHECK(times_in(text, "<div class=\"beside\">") == 1);
  matrix.title = "Scores";
  matrix.words = "rows: queries";
  CHECK(has(
      sheet_of({Headline{1, {"A sheet"}}, matrix}),
      "</math></span> <span class=\"title\"><bdi>Scores</bdi></span> <span class=\"meaning\">rows: queries</span>"));
}

}  // namespace
}  // namespace attn
