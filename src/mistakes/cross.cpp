#include <string>
#include <utility>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// Whether queries are made from other vectors than keys, both of which are steps.
bool reads_a_memory(const RightAttention& right) {
  const Anatomy& at = right.at;
  return !at.key_inputs.empty() && at.key_inputs != at.query_inputs && right.has(at.key_inputs) &&
         right.has(at.query_inputs) && right.shape(at.key_inputs).has("token");
}

// What makes keys, values or queries of their vectors: the wide product, or they themselves.
const StepId& maker(const RightAttention& right, const StepId& wide, const StepId& own) {
  return right.has(wide) ? wide : own;
}

// The columns of these vectors that each head has, where the problem splits them before they are projected.
const Instruction* columns_of(const RightAttention& right, const StepId& vectors) {
  for (const auto& own : right.instructions()) {
    if (std::holds_alternative<Split>(own->op) && own->operands[0].id == vectors) return right.find(own->id());
  }
  return nullptr;
}

void read_other(const RightAttention& right, Rewrite& made, const StepId& step, const StepId& from, const StepId& to) {
  made.recipe.redirect(step, from, to);
  const Instruction *columns = columns_of(right, from), *others = columns_of(right, to);
  if (columns && others) made.recipe.redirect(step, columns->id(), others->id());
}

Rewrites keys_from_decoder(const RightAttention& right) {
  if (!reads_a_memory(right)) return {};
  const Anatomy& at = right.at;
  const StepId& keys = maker(right, at.projected_keys, at.keys);
  Rewrite both{keys, language().mistakes.keys_and_values, right.recipe};
  read_other(right, both, keys, at.key_inputs, at.query_inputs);
  read_other(right, both, maker(right, at.projected_values, at.values), at.key_inputs, at.query_inputs);
  Rewrite alone{keys, language().mistakes.only_keys, right.recipe};
  read_other(right, alone, keys, at.key_inputs, at.query_inputs);
  return {std::move(both), std::move(alone)};
}

Rewrites values_from_decoder(const RightAttention& right) {
  if (!reads_a_memory(right)) return {};
  Rewrite made{maker(right, right.at.projected_values, right.at.values), "", right.recipe};
  read_other(right, made, made.step, right.at.key_inputs, right.at.query_inputs);
  return {std::move(made)};
}

Rewrites queries_from_encoder(const RightAttention& right) {
  if (!reads_a_memory(right)) return {};
  Rewrite made{maker(right, right.at.projected_queries, right.at.queries), "", right.recipe};
  read_other(right, made, made.step, right.at.query_inputs, right.at.key_inputs);
  return {std::move(made)};
}

}  // namespace

Family cross_family() {
  const MistakeWords& said = language().mistakes;
  return {said.cross,
          {
              {"cross.keys_from_decoder", said.cross_keys_from_decoder, keys_from_decoder},
              {"cross.values_from_decoder", said.cross_values_from_decoder, values_from_decoder},
              {"cross.queries_from_encoder", said.cross_queries_from_encoder, queries_from_encoder},
          }};
}

}  // namespace attn
