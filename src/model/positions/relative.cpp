#include <algorithm>
#include <string>

#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

std::optional<Misfit> misfit(const Choice& choice, const ChoiceSetting&) {
  if (choice.tensors.empty())
    return Misfit{.message = "has neither keys nor values", .help = "give one of them at least"};
  for (const auto& [name, table] : choice.tensors) {
    const std::size_t rows = table.shape().size("distance");
    if (rows % 2 == 0)
      return Misfit{.parameter = name,
                    .message = "has " + std::to_string(rows) + " vectors; an odd number is wanted",
                    .help = "2k + 1 of them: for the distances −k, …, 0, …, k"};
  }
  return std::nullopt;
}

// The row for the distance from query to key, at most k either way.
Rows rows(const Attention& attention, const std::string& table) {
  const auto k = static_cast<std::int64_t>(attention.positions->tensors.at(table).shape().size("distance") / 2);
  return rows_by_distance(attention, [k](std::int64_t i, std::int64_t j) { return std::clamp(j - i, -k, k) + k; });
}

// Shaw et al. (2018), equation 4: a query with the vector of its distance to a key.
std::vector<Operand> record_score_terms(RecipeBuilder& work, const Attention& attention, const QueriesAndKeys& from) {
  if (!attention.positions->has("keys")) return {};
  const std::string by_distance =
      work.step({"distance_scores", "S_D", language().steps.distance_scores, "{} = q_i · a_distance", Role::score},
                Contract{"d_q"}, {Operand(from.queries, {{"d_k", "d_q"}}), "positions.keys"});
  return {work.step({"relative_scores", "R", language().steps.relative_scores, "{} = q_i · a_(j − i)", Role::score},
                    Pick{"distance", rows(attention, "keys")}, {by_distance})};
}

// Equation 3: the values' vectors of each distance, weighed like the values.
std::vector<Operand> record_context_terms(RecipeBuilder& work, const Attention& attention, const std::string& weights) {
  if (!attention.positions->has("values")) return {};
  const std::string picked =
      work.step({"relative_values", "R_V", language().steps.relative_values, "{} = a_(j − i)", Role::value},
                Pick{"distance", rows(attention, "values")}, {"positions.values"});
  return {work.step(
      {"relative_context", "C_R", language().steps.relative_context, "{} = Σ_j A_ij · a_(j − i)", Role::output},
      Contract{"key"}, {weights, picked})};
}

}  // namespace

Position relative_position() {
  return {.spec = {.name = "relative",
                   .summary = "learned vectors of the distance, added to keys and values (Shaw et al. 2018, section 3)",
                   .parameters = {{.name = "keys",
                                   .summary = "a vector for each distance from −k to k, for keys, [2k + 1][d_k]",
                                   .symbol = "a_K",
                                   .axes = {"distance", "d_q"},
                                   .may_be_left_out = true},
                                  {.name = "values",
                                   .summary = "a vector for each distance from −k to k, for values, [2k + 1][d_v]",
                                   .symbol = "a_V",
                                   .axes = {"distance", "d_v"},
                                   .may_be_left_out = true}},
                   .score_terms = true,
                   .misfit = misfit},
          .words = [](const Attention&) { return language().steps.relative.text(); },
          .score_terms = record_score_terms,
          .context_terms = record_context_terms};
}

}  // namespace attn
