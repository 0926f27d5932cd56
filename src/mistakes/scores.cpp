#include "mistakes/rewriting.h"

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
  return {rewritten(right, right.at.scores, "", [&](Recipe& recipe) {
    recipe.replace(right.at.scores, Contract{"d_k"}, {std::move(one), std::move(other)});
  })};
}

Rewrites transposed_scores(const RightAttention& right) {
  if (!are_products(right) || !are_square(right)) return {};
  return product_of(right, read_as(right.at.queries, "query", "key"), read_as(right.at.keys, "key", "query"));
}

// The rows of K against the columns of Q, as the product Q·K has it.
Rewrites untransposed_key(const RightAttention& right) {
  if (!are_products(right) || size_along(right, right.at.keys, "key") != size_along(right, right.at.keys, "d_k"))
    return {};
  return product_of(right, right.at.queries, transposed(right.at.keys, "key", "d_k"));
}

Rewrites queries_by_queries(const RightAttention& right) {
  if (!are_products(right) || !are_square(right)) return {};
  return product_of(right, right.at.queries, read_as(right.at.queries, "query", "key"));
}

Rewrites keys_by_keys(const RightAttention& right) {
  if (!are_products(right) || !are_square(right)) return {};
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
  return {
      .name = "scores",
      .title = "Scores",
      .mistakes =
          {
              {.id = "scores.transposed",
               .what = "the scores are K·Qᵀ, with rows for keys, and not Q·Kᵀ",
               .hint = "Give each query a row: the score in row i, column j is query i times key j.",
               .example = "K·Qᵀ for Q·Kᵀ",
               .rewrites = transposed_scores},
              {.id = "scores.untransposed_key",
               .what = "the queries were multiplied by K and not by Kᵀ",
               .hint = "Multiply each row of Q by each row of K, not by its columns.",
               .example = "Q·K for Q·Kᵀ",
               .rewrites = untransposed_key},
              {.id = "scores.query_query",
               .what = "the queries were multiplied by the queries and not by the keys",
               .hint = "The score of a query and a key is their dot product.",
               .example = "Q·Qᵀ for Q·Kᵀ",
               .rewrites = queries_by_queries},
              {.id = "scores.key_key",
               .what = "the keys were multiplied by the keys and not by the queries",
               .hint = "The score of a query and a key is their dot product.",
               .example = "K·Kᵀ for Q·Kᵀ",
               .rewrites = keys_by_keys},
              {.id = "scores.query_value",
               .what = "the queries were multiplied by the values and not by the keys",
               .hint = "Scores compare queries with keys; the values come in after the softmax.",
               .example = "Q·Vᵀ for Q·Kᵀ",
               .rewrites = queries_by_values},
          },
  };
}

}  // namespace attn
