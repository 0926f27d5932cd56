#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/attention.h"
#include "trace/recipe_builder.h"

namespace attn {

// The steps that queries and keys stand in, by id.
struct QueriesAndKeys {
  std::string queries, keys;
};

// A number for each head and each distance from a query to a key, position of the
// key minus position of the query.
struct BiasOfDistance {
  std::vector<std::int64_t> first_queries = {};  // their positions: one a sequence, or one for all
  std::function<double(std::size_t head, std::int64_t distance)> at = {};
};

// A way in which positions enter. Each function is there where they enter in
// that place, and is called with a problem whose choice of positions it is. A
// tensor parameter p is given under the id "positions.p".
//
// New tokens count from attention.past_count() on.
struct Position {
  // Its name in a problem file, a line about it, and the parameters it takes.
  ChoiceSpec spec = {};

  // What the problem asks for, in a few words: "rotary, base 10000".
  std::function<std::string(const Attention& attention)> words = {};

  // Added to the inputs: records a step [token, d_model] of that size, whose id,
  // symbol and role the heading has, and returns its id.
  std::function<std::string(RecipeBuilder& work, const Attention& attention, Heading heading, std::size_t tokens,
                            std::size_t width)>
      encoding = {};

  // Turns queries and keys [batch?, head?, query or key, d_k]: new ones only.
  std::function<QueriesAndKeys(RecipeBuilder& work, const Attention& attention, const QueriesAndKeys& from)> rotated =
      {};

  // Added to each score before it is scaled: steps [batch?, head?, query, key],
  // made from queries and from all keys.
  std::function<std::vector<Operand>(RecipeBuilder& work, const Attention& attention, const QueriesAndKeys& from)>
      score_terms = {};

  // Whether the terms count as dot products of their own where scores are
  // divided by √d_k: √(3·d_k) with two of them.
  bool scales_terms = false;

  // Added to the scores once they are scaled: steps or given tensors whose axes
  // are among batch, head, query and key, as what is behind `scores` has them.
  std::function<std::vector<Operand>(RecipeBuilder& work, const Attention& attention)> biases = {};

  // The same bias where head and distance say it all, so that it need not be held
  // for each cell. Appended keys have none.
  std::function<BiasOfDistance(const Attention& attention)> bias_of_distance = {};

  // Added to the context: steps [batch?, head?, query, d_v], made from the
  // attention weights.
  std::function<std::vector<Operand>(RecipeBuilder& work, const Attention& attention, const std::string& weights)>
      context_terms = {};
};

// Every one, in the order in which people are shown them: the rows that
// positions/CMakeLists.txt names.
const std::vector<Position>& positions();

// --- what several of them need ---------------------------------------------

// Why nothing can be added to the inputs; nothing where it can.
std::optional<Misfit> misfit_with_inputs(const Choice&, const ChoiceSetting& setting);

// Of which row of a table each cell [query, key] reads: row(i, j) for the i-th
// query and the j-th key, both counted from the first past key; none for keys
// that were appended.
Rows rows_by_distance(const Attention& attention, const std::function<std::int64_t(std::int64_t, std::int64_t)>& row);

}  // namespace attn
