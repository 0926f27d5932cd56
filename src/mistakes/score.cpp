#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mistakes/rewriting.h"
#include "words/language.h"

// Scores that are more than products of queries and keys.

namespace attn {
namespace {

// The line of the scores where it divides by the norms of queries and keys; null where it does not.
const Instruction* cosine(const RightAttention& right) {
  const Instruction* scores = right.find(right.at.scores);
  const auto* product = std::get_if<Contract>(&scores->op);
  return product && product->then == Contract::Then::divide ? scores : nullptr;
}

Rewrites not_normed(const RightAttention& right, const Instruction& scores) {
  const std::vector<Operand>& from = scores.operands;  // queries, keys, their norms, and what is added
  const Axis over = std::get<Contract>(scores.op).over;
  std::vector<Operand> plain = from;
  plain.erase(plain.begin() + 2, plain.begin() + 4);
  const auto without = [&](const std::string& variant, std::size_t norm) {
    std::vector<Operand> operands = from;
    operands[norm] = "~one";
    return rewritten(right, right.at.scores, variant,
                     {given_line("~one", Tensor<double>(Shape{}, {1})),
                      line(right.at.scores, Contract{over, Contract::Then::divide}, std::move(operands))});
  };
  const MistakeWords& said = language().mistakes;
  return {rewritten(right, right.at.scores, said.by_no_norm, {line(right.at.scores, Contract{over}, std::move(plain))}),
          without(said.not_by_query_norm, 2), without(said.not_by_key_norm, 3)};
}

Rewrites tanh_left_out(const RightAttention& right) {
  for (const auto& own : right.instructions()) {
    const auto* map = std::get_if<Map>(&own->op);
    if (own->id() == right.at.scores) break;
    if (map && map->function == Unary::tanh) return {with_op(right, own->id(), Copy{})};
  }
  return {};
}

bool reads(const Instruction& line, const StepId& id) {
  return std::ranges::find(line.operands, id, &Operand::id) != line.operands.end();
}

// The keys, or the same once for each query head where several share them.
std::vector<StepId> keys_compared(const RightAttention& right) {
  std::vector<StepId> keys = {right.at.keys};
  for (const auto& own : right.instructions()) {
    if (std::holds_alternative<Repeat>(own->op) && reads(*own, right.at.keys)) keys.push_back(own->id());
  }
  return keys;
}

// Whether it is part of a score: not a rotation, say, or what puts a cache before the keys.
bool compares(const Op& op) {
  const auto* join = std::get_if<Join>(&op);
  return std::holds_alternative<Contract>(op) || std::holds_alternative<Reduce>(op) || (join && join->axis != "key");
}

// What is made of queries and keys on the way to the scores; nothing where the scores are
// their plain product, or of what was made of either before.
std::vector<Instruction> compared(const RightAttention& right) {
  if (reads(*right.find(right.at.scores), right.at.queries) && !cosine(right)) return {};
  const std::vector<StepId> keys = keys_compared(right);
  std::vector<Instruction> lines;
  for (const auto& own : right.instructions()) {
    const bool reads_keys = std::ranges::any_of(keys, [&](const StepId& id) { return reads(*own, id); });
    if ((reads(*own, right.at.queries) || reads_keys) && own->id() != keys.back()) {
      // A line that only another mistake has is no part of the score.
      if (!compares(own->op) || own->id().starts_with('~')) return {};
      lines.push_back(*own);
    }
    if (own->id() == right.at.scores) break;
  }
  return lines;
}

// The lines with these operands read for queries, and for keys where they are others.
Rewrite comparing(const RightAttention& right, const std::string& variant, std::vector<Instruction> lines,
                  const Operand& for_queries, const Operand& for_keys) {
  const auto read_for = [](Operand& operand, Operand other) {
    other.renamed.insert(other.renamed.end(), operand.renamed.begin(), operand.renamed.end());
    operand = std::move(other);
  };
  const std::vector<StepId> keys = keys_compared(right);
  for (Instruction& own : lines) {
    for (Operand& operand : own.operands) {
      if (operand.id == right.at.queries) {
        read_for(operand, for_queries);
      } else if (for_keys.id != keys.back() && std::ranges::find(keys, operand.id) != keys.end()) {
        read_for(operand, for_keys);
      }
    }
    own = line(own.id(), own.op, own.operands, own.open);
  }
  const std::string step = lines.front().id();
  return rewritten(right, step, variant, std::move(lines));
}

Rewrites key_for_query(const RightAttention& right) {
  const std::vector<Instruction> lines = compared(right);
  if (lines.empty()) return {};
  const StepId queries = right.at.queries, keys = keys_compared(right).back();
  const MistakeWords& said = language().mistakes;
  Rewrites all;
  // The cosine of two vectors is that of the other with the one.
  if (!cosine(right)) all.push_back(comparing(right, said.each_for_the_other, lines, keys, queries));
  if (size_along(right, queries, "query") != size_along(right, keys, "key")) return all;
  all.push_back(comparing(right, said.keys_for_queries, lines, read_as(keys, "key", "query"), keys));
  all.push_back(comparing(right, said.queries_for_keys, lines, queries, read_as(queries, "query", "key")));
  return all;
}

}  // namespace

Family score_family() {
  const MistakeWords& said = language().mistakes;
  return {said.score,
          {
              {"score.cosine_not_normed", said.score_cosine_not_normed, where<cosine, not_normed>},
              {"score.tanh_left_out", said.score_tanh_left_out, tanh_left_out},
              {"score.key_for_query", said.score_key_for_query, key_for_query},
          }};
}

}  // namespace attn
