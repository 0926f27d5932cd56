#include <optional>
#include <utility>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// What the scores are products of, heads included: queries and keys, rotated or repeated
// as they may be. Nothing where the scores are something else.
struct Factors {
  Operand queries, keys;
};

std::optional<Factors> factors(const RightAttention& right) {
  const Instruction& scores = *right.find(right.at.scores);
  if (scores.op != Op(Contract{"d_k"}) || scores.operands.size() != 2) return std::nullopt;
  return Factors{scores.operands[0], scores.operands[1]};
}

bool are_square(const RightAttention& right) {
  return size_along(right, right.at.scores, "query") == size_along(right, right.at.scores, "key");
}

Rewrites product_of(const RightAttention& right, Operand one, Operand other) {
  return {rewritten(right, right.at.scores, "",
                    {line(right.at.scores, Contract{"d_k"}, {std::move(one), std::move(other)})})};
}

// Whatever the scores are, with rows and columns exchanged.
Rewrites transposed_scores(const RightAttention& right) {
  if (!are_square(right)) return {};
  if (const auto of = factors(right)) {
    return product_of(right, read_as(of->queries, "query", "key"), read_as(of->keys, "key", "query"));
  }
  const Instruction& scores = *right.find(right.at.scores);
  return {rewritten(right, right.at.scores, "",
                    {line("~scores", scores.op, scores.operands, scores.open),
                     line(right.at.scores, Copy{}, {transposed("~scores", "query", "key")})})};
}

// The rows of K against the columns of Q, as the product Q·K has it.
Rewrites untransposed_key(const RightAttention& right, const Factors& of) {
  if (size_along(right, of.keys.id, "key") != size_along(right, of.keys.id, "d_k")) return {};
  return product_of(right, of.queries, transposed(of.keys, "key", "d_k"));
}

Rewrites queries_by_queries(const RightAttention& right, const Factors& of) {
  if (!are_square(right)) return {};
  return product_of(right, of.queries, read_as(of.queries, "query", "key"));
}

Rewrites keys_by_keys(const RightAttention& right, const Factors& of) {
  if (!are_square(right)) return {};
  return product_of(right, read_as(of.keys, "key", "query"), of.keys);
}

Rewrites queries_by_values(const RightAttention& right, const Factors& of) {
  if (size_along(right, right.at.values, "d_v") != size_along(right, right.at.queries, "d_k")) return {};
  const StepId values = as_read(right, right.at.values);
  if (right.shape(values).has("head") != right.shape(right.at.queries).has("head")) return {};
  // Values are made after the scores' operands, and before the scores.
  return product_of(right, of.queries, read_as(values, "d_v", "d_k"));
}

}  // namespace

Family scores_family() {
  const MistakeWords& said = language().mistakes;
  return {said.scores,
          {
              {"scores.transposed", said.scores_transposed, transposed_scores},
              {"scores.untransposed_key", said.scores_untransposed_key, where<factors, untransposed_key>},
              {"scores.query_query", said.scores_query_query, where<factors, queries_by_queries>},
              {"scores.key_key", said.scores_key_key, where<factors, keys_by_keys>},
              {"scores.query_value", said.scores_query_value, where<factors, queries_by_values>},
          }};
}

}  // namespace attn
