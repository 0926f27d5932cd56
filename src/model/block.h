#pragma once

#include "model/attention.h"

namespace attn {

// The recipe of a problem with a block (problem/block.h): each attention, norm,
// residual and feed-forward network a part of its own, "layer1.self", "layer1.norm1".
// REQUIRES: problem.block; the problem lives until the recipe was worked out.
Recipe block_recipe(const Problem& problem, AttentionOptions options = {});

}  // namespace attn
