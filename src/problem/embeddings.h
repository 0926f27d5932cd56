#pragma once

#include <optional>
#include <span>
#include <vector>

#include "problem/side.h"

namespace attn {

using EmbeddedSides = std::vector<std::optional<Side>>;

// The vectors of tokens, of at most `limit` a sequence, as if they had been given
// as inputs: a side for each of `tokens`, which may be null. Nothing for those
// that are faulty: tokens without a vector, too many of them.
EmbeddedSides embedded_sides(std::vector<RawEmbedding> embeddings, std::span<const RawTokens* const> tokens,
                             std::size_t limit, Vectors vectors, Budget& budget, Faults& faults);

}  // namespace attn
