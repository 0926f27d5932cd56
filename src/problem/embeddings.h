#pragma once

#include <optional>
#include <span>
#include <vector>

#include "problem/side.h"

namespace attn {

using EmbeddedSides = std::vector<std::optional<Side>>;

// All tokens in the order of the file, and their vectors, one after the other.
struct EmbeddingTable {
  std::size_t count = 0;
  std::function<std::vector<std::string>()> tokens;
  std::function<std::vector<double>()> values;
};

// The sides of some tokens, and what they were looked up in; no table where that is faulty.
struct Embedded {
  EmbeddedSides sides;
  std::optional<EmbeddingTable> table;
};

// The vectors of tokens, of at most `limit` a sequence, as if they had been given
// as inputs: a side for each of `tokens`, which may be null. Nothing for those
// that are faulty: tokens without a vector, too many of them.
Embedded embedded_sides(RawEmbeddings embeddings, std::span<const RawTokens* const> tokens, std::size_t limit,
                        Vectors vectors, Budget& budget, Faults& faults);

}  // namespace attn
