#include "problem/embeddings.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/suggest.h"
#include "base/text.h"

namespace attn {
namespace {

// The vectors of all tokens, by token.
struct Dictionary {
  std::unordered_map<std::string, Source> vectors;
  std::vector<std::string> tokens;
  std::size_t width = 0;
};

std::optional<Dictionary> dictionary_of(std::vector<RawEmbedding> embeddings, Budget& budget, Faults& faults) {
  Dictionary dictionary;
  std::string first;
  for (RawEmbedding& embedding : embeddings) {
    const std::string where = embedding.vector.where;
    std::optional<Regular> vector = regular(std::move(embedding.vector), budget, faults);
    if (!vector) return std::nullopt;
    if (vector->rank() != 1) {
      return faults.add_of("wrong-rank", where,
                           std::string(vector->rank() == 0 ? "is one number" : "is a list of lists") +
                               "; an embedding is a list of numbers",
                           R"("embeddings": {"the": [1, 0], "cat": [0, 1]})");
    }
    if (first.empty()) {
      first = where;
      dictionary.width = vector->shape[0];
    } else if (vector->shape[0] != dictionary.width) {
      return faults.add_of("shape-mismatch", where,
                           "has " + counted(vector->shape[0], "number") + ", and " + shown(first) + " has " +
                               std::to_string(dictionary.width),
                           "all embeddings need one width");
    }
    dictionary.tokens.push_back(embedding.token);
    const Shape shape{{"d_model", dictionary.width}};
    dictionary.vectors.emplace(std::move(embedding.token), std::move(*vector).source(shape));
  }
  return dictionary;
}

// The vectors of some tokens, which are all in the dictionary, as if they had been given as inputs.
struct TokenVectors {
  std::shared_ptr<Dictionary> dictionary;
  std::vector<std::vector<std::string>> sequences;
  Vectors vectors;

  std::vector<double> values() const {
    std::vector<double> all;
    for (const std::vector<std::string>& tokens : sequences) {
      const std::size_t start = all.size(), rows = tokens.size(), width = dictionary->width;
      all.resize(start + rows * width);
      for (std::size_t i = 0; i < rows; ++i) {
        const std::span<const double> vector = dictionary->vectors.at(tokens[i]).numbers().data();
        for (std::size_t j = 0; j < width; ++j)
          all[start + (vectors == Vectors::rows ? i * width + j : j * rows + i)] = vector[j];
      }
    }
    return all;
  }
};

class Lookup {
 public:
  Lookup(Dictionary dictionary, std::size_t limit, Vectors vectors, Budget& budget, Faults& faults)
      : dictionary_(std::make_shared<Dictionary>(std::move(dictionary))),
        limit_(limit),
        vectors_(vectors),
        budget_(budget),
        faults_(faults) {}

  EmbeddingTable table() const {
    const TokenVectors all{dictionary_, {dictionary_->tokens}, Vectors::rows};
    return {dictionary_->tokens, [all] { return all.values(); }};
  }

  std::optional<Side> embedded(const RawTokens& tokens) {
    Side side{.where = tokens.where, .batched = tokens.batched, .rows = {}, .width = dictionary_->width};
    std::size_t count = 0;
    for (const auto& sequence : tokens.sequences) count += std::min(sequence.size(), limit_);
    if (!budget_.take(product({count, side.width}), sizeof(double))) {
      return faults_.add_of("too-large", tokens.where,
                            "stands for " + spelled_sizes({count, side.width}) + " numbers, which do not fit into " +
                                spelled_size(budget_.limit()),
                            "fewer tokens, or a larger --max-memory");
    }
    TokenVectors embedded{dictionary_, {}, vectors_};
    bool known = true;
    for (std::size_t b = 0; b < tokens.sequences.size(); ++b) {
      const auto& sequence = tokens.sequences[b];
      const std::size_t rows = std::min(sequence.size(), limit_);
      side.rows.push_back(sequence.size());
      side.stored_rows.push_back(rows);
      embedded.sequences.emplace_back(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(rows));
      const std::string where = tokens.batched ? tokens.where + "/" + std::to_string(b) : tokens.where;
      known = are_known(embedded.sequences.back(), where) && known;
    }
    if (!known) return std::nullopt;
    side.take_values = [embedded = std::move(embedded)] { return embedded.values(); };
    return side;
  }

 private:
  bool are_known(const std::vector<std::string>& tokens, const std::string& where) {
    bool known = true;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (dictionary_->vectors.contains(tokens[i])) continue;
      report_unknown(tokens[i], where + "/" + std::to_string(i));
      known = false;
    }
    return known;
  }

  void report_unknown(const std::string& token, const std::string& where) {
    // Comparing with every embedding takes its time; nobody reads more.
    const bool compared = faults_.count() < 20;
    const auto meant = compared ? closest(token, dictionary_->tokens) : std::nullopt;
    faults_.add_of("unknown-token", where, "is \"" + shown(token) + "\", which has no embedding",
                   meant ? "did you mean \"" + shown(*meant) + "\"?" : "add it to embeddings");
  }

  std::shared_ptr<Dictionary> dictionary_;
  std::size_t limit_;
  Vectors vectors_;
  Budget& budget_;
  Faults& faults_;
};

}  // namespace

Embedded embedded_sides(std::vector<RawEmbedding> embeddings, std::span<const RawTokens* const> tokens,
                        std::size_t limit, Vectors vectors, Budget& budget, Faults& faults) {
  Embedded found{EmbeddedSides(tokens.size()), std::nullopt};
  std::optional<Dictionary> dictionary = dictionary_of(std::move(embeddings), budget, faults);
  if (!dictionary) return found;
  Lookup lookup(std::move(*dictionary), limit, vectors, budget, faults);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i]) found.sides[i] = lookup.embedded(*tokens[i]);
  }
  found.table = lookup.table();
  return found;
}

}  // namespace attn
