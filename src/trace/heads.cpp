#include "trace/heads.h"

#include <algorithm>
#include <numeric>

namespace attn {
namespace {

bool has_own_tokens(const Recipe& recipe, const RecipePart& part) {
  if (!part.attention || !recipe.has(part.attention->weights)) return false;
  return part.attention->query_inputs == part.attention->key_inputs;
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
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return share(a, look) > share(b, look); });
  return order;
}

std::vector<StepId> weights_of_heads(const Recipe& recipe) {
  std::vector<StepId> ids;
  for (const RecipePart& part : recipe.parts()) {
    if (has_own_tokens(recipe, part)) ids.push_back(part.attention->weights);
  }
  return ids;
}

double weight_of(const Trace& trace, const HeadLooks& head, std::size_t sequence, std::size_t query, std::size_t key) {
  return weight_at(trace.value(head.weights), sequence, head.head - 1, query, key);
}

HeadsReport heads_of(const Trace& trace, std::size_t sequence,
                     std::optional<std::pair<std::size_t, std::size_t>> pair) {
  HeadsReport report{.tokens = {}, .pair = pair, .heads = {}};
  std::size_t layer = 0;
  for (const RecipePart& part : trace.recipe.parts()) {
    if (!has_own_tokens(trace.recipe, part)) continue;
    ++layer;
    const StepId& id = part.attention->weights;
    const Tensor<double>& weights = trace.value(id);
    const std::size_t keys = weights.shape().size("key"), past = keys - weights.shape().size("query");
    std::size_t queries = weights.shape().size("query");
    if (sequence < trace.own_queries.size()) queries = std::min(queries, trace.own_queries[sequence]);
    for (std::size_t head = 0; head < size_or_one(weights.shape(), "head"); ++head) {
      HeadLooks looks_so{.part = part.title, .weights = id, .layer = layer, .head = head + 1, .shares = {}};
      std::array<std::size_t, looks> counted = {};
      const auto add = [&](Look look, std::size_t query, std::size_t key) {
        looks_so.shares[static_cast<std::size_t>(look)] += weight_at(weights, sequence, head, query, key);
        ++counted[static_cast<std::size_t>(look)];
      };
      for (std::size_t query = 0; query < queries; ++query) {
        const std::size_t own = past + query;
        add(Look::itself, query, own);
        if (own > 0) add(Look::previous, query, own - 1);
        if (own > 0) add(Look::first, query, 0);
        if (own + 1 < past + queries) add(Look::next, query, own + 1);
      }
      if (pair) add(Look::pair, pair->first, pair->second);
      for (std::size_t i = 0; i < looks; ++i)
        looks_so.shares[i] /= static_cast<double>(std::max<std::size_t>(counted[i], 1));
      report.heads.push_back(std::move(looks_so));
    }
    if (!report.tokens.empty()) continue;
    const Labels& labels = part.labels ? *part.labels : trace.labels;
    if (sequence < labels.query.size()) report.tokens = labels.query[sequence];
    report.tokens.resize(std::min(report.tokens.size(), queries));
  }
  return report;
}

}  // namespace attn
