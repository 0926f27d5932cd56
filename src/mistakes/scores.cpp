#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// Whether the scores are plain products of queries and keys, heads included.
bool are_products(const RightAttention& right) {
  const Instruction* scores = right.find(right.at.scores);
  return scores && scores->op == Op(Contract{"d_k"}) && scores->operands.size() == 2 &&
         scores->operands[0].id == right.at.queries && scores->operands[1].id == right.at.keys;
}

bool are_square(const RightAttention& right) {
  return size_along(right, right.at.queries, "query") == size_along(right, right.at.keys, "key");
}

Rewrites product_of(const RightAttention& right, Operand one, Operand other) {
  if (!are_products(right)) return {};
  return {rewritten(right, right.at.scores, "",
                    {line(right.at.scores, Contract{"d_k"}, {std::move(one), std::move(other)})})};
}

Rewrites transposed_scores(const RightAttention& right) {
  if (!are_square(right)) return {};
  return product_of(right, read_as(right.at.queries, "query", "key"), read_as(right.at.keys, "key", "query"));
}

// The rows of K against the columns of Q, as the product Q·K has it.
Rewrites untransposed_key(const RightAttention& right) {
  if (size_along(right, right.at.keys, "key") != size_along(right, right.at.keys, "d_k")) return {};
  return product_of(right, right.at.queries, transposed(right.at.keys, "key", "d_k"));
}

Rewrites queries_by_queries(const RightAttention& right) {
  if (!are_square(right)) return {};
  return product_of(right, right.at.queries, read_as(right.at.queries, "query", "key"));
}

Rewrites keys_by_keys(const RightAttention& right) {
  if (!are_square(right)) return {};
  return product_of(right, read_as(right.at.keys, "key", "query"), right.at.keys);
}

Rewrites queries_by_values(const RightAttention& right) {
  if (!are_products(right) || size_along(right, right.at.values, "d_v") != size_along(right, right.at.queries, "d_k"))
    return {};
  if (right.shape(right.at.values).has("head") != right.shape(right.at.queries).has("head")) return {};
  // Values are made after the scores' operands, and before the scores.
  return product_of(right, right.at.queries, read_as(right.at.values, "d_v", "d_k"));
}

}  // namespace

Family scores_family() {
  const MistakeWords& said = language().mistakes;
  return {said.scores,
          {
              {"scores.transposed", said.scores_transposed, transposed_scores},
              {"scores.untransposed_key", said.scores_untransposed_key, untransposed_key},
              {"scores.query_query", said.scores_query_query, queries_by_queries},
              {"scores.key_key", said.scores_key_key, keys_by_keys},
              {"scores.query_value", said.scores_query_value, queries_by_values},
          }};
}

}  // namespace attn
