#include "problem/sources.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/suggest.h"

namespace attn {
namespace {

std::string word_for_row(Vectors vectors) { return vectors == Vectors::rows ? "row" : "column"; }

void report_rank(const std::string& where, std::size_t rank, bool may_have_heads, Vectors vectors, Faults& faults) {
  const std::string one = word_for_row(vectors);
  if (rank == 0) {
    faults.add("wrong-rank", where, shown(where) + " is one number; a matrix is wanted",
               "one " + one + " a token: [[1, 0], [0, 1]]");
  } else if (rank == 1) {
    faults.add("wrong-rank", where, shown(where) + " is a list of numbers; a matrix is wanted, a list of lists",
               "one token alone is written [[1, 0, 1]]");
  } else {
    faults.add("wrong-rank", where,
               shown(where) + " is nested " + std::to_string(rank) + " deep; a matrix is 2 deep, a batch of them 3" +
                   (may_have_heads ? ", with a matrix for each head 4" : ""));
  }
}

// Whether each sequence has columns of one length: a list of features, each
// with a number a token. Sequences may differ.
bool check_columns_of_sequences(const NestedNumbers& numbers, const std::string& where, Faults& faults) {
  const std::size_t features = numbers.size(1, 0);
  for (std::size_t b = 0; b < numbers.lists(1); ++b) {
    const std::size_t first = numbers.size(2, b * features);
    for (std::size_t i = 1; i < features; ++i) {
      if (numbers.size(2, b * features + i) == first) continue;
      const std::string sequence = where + "/" + std::to_string(b) + "/";
      const std::string place = sequence + std::to_string(i);
      faults.add("ragged", place,
                 shown(place) + " has " + counted(numbers.size(2, b * features + i), "number") + ", and " +
                     shown(sequence + "0") + " has " + std::to_string(first),
                 "in a matrix of column vectors every row has a number for each token");
      return false;
    }
  }
  return true;
}

// From so many random numbers on it is worth knowing first whether they are wanted.
constexpr std::size_t worth_waiting = 100'000;

// What a shape of two axes or more says of a side: [batch, head, row, feature],
// the last two exchanged for columns.
Side side_of(const std::vector<std::size_t>& shape, const std::string& where, Vectors vectors) {
  const std::size_t rank = shape.size();
  Side side{.where = where, .batched = rank > 2};
  side.width = vectors == Vectors::rows ? shape[rank - 1] : shape[rank - 2];
  side.rows.assign(side.batched ? shape[0] : 1, vectors == Vectors::rows ? shape[rank - 2] : shape[rank - 1]);
  if (rank == 4) side.heads = shape[1];
  side.stored_rows = side.rows;
  return side;
}

// A side of many random numbers that are not drawn, whose room is taken all the same.
std::optional<Side> undrawn_side(const RawTensor& tensor, std::size_t most_axes, Vectors vectors, Budget& budget) {
  const auto* const random = std::get_if<RandomTensor>(&tensor.numbers);
  if (!random || random->shape.size() < 2 || random->shape.size() > most_axes) return std::nullopt;
  const std::size_t count = product(random->shape);
  if (count < worth_waiting || !budget.take(count, sizeof(double))) return std::nullopt;
  Side side = side_of(random->shape, tensor.where, vectors);
  side.undrawn = *random;
  return side;
}

// Inputs, of which sequences may differ in length.
std::optional<Side> measured_inputs(RawTensor tensor, Vectors vectors, Budget& budget, Faults& faults) {
  if (auto undrawn = undrawn_side(tensor, 3, vectors, budget)) return undrawn;
  Side side{.where = tensor.where};
  std::optional<NestedNumbers> numbers = drawn(std::move(tensor), budget, faults);
  if (!numbers) return std::nullopt;
  const std::size_t rank = numbers->rank();
  if (rank != 2 && rank != 3) {
    const bool empty = rank == 1 && numbers->values().empty();
    if (empty) {
      faults.add("empty", side.where, shown(side.where) + " is empty", "attention needs one token at least");
    } else {
      report_rank(side.where, rank, false, vectors, faults);
    }
    return std::nullopt;
  }
  side.batched = rank == 3;
  if (!side.batched) {
    if (!check_even(*numbers, side.where, 0, faults)) return std::nullopt;
    const std::vector<std::size_t> shape = *numbers->shape();
    side.rows = {vectors == Vectors::rows ? shape[0] : shape[1]};
    side.width = vectors == Vectors::rows ? shape[1] : shape[0];
  } else if (vectors == Vectors::rows) {
    // A sequence without rows is no fault of the nesting; whether it may be
    // empty is decided where it is known what it serves.
    if (!check_even(*numbers, side.where, 2, faults)) return std::nullopt;
    for (std::size_t b = 0; b < numbers->lists(1); ++b) side.rows.push_back(numbers->size(1, b));
    side.width = numbers->lists(2) == 0 ? 0 : numbers->size(2, 0);
  } else {
    if (!numbers->is_even(1)) {
      check_even(*numbers, side.where, 1, faults);
      return std::nullopt;
    }
    if (!check_columns_of_sequences(*numbers, side.where, faults)) return std::nullopt;
    side.width = numbers->size(1, 0);
    for (std::size_t b = 0; b < numbers->lists(1); ++b) side.rows.push_back(numbers->size(2, b * side.width));
  }
  side.stored_rows = side.rows;
  side.values = numbers->take_values();
  return side;
}

// --- embeddings ------------------------------------------------------------

// The vectors of all tokens, by token.
struct Dictionary {
  std::unordered_map<std::string, std::vector<double>> vectors;
  std::vector<std::string> tokens;
  std::size_t width = 0;
};

std::optional<Dictionary> dictionary_of(std::vector<RawEmbedding> embeddings, Budget& budget, Faults& faults) {
  Dictionary dictionary;
  std::string first;
  for (RawEmbedding& embedding : embeddings) {
    const std::string where = embedding.vector.where;
    const std::optional<Regular> vector = regular(std::move(embedding.vector), budget, faults);
    if (!vector) return std::nullopt;
    if (vector->rank() != 1) {
      faults.add("wrong-rank", where,
                 shown(where) + " is " + (vector->rank() == 0 ? "one number" : "a list of lists") +
                     "; an embedding is a list of numbers");
      return std::nullopt;
    }
    if (first.empty()) {
      first = where;
      dictionary.width = vector->shape[0];
    } else if (vector->shape[0] != dictionary.width) {
      faults.add("shape-mismatch", where,
                 shown(where) + " has " + counted(vector->shape[0], "number") + ", and " + shown(first) + " has " +
                     std::to_string(dictionary.width),
                 "all embeddings need one width");
      return std::nullopt;
    }
    dictionary.tokens.push_back(embedding.token);
    dictionary.vectors.emplace(std::move(embedding.token), vector->values);
  }
  return dictionary;
}

class Lookup {
 public:
  Lookup(const Dictionary& dictionary, std::size_t limit, Vectors vectors, Budget& budget, Faults& faults)
      : dictionary_(dictionary), limit_(limit), vectors_(vectors), budget_(budget), faults_(faults) {}

