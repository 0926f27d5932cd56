#pragma once

#include <string>

#include "problem/problem.h"
#include "trace/recipe_builder.h"

namespace attn {

struct AttentionOptions {
  // Whether every step is kept, whatever its size; else large weighted values
  // are summed without being shown.
  bool all_steps = false;

  // Whether weighted values are summed without being shown, however few.
  bool no_weighted_values = false;
};

// Attention, step by step, as Vaswani et al. (2017), section 3.2, equation 1:
// softmax(Q·Kᵀ / √d_k)·V, over every head and sequence of the problem. Nothing
// is computed. REQUIRES: the problem lives until the recipe was worked out.
Recipe attention_recipe(const Problem& problem, AttentionOptions options = {});

// The same as a part of a larger recipe: the part that `work` writes down. Returns
// the id of its last step. REQUIRES: inputs and attention live until the recipe
// was worked out.
StepId record_attention(RecipeBuilder& work, const Inputs& inputs, const Attention& attention,
                        AttentionOptions options = {});

// What is what in an attention whose part has that prefix: the one place where
// the ids under which model/ records are put together for others.
Anatomy attention_anatomy(const std::string& prefix, const Inputs& inputs);

// Every score, position, softmax and option that a problem can name.
Catalog catalog();

}  // namespace attn
