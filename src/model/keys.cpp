#include "model/keys.h"

#include <string>
#include <vector>

#include "model/positions/position.h"

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
                                                  .title = "Past " + kind.plural + ", from the cache",
                                                  .formula = "{} is given",
                                                  .role = kind.role},
                                                 (*problem.past).*part));
  }
  if (problem.appended) {
    operands.emplace_back(work.given({.id = "appended." + kind.plural,
                                      .symbol = kind.letter + "_app",
                                      .title = "Appended " + kind.plural + ", always open",
                                      .formula = "{} is given",
                                      .role = kind.role},
                                     (*problem.appended).*part));
  }
  const std::string what = problem.past && problem.appended ? "past ones before and appended ones behind"
                           : problem.past                   ? "past ones before"
                                                            : "appended ones behind";
  return work.step({.id = "all_" + kind.plural,
                    .symbol = kind.letter + "_all",
                    .title = "All " + kind.plural + ": new ones with " + what,
                    .formula = "{} = [" + places(0, operands.size(), "; ") + "]",
                    .role = kind.role},
                   Join{"key"}, operands);
}

std::string record_repeated(RecipeBuilder& work, const Problem& problem, const Kind& kind, const std::string& own) {
  const std::size_t times = *problem.heads / *problem.kv_heads;
  const std::string group = std::to_string(times);
  return work.step(
      {.id = "repeated_" + kind.plural,
       .symbol = kind.letter + "_rep",
       .title = "Each head's " + kind.plural + " once for each of the " + group + " query heads that share them",
       .formula = "{} of head h = {0} of head ⌈h / " + group + "⌉",
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
