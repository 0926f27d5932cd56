#include "problem/sources.h"

#include <cassert>
#include <limits>
#include <utility>

namespace attn {
namespace {

class Finder {
 public:
  Finder(Statement& statement, Vectors vectors, Budget& budget, Faults& faults)
      : statement_(statement), vectors_(vectors), budget_(budget), faults_(faults) {}

  Sources found() {
    const Statement& s = statement_;
    const std::string embeddings = s.place("/embeddings");
    const bool inputs = s.inputs.is_given() || s.inputs_by_role.is_given();
    const bool direct = s.queries.is_given() || s.keys.is_given() || s.values.is_given();
    const bool tokens = s.tokens.is_given() || s.tokens_by_role.is_given();
    if (inputs && direct) {
      const std::string name = s.place(s.queries.is_given() ? "/queries" : s.keys.is_given() ? "/keys" : "/values");
      faults_.add_at_key("two-sources", name, shown(name) + " and " + shown(s.place("/inputs")) + " are both given",
                         "give inputs with weights, or queries, keys and values directly");
    } else if (inputs && s.embeddings.is_given()) {
      faults_.add_at_key("two-sources", embeddings,
                         shown(embeddings) + " and " + shown(s.place("/inputs")) + " are both given",
                         "tokens with embeddings are the inputs; leave one of the two out");
    } else if (direct && s.embeddings.is_given()) {
      faults_.add_at_key("two-sources", embeddings, shown(embeddings) + " are given, and queries, keys or values too",
                         "tokens with embeddings are the inputs; leave one of the two out");
    } else if (inputs) {
      from_inputs();
    } else if (direct) {
      from_direct();
    } else if (tokens && s.embeddings.is_given()) {
      from_tokens();
    } else {
      report_nothing(tokens);
    }
    return std::move(sources_);
  }

 private:
  void report_nothing(bool tokens) {
    if (tokens) {
      faults_.add_at_key("no-inputs", statement_.place("/tokens"),
                         "there are tokens, and neither inputs nor embeddings",
                         R"(give "inputs": one row a token, or "embeddings": {"the": [1, 0], …})");
    } else if (statement_.embeddings.is_given()) {
      faults_.add_at_key("no-inputs", statement_.place("/embeddings"), "there are embeddings, and no tokens",
                         R"(say which: "tokens": ["the", "cat"])");
    } else {
      const std::string& where = statement_.where;
      faults_.add("no-inputs", where, (where.empty() ? "the problem" : shown(where)) + " has no inputs",
                  R"(give "inputs": [[1, 0], [0, 1]], or "queries" and "keys", or "tokens" with "embeddings")");
    }
  }

  std::optional<Side> inputs(Stated<RawTensor>& tensor) {
    return tensor ? measured_inputs(std::move(*tensor), vectors_, budget_, faults_) : std::nullopt;
  }

  void from_inputs() {
    if (statement_.inputs.is_given()) {
      sources_.form = Sources::Form::self_attention;
      sources_.query = inputs(statement_.inputs);
      return;
    }
    assert(statement_.inputs_by_role);  // what is faulty is the inputs of a role
    Roles<RawTensor>& roles = *statement_.inputs_by_role;
    sources_.form = Sources::Form::cross_attention;
    require(roles.query.is_given(), "/inputs", "query");
    require(roles.key.is_given(), "/inputs", "key");
    sources_.query = inputs(roles.query);
    sources_.key = inputs(roles.key);
    sources_.value_given = roles.value.is_given();
    sources_.value = inputs(roles.value);
  }

  void require(bool given, const std::string& key, const std::string& role) {
    if (given) return;
    faults_.add_of("missing-member", statement_.place(key), "has no \"" + role + "\"",
                   "cross-attention has a query and a key; a matrix alone is self-attention");
  }

  std::optional<Side> direct(Stated<RawTensor>& tensor) {
    return tensor ? direct_side(std::move(*tensor), vectors_, budget_, faults_) : std::nullopt;
  }

  void from_direct() {
    sources_.form = Sources::Form::direct;
    if (!statement_.queries.is_given()) {
      const std::string where = statement_.place(statement_.keys.is_given() ? "/keys" : "/values");
      faults_.add_at_key("missing-member", where, shown(where) + " is given, and \"queries\" is not",
                         "give queries and keys; values are the keys where they are not given");
    }
    if (statement_.queries.is_given() && !statement_.keys.is_given()) {
      const std::string where = statement_.place("/queries");
      faults_.add_at_key("missing-member", where, shown(where) + " is given, and \"keys\" is not",
                         "give queries and keys; values are the keys where they are not given");
    }
    sources_.query = direct(statement_.queries);
    sources_.key = direct(statement_.keys);
    sources_.value_given = statement_.values.is_given();
    sources_.value = direct(statement_.values);
  }

