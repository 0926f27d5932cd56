#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/chosen.h"
#include "problem/problem.h"
#include "trace/recipe_builder.h"

namespace attn {

// Softmax and the weighted sum as FlashAttention has them: a block of keys at a time,
// and no row of weights is ever held (Milakov and Gimelshein 2018, algorithm 3; Dao et
// al. 2022, algorithm 1).

// What of the problem stands against it, in words; nothing where it can be done.
std::optional<std::string> misfit_of_online(const Problem& problem);

// Records the steps from the masked scores to the context, which is the last, and returns
// its id. REQUIRES: no misfit; keys_a_block is not 0.
std::string record_online(RecipeBuilder& work, const Chosen& chosen, const MaskedScores& scores,
                          const std::string& values, std::size_t keys_a_block);

}  // namespace attn
