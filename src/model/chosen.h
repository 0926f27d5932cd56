#pragma once

#include <string>

#include "model/positions/position.h"
#include "model/scores/score.h"
#include "model/softmaxes/softmax_kind.h"
#include "problem/attention.h"

namespace attn {

// The rows of the tables that an attention names, found once.
struct Chosen {
  // REQUIRES: there are rows of the names that it has.
  explicit Chosen(const Attention& attention);

  const Score& score;
  const Position& position;    // one that does nothing where none is named
  const SoftmaxKind& softmax;  // the first of all where none is named
  Choice softmax_choice;       // with its parameters
};

// Gives the tensors that a choice brings along, under the ids "of.parameter".
void give_parameters(RecipeBuilder& work, const std::string& of, Role role, const ChoiceSpec& spec,
                     const Choice& choice);

}  // namespace attn
