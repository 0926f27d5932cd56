#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "problem/attention.h"
#include "trace/recipe_builder.h"

namespace attn {

// The scores that become weights, as the steps before softmax leave them.
struct MaskedScores {
  std::string scores;           // the id of a step [batch?, head?, query, key]
  std::optional<Operand> open;  // the mask, where there is one
};

// What differs between softmaxes that go by exponentials.
struct Exponentials {
  double base = 0;                   // 0 for e
  std::optional<Operand> sink = {};  // one more score a row, [head?]
  std::string letter = "e";          // as the base is written
};

// A way to turn each row of scores into attention weights.
struct SoftmaxKind {
  // Its name in a problem file, a line about it, and the parameters it takes.
  ChoiceSpec spec = {};

  // What the problem asks for, in a few words: "powers of 2, not of e".
  std::function<std::string(const Choice& choice)> words = {};

  // What it is told by where it goes by exponentials, which is then all there is to say.
  std::function<Exponentials(const Choice& choice)> exponentials = {};

  // Otherwise: records the steps from the scores to "attention_weights", which is
  // the last, and returns its id. A tensor parameter p is given under the id "softmax.p".
  std::function<std::string(RecipeBuilder& work, const Choice& choice, const MaskedScores& from)> compose = {};
};

// Every one, in the order in which people are shown them: the rows that
// softmaxes/CMakeLists.txt names. The first is what a problem has that names none.
const std::vector<SoftmaxKind>& softmaxes();

// row_maximum, exponentials, exponential_sums and attention_weights (Vaswani et
// al. 2017, equation 1). The maximum is subtracted first, which changes nothing
// in the result and keeps the exponentials from overflowing.
std::string record_exponentials(RecipeBuilder& work, const MaskedScores& from, const Exponentials& with);

}  // namespace attn
