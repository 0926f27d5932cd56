#include <algorithm>
#include <utility>

#include "formats/svg/layers.h"

namespace attn {
namespace {

constexpr int pulls = 400;

class Placer {
 public:
  explicit Placer(Layers& graph) : graph_(graph) {}

  void place() {
    for (auto& layer : graph_.layers) {
      double x = 0;
      for (const std::size_t i : layer) {
        graph_.stands[i].center = x + graph_.stands[i].width / 2;
        x += graph_.stands[i].width + between_stands;
      }
      for (const std::size_t i : layer) graph_.stands[i].center -= (x - between_stands) / 2;
    }
    for (int sweep = 0; sweep < pulls; ++sweep) {
      for (std::size_t k = 0; k < graph_.layers.size(); ++k) {
        pull(graph_.layers[sweep % 2 == 0 ? k : graph_.layers.size() - 1 - k]);
      }
    }
    straighten();
  }

 private:
  // Where an arrow passes several layers in a row it does so in one line, if no box
  // is in its way.
  void straighten() {
    for (const std::vector<std::size_t>& way : graph_.ways) {
      if (way.size() < 4) continue;
      double least = -1e9, most = 1e9, sum = 0;
      for (std::size_t i = 1; i + 1 < way.size(); ++i) {
        const std::vector<std::size_t>& layer = graph_.layers[graph_.stands[way[i]].rank];
        const std::size_t at = graph_.at[way[i]];
        const auto edge = [&](std::size_t of, double side) {
          return graph_.stands[layer[of]].center +
                 side * ((graph_.stands[layer[of]].width + lane_width) / 2 + between_stands);
        };
        if (at > 0) least = std::max(least, edge(at - 1, 1));
        if (at + 1 < layer.size()) most = std::min(most, edge(at + 1, -1));
        sum += graph_.stands[way[i]].center;
      }
      if (least > most) continue;
      const double x = std::clamp(sum / static_cast<double>(way.size() - 2), least, most);
      for (std::size_t i = 1; i + 1 < way.size(); ++i) graph_.stands[way[i]].center = x;
    }
  }

  // Moves each of the layer to the middle of what it is joined to, as far as its
  // neighbours let it.
  void pull(const std::vector<std::size_t>& layer) {
    struct Block {
      double sum;
      double weight;
      std::size_t count;
      double at() const { return sum / weight; }
    };
    std::vector<Block> blocks;
    std::vector<double> offset(layer.size(), 0);
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) {
        offset[i] =
            offset[i - 1] + (graph_.stands[layer[i - 1]].width + graph_.stands[layer[i]].width) / 2 + between_stands;
      }
      const auto [wish, weight] = wanted(layer[i]);
      blocks.push_back({(wish - offset[i]) * weight, weight, 1});
      while (blocks.size() > 1 && blocks[blocks.size() - 2].at() > blocks.back().at()) {
        const Block last = blocks.back();
        blocks.pop_back();
        blocks.back() = {blocks.back().sum + last.sum, blocks.back().weight + last.weight,
                         blocks.back().count + last.count};
      }
    }
    std::size_t i = 0;
    for (const Block& block : blocks) {
      for (std::size_t n = 0; n < block.count; ++n, ++i) graph_.stands[layer[i]].center = block.at() + offset[i];
    }
  }

  // Where a stand would be best, and how much it matters: long arrows are to be straight.
  std::pair<double, double> wanted(std::size_t stand) const {
    double sum = 0, weight = 0;
    for (const ArrowPiece& piece : graph_.pieces) {
      if (piece.from != stand && piece.to != stand) continue;
      const std::size_t other = piece.from == stand ? piece.to : piece.from;
      const double shift = piece.from == stand ? piece.to_shift - piece.from_shift : piece.from_shift - piece.to_shift;
      const double matters = how_much(piece, stand, other);
      sum += (graph_.stands[other].center + shift) * matters;
      weight += matters;
    }
    if (weight == 0) return {graph_.stands[stand].center, 0.001};
    return {sum / weight, weight};
  }

  // What is computed stands first, straight below each other; what is given and
  // arrows that pass make room for it.
  double how_much(const ArrowPiece& piece, std::size_t stand, std::size_t other) const {
    constexpr double little = 0.02;
    if (graph_.is_passing(stand)) return graph_.is_passing(other) ? 10 * little : little;
    if (graph_.is_passing(other)) return little / 10;
    return graph_.nodes[other].late || graph_.nodes[stand].late ? little : piece.pull;
  }

  Layers& graph_;
};

}  // namespace

void place_stands(Layers& graph) { Placer(graph).place(); }

}  // namespace attn
