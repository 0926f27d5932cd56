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
    operands.insert(operands.begin(),
                    work.given({"past." + kind.plural, kind.letter + "_past", language().steps.past(kind.plural),
                                language().steps.given.text(), kind.role},
                               (*attention.past).*part));
  }
  if (attention.appended) {
    operands.emplace_back(work.given({"appended." + kind.plural, kind.letter + "_app",
                                      language().steps.appended(kind.plural), language().steps.given.text(), kind.role},
                                     (*attention.appended).*part));
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
