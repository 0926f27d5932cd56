#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

// Where boxes that are joined by arrows stand: in layers from top to bottom, so
// that every arrow leads down, and none across a box.

namespace attn {

struct GraphNode {
  double width = 0, height = 0;
  bool late = false;                                // stands just above what needs it, not at the top
  std::optional<std::size_t> layer = std::nullopt;  // where that is said
};

// From the bottom of one node to the top of another, `…_at` from its left side.
struct GraphEdge {
  std::size_t from = 0, to = 0;
  double from_at = 0, to_at = 0;
  double pull = 1;         // how much it matters that it is straight
  double from_height = 0;  // how far down the part of the node reaches that it leaves
};

struct GraphPoint {
  double x = 0, y = 0;
};

// Straight down and curved in turns, beginning with straight down.
using GraphRoute = std::vector<GraphPoint>;

struct GraphLayout {
  std::vector<GraphPoint> corners;  // of the nodes: upper left
  std::vector<GraphRoute> routes;   // of the edges
  double width = 0, height = 0;
};

// How many layers down each node stands. REQUIRES: no edges in a circle.
std::vector<std::size_t> ranked(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges);

// How far apart they stand.
struct GraphGaps {
  double shortest_arrow = 44;  // from layer to layer
  double between_stands = 26;  // in a layer
};

// A graph in layers.
class LayeredGraph {
 public:
  // REQUIRES: nodes and edges outlive it.
  LayeredGraph(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges, const GraphGaps& gaps = {});

  GraphLayout layout();

 private:
  // A box in its layer, or where an arrow passes one.
  struct Stand {
    std::size_t rank = 0;
    double width = 0, height = 0;
    double center = 0;
    std::size_t first = 0;  // in the order that was given; arrows that pass come last
  };

  // A piece of an edge between two layers.
  struct ArrowPiece {
    std::size_t from, to;         // stands
    double from_shift, to_shift;  // from their centers
    double pull;

    std::size_t end(bool down) const { return down ? to : from; }
    double& shift(bool down) { return down ? to_shift : from_shift; }
    double shift(bool down) const { return down ? to_shift : from_shift; }
  };

  bool is_passing(std::size_t stand) const { return stand >= nodes_.size(); }
  double end_of(const ArrowPiece& piece, bool down) const {
    return stands_[piece.end(down)].center + piece.shift(down);
  }

  void lead(const GraphEdge& edge);

  // Puts the stands of each layer into an order in which few arrows cross.
  void order();
  std::size_t crossings() const;
  void number();
  void sort_layer(std::size_t rank, bool down);
  void swap_neighbours(std::size_t& fewest);

  // Gives each stand its center: as near to what it is joined to as its neighbours let it.
  void place();
  void straighten();
  void pull(const std::vector<std::size_t>& layer);
  std::pair<double, double> wanted(std::size_t stand) const;
  double how_much(const ArrowPiece& piece, std::size_t stand, std::size_t other) const;

  // Arrows that end (or begin) at the same place of a box stand side by side.
  void spread_ports();
  double room_below(std::size_t rank) const;

  const std::vector<GraphNode>& nodes_;
  const std::vector<GraphEdge>& edges_;
  const GraphGaps gaps_;
  std::vector<Stand> stands_;                   // of the nodes, then of what passes
  std::vector<ArrowPiece> pieces_;              // edge by edge
  std::vector<std::vector<std::size_t>> ways_;  // the stands of an edge
  std::vector<std::vector<std::size_t>> layers_;
  std::vector<std::size_t> at_;                                                          // each stand in its layer
  std::map<std::pair<std::pair<std::size_t, long>, std::size_t>, std::size_t> passing_;  // stands

  static constexpr double lane_width = 14;  // of where an arrow passes a layer
};

}  // namespace attn
