#pragma once

#include <cstddef>
#include <vector>

// Where boxes that are joined by arrows stand: in layers from top to bottom, so
// that every arrow leads down, and none across a box.

namespace attn {

struct GraphNode {
  double width = 0, height = 0;
  bool late = false;  // stands just above what needs it, not at the top
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

GraphLayout laid_out(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges);

}  // namespace attn
