#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catch.h"
#include "formats/format.h"
#include "formats/markdown/text.h"

namespace attn {
namespace {

FormatOptions with_math(const std::string& style) {
  FormatOptions options;
  options.settings["math"] = style;
  return options;
}

std::string all_as_markdown(std::vector<Block> blocks, const FormatOptions& options = {}) {
  for (const Format& format : formats()) {
    if (format.name == "markdown") return written(format, {std::move(blocks)}, options);
  }
  return "there is no such format";
}

std::string as_markdown(Block block, const FormatOptions& options = {}) {
  return all_as_markdown({std::move(block)}, options);
}

Equation equation_of(const std::string& left, std::vector<Inline> terms, Inline label = {}, Inline remark = {}) {
  return {std::move(label), {{"", {{left}}}, {"=", std::move(terms)}}, std::move(remark)};
}

// A sum of so many terms.
std::vector<Inline> terms_of(int count) {
  std::vector<Inline> terms;
  for (int i = 0; i < count; ++i) terms.push_back({i == 0 ? "0.1234×0.5678" : "+ 0.1234×0.5678"});
  return terms;
}

TEST_CASE("in Markdown a row that is shorter than the header ends in empty cells") {
  const Table table{{}, {{"step"}, {"bytes"}}, {{{"scores"}, {"72"}}, {{"mask"}}}};
  CHECK(as_markdown(table) ==
        "| step   | bytes |\n"
        "| ------ | ----- |\n"
        "| scores | 72    |\n"
        "| mask   |       |\n");
}

TEST_CASE("in Markdown a table of three columns without a header has an empty one and pairs are a list") {
  CHECK(as_markdown(Table{{}, {}, {{{"a"}, {"b"}, {"c"}}}}) ==
        "|     |     |     |\n"
        "| --- | --- | --- |\n"
        "| a   | b   | c   |\n");
  const Table pairs{{}, {}, {{{"heads"}, {"2"}}, {{}, {"each of 4"}}, {{"causal"}}, {}}};
  CHECK(as_markdown(pairs) == "- **heads:** 2\n-  each of 4\n- **causal:**\n- \n");
}

TEST_CASE("in Markdown two lists in a row have different bullets so that they stay two") {
  const Table first{{}, {}, {{{"a"}, {"1"}}, {{"b"}, {"2"}}}};
  const std::string text = all_as_markdown({first, first, first});
  CHECK(text ==
        "- **a:** 1\n- **b:** 2\n\n"
        "* **a:** 1\n* **b:** 2\n\n"
        "- **a:** 1\n- **b:** 2\n");
}

TEST_CASE("in Markdown of a tree behind a list every bullet changes however deep") {
  const Table list{{}, {}, {{{"a"}, {"1"}}}};
  const Tree tree{{{0, {}, equation_of("c", {{"2"}})}, {1, {}, equation_of("b", {{"1"}})}}};
  CHECK(all_as_markdown({list, tree}) == "- **a:** 1\n\n* $`c=2`$\n  * $`b=1`$\n");
}

TEST_CASE("in Markdown a matrix is called only what it has a name for") {
  Matrix matrix;
  matrix.row_labels = {"a"};
  matrix.column_labels = {"x"};
  matrix.cells = {1};
  const std::string table =
      "|       |   x |\n"
      "| ----- | --: |\n"
      "| **a** |   1 |\n";
  CHECK(as_markdown(matrix) == table);
  CHECK(as_markdown(matrix, with_math("none")) == table);
  matrix.words = "rows: tokens";
  CHECK(as_markdown(matrix) == "rows: tokens\n\n" + table);
  matrix.symbol = "N";
  matrix.title = "Numbers";
  CHECK(as_markdown(matrix) == "$`N`$ **Numbers**\\\nrows: tokens\n\n" + table);
}

TEST_CASE("slides of a document without headlines begin with what it shows") {
  FormatOptions options;
  options.settings["slides"] = "";
  const std::string text = all_as_markdown({Prose{{"Look."}}}, options);
  CHECK(text.ends_with("---\n\nLook.\n"));
  CHECK(text.find('#') == std::string::npos);
}

TEST_CASE("in Markdown without formulas lines stand in columns and as a list where a labelled one is too long") {
  const Derivation narrow{{"S"}, "Scores", {equation_of("s", terms_of(1), {"the"}), equation_of("t", terms_of(1))}};
  CHECK(as_markdown(narrow, with_math("none")) ==
        "`S` **Scores**\n\n"
        "```text\n"
        "the  s = 0.1234×0.5678\n"
        "     t = 0.1234×0.5678\n"
        "```\n");
  const Derivation wide{{"S"}, "Scores", {equation_of("s", terms_of(8), {"the"}), equation_of("t", terms_of(1))}};
  const std::string text = as_markdown(wide, with_math("none"));
  CHECK(text.find("\n- **the** `s = 0.1234×0.5678 + ") != std::string::npos);
  CHECK(text.find("\n- `t = 0.1234×0.5678`\n") != std::string::npos);
}

TEST_CASE("in Markdown a derivation without lines is what it is called") {
  for (const char* style : {"github", "dollar", "none"}) {
    CHECK(as_markdown(Derivation{{}, "Nothing to add", {}}, with_math(style)) == "**Nothing to add**\n");
  }
}

TEST_CASE("in Markdown a remark in letters of its language stands behind its line and in ASCII is spelled out") {
  const Derivation remarked{{}, "Sizes", {equation_of("s", {{"1"}}, {}, {"größer"}), equation_of("t", {{"2"}})}};
  CHECK(as_markdown(remarked).find("s & =1 \\quad \\text{(größer)}") != std::string::npos);
  FormatOptions ascii;
  ascii.ascii = true;
  const std::string text = as_markdown(remarked, ascii);
  CHECK(text.find("- $`s=1`$ (gr<span>\\\\</span>u\\{f6\\}<span>\\\\</span>u\\{df\\}er)\n") != std::string::npos);
  CHECK(text.find("- $`t=2`$\n") != std::string::npos);
}

TEST_CASE("in Markdown a formula that ASCII or its fence cannot hold is words") {
  FormatOptions ascii;
  ascii.ascii = true;
  CHECK(as_markdown(Prose{{"Of ", Span("größe₁", Role::query)}}, ascii) ==
        "Of gr<span>\\\\</span>u\\{f6\\}<span>\\\\</span>u\\{df\\}e_1\n");
  CHECK(as_markdown(Prose{{Span("S|1", Role::query)}}) == "S&#124;1\n");
  CHECK(as_markdown(Prose{{Span("S|1", Role::query)}}, with_math("none")) == "S&#124;1\n");
  CHECK(as_markdown(Prose{{Span("S<1", Role::query)}}, with_math("dollar")) == "S&lt;1\n");
  CHECK(as_markdown(Prose{{Span("S<1", Role::query)}}) == "$`S<1`$\n");
}

TEST_CASE("in Markdown a formula with a blank at an end is words as dollars would not be seen there") {
  using Kind = FormulaPiece::Kind;
  const Formula behind(std::vector<FormulaPiece>{{Kind::word, "2π "}});
  const Formula before(std::vector<FormulaPiece>{{Kind::sign, " "}, {Kind::number, "1"}});
  CHECK(as_markdown(Prose{{Span(behind, Role::score), "× r"}}) == "2π × r\n");
  CHECK(as_markdown(Prose{{"of", Span(before, Role::score)}}) == "of 1\n");
}

TEST_CASE("in Markdown what is coloured and has no letters is nothing") {
  CHECK(as_markdown(Prose{{"a", Span("", Role::query), "b"}}) == "ab\n");
  CHECK_FALSE(is_formula(Span("", Role::query)));
}

TEST_CASE("in Markdown letters at once behind a formula leave its dollar alone") {
  CHECK(as_markdown(Prose{{Span("q₁", Role::query), "2 times"}}, with_math("dollar")) == "$q_{1}$&#8203;2 times\n");
  CHECK(as_markdown(Prose{{Span("q₁", Role::query), " 2 times"}}, with_math("dollar")) == "$q_{1}$ 2 times\n");
}

TEST_CASE("in Markdown a line with no sides is its label and its remark") {
  CHECK(as_markdown(Derivation{{}, "", {{{"cat"}, {}, {"padding"}}}}) == "**cat** (padding)\n");
  CHECK(as_markdown(Derivation{{}, "", {{{"cat"}, {{"", {{""}}}}, {"padding"}}}}) == "**cat** (padding)\n");
}

TEST_CASE("what would be a list or an address or an emoji in Markdown is escaped") {
  const std::vector<std::pair<std::string, std::string>> all = {{"12. x", "12\\. x"},
                                                                {"7) x", "7\\) x"},
                                                                {"12.5 x", "12.5 x"},
                                                                {"iv. x", "iv\\. x"},
                                                                {"1a. x", "1a. x"},
                                                                {"WWW.a", "WWW\\.a"},
                                                                {"www.a", "www\\.a"},
                                                                {"wWx. a", "wWx. a"},
                                                                {":a_b:", "<span>:</span>a_b:"},
                                                                {":a-b:", "<span>:</span>a-b:"},
                                                                {":+1:", "<span>:</span>+1:"},
                                                                {"", ""}};
  for (const auto& [text, expected] : all) {
    INFO(text << " is " << escaped_markdown(text));
    CHECK(escaped_markdown(text) == expected);
  }
}

TEST_CASE("beside any blank of Unicode stars would not open so that there are none") {
  CHECK(emphasised("x", "**") == "**x**");
  CHECK(emphasised("", "**").empty());
  for (const std::string blank : {" ", "\u00a0", "\u2003", "\u200a", "\u202f", "\u3000"}) {
    CHECK(emphasised(blank + "x", "**") == blank + "x");
    CHECK(emphasised("x" + blank, "*") == "x" + blank);
  }
  CHECK(emphasised("\u2010x\u200b", "*") == "*\u2010x\u200b*");
}

TEST_CASE("code in Markdown shows what it was given") {
  CHECK(code_span("").empty());
  CHECK(code_span("S′ = 1") == "`S′ = 1`");
  CHECK(code_span("a`b") == "``a`b``");
  CHECK(code_span("`a") == "`` `a ``");
  CHECK(code_span("a``") == "``` a`` ```");
  CHECK(code_span(" a ") == "`  a  `");
  CHECK(code_block("a\n```\n") == "````text\na\n```\n````\n");
}

}  // namespace
}  // namespace attn
