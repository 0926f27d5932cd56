#include "problem/embeddings.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "base/hashed_places.h"
#include "base/suggest.h"
#include "base/text.h"

namespace attn {
namespace {

// The vectors of all tokens, which have one width.
class Dictionary {
 public:
  // Nothing, and a fault, where one is no vector, or as wide as the first is not.
  static std::shared_ptr<const Dictionary> of(RawEmbeddings embeddings, Budget& budget, Faults& faults) {
    std::shared_ptr<Dictionary> made(new Dictionary(std::move(embeddings)));
    return made->add_others(budget, faults) ? made : nullptr;
  }

  const std::vector<std::string>& tokens() const { return raw_.tokens; }
  std::size_t width() const { return width_; }

  std::optional<std::size_t> number_of(std::string_view token) const {
    const auto found = by_text_.find(token, [&](std::uint32_t number) { return text(number); });
    return found ? std::optional<std::size_t>(*found) : std::nullopt;
  }

  std::span<const double> vector(std::size_t number) const {
    const auto other = others_.lower_bound(number);
    if (other != others_.end() && other->first == number) return other->second.vector.numbers().data();
    const std::size_t before = other == others_.end() ? others_.size() : other->second.before;
    return std::span(raw_.numbers).subspan((number - before) * width_, width_);
  }

 private:
  // One that is no list of numbers in the problem, and how many such there are before it.
  struct Other {
    Source vector;
    std::size_t before = 0;
  };

  explicit Dictionary(RawEmbeddings embeddings) : raw_(std::move(embeddings)) {
    by_text_.reserve(raw_.tokens.size());
    for (std::size_t number = 0; number < raw_.tokens.size(); ++number)
      by_text_.add(short_hash(text(number)), static_cast<std::uint32_t>(number));
    // One that is there twice was told of where the text was read.
    by_text_.put_in_order([&](std::uint32_t number) { return text(number); }, [](std::uint32_t) {});
    by_text_.find_buckets();
    if (raw_.others.contains(0)) return;
    width_ = raw_.width;
    first_ = raw_.where_of_first;
  }

  std::string_view text(std::size_t number) const { return raw_.tokens[number]; }

  bool add_others(Budget& budget, Faults& faults) {
    for (auto& [number, tensor] : raw_.others) {
      const std::string where = tensor.where;
      std::optional<Regular> vector = regular(std::move(tensor), budget, faults);
      if (!vector) return false;
      if (vector->rank() != 1) {
        faults.add_of("wrong-rank", where,
                      std::string(vector->rank() == 0 ? "is one number" : "is a list of lists") +
                          "; an embedding is a list of numbers",
                      R"("embeddings": {"the": [1, 0], "cat": [0, 1]})");
        return false;
      }
      if (!is_as_wide(vector->shape[0], where, faults)) return false;
      others_.emplace(number, Other{std::move(*vector).source({{"d_model", width_}}), others_.size()});
    }
    raw_.others.clear();
    return raw_.width == 0 || is_as_wide(raw_.width, raw_.where_of_first, faults);
  }

  bool is_as_wide(std::size_t width, const std::string& where, Faults& faults) {
    if (first_.empty()) {
      first_ = where;
      width_ = width;
    }
    if (width == width_) return true;
    faults.add_of("shape-mismatch", where,
                  "has " + counted(width, "number") + ", and " + shown(first_) + " has " + std::to_string(width_),
                  "all embeddings need one width");
    return false;
  }

  RawEmbeddings raw_;
  HashedPlaces by_text_;
  std::string first_ = {};
  std::size_t width_ = 0;
  std::map<std::size_t, Other> others_ = {};
};

// The vectors of some tokens as if they had been given as inputs: sequence by sequence, by their numbers.
struct TokenVectors {
  std::shared_ptr<const Dictionary> dictionary;
  std::vector<std::vector<std::size_t>> sequences;
  Vectors vectors;

  std::vector<double> values() const {
    std::vector<double> all;
    const std::size_t width = dictionary->width();
    for (const std::vector<std::size_t>& tokens : sequences) {
      const std::size_t start = all.size(), rows = tokens.size();
      all.resize(start + rows * width);
      for (std::size_t i = 0; i < rows; ++i) {
        const std::span<const double> vector = dictionary->vector(tokens[i]);
        for (std::size_t j = 0; j < width; ++j)
          all[start + (vectors == Vectors::rows ? i * width + j : j * rows + i)] = vector[j];
      }
    }
    return all;
  }
};

class Lookup {
 public:
  Lookup(std::shared_ptr<const Dictionary> dictionary, std::size_t limit, Vectors vectors, Budget& budget,
         Faults& faults)
      : dictionary_(std::move(dictionary)), limit_(limit), vectors_(vectors), budget_(budget), faults_(faults) {}

  EmbeddingTable table() const {
    const std::size_t count = dictionary_->tokens().size();
    return {count, [known = dictionary_] { return known->tokens(); },
            [known = dictionary_, count] {
              std::vector<std::size_t> all(count);
              std::iota(all.begin(), all.end(), std::size_t{0});
              return TokenVectors{known, {std::move(all)}, Vectors::rows}.values();
            }};
  }

  std::optional<Side> embedded(const RawTokens& tokens) {
    Side side{.where = tokens.where, .batched = tokens.batched, .rows = {}, .width = dictionary_->width()};
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
      const std::string where = tokens.batched ? tokens.where + "/" + std::to_string(b) : tokens.where;
      embedded.sequences.push_back(numbers_of(std::span(sequence).first(rows), where));
      known = embedded.sequences.back().size() == rows && known;
    }
    if (!known) return std::nullopt;
    side.take_values = [embedded = std::move(embedded)] { return embedded.values(); };
    return side;
  }

 private:
  // Without those that are not known.
  std::vector<std::size_t> numbers_of(std::span<const std::string> tokens, const std::string& where) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (const auto number = dictionary_->number_of(tokens[i])) {
        numbers.push_back(*number);
      } else {
        report_unknown(tokens[i], where + "/" + std::to_string(i));
      }
    }
    return numbers;
  }

  void report_unknown(const std::string& token, const std::string& where) {
    // Comparing with every embedding takes its time; nobody reads more.
    const bool compared = faults_.count() < 20;
    const auto meant = compared ? closest(token, dictionary_->tokens()) : std::nullopt;
    faults_.add_of("unknown-token", where, "is \"" + shown(token) + "\", which has no embedding",
                   meant ? "did you mean \"" + shown(*meant) + "\"?" : "add it to embeddings");
  }

  std::shared_ptr<const Dictionary> dictionary_;
  std::size_t limit_;
  Vectors vectors_;
  Budget& budget_;
  Faults& faults_;
};

}  // namespace

Embedded embedded_sides(RawEmbeddings embeddings, std::span<const RawTokens* const> tokens, std::size_t limit,
                        Vectors vectors, Budget& budget, Faults& faults) {
  Embedded found{EmbeddedSides(tokens.size()), std::nullopt};
  std::shared_ptr<const Dictionary> dictionary = Dictionary::of(std::move(embeddings), budget, faults);
  if (!dictionary) return found;
  Lookup lookup(std::move(dictionary), limit, vectors, budget, faults);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i]) found.sides[i] = lookup.embedded(*tokens[i]);
  }
  found.table = lookup.table();
  return found;
}

}  // namespace attn
