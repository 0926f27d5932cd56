#include "formats/svg/graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "formats/svg/layers.h"

namespace attn {
namespace {

constexpr double shortest_arrow = 44;  // between layers
constexpr double port_distance = 22;   // between arrows at a box

class LayoutMaker {
 public:
  LayoutMaker(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges)
      : graph_{nodes, edges, {}, {}, {}, {}, {}} {
    const std::vector<std::size_t> ranks = ranked(nodes, edges);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      graph_.stands.push_back({ranks[i], nodes[i].width, nodes[i].height, 0, i});
    }
    for (const GraphEdge& edge : edges) lead(edge);
    for (std::size_t i = 0; i < graph_.stands.size(); ++i) {
      graph_.layers.resize(std::max(graph_.layers.size(), graph_.stands[i].rank + 1));
      graph_.layers[graph_.stands[i].rank].push_back(i);
    }
    for (auto& layer : graph_.layers) {
      std::ranges::stable_sort(layer, {}, [&](std::size_t i) { return graph_.stands[i].first; });
    }
  }

  GraphLayout layout() {
    order_layers(graph_);
    place_stands(graph_);
    spread_ports();
    return written();
  }

 private:
  // An edge that passes layers does so where another from the same node does.
  void lead(const GraphEdge& edge) {
    std::vector<std::size_t> way = {edge.from};
    for (std::size_t rank = graph_.stands[edge.from].rank + 1; rank < graph_.stands[edge.to].rank; ++rank) {
      const auto key = std::make_pair(std::make_pair(edge.from, std::lround(edge.from_at)), rank);
      if (!passing_.contains(key)) {
        passing_[key] = graph_.stands.size();
        graph_.stands.push_back({rank, lane_width, 0, 0, graph_.nodes.size() + edge.from});
      }
      way.push_back(passing_[key]);
    }
    way.push_back(edge.to);
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      graph_.pieces.push_back({way[i], way[i + 1], i == 0 ? edge.from_at - graph_.nodes[edge.from].width / 2 : 0,
                               i + 2 == way.size() ? edge.to_at - graph_.nodes[edge.to].width / 2 : 0, edge.pull});
    }
    graph_.ways.push_back(std::move(way));
  }

  // Arrows that end (or begin) at the same place of a box stand side by side.
  void spread_ports() {
    for (const bool down : {true, false}) {
      std::map<std::pair<std::size_t, long>, std::vector<ArrowPiece*>> ports;
      for (ArrowPiece& piece : graph_.pieces) {
        const std::size_t stand = down ? piece.to : piece.from;
        if (graph_.is_passing(stand)) continue;
        ports[{stand, std::lround(down ? piece.to_shift : piece.from_shift)}].push_back(&piece);
      }
      for (auto& [port, pieces] : ports) {
        const auto other = [&](const ArrowPiece* piece) {
          return down ? graph_.stands[piece->from].center + piece->from_shift
                      : graph_.stands[piece->to].center + piece->to_shift;
        };
        std::ranges::stable_sort(pieces, {}, other);
        // Those that go on in the same lane are one.
        std::vector<std::size_t> slots;
        std::size_t slot = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          const auto end = [&](const ArrowPiece* piece) { return down ? piece->from : piece->to; };
          if (i > 0 && !(graph_.is_passing(end(pieces[i])) && end(pieces[i]) == end(pieces[i - 1]))) ++slot;
          slots.push_back(slot);
        }
        const double step = std::min(port_distance, graph_.stands[port.first].width / static_cast<double>(slot + 2));
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          (down ? pieces[i]->to_shift : pieces[i]->from_shift) +=
              (static_cast<double>(slots[i]) - static_cast<double>(slot) / 2) * step;
        }
      }
    }
  }

  GraphLayout written() {
    GraphLayout layout;
    double left = 0, right = 0;
    bool first = true;
    for (const Stand& stand : graph_.stands) {
      left = first ? stand.center - stand.width / 2 : std::min(left, stand.center - stand.width / 2);
      right = first ? stand.center + stand.width / 2 : std::max(right, stand.center + stand.width / 2);
      first = false;
    }
    for (Stand& stand : graph_.stands) stand.center -= left;
    layout.width = right - left;

    std::vector<double> tops, bottoms;
    double y = 0;
    for (std::size_t rank = 0; rank < graph_.layers.size(); ++rank) {
      double tallest = 0;
      for (const std::size_t i : graph_.layers[rank]) tallest = std::max(tallest, graph_.stands[i].height);
      tops.push_back(y);
      bottoms.push_back(y + tallest);
      y += tallest;
      layout.height = y;
      y += room_below(rank);
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      layout.corners.push_back({graph_.stands[i].center - graph_.stands[i].width / 2, tops[graph_.stands[i].rank]});
    }
    std::size_t next = 0;
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      GraphRoute route;
      for (std::size_t i = 0; i + 1 < graph_.ways[e].size(); ++i) {
        const ArrowPiece& piece = graph_.pieces[next++];
        const std::size_t rank = graph_.stands[piece.from].rank;
        const double from = graph_.stands[piece.from].center + piece.from_shift;
        if (i == 0) route.push_back({from, tops[rank] + graph_.edges[e].from_height});
        route.push_back({from, bottoms[rank]});
        route.push_back({graph_.stands[piece.to].center + piece.to_shift, tops[rank + 1]});
      }
      layout.routes.push_back(std::move(route));
    }
    return layout;
  }

  // Arrows that lead far to the side need more room, so as not to lie flat.
  double room_below(std::size_t rank) const {
    double farthest = 0;
    for (const ArrowPiece& piece : graph_.pieces) {
      if (graph_.stands[piece.from].rank != rank) continue;
      farthest = std::max(farthest, std::abs(graph_.stands[piece.from].center + piece.from_shift -
                                             graph_.stands[piece.to].center - piece.to_shift));
    }
    return shortest_arrow + std::min(46.0, farthest * 0.09);
  }

  Layers graph_;
  std::map<std::pair<std::pair<std::size_t, long>, std::size_t>, std::size_t> passing_;  // stands
};

}  // namespace

GraphLayout laid_out(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges) {
  return LayoutMaker(nodes, edges).layout();
}

}  // namespace attn
