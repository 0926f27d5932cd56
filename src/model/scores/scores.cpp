#include "model/scores/score.h"
#include "words/language.h"

namespace attn {

std::string written_products(const RecipeBuilder& work) {
  return work.vectors() == Vectors::rows ? "{} = {0}·{1}ᵀ" : "{} = {0}ᵀ·{1}";
}

void add_terms(const std::vector<Operand>& terms, Heading& heading, std::vector<Operand>& operands) {
  if (terms.empty()) return;
  heading.title = language().steps.and_positions(heading.title);
  heading.formula += " + " + places(operands.size(), terms.size());
  operands.insert(operands.end(), terms.begin(), terms.end());
}

void record_last(RecipeBuilder& work, const Compared& from, Heading heading, const Contract& op,
                 std::vector<Operand> operands) {
  if (from.terms) add_terms(from.terms(), heading, operands);
  heading.id = "scores";
  heading.symbol = "S";
  heading.role = Role::score;
  work.step(std::move(heading), op, std::move(operands));
}

std::string queries_of(RecipeBuilder&, const Choice&, const Compared& from) { return from.queries; }

void record_hidden_scores(RecipeBuilder& work, const Compared& from) {
  work.step({"score_tanh", "T", language().steps.hidden_tanh, "{} = tanh({0})", Role::score}, Map{Unary::tanh, 0, ""},
            {"score_hidden"});
  record_last(work, from, {.title = language().steps.hidden_scores, .formula = "{} = {0}·{1}"}, Contract{"d_hidden"},
              {"score_tanh", "score.v"});
}

std::string record_weighted(RecipeBuilder& work, Heading heading, const std::string& from, const Axis& width,
                            const std::string& weight) {
  heading.formula = work.vectors() == Vectors::rows ? "{} = {0}·{1}" : "{} = {1}ᵀ·{0}";
  return work.step(std::move(heading), Contract{width}, {Operand(from, {{"d_k", width}}), weight});
}

}  // namespace attn