  void from_tokens() {
    sources_.from_tokens = true;
    const bool by_role = statement_.tokens_by_role.is_given();
    sources_.form = by_role ? Sources::Form::cross_attention : Sources::Form::self_attention;
    assert(!statement_.tokens_by_role.is_faulty());  // what is faulty is the tokens of a role
    if (by_role) {
      require(statement_.tokens_by_role->query.is_given(), "/tokens", "query");
      require(statement_.tokens_by_role->key.is_given(), "/tokens", "key");
    }
    if (!statement_.embeddings) return;
    const auto of = [](const Stated<RawTokens>& tokens) { return tokens ? &*tokens : nullptr; };
    const auto& roles = statement_.tokens_by_role;
    const RawTokens* const tokens[] = {by_role ? of(roles->query) : of(statement_.tokens),
                                       by_role ? of(roles->key) : nullptr};
    // How many tokens count is not known where max_tokens is faulty: the embeddings can be checked all the same.
    const auto known = std::span(tokens).first(statement_.max_tokens.is_faulty() ? 0 : 2);
    Embedded embedded = embedded_sides(std::move(*statement_.embeddings), known,
                                       statement_.max_tokens.value_or(std::numeric_limits<std::size_t>::max()),
                                       vectors_, budget_, faults_);
    sources_.embeddings = std::move(embedded.table);
    if (embedded.sides.empty()) return;
    sources_.query = std::move(embedded.sides[0]);
    sources_.key = std::move(embedded.sides[1]);
    for (std::optional<Side>* side : {&sources_.query, &sources_.key}) {
      if (*side) (*side)->embeddings = statement_.place("/embeddings");
    }
  }

  Statement& statement_;
  Vectors vectors_;
  Budget& budget_;
  Faults& faults_;
  Sources sources_;
};

std::string described(const Side& side) {
  const std::string batch = "a batch of " + counted(side.rows.size(), "sequence");
  if (side.heads) return batch + " with " + counted(*side.heads, "matrix") + " each, one a head";
  return side.batched ? batch : "one matrix";
}

void check_batch(const Side& side, const Side& first, Faults& faults) {
  const bool same_rank = side.batched == first.batched && side.heads.has_value() == first.heads.has_value();
  if (same_rank && side.rows.size() == first.rows.size()) return;
  faults.add_of("shape-mismatch", side.where,
                "is " + described(side) + ", and " + shown(first.where) + " is " + described(first),
                same_rank ? "every sequence of queries has its own keys and values" : "all of them need one rank");
}

void check_value_rows(const Side& value, const Side& key, bool direct, Vectors vectors, Faults& faults) {
  if (value.rows.size() != key.rows.size()) return;
  for (std::size_t b = 0; b < value.rows.size(); ++b) {
    if (value.rows[b] == key.rows[b]) continue;
    // Direct ones are of one length throughout.
    const std::string index = value.batched && !direct ? "/" + std::to_string(b) : "";
    faults.add_of("shape-mismatch", value.where + index,
                  "has " + counted(value.rows[b], vectors == Vectors::rows ? "row" : "column") + ", and " +
                      shown(key.where + index) + " has " + std::to_string(key.rows[b]),
                  "every key has one value");
    return;
  }
}

void check_not_empty(const Side& side, Faults& faults) {
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    if (side.rows[b] != 0) continue;
    const std::string where = side.where + (side.batched ? "/" + std::to_string(b) : "");
    faults.add_of("empty", where, "has no tokens", "every sequence needs one query at least");
    return;
  }
}

}  // namespace

Sources sources_of(Statement& statement, Vectors vectors, Budget& budget, Faults& faults) {
  return Finder(statement, vectors, budget, faults).found();
}

void check_sides(const Sources& sources, Vectors vectors, Faults& faults) {
  const Side* query = sources.query_side();
  const Side* key = sources.key_side();
  const Side* value = sources.value_side();
  const Side* first = query ? query : key;
  if (key && key != first) check_batch(*key, *first, faults);
  if (first && value && value != key) check_batch(*value, *first, faults);
  if (key && value && value != key)
    check_value_rows(*value, *key, sources.form == Sources::Form::direct, vectors, faults);
  if (query) check_not_empty(*query, faults);
  if (key && key != query && key->longest() == 0) {
    faults.add_of("empty", key->where, "has no key at all", "attention needs one key at least");
  }
}

}  // namespace attn
