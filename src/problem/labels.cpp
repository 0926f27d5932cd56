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
    faults.add_of("shape-mismatch", tokens.where,
                  "has " + counted(tokens.sequences.size(), "list") + " of tokens, and " + shown(side.where) + " has " +
                      counted(side.rows.size(), "sequence"),
                  "one list of tokens for each sequence");
    return;
  }
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    if (tokens.sequences[b].size() == side.rows[b]) continue;
    const std::string index = side.batched ? "/" + std::to_string(b) : "";
    faults.add_of("shape-mismatch", tokens.where + index,
                  "has " + counted(tokens.sequences[b].size(), "token") + ", and " + shown(side.where + index) +
                      " has " + counted(side.rows[b], "vector"),
                  "one token for each vector");
    return;
  }
}

// A token that looks like padding is shown in quotation marks.
std::string label_of(const std::string& token) { return token == padding_label ? "“" + token + "”" : token; }

Labels labels(const RawTokens* tokens, const Side& side, const std::string& word, std::size_t limit,
              std::size_t length) {
  Labels all;
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    const std::size_t own = std::min(side.rows[b], limit);
    std::vector<std::string> names;
    names.reserve(length);
    for (std::size_t i = 0; i < length; ++i) {
      names.push_back(i >= own ? padding_label
                      : tokens ? label_of(tokens->sequences[b][i])
                               : word + std::to_string(i + 1));
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

using Notes = std::vector<Note>;

// The notes of one kind on each sequence of a side.
void note_cut(const std::string& step, const Side& side, std::size_t limit, Notes& notes) {
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    const std::size_t kept = side.rows_within(limit, b);
    if (kept == side.rows[b]) continue;
    const std::string what = side.batched ? "sequence " + std::to_string(b + 1) + " of " + step : step;
    notes.push_back({step, side.batched ? ListPlace{b} : ListPlace{}, "truncated",
                     what + " is cut from " + counted(side.rows[b], "token") + " to " + std::to_string(kept)});
  }
}

void note_padding(const std::string& step, const Side& side, std::size_t limit, Notes& notes) {
  if (!side.is_ragged_within(limit)) return;
  const std::size_t length = side.longest(limit);
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    const std::size_t own = side.rows_within(limit, b);
    if (own == length) continue;
    notes.push_back({step,
                     {b},
                     "padding",
                     "sequence " + std::to_string(b + 1) + " of " + step + " has " + counted(own, "token") +
                         ", padded to " + std::to_string(length) + " with zeros"});
  }
}

// Of three axes the first is always the batch. Where it has as many entries as
// there are heads, somebody may have meant one matrix a head.
void note_misread(const std::string& step, const Side& side, const Setting& setting, Notes& notes) {
  const std::size_t batch = side.rows.size();
  if (!side.batched || side.heads || batch == 1 || setting.heads != batch) return;
  const std::string axes = setting.vectors == Vectors::rows ? "[batch][token][heads·d]" : "[batch][heads·d][token]";
  notes.push_back({step,
                   {},
                   "misread",
                   step + " are read as " + axes + ": " + std::to_string(batch) +
                       " sequences, the heads side by side; one matrix a head needs a batch axis before it, [1][" +
                       std::to_string(batch) + "][token][d]"});
}

}  // namespace

void check_tokens(const Statement& statement, const Sources& sources, Faults& faults) {
  if (sources.from_tokens) return;
  const std::string tokens = statement.place("/tokens"), inputs = shown(statement.place("/inputs"));
  if (sources.form == Sources::Form::self_attention && statement.tokens_by_role) {
    faults.add_of("wrong-kind", tokens, "has query and key apart, and " + inputs + " has not",
                  "in self-attention one list of tokens names queries and keys");
    return;
  }
  if (sources.form == Sources::Form::cross_attention && statement.tokens) {
    faults.add_of("wrong-kind", tokens, "is one list, and " + inputs + " has query and key apart",
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

std::size_t bytes_of_tokens(const Statement& statement) {
  std::size_t bytes = 0;
  for (const RawTokens* tokens : {query_tokens(statement), key_tokens(statement)}) {
    if (!tokens) continue;
    for (const std::vector<std::string>& sequence : tokens->sequences) {
      for (const std::string& token : sequence) bytes += token.size();
    }
  }
  return bytes;
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

Notes notes_on(const Sources& sources, const Setting& setting, std::size_t limit) {
  const bool direct = sources.form == Sources::Form::direct;
  const bool self = sources.form == Sources::Form::self_attention;
  struct Named {
    const std::optional<Side>& side;
    std::string step;
  };
  const Named sides[] = {{sources.query, direct ? "queries"
                                         : self ? "inputs"
                                                : "inputs.query"},
                         {sources.key, direct ? "keys" : "inputs.key"},
                         {sources.value, direct ? "values" : "inputs.value"}};
  Notes notes;
  for (const auto& [side, step] : sides) {
    if (side && direct) note_misread(step, *side, step == "queries" ? setting : setting.of_keys(), notes);
    if (side && !direct) note_cut(step, *side, limit, notes);
  }
  for (const auto& [side, step] : sides) {
    if (side && !direct) note_padding(step, *side, limit, notes);
  }
  return notes;
}

}  // namespace attn