  // The vectors of these tokens, as if they had been given as inputs.
  std::optional<Side> embedded(const RawTokens& tokens) {
    Side side{.where = tokens.where, .batched = tokens.batched, .rows = {}, .width = dictionary_.width};
    std::size_t count = 0;
    for (const auto& sequence : tokens.sequences) count += std::min(sequence.size(), limit_);
    if (!budget_.take(product({count, side.width}), sizeof(double))) {
      faults_.add("too-large", tokens.where,
                  shown(tokens.where) + " stands for " + spelled_sizes({count, side.width}) +
                      " numbers, which do not fit into " + std::to_string(budget_.limit()) + " bytes",
                  "fewer tokens, or a larger --max-memory");
      return std::nullopt;
    }
    bool known = true;
    for (std::size_t b = 0; b < tokens.sequences.size(); ++b) {
      const std::string where = tokens.batched ? tokens.where + "/" + std::to_string(b) : tokens.where;
      known = append(tokens.sequences[b], where, side) && known;
    }
    if (!known) return std::nullopt;
    return side;
  }

 private:
  bool append(const std::vector<std::string>& tokens, const std::string& where, Side& side) {
    const std::size_t rows = std::min(tokens.size(), limit_);
    const std::size_t start = side.values.size();
    side.rows.push_back(tokens.size());
    side.stored_rows.push_back(rows);
    side.values.resize(start + rows * side.width);
    bool known = true;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto found = dictionary_.vectors.find(tokens[i]);
      if (found == dictionary_.vectors.end()) {
        report_unknown(tokens[i], where + "/" + std::to_string(i));
        known = false;
      } else {
        for (std::size_t j = 0; j < side.width; ++j) {
          const std::size_t cell = vectors_ == Vectors::rows ? i * side.width + j : j * rows + i;
          side.values[start + cell] = found->second[j];
        }
      }
    }
    return known;
  }

  void report_unknown(const std::string& token, const std::string& where) {
    // Comparing with every embedding takes its time; nobody reads more.
    const bool compared = faults_.count() < 20;
    const auto meant = compared ? closest(token, dictionary_.tokens) : std::nullopt;
    faults_.add("unknown-token", where, shown(where) + " is \"" + shown(token) + "\", which has no embedding",
                meant ? "did you mean \"" + shown(*meant) + "\"?" : "add it to embeddings");
  }

  const Dictionary& dictionary_;
  std::size_t limit_;
  Vectors vectors_;
  Budget& budget_;
  Faults& faults_;
};

// --- the ways in -----------------------------------------------------------

class Finder {
 public:
  Finder(Statement& statement, Vectors vectors, Budget& budget, Faults& faults)
      : statement_(statement), vectors_(vectors), budget_(budget), faults_(faults) {}

