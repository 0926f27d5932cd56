#pragma once

#include <cstddef>
#include <vector>

#include "formats/svg/graph.h"

// A graph in layers, while it is being laid out.

namespace attn {

constexpr double lane_width = 14;  // of where an arrow passes a layer
constexpr double between_stands = 26;

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
};

struct Layers {
  const std::vector<GraphNode>& nodes;
  const std::vector<GraphEdge>& edges;
  std::vector<Stand> stands;                   // of the nodes, then of what passes
  std::vector<ArrowPiece> pieces;              // edge by edge
  std::vector<std::vector<std::size_t>> ways;  // the stands of an edge
  std::vector<std::vector<std::size_t>> layers;
  std::vector<std::size_t> at;  // each stand in its layer

  bool is_passing(std::size_t stand) const { return stand >= nodes.size(); }
};

// Puts the stands of each layer into an order in which few arrows cross.
void order_layers(Layers& graph);

// Gives each stand its center: as near to what it is joined to as its neighbours let it.
void place_stands(Layers& graph);

}  // namespace attn
