#include "formats/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attn {

LayeredGraph::LayeredGraph(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges,
                           const GraphGaps& gaps)
    : nodes_(nodes), edges_(edges), gaps_(gaps) {
  const std::vector<std::size_t> ranks = ranked(nodes, edges);
  for (std::size_t i = 0; i < nodes.size(); ++i) stands_.push_back({ranks[i], nodes[i].width, nodes[i].height, 0, i});
  for (const GraphEdge& edge : edges) lead(edge);
  for (std::size_t i = 0; i < stands_.size(); ++i) {
    layers_.resize(std::max(layers_.size(), stands_[i].rank + 1));
    layers_[stands_[i].rank].push_back(i);
  }
  for (auto& layer : layers_) {
    std::ranges::stable_sort(layer, {}, [&](std::size_t i) { return stands_[i].first; });
  }
}

// An edge that passes layers does so where another from the same node does.
void LayeredGraph::lead(const GraphEdge& edge) {
  std::vector<std::size_t> way = {edge.from};
  for (std::size_t rank = stands_[edge.from].rank + 1; rank < stands_[edge.to].rank; ++rank) {
    const auto [lane, is_new] = passing_.try_emplace({{edge.from, std::lround(edge.from_at)}, rank}, stands_.size());
    if (is_new) stands_.push_back({rank, lane_width, 0, 0, nodes_.size() + edge.from});
    way.push_back(lane->second);
  }
  way.push_back(edge.to);
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    pieces_.push_back({way[i], way[i + 1], i == 0 ? edge.from_at - nodes_[edge.from].width / 2 : 0,
                       i + 2 == way.size() ? edge.to_at - nodes_[edge.to].width / 2 : 0, edge.pull});
  }
  ways_.push_back(std::move(way));
}

void LayeredGraph::spread_ports() {
  constexpr double port_distance = 22;
  for (const bool down : {true, false}) {
    std::map<std::pair<std::size_t, long>, std::vector<ArrowPiece*>> ports;
    for (ArrowPiece& piece : pieces_) {
      if (is_passing(piece.end(down))) continue;
      ports[{piece.end(down), std::lround(piece.shift(down))}].push_back(&piece);
    }
    for (auto& [port, pieces] : ports) {
      std::ranges::stable_sort(pieces, {}, [&](const ArrowPiece* piece) { return end_of(*piece, !down); });
      // Those that go on in the same lane are one.
      std::vector<std::size_t> slots;
      std::size_t slot = 0;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::size_t other = pieces[i]->end(!down);
        if (i > 0 && !(is_passing(other) && other == pieces[i - 1]->end(!down))) ++slot;
        slots.push_back(slot);
      }
      const double step = std::min(port_distance, stands_[port.first].width / static_cast<double>(slot + 2));
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        pieces[i]->shift(down) += (static_cast<double>(slots[i]) - static_cast<double>(slot) / 2) * step;
      }
    }
  }
}

GraphLayout LayeredGraph::layout() {
  order();
  place();
  spread_ports();
  const auto left_of = [](const Stand& stand) { return stand.center - stand.width / 2; };
  const auto right_of = [](const Stand& stand) { return stand.center + stand.width / 2; };
  const double left = left_of(*std::ranges::min_element(stands_, {}, left_of));
  const double right = right_of(*std::ranges::max_element(stands_, {}, right_of));
  for (Stand& stand : stands_) stand.center -= left;
  GraphLayout layout;
  layout.width = right - left;

  std::vector<double> tops, bottoms;
  double y = 0;
  for (std::size_t rank = 0; rank < layers_.size(); ++rank) {
    double tallest = 0;
    for (const std::size_t i : layers_[rank]) tallest = std::max(tallest, stands_[i].height);
    tops.push_back(y);
    bottoms.push_back(layout.height = y + tallest);
    y = layout.height + room_below(rank);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    layout.corners.push_back({left_of(stands_[i]), tops[stands_[i].rank]});
  std::size_t next = 0;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    GraphRoute route;
    for (std::size_t i = 0; i + 1 < ways_[e].size(); ++i) {
      const ArrowPiece& piece = pieces_[next++];
      const std::size_t rank = stands_[piece.from].rank;
      const double from = end_of(piece, false);
      if (i == 0) route.push_back({from, tops[rank] + edges_[e].from_height});
      route.push_back({from, bottoms[rank]});
      route.push_back({end_of(piece, true), tops[rank + 1]});
    }
    layout.routes.push_back(std::move(route));
  }
  return layout;
}

// Arrows that lead far to the side need more room, so as not to lie flat.
double LayeredGraph::room_below(std::size_t rank) const {
  double farthest = 0;
  for (const ArrowPiece& piece : pieces_) {
    if (stands_[piece.from].rank != rank) continue;
    const double aside = stands_[piece.from].center + piece.from_shift - stands_[piece.to].center - piece.to_shift;
    farthest = std::max(farthest, std::abs(aside));
  }
  return gaps_.shortest_arrow + std::min(46.0, farthest * 0.09);
}

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
  constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].late) continue;
    std::size_t nearest = nowhere;
    for (const GraphEdge& edge : edges) {
      if (edge.from == i) nearest = std::min(nearest, ranks[edge.to]);
    }
    if (nearest != nowhere) ranks[i] = nearest - 1;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) ranks[i] = nodes[i].layer.value_or(ranks[i]);
  return ranks;
}

}  // namespace attn
