#include "trace/heads.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace attn {
namespace {

std::size_t keys_of(const Recipe& recipe, const StepId& given) {
  return recipe.has(given) ? recipe.shape(given).size("key") : 0;
}

std::size_t past_keys(const Recipe& recipe, const RecipePart& part) {
  return keys_of(recipe, part.attention->past_keys);
}

// Whether each query has a key of its own, behind those of a cache. Queries and keys that are
// given are of the same tokens where there are as many of them.
bool has_own_tokens(const Recipe& recipe, const RecipePart& part) {
  if (!part.attention || !recipe.has(part.attention->weights)) return false;
  const Shape& shape = recipe.shape(part.attention->weights);
  const std::size_t others = past_keys(recipe, part) + keys_of(recipe, part.attention->appended_keys);
  return part.attention->query_inputs == part.attention->key_inputs &&
         shape.size("key") == shape.size("query") + others;
}

// How many queries of the sequence are no padding.
std::size_t queries_of(const Recipe& recipe, const RecipePart& part, const std::vector<std::size_t>& own_queries,
                       std::size_t sequence) {
  const std::size_t queries = recipe.shape(part.attention->weights).size("query");
  const std::vector<std::size_t>& own = part.labels ? part.labels->own_queries : own_queries;
  return sequence < own.size() ? std::min(queries, own[sequence]) : queries;
}

std::vector<std::string> tokens_of(const RecipePart& part, const Labels& labels, std::size_t queries,
                                   std::size_t sequence) {
  const auto& lists = (part.labels ? *part.labels : labels).query;
  std::vector<std::string> tokens;
  if (sequence < lists.size()) tokens = lists[sequence];
  tokens.resize(std::min(tokens.size(), queries));
  return tokens;
}

double weight_at(const Tensor<double>& weights, std::size_t sequence, std::size_t head, std::size_t query,
                 std::size_t key) {
  const Shape& shape = weights.shape();
  return weights[sequence * shape.stride("batch") + head * shape.stride("head") + query * shape.stride("query") +
                 key * shape.stride("key")];
}

std::size_t size_or_one(const Shape& shape, const Axis& axis) { return shape.has(axis) ? shape.size(axis) : 1; }

}  // namespace

std::vector<std::size_t> HeadsReport::ranked(Look look) const {
  std::vector<std::size_t> order(heads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t head) { return !has_share(head, look); });
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double before = share(a, look), behind = share(b, look);
    return std::isnan(behind) ? !std::isnan(before) : before > behind;
  });
  return order;
}

std::vector<StepId> weights_of_heads(const Recipe& recipe) {
  std::vector<StepId> ids;
  for (const RecipePart& part : recipe.parts()) {
    if (has_own_tokens(recipe, part)) ids.push_back(part.attention->weights);
  }
  return ids;
}

std::vector<std::vector<std::string>> tokens_of_heads(const Recipe& recipe, const Labels& labels,
                                                      const std::vector<std::size_t>& own_queries,
                                                      std::size_t sequence) {
  std::vector<std::vector<std::string>> all;
  for (const RecipePart& part : recipe.parts()) {
    if (!has_own_tokens(recipe, part)) continue;
    std::vector<std::string> tokens =
        tokens_of(part, labels, queries_of(recipe, part, own_queries, sequence), sequence);
    if (std::ranges::find(all, tokens) == all.end()) all.push_back(std::move(tokens));
  }
  return all;
}

double weight_of(const Trace& trace, const HeadLooks& head, std::size_t sequence, std::size_t query, std::size_t key) {
  return weight_at(trace.value(head.weights), sequence, head.head - 1, query, key);
}

HeadsReport heads_of(const Trace& trace, std::size_t sequence, const std::optional<TokenPair>& pair) {
  HeadsReport report{.tokens = {}, .pair = pair, .heads = {}};
  std::size_t layer = 0;
  for (const RecipePart& part : trace.recipe.parts()) {
    if (!has_own_tokens(trace.recipe, part)) continue;
    ++layer;
    const StepId& id = part.attention->weights;
    const Tensor<double>& weights = trace.value(id);
    const std::size_t past = past_keys(trace.recipe, part);
    const std::size_t queries = queries_of(trace.recipe, part, trace.own_queries, sequence);
    const std::vector<std::string> tokens = tokens_of(part, trace.labels, queries, sequence);
    for (std::size_t head = 0; head < size_or_one(weights.shape(), "head"); ++head) {
      HeadLooks looks_so{.part = part.title,
                         .weights = id,
                         .layer = layer,
                         .head = head + 1,
                         .tokens = tokens,
                         .past = past,
                         .shares = {},
                         .counted = {}};
      const auto add = [&](Look look, std::size_t query, std::size_t key) {
        looks_so.shares[static_cast<std::size_t>(look)] += weight_at(weights, sequence, head, query, key);
        ++looks_so.counted[static_cast<std::size_t>(look)];
      };
      for (std::size_t query = 0; query < queries; ++query) {
        const std::size_t own = past + query;
        add(Look::itself, query, own);
        if (own > 0) add(Look::previous, query, own - 1);
        if (own > 0) add(Look::first, query, 0);
        if (own + 1 < past + queries) add(Look::next, query, own + 1);
      }
      if (pair && tokens == pair->tokens) add(Look::pair, pair->query, past + pair->key);
      for (std::size_t i = 0; i < looks; ++i) {
        if (looks_so.counted[i] > 0) looks_so.shares[i] /= static_cast<double>(looks_so.counted[i]);
      }
      report.heads.push_back(std::move(looks_so));
    }
  }
  if (!report.heads.empty()) report.tokens = report.heads.front().tokens;
  return report;
}

}  // namespace attn
