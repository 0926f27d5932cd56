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
  CHECK(kinds("q₁·Kᵀ") == std::vector{Kind::letter, Kind::lowered, Kind::sign, Kind::letter, Kind::raised});
  CHECK(kinds("2^8") == std::vector{Kind::number, Kind::sign, Kind::number});
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
