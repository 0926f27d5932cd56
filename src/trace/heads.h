#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace attn {

// Where the heads of a model look: which share of its weights a head gives, on average over
// the queries, to the token itself, to the one before or behind it, to the first, or of one
// token to another (Clark et al. 2019, "What does BERT look at?", section 3.1).
enum class Look { itself, previous, next, first, pair };
constexpr std::size_t looks = 5;

struct HeadLooks {
  std::string part;       // "Layer 3 · self-attention"; empty where there is one attention alone
  StepId weights;         // the step
  std::size_t layer = 1;  // how many attentions to their own tokens there are up to this one
  std::size_t head = 1;
  std::vector<std::string> tokens;              // whose attention it is
  std::size_t past = 0;                         // so many keys of a cache stand before theirs
  std::array<double, looks> shares = {};        // by Look; queries that have no such token don't count
  std::array<std::size_t, looks> counted = {};  // how many have one
};

// From one of these tokens to another, counted from 0.
struct TokenPair {
  std::vector<std::string> tokens;
  std::size_t query = 0, key = 0;
};

struct HeadsReport {
  std::vector<std::string> tokens;  // of the first head
  std::optional<TokenPair> pair;
  std::vector<HeadLooks> heads;

  double share(std::size_t head, Look look) const { return heads[head].shares[static_cast<std::size_t>(look)]; }

  // Whether the head may look so: one token has none before it, and a pair is of one list of tokens.
  bool has_share(std::size_t head, Look look) const { return heads[head].counted[static_cast<std::size_t>(look)] > 0; }

  // Those heads that have such a share, from the one that looks so the most on; of equal ones the
  // first, and last where the share is NaN.
  std::vector<std::size_t> ranked(Look look) const;
};

// The steps that it is read from: the weights of each attention to its own tokens.
std::vector<StepId> weights_of_heads(const Recipe& recipe);

// Whose they are in one sequence, each list of tokens once. Labels and own_queries are a trace's of that recipe.
std::vector<std::vector<std::string>> tokens_of_heads(const Recipe& recipe, const Labels& labels,
                                                      const std::vector<std::size_t>& own_queries,
                                                      std::size_t sequence);

// Of one sequence. Of a pair only those heads have a share whose tokens it is of.
// REQUIRES: the trace has those steps; sequence and pair are there.
HeadsReport heads_of(const Trace& trace, std::size_t sequence, const std::optional<TokenPair>& pair);

// The weight of a query and a key, counted from 0, those of a cache first.
double weight_of(const Trace& trace, const HeadLooks& head, std::size_t sequence, std::size_t query, std::size_t key);

}  // namespace attn