  Sources found() {
    const Statement& s = statement_;
    const bool inputs = s.inputs.is_given() || s.inputs_by_role.is_given();
    const bool direct = s.queries.is_given() || s.keys.is_given() || s.values.is_given();
    const bool tokens = s.tokens.is_given() || s.tokens_by_role.is_given();
    if (inputs && direct) {
      const std::string name = s.queries.is_given() ? "/queries" : s.keys.is_given() ? "/keys" : "/values";
      faults_.add_at_key("two-sources", name, name + " and /inputs are both given",
                         "give inputs with weights, or queries, keys and values directly");
    } else if (inputs && s.embeddings.is_given()) {
      faults_.add_at_key("two-sources", "/embeddings", "/embeddings and /inputs are both given",
                         "tokens with embeddings are the inputs; leave one of the two out");
    } else if (direct && s.embeddings.is_given()) {
      faults_.add_at_key("two-sources", "/embeddings", "/embeddings are given, and queries, keys or values too",
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
      faults_.add_at_key("no-inputs", "/tokens", "there are tokens, and neither inputs nor embeddings",
                         R"(give "inputs": one row a token, or "embeddings": {"the": [1, 0], …})");
    } else if (statement_.embeddings.is_given()) {
      faults_.add_at_key("no-inputs", "/embeddings", "there are embeddings, and no tokens",
                         R"(say which: "tokens": ["the", "cat"])");
    } else {
      faults_.add("no-inputs", "", "the problem has no inputs",
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
    if (!statement_.inputs_by_role) return;
    Roles<RawTensor>& roles = *statement_.inputs_by_role;
    sources_.form = Sources::Form::cross_attention;
    require(roles.query.is_given(), "/inputs", "query");
    require(roles.key.is_given(), "/inputs", "key");
    sources_.query = inputs(roles.query);
    sources_.key = inputs(roles.key);
    sources_.value_given = roles.value.is_given();
    sources_.value = inputs(roles.value);
  }

  void require(bool given, const std::string& where, const std::string& role) {
    if (given) return;
    faults_.add("missing-member", where, where + " has no \"" + role + "\"",
                "cross-attention has a query and a key; a matrix alone is self-attention");
  }

  std::optional<Side> direct(Stated<RawTensor>& tensor) {
    if (!tensor) return std::nullopt;
    if (auto undrawn = undrawn_side(*tensor, 4, vectors_, budget_)) return undrawn;
    return direct_side(std::move(*tensor), vectors_, budget_, faults_);
  }

  void from_direct() {
    sources_.form = Sources::Form::direct;
    if (!statement_.queries.is_given()) {
      const char* const where = statement_.keys.is_given() ? "/keys" : "/values";
      faults_.add_at_key("missing-member", where, std::string(where) + " is given, and \"queries\" is not",
                         "give queries and keys; values are the keys where they are not given");
    }
    if (statement_.queries.is_given() && !statement_.keys.is_given()) {
      faults_.add_at_key("missing-member", "/queries", "/queries is given, and \"keys\" is not",
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
    if (by_role && statement_.tokens_by_role) {
      require(statement_.tokens_by_role->query.is_given(), "/tokens", "query");
      require(statement_.tokens_by_role->key.is_given(), "/tokens", "key");
    }
    if (!statement_.embeddings) return;
    const auto dictionary = dictionary_of(std::move(*statement_.embeddings), budget_, faults_);
    if (!dictionary || statement_.max_tokens.is_faulty()) return;

    const std::size_t limit = statement_.max_tokens.value_or(std::numeric_limits<std::size_t>::max());
    Lookup lookup(*dictionary, limit, vectors_, budget_, faults_);
    const auto side = [&](const Stated<RawTokens>& tokens) { return tokens ? lookup.embedded(*tokens) : std::nullopt; };
    if (!by_role) {
      sources_.query = side(statement_.tokens);
    } else if (statement_.tokens_by_role) {
      sources_.query = side(statement_.tokens_by_role->query);
      sources_.key = side(statement_.tokens_by_role->key);
    }
  }

  Statement& statement_;
  Vectors vectors_;
  Budget& budget_;
  Faults& faults_;
  Sources sources_;
};

}  // namespace

std::size_t Side::longest() const { return rows.empty() ? 0 : *std::ranges::max_element(rows); }

std::size_t Side::rows_within(std::size_t limit, std::size_t sequence) const { return std::min(rows[sequence], limit); }

bool Side::is_ragged_within(std::size_t limit) const {
  return std::ranges::any_of(
      rows, [&](std::size_t count) { return std::min(count, limit) != std::min(rows.front(), limit); });
}

std::optional<Side> direct_side(RawTensor tensor, Vectors vectors, Budget& budget, Faults& faults) {
  std::optional<Regular> found = regular(std::move(tensor), budget, faults);
  if (!found) return std::nullopt;
  const std::size_t rank = found->rank();
  if (rank < 2 || rank > 4) {
    report_rank(found->where, rank, true, vectors, faults);
    return std::nullopt;
  }
  Side side = side_of(found->shape, found->where, vectors);
  side.values = std::move(found->values);
  return side;
}

Sources sources_of(Statement& statement, Vectors vectors, Budget& budget, Faults& faults) {
  return Finder(statement, vectors, budget, faults).found();
}

}  // namespace attn
