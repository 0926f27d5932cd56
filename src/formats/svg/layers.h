#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "formats/svg/graph.h"

namespace attn {

// A graph in layers, while it is being laid out.
class LayeredGraph {
 public:
  // REQUIRES: nodes and edges outlive it.
  LayeredGraph(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges);

  // Puts the stands of each layer into an order in which few arrows cross.
  void order();

  // Gives each stand its center: as near to what it is joined to as its neighbours let it.
  void place();

  // Arrows that end (or begin) at the same place of a box stand side by side.
  void spread_ports();

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
  double room_below(std::size_t rank) const;

  std::size_t crossings() const;
  void number();
  void sort_layer(std::size_t rank, bool down);
  void swap_neighbours(std::size_t& fewest);

  void straighten();
  void pull(const std::vector<std::size_t>& layer);
  std::pair<double, double> wanted(std::size_t stand) const;
  double how_much(const ArrowPiece& piece, std::size_t stand, std::size_t other) const;

  const std::vector<GraphNode>& nodes_;
  const std::vector<GraphEdge>& edges_;
  std::vector<Stand> stands_;                   // of the nodes, then of what passes
  std::vector<ArrowPiece> pieces_;              // edge by edge
  std::vector<std::vector<std::size_t>> ways_;  // the stands of an edge
  std::vector<std::vector<std::size_t>> layers_;
  std::vector<std::size_t> at_;                                                          // each stand in its layer
  std::map<std::pair<std::pair<std::size_t, long>, std::size_t>, std::size_t> passing_;  // stands

  static constexpr double lane_width = 14;  // of where an arrow passes a layer
  static constexpr double between_stands = 26;
};

}  // namespace attn
