#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "formats/format.h"
#include "formats/latex/blocks.h"
#include "formats/latex/math.h"
#include "problem/labels.h"
#include "unit/formats/texts.h"

namespace attn {
namespace {

std::string as_latex(std::vector<Block> blocks, const FormatOptions& options = {}) {
  for (const Format& format : formats()) {
    if (format.name == "latex") return written(format, {std::move(blocks)}, options);
  }
  return "there is no such format";
}

FormatOptions slides(bool built_up = false) {
  FormatOptions options;
  options.settings["beamer"] = "";
  if (built_up) options.settings["overlays"] = "";
  return options;
}

std::string joined(const LatexPieces& pieces) {
  std::string all;
  for (const LatexPiece& piece : pieces) all += piece.text;
  return all;
}

std::vector<std::string> names_to(std::size_t count, const std::string& before = "") {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(before + std::to_string(i));
  return names;
}

Matrix matrix_of(std::size_t rows, std::size_t columns, const std::string& step = "scores", double number = 0.5) {
  Matrix matrix;
  matrix.step = step;
  matrix.symbol = "S";
  matrix.title = "Scores";
  matrix.words = "rows: queries, columns: keys";
  matrix.row_labels = names_to(rows, "q");
  matrix.column_labels = names_to(columns, "k");
  matrix.cells = std::vector<double>(rows * columns, number);
  matrix.format = {.decimals = 4};
  return matrix;
}

Matrix weights_of(std::size_t queries, std::size_t keys, double weight = 0.5) {
  Matrix matrix = matrix_of(queries, keys, "attention_weights", weight);
  matrix.role = Role::attention_weight;
  matrix.symbol = "A";
  matrix.title = "Attention weights";
  matrix.row_axis = "query";
  matrix.column_axis = "key";
  return matrix;
}

Equation latex_equation(const std::string& left, std::vector<Inline> terms, Inline label = {}) {
  return {std::move(label), {{"", {{left}}}, {"=", std::move(terms)}}};
}

// --- arcs

TEST_CASE("LaTeX draws lines between tokens for weights alone") {
  const LatexPage page;
  CHECK(has(joined(latex_arcs(weights_of(2, 3), page)), "\\attnarc"));
  Matrix scores = weights_of(2, 3);
  scores.role = Role::score;
  Matrix of_others = weights_of(2, 3);
  of_others.column_axis = "feature";
  Matrix handed_in = weights_of(2, 3);
  handed_in.handed_in = std::vector<std::string>(6, "0.5");
  Matrix to_fill_in = weights_of(2, 3);
  to_fill_in.boxes = std::vector<Box>(6, Box::open);
  LatexPage sheet;
  sheet.sheet = true;
  for (const Matrix& none : {scores, of_others, handed_in, to_fill_in, weights_of(0, 3), weights_of(3, 1)}) {
    CHECK(latex_arcs(none, page).empty());
  }
  CHECK(latex_arcs(weights_of(2, 25), page).empty());
  CHECK(latex_arcs(weights_of(2, 3), sheet).empty());
}

TEST_CASE("lines between tokens in LaTeX are the same whichever of them are the rows") {
  Matrix weights = weights_of(2, 3);
  weights.cells = {0.1, 0.2, 0.7, 0.6, 0, 0.4};
  Matrix turned = weights;
  std::swap(turned.row_axis, turned.column_axis);
  std::swap(turned.row_labels, turned.column_labels);
  turned.cells = {0.1, 0.6, 0.2, 0, 0.7, 0.4};
  const auto sorted_lines = [](const Matrix& of) {
    const std::string text = joined(latex_arcs(of, {}));
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    std::ranges::sort(lines);
    return lines;
  };
  CHECK(sorted_lines(turned) == sorted_lines(weights));
  CHECK(times_in(joined(latex_arcs(weights, {})), "\\attnarc{") == 5);  // one of the weights is 0
}

TEST_CASE("no line of LaTeX leads from padding or to it") {
  Matrix weights = weights_of(2, 2);
  weights.column_labels.own()[1] = padding_label;
  CHECK(times_in(joined(latex_arcs(weights, {})), "\\attnarc{") == 2);
  weights.row_labels.own()[0] = padding_label;
  CHECK(times_in(joined(latex_arcs(weights, {})), "\\attnarc{") == 1);
}

TEST_CASE("lines between the tokens of weights that stand side by side say whose they are") {
  Matrix first = weights_of(2, 2), second = weights_of(2, 2);
  first.place = "head 1";
  second.place = "head 2";
  const std::string text = joined(latex_pieces({&first, &second}, LatexPage{}));
  CHECK(times_in(text, "\\begin{tabular}[t]") == 3);  // one of both, with one each in it
  CHECK(has(text, "\\attnweight{A}$, head 1}\n"));
  CHECK(has(text, "\\attnweight{A}$, head 2}\n"));
  CHECK_FALSE(has(joined(latex_pieces(std::vector<const Matrix*>{&first}, LatexPage{})), "$, head 1}"));
  const std::string without = joined(latex_arcs(weights_of(2, 2), {}, true));
  CHECK(has(without, "{$\\attnweight{A}$}\n"));
}

TEST_CASE("lines between tokens that have no room on the slide of their weights have one of their own") {
  Matrix weights = weights_of(4, 4);
  LatexPage page;
  page.width = 429;
  page.height = 213;
  CHECK(latex_pieces(std::vector<const Matrix*>{&weights}, page).size() == 1);
  for (int i = 0; i < 120; ++i) weights.words += ", each row sums to 1";
  const LatexPieces pieces = latex_pieces(std::vector<const Matrix*>{&weights}, page);
  REQUIRE(pieces.size() >= 2);
  CHECK_FALSE(has(pieces.front().text, "\\attnarc"));
  CHECK(has(pieces.back().text, "\\attnarc"));
  CHECK(has(pieces.back().text, "{$\\attnweight{A}$}\n"));
  CHECK(pieces.back().names == std::vector<std::string>{"Attention weights"});
}

// --- formulas and text

TEST_CASE("an index or exponent of what has one already has braces around that in LaTeX") {
  const std::vector<std::pair<std::string, std::string>> all = {{"₁", "{}_{1}"},
                                                                {"e^2^3", "{e^{2}}^{3}"},
                                                                {"head₁", "\\text{head}_{1}"},
                                                                {"größe₁", "{\\text{größe}}_{1}"},
                                                                {"größe₁ᵀ", "{{\\text{größe}}_{1}}^{\\top}"},
                                                                {"head₁ᵀ", "\\text{head}_{1}^{\\top}"},
                                                                {"Kᵀ₁", "K^{\\top}_{1}"},
                                                                {"S′ᵀ", "S'^{\\top}"},
                                                                {"S′₁ᵀ", "{S'_{1}}^{\\top}"},
                                                                {"S′ᵀ₁", "S'^{\\top}_{1}"},
                                                                {"K*", "K^{*}"},
                                                                {"K*ᵀ", "{K^{*}}^{\\top}"},
                                                                {"K*′", "K^{*\\prime }"}};
  for (const auto& [typed, expected] : all) {
    INFO(typed);
    CHECK(latex_math(typed) == expected);
  }
}

TEST_CASE("functions and unknown signs and words with signs in them are LaTeX that says the same") {
  CHECK(latex_math("max(a, b)") == "\\max(a,b)");
  CHECK(latex_math("min(a)") == "\\min(a)");
  CHECK(latex_math("exp(a)") == "\\exp(a)");
  CHECK(latex_math("softmax(a)") == "\\operatorname{softmax}(a)");
  CHECK(latex_math("a ⋈ b") == "a\\ \\text{⋈}\\ b");
  using Kind = FormulaPiece::Kind;
  const auto of = [](std::vector<FormulaPiece> pieces) {
    return latex_math({Span(Formula(std::move(pieces)), std::nullopt)}, false);
  };
  CHECK(of({{Kind::word, "n/a"}}) == "\\text{n}/\\text{a}");
  CHECK(of({{Kind::sign, "·"}, {Kind::word, ""}, {Kind::letter, "x"}}) == "\\cdot x");
}

TEST_CASE("text in LaTeX has no signs that its fonts would make of two") {
  CHECK(latex_text("a,,b") == "a,{},b");
  CHECK(latex_text("a--b''c") == "a-{}-b'{}'c");
  CHECK(latex_text("¡Hola! ¿Qué?") == "¡Hola! ¿Qué?");
}

TEST_CASE("what is wider is not said to be narrower in LaTeX") {
  CHECK(latex_math_width({"a → b"}) > latex_math_width({"a = b"}));
  CHECK(latex_math_width({"a = b"}) > latex_math_width({"a b"}));
  CHECK(latex_text_width("W") > latex_text_width("i"));
  const Formula odd(std::vector<FormulaPiece>{{FormulaPiece::Kind::sign, "\t"}});
  CHECK(latex_math_width({Span(odd, std::nullopt)}) >= latex_text_width("x"));
}

TEST_CASE("words that look like a symbol are a formula in LaTeX and others are words") {
  CHECK(latex_prose("d_k") == "$d_{k}$");
  CHECK(latex_prose("d_k/2") == "d\\_k/2");
  CHECK(latex_prose({Span("K*", Role::key)}) == "\\attnkey{$K^{*}$}");
  CHECK(latex_prose({Span("K[1,2]", Role::key)}) == "\\attnkey{$K[1,2]$}");
  CHECK(latex_prose({Span("K[1, 2]", Role::key)}) == "\\attnkey{K[1, 2]}");
}

TEST_CASE("LaTeX in ASCII has every other character by its number") {
  FormatOptions ascii;
  ascii.ascii = true;
  const std::string text = as_latex({Prose{{"Ünder 😀 √2"}}}, ascii);
  CHECK(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  CHECK(has(text, "\\attnchar{DC}{\\char\"DC }nder \\attnchar{1F600}{\\char\"1F600 } $\\sqrt{2}$"));
}

// --- tables and lines

TEST_CASE("a table without rows is its header in LaTeX or its caption and a long one is in parts that repeat it") {
  const LatexPage page;
  Table table{{"Bytes"}, {{"step"}, {"bytes"}}, {}};
  CHECK(latex_pieces(table, page).size() == 1);
  CHECK(has(joined(latex_pieces(table, page)), "\\attntablehead{step} & \\attntablehead{bytes} \\\\\n\\attnmid\n"));
  CHECK(latex_pieces(Table{}, page).empty());  // which LaTeX has no way to write
  CHECK(joined(latex_pieces(Table{{"Bytes"}, {}, {}}, page)) == "\\attnmatrix{\\attntablecaption{Bytes}\n}\n");
  for (int i = 0; i < 90; ++i) table.rows.push_back({{"s" + std::to_string(i)}, {"72"}});
  const LatexPieces pieces = latex_pieces(table, page);
  CHECK(pieces.size() > 1);
  for (const LatexPiece& piece : pieces) {
    CHECK(piece.height < 600);
    CHECK(has(piece.text, "\\attntablehead{step}"));
  }
  CHECK(times_in(joined(pieces), "\\attncell{72}") == 90);
}

TEST_CASE("a derivation without lines is its title in LaTeX and one without that is nothing") {
  CHECK(joined(latex_pieces(Derivation{{}, "Nothing to add", {}}, LatexPage{})) ==
        "\\attnlinestitle{Nothing to add}\n");
  CHECK(joined(latex_pieces(Derivation{}, LatexPage{})).empty());
  CHECK(has(as_latex({Derivation{}}, slides(true)), "\\begin{attnslide}\n"));
}

TEST_CASE("a line of LaTeX that ends in an ampersand does not begin a column") {
  const Derivation derivation{{}, "Signs", {latex_equation("a", {{"b &"}}), latex_equation("a", {{"c"}})}};
  CHECK(has(joined(latex_pieces(derivation, LatexPage{})), "\\&{} \\\\"));
}

TEST_CASE("an empty term adds nothing to its line in LaTeX") {
  const Derivation with{{}, "T", {latex_equation("a", {{"b"}, {""}}), latex_equation("c", {{"d"}})}};
  const Derivation without{{}, "T", {latex_equation("a", {{"b"}}), latex_equation("c", {{"d"}})}};
  CHECK(joined(latex_pieces(with, LatexPage{})) == joined(latex_pieces(without, LatexPage{})));
}

TEST_CASE("of many lines the last appear together on a slide that is built up") {
  Derivation derivation{{}, "Sums", {}};
  for (int i = 1; i <= 14; ++i) derivation.lines.push_back(latex_equation("a_" + std::to_string(i), {{"1"}}));
  LatexPage page;
  page.overlays = true;
  const LatexPieces pieces = latex_pieces(derivation, page);
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].steps == 13);
  for (int step = 1; step <= 11; ++step) CHECK(times_in(pieces[0].text, "{" + latex_step(step) + "}") == 2);
  CHECK(times_in(pieces[0].text, "{" + latex_step(12) + "}") == 6);
  CHECK_FALSE(has(pieces[0].text, latex_step(13)));
}

TEST_CASE("lines that are too long for LaTeX are broken and those that are only a side or none are whole") {
  std::vector<Inline> terms(30, Inline{"+ 0.1234×0.5678"});
  const std::string wide = "sum of all the numbers that are written in this very long line of words";
  const Derivation derivation{{"s"},
                              "Sums",
                              {latex_equation("s", terms, {"the"}),
                               {{"cat"}, {}},
                               {{}, {{"", {{wide}}}}},
                               latex_equation(wide, {{"1"}}),
                               latex_equation("t", {{wide + wide}, {wide + wide}})}};
  const std::string text = joined(latex_pieces(derivation, LatexPage{}));
  CHECK(times_in(text, "0.1234") == 30);
  CHECK(times_in(text, " \\\\") > 6);
  CHECK(has(text, "&\\attnlabel{cat}\\quad& \\\\"));
  CHECK(times_in(text, "\\attnlap{") == 2);
}

TEST_CASE("where a side of a broken line is empty LaTeX has no column of nothing") {
  const std::string wide(120, 'W');
  const Derivation derivation{
      {}, "Sums", {latex_equation("s", {{"1"}}), {{}, {{"", {{"t"}}}, {"", {{wide}}}, {"", {{""}}}}}}};
  const std::string text = joined(latex_pieces(derivation, LatexPage{}));
  CHECK(has(text, wide));
  CHECK_FALSE(has(text, "&{}"));
}

TEST_CASE("a branch of a tree is its label and its line in LaTeX or its remark alone") {
  const Tree tree{{{0, {}, latex_equation("C", {{"1"}}, {"cat"})}, {1, {}, {{}, {}, {"closed"}}}}};
  const std::string text = joined(latex_pieces(tree, LatexPage{}));
  CHECK(has(text, "\\attnbranch{0}{\\attnfaint{cat}\\quad $C= 1$}\n"));
  CHECK(has(text, "\\attnbranch{1}{\\quad{\\small\\attnfaint{(closed)}}}\n"));
  CHECK_FALSE(has(text, "$$"));
}

// --- matrices

TEST_CASE("a matrix of no rows or no columns is its caption and its names in LaTeX") {
  for (const auto& [rows, columns] : {std::pair{0, 3}, std::pair{3, 0}, std::pair{0, 0}}) {
    const Matrix matrix = matrix_of(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    const std::string text = as_latex({matrix});
    CHECK(times_in(text.substr(text.find("\\attnmatrix{\\attncaption")), "\\attncaption{") == 1);
    CHECK(has(text, "*{" + std::to_string(columns) + "}{r}}"));
    CHECK(times_in(text, "\\attnhead{k") == static_cast<std::size_t>(columns));
    CHECK(times_in(text, "\\attnhead{q") == static_cast<std::size_t>(rows));
  }
}

TEST_CASE("a matrix of which nothing is said but its size has that in its caption in LaTeX") {
  Matrix matrix = matrix_of(2, 2);
  matrix.words.clear();
  matrix.sizes = "[2 × 2]";
  CHECK(has(as_latex({matrix}), "\\attncaption{$\\attnscore{S}$}{Scores}{$[2\\times2]$}"));
  matrix.words = "rows: queries";
  CHECK(has(as_latex({matrix}), "{$[2\\times2]$, rows: queries}"));
}

TEST_CASE("a matrix too wide and too high for a page says of each part which columns and rows it has") {
  const Matrix matrix = matrix_of(50, 40);
  LatexPage page;
  page.full = true;
  const LatexPieces pieces = latex_pieces(std::vector<const Matrix*>{&matrix}, page);
  const std::string text = joined(pieces);
  CHECK(has(pieces.front().text, "{columns 1\\textendash{}"));
  CHECK(has(pieces.front().text, " of 40, rows 1\\textendash{}25 of 50}"));
  CHECK(has(pieces.back().text, "\\textendash{}40 of 40, rows 26\\textendash{}50 of 50}"));
  CHECK(times_in(text, "$0.5000$") == 2000);
  CHECK(times_in(text, "\\attncaption{") == 1);
}

TEST_CASE("a long vector lies in LaTeX whatever is said of its rows unless somebody handed it in") {
  Matrix vector = matrix_of(6, 1);
  vector.words = "rows: queries";
  CHECK(has(as_latex({vector}), "{columns: queries}\\attnclose\n\\attnlying{"));
  vector.words = "one number a query";
  CHECK(has(as_latex({vector}), "{one number a query}\\attnclose\n\\attnlying{"));
  vector.handed_in = std::vector<std::string>(6, "0.5");
  const std::string text = as_latex({vector});
  CHECK_FALSE(has(text, "\n\\attnlying{"));
  CHECK(has(text, "{one number a query}\\attnclose\n\\attnnumbers{"));
}

TEST_CASE("places of one step share a caption in LaTeX but not what somebody handed in of them") {
  Matrix first = matrix_of(2, 2), second = matrix_of(2, 2);
  first.place = "head 1";
  second.place = "head 2";
  second.beside = true;
  const std::string shared = joined(latex_pieces({&first, &second}, LatexPage{}));
  CHECK(times_in(shared, "\\attncaption{") == 1);
  CHECK(times_in(shared, "\\attnplace{") == 2);
  CHECK(times_in(shared, "\\attnhead{q1}") == 1);  // for both
  Matrix of_keys = second;
  of_keys.row_axis = "key";
  CHECK(times_in(joined(latex_pieces({&first, &of_keys}, LatexPage{})), "\\attnhead{q1}") == 2);
  first.handed_in = second.handed_in = std::vector<std::string>(4, "0.5");
  const std::string apart = joined(latex_pieces({&first, &second}, LatexPage{}));
  CHECK(times_in(apart, "\\attncaption{") == 2);
  CHECK_FALSE(has(apart, "\\attnplace{"));
}

TEST_CASE("on a slide lines between tokens that are wider than their weights stand alone with them") {
  Matrix weights = weights_of(4, 12, 0.0833);
  weights.format = {.decimals = 0};
  const Matrix scores = matrix_of(2, 2);
  LatexPage page;
  page.width = 429;
  page.height = 213;
  const LatexPieces pieces = latex_pieces({&weights, &scores}, page);
  REQUIRE(pieces.size() == 2);
  CHECK(has(pieces[0].text, "\\attnarc{"));
  CHECK_FALSE(has(pieces[0].text, "{Scores}"));
  CHECK(has(pieces[1].text, "{Scores}"));
}

TEST_CASE("an empty cell of a slide that is built up appears with nothing in it") {
  Matrix matrix = matrix_of(2, 2);
  matrix.handed_in = {"", "0.5", "0.25", ""};
  const std::string text = as_latex({matrix}, slides(true));
  CHECK(times_in(text.substr(text.find("\\begin{frame}")), "\\attnshow{") == 2);
}

// --- figures and slides

Matrix step_that_reads(const std::string& step, const std::vector<std::string>& sources) {
  Matrix matrix = matrix_of(2, 2, step);
  for (const std::string& source : sources) matrix.reading.operands.push_back({source, {}});
  return matrix;
}

std::vector<Block> chain(std::size_t count) {
  std::vector<Block> blocks;
  for (std::size_t i = 1; i <= count; ++i) {
    std::vector<std::string> sources;
    if (i > 1) sources.push_back("step" + std::to_string(i - 1));
    blocks.emplace_back(step_that_reads("step" + std::to_string(i), sources));
  }
  return blocks;
}

TEST_CASE("LaTeX draws how data flows where several steps read one another and not too many") {
  CHECK(times_in(as_latex(chain(4)), "\n\\attnflowbox{") == 4);
  CHECK(times_in(as_latex(chain(4)), "\n\\attnarrow{") == 3);
  CHECK_FALSE(has(as_latex(chain(3)), "\n\\attnflowbox{"));
  CHECK(has(as_latex(chain(16)), "\n\\attnflowbox{"));
  CHECK_FALSE(has(as_latex(chain(17)), "\n\\attnflowbox{"));
  std::vector<Block> apart;
  for (const char* step : {"a", "b", "c", "d"}) apart.emplace_back(step_that_reads(step, {}));
  CHECK_FALSE(has(as_latex(apart), "\n\\attnflowbox{"));
}

TEST_CASE("parts of a computation stand one below the other on paper and side by side on a slide") {
  LatexPage page;
  Document document;
  for (std::size_t i = 0; i < 4; ++i) {
    OutlinePart part{"part" + std::to_string(i), "Layer 1 · self-attention", Role::output, {"Y"}, "[7 × 8]"};
    if (i > 0) part.reads = {i - 1};
    document.outline.push_back(std::move(part));
  }
  CHECK(has(joined(latex_flow(document, page)), "{\\footnotesize Layer 1 "));
  page.height = 213;
  const std::string slide = joined(latex_flow(document, page));
  CHECK(has(slide, "{{\\footnotesize $Y$}\\\\Layer 1 "));
  CHECK(times_in(slide, "\\attnflowbox{") == 4);
}

TEST_CASE("matrices that follow those of one step have a headline of their own up to the end") {
  Matrix untitled = matrix_of(2, 2, "scores");
  untitled.title.clear();
  const std::vector<Block> blocks = {Headline{2, {"Scores"}}, untitled, weights_of(2, 2), matrix_of(2, 2, "context")};
  const std::vector<Block> headed = latex_headed(blocks);
  REQUIRE(headed.size() == blocks.size() + 1);
  CHECK(plain(std::get<Headline>(headed[2]).text) == "Attention weights, Scores");
}

TEST_CASE("a part that has nothing below its headline stands on a slide all the same") {
  const std::string text = as_latex(
      {Headline{1, {"All"}}, Headline{2, {"First"}}, Headline{2, {"Second"}}, Prose{{"Look."}}, Headline{2, {"Third"}}},
      slides());
  CHECK(has(text, "{First}\n"));
  CHECK(has(text, "\\attnpart{Second}\n"));
  CHECK(has(text, "Look.\n"));
  CHECK(has(text, "Third"));
}

TEST_CASE("a headline too long for the title of a slide is whole below it") {
  const std::string words =
      "All that is to be said of the attention of this one sentence, at some length, and then some more of it";
  const std::string text =
      as_latex({Headline{2, {"First"}}, Prose{{"Look."}}, Headline{2, {words}}, Prose{{"Again."}}}, slides());
  CHECK(has(text, "\\attnpart{" + words + "}"));
  CHECK(times_in(text.substr(text.find("\\begin{document}")), "\\begin{frame}") == 1);
}

TEST_CASE("slides of a document that begins with numbers have no title") {
  const std::string text = as_latex({matrix_of(2, 2)}, slides());
  CHECK(has(text, "\\begin{frame}[t]{}\n\\begin{attnslide}\n\\vspace*{6mm}\n"));
}

TEST_CASE("a picture that cannot be drawn is what there is to see of it in LaTeX") {
  GeometryTold told;
  told.title = "Query 1";
  told.drawn.queries = {{"q₁", "cat", Role::query, {}}};
  told.pictures = {{GeometryPicture::Kind::arrows, "The vectors", {"From zero."}, {"One is long.", "One is short."}}};
  const std::string none = joined(latex_pieces(told, LatexPage{}));
  CHECK_FALSE(has(none, "tikzpicture"));
  CHECK_FALSE(has(none, "From zero."));
  CHECK(has(none, "{\\small One is long. One is short.\\par}"));

  told.drawn.queries[0].numbers = {3, 4};
  told.drawn.keys = {{"k₁", std::string(400, 'w'), Role::key, {1, 2}}};
  told.drawn.arrows = {DrawnPlane::Kind::plane, {1, 0}, {0, 1}, "1", "2"};
  told.drawn.angles = {0.5};
  told.drawn.weights = {1};
  const std::string drawn = joined(latex_pieces(told, LatexPage{}));
  CHECK(has(drawn, "\\begin{tikzpicture}"));
  CHECK(has(drawn, "From zero."));

  told.drawn.sharpened = {{"1", {1}, {0, 0}, true}, {"4", {1}, {0, 0}}};
  told.pictures[0].kind = GeometryPicture::Kind::sharpening;
  const std::string sharpened = joined(latex_pieces(told, LatexPage{}));
  CHECK(has(sharpened, " wwwwww"));
  CHECK(has(sharpened, "w\\ensuremath{\\ldots}}"));  // cut
  CHECK_FALSE(has(sharpened, std::string(100, 'w')));
}

}  // namespace
}  // namespace attn
