#pragma once

#include "model/scores/score.h"

namespace attn {

// Records "score_tanh" and "scores" = v · tanh(h), for the hidden numbers
// h [batch?, head?, query, key, d_hidden] in the step "score_hidden".
// "score.v" is given.
void record_hidden_scores(RecipeBuilder& work, const Compared& from);

}  // namespace attn
