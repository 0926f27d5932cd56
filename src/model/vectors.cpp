#include "model/vectors.h"

#include <string>
#include <vector>

#include "words/language.h"

namespace attn {
namespace {

// Keys or values: how their steps are called, and where they stand among given ones.
struct Kind {
  std::string plural, letter;
  Role role;
  const Source KeysAndValues::*given;
};

Kind keys() { return {"keys", "K", Role::key, &KeysAndValues::keys}; }
Kind values() { return {"values", "V", Role::value, &KeysAndValues::values}; }

// New ones between those of a cache and those put after all others.
std::string record_joined(RecipeBuilder& work, const Attention& attention, const Kind& kind, const std::string& own) {
  if (!attention.past && !attention.appended) return own;
  const auto given = [&](const std::string& id, const std::string& index, const std::string& title,
                         const KeysAndValues& from) {
    return work.given({id + "." + kind.plural, kind.letter + index, title, language().steps.given, kind.role},
                      from.*kind.given);
  };
  std::vector<Operand> operands;
  if (attention.past) {
    operands.emplace_back(given("past", "_past", language().steps.past(kind.plural), *attention.past));
  }
  operands.emplace_back(own);
  if (attention.appended) {
    operands.emplace_back(given("appended", "_app", language().steps.appended(kind.plural), *attention.appended));
  }
  return work.step(
      {"all_" + kind.plural, kind.letter + "_all",
       language().steps.all_vectors(kind.plural, attention.past.has_value(), attention.appended.has_value()),
       "{} = [" + places(0, operands.size(), "; ") + "]", kind.role},
      Join{"key"}, operands);
}

std::string record_repeated(RecipeBuilder& work, const Attention& attention, const Kind& kind, const std::string& own) {
  const std::size_t times = query_heads_to_each_key(attention);
  return work.step({"repeated_" + kind.plural, kind.letter + "_rep", language().steps.repeated(kind.plural, times),
                    language().steps.repeated_formula(times), kind.role},
                   Repeat{"head", times, false}, {own});
}

void give_positions(RecipeBuilder& work, const Attention& attention, const Chosen& chosen) {
  if (!attention.positions) return;
  give_parameters(work, "positions", Role::weight_matrix, chosen.position.spec, *attention.positions);
}

// What scores and context are made from, of what was projected.
Projected record_all_vectors(RecipeBuilder& work, const Attention& attention, const Chosen& chosen, Projected all) {
  give_parameters(work, "score", Role::weight_matrix, chosen.score.spec, attention.score);
  if (chosen.position.rotated) {
    const QueriesAndKeys rotated = chosen.position.rotated(work, attention, {all.queries, all.keys});
    all.queries = rotated.queries;
    all.keys = rotated.keys;
  }
  all.keys = record_joined(work, attention, keys(), all.keys);
  all.values = record_joined(work, attention, values(), all.values);
  return all;
}

}  // namespace

Projected record_vectors(RecipeBuilder& work, const Inputs& inputs, const Attention& attention, const Chosen& chosen) {
  give_positions(work, attention, chosen);
  const ProjectedFrom from = record_inputs(work, inputs, attention, chosen.position);
  return record_all_vectors(work, attention, chosen, record_projections(work, from, attention));
}

Projected record_vectors(RecipeBuilder& work, const ProjectedFrom& from, const Attention& attention,
                         const Chosen& chosen) {
  give_positions(work, attention, chosen);
  return record_all_vectors(work, attention, chosen, record_projections(work, from, attention));
}

std::size_t query_heads_to_each_key(const Attention& attention) {
  return attention.kv_heads ? *attention.heads / *attention.kv_heads : 1;
}

Projected record_repeated_heads(RecipeBuilder& work, const Attention& attention, const Projected& all) {
  if (!attention.kv_heads) return all;
  return {all.queries, record_repeated(work, attention, keys(), all.keys),
          record_repeated(work, attention, values(), all.values)};
}

}  // namespace attn
