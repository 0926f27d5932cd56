#include <algorithm>

#include "formats/svg/graph.h"

namespace attn {

std::vector<std::size_t> ranked(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges) {
  std::vector<std::size_t> ranks(nodes.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const GraphEdge& edge : edges) {
      if (ranks[edge.to] > ranks[edge.from]) continue;
      ranks[edge.to] = ranks[edge.from] + 1;
      changed = true;
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].late) continue;
    std::size_t nearest = 0;
    bool is_needed = false;
    for (const GraphEdge& edge : edges) {
      if (edge.from != i) continue;
      nearest = is_needed ? std::min(nearest, ranks[edge.to]) : ranks[edge.to];
      is_needed = true;
    }
    if (is_needed) ranks[i] = nearest - 1;
  }
  return ranks;
}

}  // namespace attn
