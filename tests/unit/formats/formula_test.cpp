#include <array>
#include <string>
#include <vector>

#include "catch.h"
#include "formats/formula/tree.h"
#include "formats/latex/math.h"

namespace attn {
namespace {

using Kind = FormulaPart::Kind;

// The tree as text: "row(id:S sign:= …)".
std::string tree(const FormulaPart& part) {
  static const auto* const names = new std::array{"row", "id", "num", "sign", "word", "sub", "sup", "root"};
  std::string text = names->at(static_cast<std::size_t>(part.kind));
  if (part.children.empty()) return text + ":" + part.text;
  for (std::size_t i = 0; i < part.children.size(); ++i) text += (i == 0 ? "(" : " ") + tree(part.children[i]);
  return text + ")";
}

TEST_CASE("a formula is taken apart") {
  struct Case {
    std::string text, expected;
  };
  const auto one = GENERATE(from_range(std::vector<Case>{
      {"s₁ = q₁·Kᵀ", "row(sub(id:s num:1) sign:= sub(id:q num:1) sign:· sup(id:K id:T))"},
      {"x₁₂", "row(sub(id:x num:12))"},
      {"S[1,2]", "row(id:S sign:[ num:1 sign:, num:2 sign:])"},
      {"1×4 + 0×4", "row(num:1 sign:× num:4 sign:+ num:0 sign:× num:4)"},
      {"E = e^(S″ − m)", "row(id:E sign:= sup(id:e row(id:S″ sign:− id:m)))"},
      {"e^0 = 1", "row(sup(id:e num:0) sign:= num:1)"},
      {"e^s_ij / e^x₁", "row(sup(id:e sub(id:s row(id:i id:j))) sign:/ sup(id:e sub(id:x num:1)))"},
      {"e^(−2)", "row(sup(id:e row(sign:− num:2)))"},
      {"e^(−(a))", "row(sup(id:e row(sign:− sign:( id:a sign:))))"},
      {"S′ = S / √d_k", "row(id:S′ sign:= id:S sign:/ root(sub(id:d id:k)))"},
      {"√(a + 4)", "row(root(row(id:a sign:+ num:4)))"},
      {"√64", "row(root(num:64))"},
      {"u_ij = A_ij · v_j", "row(sub(id:u row(id:i id:j)) sign:= sub(id:A row(id:i id:j)) sign:· sub(id:v id:j))"},
      {"K* = X·W_K + b_K", "row(id:K* sign:= id:X sign:· sub(id:W id:K) sign:+ sub(id:b id:K))"},
      {"K*_hᵀ", "row(sup(sub(id:K* id:h) id:T))"},
      {"d_model", "row(sub(id:d word:model))"},
      {"(−3)²", "row(sup(row(sign:( sign:− num:3 sign:)) num:2))"},
      {"1.5e+20 / 1e-7", "row(num:1.5e+20 sign:/ num:1e-7)"},
      {"−∞, NaN", "row(sign:− num:∞ sign:, num:NaN)"},
      {"m = max of each row of S″", "row(id:m sign:= word:max of each row of  id:S″)"},
      {"the heads' C side by side", "row(word:the heads'  id:C word: side by side)"},
      {"… 3 more …", "row(sign:… word:  num:3 word: more  sign:…)"},
      {"max(2, 4)", "row(word:max sign:( num:2 sign:, num:4 sign:))"},
      {"scaled_scores[1,1…3]", "row(word:scaled_scores sign:[ num:1 sign:, num:1 sign:… num:3 sign:])"},
      {"weights.key[2]", "row(word:weights.key sign:[ num:2 sign:])"},
      {"1 where open, 0", "row(num:1 word: where open sign:, num:0)"},
      {"row of head₁", "row(word:row of  sub(word:head num:1))"},
      {"2^max", "row(sup(num:2 word:max))"},
      {"√head", "row(root(word:head))"},
      {"√d₁₂", "row(root(sub(id:d num:12)))"},
      {"e^−x₂ + 2^-3", "row(sup(id:e row(sign:− sub(id:x num:2))) sign:+ sup(num:2 row(sign:- num:3)))"},
      {"( a, b )", "row(sign:( id:a sign:, id:b word:  sign:))"},
      {"w_α", "row(sub(id:w id:α))"},
      {"w_é", "row(sub(id:w word:é))"},
      {"w_日", "row(sub(id:w word:日))"},
      {"w_i1", "row(sub(id:w word:i1))"},
  }));
  CAPTURE(one.text);
  CHECK(tree(formula_tree({one.text})) == one.expected);
}

TEST_CASE("what is no formula loses nothing") {
  for (const std::string text :
       {"^", "_", "√", "e^(", "e^", "(((", ")", "]]", "K_", "a^^b", "*", "′", "日本 語", "a_", "²", "\\frac{1}{2}"}) {
    CAPTURE(text);
    std::string flat;
    const auto collect = [&](const auto& self, const FormulaPart& part) -> void {
      flat += part.text;
      for (const FormulaPart& child : part.children) self(self, child);
    };
    collect(collect, formula_tree({text}));
    CHECK(flat == (text == "²" ? "2" : text));
  }
  CHECK(formula_tree({""}).children.empty());
}

TEST_CASE("a formula across spans keeps their roles") {
  const Inline text = {"e^(", {"2", Role::score}, " − ", {"4", Role::score}, ") = ", {"S″₁", Role::score}};
  const FormulaPart all = formula_tree(text);
  REQUIRE(all.children.size() == 3);
  CHECK(tree(all) == "row(sup(id:e row(num:2 sign:− num:4)) sign:= sub(id:S″ num:1))");
  CHECK(all.children[0].children[1].children[0].role == Role::score);
  CHECK(!all.children[0].children[1].children[1].role);
  CHECK(all.children[2].role == Role::score);
  CHECK(!all.children[2].children[0].role);
}

TEST_CASE("words of two roles stay apart") {
  const FormulaPart all = formula_tree({{"max", Role::score}, {"min", Role::key}});
  CHECK(tree(all) == "row(word:max word:min)");
  CHECK(all.children[0].role == Role::score);
  CHECK(all.children[1].role == Role::key);
}

TEST_CASE("an index belongs to the symbol that stands where the formula has a place") {
  const auto filled = [](const Formula& symbol) {
    return tree(formula_tree({Span(Formula("{0}_i").with("", std::vector<Formula>{symbol}), std::nullopt)}));
  };
  CHECK(filled("S") == "row(sub(id:S id:i))");
  // Where there is none, or it ends in a sign, the index says of itself what it is.
  CHECK(filled("") == "row(word:_i)");
  CHECK(filled("(a + b)") == "row(sign:( id:a sign:+ id:b sign:) word:_i)");
}

TEST_CASE("a place that no symbol fills stays as it is written") {
  CHECK(tree(formula_tree({Span(Formula("{0} × {1}"), std::nullopt)})) == "row(sign:{0} sign:× sign:{1})");
  CHECK(tree(formula_tree({Span(Formula("{0} of x"), std::nullopt)})) == "row(sign:{0} word: of  id:x)");
}

TEST_CASE("what is lowered or raised stands by its words or alone") {
  CHECK(tree(formula_tree({"head ₁"})) == "row(sub(word:head  num:1))");
  CHECK(tree(formula_tree({"a ₁"})) == "row(id:a word:  sub(row: num:1))");
  CHECK(tree(formula_tree({"₁"})) == "row(sub(row: num:1))");
}

TEST_CASE("formulas as LaTeX") {
  CHECK(latex_math("s₁ = q₁·Kᵀ") == "s_{1}=q_{1}\\cdot K^{\\top}");
  CHECK(latex_math("E = e^(S″ − m)") == "E=e^{S''-m}");
  CHECK(latex_math("S′ = S / √d_k ≈ −∞") == "S'=S\\mathbin{/}\\sqrt{d_{k}}\\approx-\\infty");
  CHECK(latex_math("K*ᵀ·K*_hᵀ") == "{K^{*}}^{\\top}\\cdot{K^{*}_{h}}^{\\top}");
  CHECK(latex_math("S″₁ᵀ") == "{S''_{1}}^{\\top}");
  CHECK(latex_math("m = max of each row of S") == "m=\\text{max of each row of }S");
  CHECK(latex_math("max(2, 4)") == "\\max(2,4)");
  CHECK(latex_math("A ⋈ B ⊕ C") == "A\\ \\text{⋈}\\ B\\ \\oplus\\ C");  // LaTeX has no command for the first
  CHECK(latex_math("1.5e+20") == "1.5\\mathrm{e}{+}20");
  CHECK(latex_math("scaled_scores[1]") == "\\text{scaled}\\_\\text{scores}[1]");
  CHECK(latex_math("\\input{x} $ % # & ~") == "\\backslash\\text{input}\\{x\\}\\ \\$\\ \\%\\ \\#\\ \\&\\ {\\sim}");
  const Inline coloured = {{"q₁", Role::query}, "·", {"k₂", Role::key}, " = ", {"x₁", Role::input}};
  CHECK(latex_math(coloured, true) == "\\attnquery{q_{1}}\\cdot\\attnkey{k_{2}}=x_{1}");
  CHECK(latex_math(Inline{{"u_ij = A_ij", Role::value}}, true) == "\\attnvalue{u_{ij}=A_{ij}}");
  CHECK(latex_math(coloured, false) == "q_{1}\\cdot k_{2}=x_{1}");
}

TEST_CASE("other people's text stays text in LaTeX") {
  CHECK(latex_text("50% of $x_1 & {y} #2 ~^\\") ==
        "50\\% of \\$x\\_1 \\& \\{y\\} \\#2 \\textasciitilde{}\\textasciicircum{}\\textbackslash{}");
  CHECK(latex_text("--full") == "-{}-full");
  CHECK(latex_text("naïve √d_k → Kᵀ") ==
        "naïve \\ensuremath{\\surd}d\\_k \\ensuremath{\\to} K\\ensuremath{{}^{\\top}}");
  CHECK(latex_text("q₁²") == "q\\ensuremath{{}_{1}}\\ensuremath{{}^{2}}");
  CHECK(latex_text("😀") == "\\attnchar{1F600}{😀}");
  CHECK(latex_text("\x1b") == "\\textbackslash{}x1b");
}

}  // namespace
}  // namespace attn
