#include "model/keys.h"

#include <string>
#include <vector>

#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

// Keys or values: how their steps are called.
struct Kind {
  std::string plural, letter;
  Role role;
};

Kind keys() { return {"keys", "K", Role::key}; }
Kind values() { return {"values", "V", Role::value}; }

// New ones between those of a cache and those put after all others.
std::string record_joined(RecipeBuilder& work, const Problem& problem, const Kind& kind, const std::string& own,
                          const Tensor<double> KeysAndValues::*part) {
  if (!problem.past && !problem.appended) return own;
  std::vector<Operand> operands = {own};
  if (problem.past) {
    operands.insert(operands.begin(), work.given({.id = "past." + kind.plural,
                                                  .symbol = kind.letter + "_past",
                                                  .title = language().steps.past(kind.plural),
                                                  .formula = language().steps.given.text(),
                                                  .role = kind.role},
                                                 (*problem.past).*part));
  }
  if (problem.appended) {
    operands.emplace_back(work.given({.id = "appended." + kind.plural,
                                      .symbol = kind.letter + "_app",
                                      .title = language().steps.appended(kind.plural),
                                      .formula = language().steps.given.text(),
                                      .role = kind.role},
                                     (*problem.appended).*part));
  }
  return work.step(
      {.id = "all_" + kind.plural,
       .symbol = kind.letter + "_all",
       .title = language().steps.all_vectors(kind.plural, problem.past.has_value(), problem.appended.has_value()),
       .formula = "{} = [" + places(0, operands.size(), "; ") + "]",
       .role = kind.role},
      Join{"key"}, operands);
}

std::string record_repeated(RecipeBuilder& work, const Problem& problem, const Kind& kind, const std::string& own) {
  const std::size_t times = *problem.heads / *problem.kv_heads;
  return work.step({.id = "repeated_" + kind.plural,
                    .symbol = kind.letter + "_rep",
                    .title = language().steps.repeated(kind.plural, times),
                    .formula = language().steps.repeated_formula(times),
                    .role = kind.role},
                   Repeat{"head", times, false}, {own});
}

}  // namespace

Projected record_all_keys(RecipeBuilder& work, const Problem& problem, const Projected& projected) {
  Projected all = projected;
  if (const Position& position = position_of(problem); position.rotated) {
    const QueriesAndKeys rotated = position.rotated(work, problem, {projected.queries, projected.keys});
    all.queries = rotated.queries;
    all.keys = rotated.keys;
  }
  all.keys = record_joined(work, problem, keys(), all.keys, &KeysAndValues::keys);
  all.values = record_joined(work, problem, values(), all.values, &KeysAndValues::values);
  return all;
}

Projected record_repeated_heads(RecipeBuilder& work, const Problem& problem, const Projected& all) {
  if (!problem.kv_heads) return all;
  return {all.queries, record_repeated(work, problem, keys(), all.keys),
          record_repeated(work, problem, values(), all.values)};
}

}  // namespace attn
