#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/projections.h"
#include "problem/problem.h"
#include "trace/recipe_builder.h"

namespace attn {

struct AttentionOptions {
  // Whether every step is kept, whatever its size; else large weighted values
  // are summed without being shown.
  bool all_steps = false;

  // Whether weighted values are summed without being shown, however few.
  bool no_weighted_values = false;

  // How many keys softmax takes at a time (model/online.h); nothing where it takes all.
  // REQUIRES: no misfit.
  std::optional<std::size_t> keys_a_block = {};
};

// Attention, step by step, as Vaswani et al. (2017), section 3.2, equation 1:
// softmax(Q·Kᵀ / √d_k)·V, over every head and sequence of the problem. Nothing
// is computed. With the block around it, where the problem has one.
// REQUIRES: the problem lives until the recipe was worked out.
Recipe recipe_of(const Problem& problem, AttentionOptions options = {});

// The same as a part of a larger recipe: the part that `work` writes down. Returns
// the id of its last step. REQUIRES: inputs and attention live until the recipe
// was worked out.
StepId record_attention(RecipeBuilder& work, const Inputs& inputs, const Attention& attention,
                        AttentionOptions options = {});

// The same of vectors that steps of other parts make.
StepId record_attention(RecipeBuilder& work, const ProjectedFrom& from, const Attention& attention,
                        AttentionOptions options = {});

// What is what in an attention whose part has that prefix, and whose queries and keys
// are made from those steps: the one place where the ids under which model/ records
// are put together for others.
Anatomy attention_anatomy(const std::string& prefix, const std::string& query_inputs = "inputs",
                          const std::string& key_inputs = "inputs");

// The same of each attention that has its scores or its weights among steps whose ids alone are known; of one without a
// prefix where none has.
std::vector<Anatomy> attentions_among(const std::vector<StepId>& ids);

// Every score, position, softmax and option that a problem can name.
Catalog catalog();

}  // namespace attn
