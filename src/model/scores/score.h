#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problem/choice.h"
#include "trace/recipe_builder.h"

namespace attn {

// What a score is made from: the ids of steps.
struct Compared {
  std::string queries;  // [batch?, head?, query, d_k], or as wide as queries are
  std::string keys;     // [batch?, head?, key, d_k]

  // The keys as they are before each is repeated for the heads that share it, so
  // many; what a score makes of keys alone is made of these.
  std::string own_keys = {};
  std::size_t sharing = 1;

  // Records what is added to each score, [batch?, head?, query, key], and returns
  // it; empty where nothing is. See ChoiceSpec::score_terms.
  std::function<std::vector<Operand>()> terms = {};
};

// A way to compare every query with every key.
struct Score {
  // Its name in a problem file, a line about it, and the parameters it takes.
  ChoiceSpec spec = {};

  // Whether scores are divided by √d_k where the problem gives no `scale`
  // (Vaswani et al. 2017, section 3.2.1).
  bool divided_by_root_width = false;

  // Where a score is the dot product of some vector of its query with its key:
  // returns the step of these vectors, recorded if need be, and the title of the
  // products. Attention at once starts there.
  std::function<std::string(RecipeBuilder& work, const Choice& choice, const Compared& from)> multiplied = {};
  std::string title = {};

  // Otherwise: records the steps that lead from queries and keys to the step
  // "scores" [batch?, head?, query, key], which is the last. The features of both
  // are called d_k, also where they differ in number. A tensor parameter p is given
  // under the id "score.p"; a number is choice.numbers.at("p").
  std::function<void(RecipeBuilder& work, const Choice& choice, const Compared& from)> compose = {};
};

// Every score, in the order in which people are shown them: the rows that
// scores/CMakeLists.txt names.
const std::vector<Score>& scores();

// --- what several of them need ----------------------------------------------

// The queries themselves, for `multiplied`.
std::string queries_of(RecipeBuilder& work, const Choice& choice, const Compared& from);

// Records "score_tanh" and "scores" = v · tanh(h), for the hidden numbers
// h [batch?, head?, query, key, d_hidden] in the step "score_hidden".
// "score.v" is given.
void record_hidden_scores(RecipeBuilder& work, const Compared& from);

// Records queries or keys times a weight of the score, whose axis for them is
// called `width`; the formula is written for the heading.
std::string record_weighted(RecipeBuilder& work, Heading heading, const std::string& from, const Axis& width,
                            const std::string& weight);

// "{} = {0}·{1}ᵀ", or with column vectors "{} = {0}ᵀ·{1}".
std::string written_products(const RecipeBuilder& work);

// Adds to a step under way what positions add to it: behind its operands, and in
// its title and formula, which then ends in " + R".
void add_terms(const std::vector<Operand>& terms, Heading& heading, std::vector<Operand>& operands);

// Records the step "scores" from these operands, and after them what is added
// to each score.
void record_last(RecipeBuilder& work, const Compared& from, Heading heading, const Contract& op,
                 std::vector<Operand> operands);

}  // namespace attn
