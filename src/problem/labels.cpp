#include "problem/labels.h"

#include <algorithm>

namespace attn {
namespace {

using Labels = std::vector<std::vector<std::string>>;

const RawTokens* tokens_of(const Stated<RawTokens>& tokens) { return tokens ? &*tokens : nullptr; }

// The tokens that the file gives for queries or keys, if any.
const RawTokens* query_tokens(const Statement& statement) {
  return statement.tokens_by_role ? tokens_of(statement.tokens_by_role->query) : tokens_of(statement.tokens);
}

const RawTokens* key_tokens(const Statement& statement) {
  return statement.tokens_by_role ? tokens_of(statement.tokens_by_role->key) : tokens_of(statement.tokens);
}

void check_side(const RawTokens& tokens, const Side& side, Faults& faults) {
  if (tokens.batched != side.batched) {
    faults.add(
        "shape-mismatch", tokens.where,
        shown(tokens.where) + (tokens.batched ? " is a list of lists, and " + shown(side.where) + " is one matrix"
                                              : " is one list, and " + shown(side.where) + " is a batch of " +
                                                    std::to_string(side.rows.size())),
        tokens.batched ? "one list of tokens" : "one list of tokens for each sequence");
    return;
  }
  if (tokens.sequences.size() != side.rows.size()) {
    faults.add("shape-mismatch", tokens.where,
               shown(tokens.where) + " has " + counted(tokens.sequences.size(), "list") + " of tokens, and " +
                   shown(side.where) + " has " + counted(side.rows.size(), "sequence"));
    return;
  }
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    if (tokens.sequences[b].size() == side.rows[b]) continue;
    const std::string index = side.batched ? "/" + std::to_string(b) : "";
    faults.add("shape-mismatch", tokens.where + index,
               shown(tokens.where + index) + " has " + counted(tokens.sequences[b].size(), "token") + ", and " +
                   shown(side.where + index) + " has " + counted(side.rows[b], "vector"),
               "one token for each vector");
    return;
  }
}

Labels labels(const RawTokens* tokens, const Side& side, const std::string& word, std::size_t limit,
              std::size_t length) {
  Labels all;
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    const std::size_t own = std::min(side.rows[b], limit);
    std::vector<std::string> names;
    names.reserve(length);
    for (std::size_t i = 0; i < length; ++i) {
      names.push_back(i >= own ? padding_label : tokens ? tokens->sequences[b][i] : word + std::to_string(i + 1));
    }
    all.push_back(std::move(names));
  }
  return all;
}

// "Past 1", "Past 2", …
std::vector<std::string> numbered(const std::string& word, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(word + std::to_string(i + 1));
  return names;
}

}  // namespace

void check_tokens(const Statement& statement, const Sources& sources, Faults& faults) {
  if (sources.from_tokens) return;
  if (sources.form == Sources::Form::self_attention && statement.tokens_by_role) {
    faults.add("wrong-kind", "/tokens", "/tokens has query and key apart, and /inputs has not",
               "in self-attention one list of tokens names queries and keys");
    return;
  }
  if (sources.form == Sources::Form::cross_attention && statement.tokens) {
    faults.add("wrong-kind", "/tokens", "/tokens is one list, and /inputs has query and key apart",
               R"(write "tokens": {"query": […], "key": […]})");
    return;
  }
  const RawTokens* queries = query_tokens(statement);
  const RawTokens* keys = key_tokens(statement);
  if (queries && sources.query_side()) check_side(*queries, *sources.query_side(), faults);
  if (keys && sources.key_side() && (keys != queries || sources.key_side() != sources.query_side())) {
    check_side(*keys, *sources.key_side(), faults);
  }
}

void set_labels(const Statement& statement, const Sources& sources, std::size_t limit, Attention& attention) {
  const bool same = sources.form == Sources::Form::self_attention;
  attention.query_labels =
      labels(query_tokens(statement), *sources.query_side(), same ? "Input " : "Query ", limit, attention.query_count);
  attention.key_labels = labels(key_tokens(statement), *sources.key_side(), same ? "Input " : "Key ", limit,
                                attention.key_count - attention.past_count());
  const std::vector<std::string> past = numbered("Past ", attention.past_count());
  const std::vector<std::string> appended = numbered("Appended ", attention.appended_count());
  for (std::vector<std::string>& names : attention.key_labels) {
    names.insert(names.begin(), past.begin(), past.end());
    names.insert(names.end(), appended.begin(), appended.end());
  }
}

}  // namespace attn
