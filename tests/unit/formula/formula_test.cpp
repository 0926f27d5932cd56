#include "formula/formula.h"

#include <string>
#include <vector>

#include "catch.h"
#include "explain/place.h"
#include "trace/recipe_builder.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

using Kind = FormulaPiece::Kind;

std::vector<Kind> kinds(const Formula& formula) {
  std::vector<Kind> all;
  for (const FormulaPiece& piece : formula.pieces()) all.push_back(piece.kind);
  return all;
}

TEST_CASE("a formula is written down with places for symbols", "[formula]") {
  const Formula scaled = "{} = {0} / √d_k";
  CHECK(scaled.with("S′", std::vector<Formula>{"S"}).text() == "S′ = S / √d_k");
  CHECK(Formula("{1}·{0}").with("O", std::vector<Formula>{"C", "W_O"}).text() == "W_O·C");
  CHECK(places(1, 2) == "{1} + {2}");
  CHECK(places(0, 2, "; ") == "{0}; {1}");
  CHECK(formula_pieces("{0}").size() == 3);
}

TEST_CASE("a symbol is a letter with what stands beside it", "[formula]") {
  CHECK(kinds("S″") == std::vector{Kind::letter});
  CHECK(kinds("K*") == std::vector{Kind::letter});
  CHECK(kinds("M_causal") == std::vector{Kind::letter, Kind::index});
  CHECK(kinds("QK") == std::vector{Kind::word});
  CHECK(kinds("é") == std::vector{Kind::word});
  CHECK(kinds("q₁·Kᵀ") == std::vector{Kind::letter, Kind::lowered, Kind::sign, Kind::letter, Kind::raised});
  CHECK(kinds("2^8") == std::vector{Kind::number, Kind::sign, Kind::number});
  CHECK(kinds("α‴") == std::vector{Kind::letter});
}

TEST_CASE("a brace around no number is a brace") {
  for (const std::string text : {"{", "{1", "{1 }", "{x}"}) {
    INFO(text);
    CHECK(kinds(text).front() == Kind::sign);
    CHECK(Formula(text).with("Y", std::vector<Formula>{"A", "B"}).text() == text);
  }
  CHECK(kinds("{1}") == std::vector{Kind::place});
}

TEST_CASE("a star between two factors is a sign") {
  for (const std::string text : {"a*b", "a*2", "a*("}) {
    INFO(text);
    CHECK(formula_pieces(text)[0] == FormulaPiece{Kind::letter, "a"});
    CHECK(formula_pieces(text)[1] == FormulaPiece{Kind::sign, "*"});
  }
  CHECK(kinds("a* b") == std::vector{Kind::letter, Kind::space, Kind::letter});
}

TEST_CASE("a number has its decimals and its exponent and nothing else") {
  for (const std::string text : {"2", "2.5", "2e5", "2e+5", "2e-5", "2e−5", "∞"}) {
    INFO(text);
    CHECK(kinds(text) == std::vector{Kind::number});
  }
  CHECK(kinds("2.") == std::vector{Kind::number, Kind::sign});
  CHECK(kinds("2e") == std::vector{Kind::number, Kind::letter});
  CHECK(kinds("2e+") == std::vector{Kind::number, Kind::letter, Kind::sign});
}

TEST_CASE("a word has hyphens and apostrophes inside and a letter has none") {
  for (const std::string text : {"self-attention", "heads'", "don't", "layer1.ffn", "row_maximum"}) {
    INFO(text);
    CHECK(kinds(text) == std::vector{Kind::word});
  }
  CHECK(kinds("a-b") == std::vector{Kind::letter, Kind::sign, Kind::letter});
  CHECK(kinds("a'") == std::vector{Kind::letter, Kind::sign});
  CHECK(kinds("self-2") == std::vector{Kind::word, Kind::sign, Kind::number});
}

TEST_CASE("symbols stand where the formula has places for them, whatever its words say", "[formula]") {
  RecipeBuilder work;
  const Tensor<double> numbers(Shape{{"query", 2}, {"d_k", 2}}, {1, 2, 3, 4});
  work.given({.id = "a", .symbol = "A", .role = Role::query}, LateTensor(numbers));
  work.step({.id = "b", .symbol = "B", .formula = "{} = {0}, A times", .role = Role::score}, Copy{}, {"a"});
  const Trace trace = worked_out(work);
  CHECK(trace.steps[0].heading.formula.text() == "B = A, A times");
  const Inline told = Symbols(trace).formula(trace.steps[0], {{"query", 1}});
  CHECK(plain(told) == "b₂ = a₂, A times");
  CHECK(told[2].role == Role::query);
  CHECK(told[3].text == ", A times");
}

}  // namespace
}  // namespace attn
