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
std::string record_joined(RecipeBuilder& work, const Attention& attention, const Kind& kind, const std::string& own,
                          const Source KeysAndValues::*part) {
  if (!attention.past && !attention.appended) return own;
  std::vector<Operand> operands = {own};
  if (attention.past) {
    operands.insert(operands.begin(), work.given({.id = "past." + kind.plural,
                                                  .symbol = kind.letter + "_past",
                                                  .title = language().steps.past(kind.plural),
                                                  .formula = language().steps.given.text(),
                                                  .role = kind.role},
                                                 (*attention.past).*part));
  }
  if (attention.appended) {
    operands.emplace_back(work.given({.id = "appended." + kind.plural,
                                      .symbol = kind.letter + "_app",
                                      .title = language().steps.appended(kind.plural),
                                      .formula = language().steps.given.text(),
                                      .role = kind.role},
                                     (*attention.appended).*part));
  }
  return work.step(
      {.id = "all_" + kind.plural,
       .symbol = kind.letter + "_all",
       .title = language().steps.all_vectors(kind.plural, attention.past.has_value(), attention.appended.has_value()),
       .formula = "{} = [" + places(0, operands.size(), "; ") + "]",
       .role = kind.role},
      Join{"key"}, operands);
}

std::string record_repeated(RecipeBuilder& work, const Attention& attention, const Kind& kind, const std::string& own) {
  const std::size_t times = query_heads_to_each_key(attention);
  return work.step({.id = "repeated_" + kind.plural,
                    .symbol = kind.letter + "_rep",
                    .title = language().steps.repeated(kind.plural, times),
                    .formula = language().steps.repeated_formula(times),
                    .role = kind.role},
                   Repeat{"head", times, false}, {own});
}

}  // namespace

Projected record_all_keys(RecipeBuilder& work, const Attention& attention, const Projected& projected) {
  Projected all = projected;
  if (const Position& position = position_of(attention); position.rotated) {
    const QueriesAndKeys rotated = position.rotated(work, attention, {projected.queries, projected.keys});
    all.queries = rotated.queries;
    all.keys = rotated.keys;
  }
  all.keys = record_joined(work, attention, keys(), all.keys, &KeysAndValues::keys);
  all.values = record_joined(work, attention, values(), all.values, &KeysAndValues::values);
  return all;
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
