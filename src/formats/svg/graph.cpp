#include "formats/svg/graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace attn {
namespace {

constexpr double between = 26;         // boxes of a layer
constexpr double lane = 14;            // wide, where an arrow passes a layer
constexpr double shortest_arrow = 44;  // between layers
constexpr double port_distance = 22;   // between arrows at a box
constexpr int sweeps = 24;             // to order the layers
constexpr int pulls = 400;             // to place them

// A box in its layer, or where an arrow passes one.
struct Stand {
  std::size_t rank = 0;
  double width = 0, height = 0;
  double center = 0;
  std::size_t first = 0;  // in the order that was given; arrows that pass come last
};

// A piece of an edge between two layers.
struct Piece {
  std::size_t from, to;         // stands
  double from_shift, to_shift;  // from their centers
  double pull;
};

class Layers {
 public:
  Layers(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges) : nodes_(nodes), edges_(edges) {
    const std::vector<std::size_t> ranks = ranked(nodes, edges);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      stands_.push_back({ranks[i], nodes[i].width, nodes[i].height, 0, i});
    }
    for (const GraphEdge& edge : edges) lead(edge);
    for (std::size_t i = 0; i < stands_.size(); ++i) {
      layers_.resize(std::max(layers_.size(), stands_[i].rank + 1));
      layers_[stands_[i].rank].push_back(i);
    }
    for (auto& layer : layers_) std::ranges::stable_sort(layer, {}, [&](std::size_t i) { return stands_[i].first; });
  }

  GraphLayout layout() {
    order();
    place();
    return written();
  }

 private:
  // An edge that passes layers does so where another from the same node does.
  void lead(const GraphEdge& edge) {
    std::vector<std::size_t> way = {edge.from};
    for (std::size_t rank = stands_[edge.from].rank + 1; rank < stands_[edge.to].rank; ++rank) {
      const auto key = std::make_pair(std::make_pair(edge.from, std::lround(edge.from_at)), rank);
      if (!passing_.contains(key)) {
        passing_[key] = stands_.size();
        stands_.push_back({rank, lane, 0, 0, nodes_.size() + edge.from});
      }
      way.push_back(passing_[key]);
    }
    way.push_back(edge.to);
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      pieces_.push_back({way[i], way[i + 1], i == 0 ? edge.from_at - nodes_[edge.from].width / 2 : 0,
                         i + 2 == way.size() ? edge.to_at - nodes_[edge.to].width / 2 : 0, edge.pull});
    }
    ways_.push_back(std::move(way));
  }

  std::size_t crossings() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Piece &a = pieces_[i], &b = pieces_[j];
        if (stands_[a.from].rank != stands_[b.from].rank) continue;
        const auto side = [&](std::size_t x, double shift_x, std::size_t y, double shift_y) {
          if (x == y) return shift_x - shift_y;
          return static_cast<double>(at_[x]) - static_cast<double>(at_[y]);
        };
        count += side(a.from, a.from_shift, b.from, b.from_shift) * side(a.to, a.to_shift, b.to, b.to_shift) < 0;
      }
    }
    return count;
  }

  void number() {
    at_.resize(stands_.size());
    for (const auto& layer : layers_) {
      for (std::size_t i = 0; i < layer.size(); ++i) at_[layer[i]] = i;
    }
  }

  // Each layer in the order of the middle of what its stands are joined to; the
  // order with the fewest crossings is kept.
  void order() {
    number();
    std::size_t fewest = crossings();
    swap_neighbours(fewest);
    auto best = layers_;
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t k = 1; k < layers_.size(); ++k) {
        sort_layer(down ? k : layers_.size() - 1 - k, down);
        number();
      }
      const std::size_t now = crossings();
      if (now < fewest) {
        fewest = now;
        best = layers_;
      }
    }
    layers_ = std::move(best);
    number();
    swap_neighbours(fewest);
  }

  void sort_layer(std::size_t rank, bool down) {
    std::map<std::size_t, double> middle;
    for (const std::size_t i : layers_[rank]) {
      double sum = 0;
      int count = 0;
      for (const Piece& piece : pieces_) {
        if ((down ? piece.to : piece.from) != i) continue;
        const std::size_t other = down ? piece.from : piece.to;
        const double shift = down ? piece.from_shift : piece.to_shift;
        sum += static_cast<double>(at_[other]) + shift / (stands_[other].width + 1);
        ++count;
      }
      middle[i] = count > 0 ? sum / count : static_cast<double>(at_[i]);
    }
    std::ranges::stable_sort(layers_[rank], {}, [&](std::size_t i) { return middle[i]; });
  }

  void swap_neighbours(std::size_t& fewest) {
    bool better = fewest > 0;
    while (better) {
      better = false;
      for (auto& layer : layers_) {
        for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
          std::swap(layer[i], layer[i + 1]);
          number();
          const std::size_t now = crossings();
          if (now < fewest) {
            fewest = now;
            better = true;
          } else {
            std::swap(layer[i], layer[i + 1]);
          }
        }
      }
      number();
    }
  }

  void place() {
    for (auto& layer : layers_) {
      double x = 0;
      for (const std::size_t i : layer) {
        stands_[i].center = x + stands_[i].width / 2;
        x += stands_[i].width + between;
      }
      for (const std::size_t i : layer) stands_[i].center -= (x - between) / 2;
    }
    for (int sweep = 0; sweep < pulls; ++sweep) {
      for (std::size_t k = 0; k < layers_.size(); ++k) {
        pull(layers_[sweep % 2 == 0 ? k : layers_.size() - 1 - k]);
      }
    }
    straighten();
  }

  // Where an arrow passes several layers in a row it does so in one line, if no box
  // is in its way.
  void straighten() {
    for (const std::vector<std::size_t>& way : ways_) {
      if (way.size() < 4) continue;
      double least = -1e9, most = 1e9, sum = 0;
      for (std::size_t i = 1; i + 1 < way.size(); ++i) {
        const std::vector<std::size_t>& layer = layers_[stands_[way[i]].rank];
        const std::size_t at = at_[way[i]];
        const auto edge = [&](std::size_t of, double side) {
          return stands_[layer[of]].center + side * ((stands_[layer[of]].width + lane) / 2 + between);
        };
        if (at > 0) least = std::max(least, edge(at - 1, 1));
        if (at + 1 < layer.size()) most = std::min(most, edge(at + 1, -1));
        sum += stands_[way[i]].center;
      }
      if (least > most) continue;
      const double x = std::clamp(sum / static_cast<double>(way.size() - 2), least, most);
      for (std::size_t i = 1; i + 1 < way.size(); ++i) stands_[way[i]].center = x;
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
        offset[i] = offset[i - 1] + (stands_[layer[i - 1]].width + stands_[layer[i]].width) / 2 + between;
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
      for (std::size_t n = 0; n < block.count; ++n, ++i) stands_[layer[i]].center = block.at() + offset[i];
    }
  }

  // Where a stand would be best, and how much it matters: long arrows are to be straight.
  std::pair<double, double> wanted(std::size_t stand) const {
    double sum = 0, weight = 0;
    for (const Piece& piece : pieces_) {
      if (piece.from != stand && piece.to != stand) continue;
      const std::size_t other = piece.from == stand ? piece.to : piece.from;
      const double shift = piece.from == stand ? piece.to_shift - piece.from_shift : piece.from_shift - piece.to_shift;
      const double matters = how_much(piece, stand, other);
      sum += (stands_[other].center + shift) * matters;
      weight += matters;
    }
    if (weight == 0) return {stands_[stand].center, 0.001};
    return {sum / weight, weight};
  }

  // What is computed stands first, straight below each other; what is given and
  // arrows that pass make room for it.
  double how_much(const Piece& piece, std::size_t stand, std::size_t other) const {
    constexpr double little = 0.02;
    if (is_passing(stand)) return is_passing(other) ? 10 * little : little;
    if (is_passing(other)) return little / 10;
    return nodes_[other].late || nodes_[stand].late ? little : piece.pull;
  }

  bool is_passing(std::size_t stand) const { return stand >= nodes_.size(); }

  // Arrows that end (or begin) at the same place of a box stand side by side.
  void spread_ports() {
    for (const bool down : {true, false}) {
      std::map<std::pair<std::size_t, long>, std::vector<Piece*>> ports;
      for (Piece& piece : pieces_) {
        const std::size_t stand = down ? piece.to : piece.from;
        if (is_passing(stand)) continue;
        ports[{stand, std::lround(down ? piece.to_shift : piece.from_shift)}].push_back(&piece);
      }
      for (auto& [port, pieces] : ports) {
        const auto other = [&](const Piece* piece) {
          return down ? stands_[piece->from].center + piece->from_shift : stands_[piece->to].center + piece->to_shift;
        };
        std::ranges::stable_sort(pieces, {}, other);
        // Those that go on in the same lane are one.
        std::vector<std::size_t> slots;
        std::size_t slot = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          const auto end = [&](const Piece* piece) { return down ? piece->from : piece->to; };
          if (i > 0 && !(is_passing(end(pieces[i])) && end(pieces[i]) == end(pieces[i - 1]))) ++slot;
          slots.push_back(slot);
        }
        const double step = std::min(port_distance, stands_[port.first].width / static_cast<double>(slot + 2));
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          (down ? pieces[i]->to_shift : pieces[i]->from_shift) +=
              (static_cast<double>(slots[i]) - static_cast<double>(slot) / 2) * step;
        }
      }
    }
  }

  GraphLayout written() {
    spread_ports();
    GraphLayout layout;
    double left = 0, right = 0;
    bool first = true;
    for (const Stand& stand : stands_) {
      left = first ? stand.center - stand.width / 2 : std::min(left, stand.center - stand.width / 2);
      right = first ? stand.center + stand.width / 2 : std::max(right, stand.center + stand.width / 2);
      first = false;
    }
    for (Stand& stand : stands_) stand.center -= left;
    layout.width = right - left;

    std::vector<double> tops, bottoms;
    double y = 0;
    for (std::size_t rank = 0; rank < layers_.size(); ++rank) {
      double tallest = 0;
      for (const std::size_t i : layers_[rank]) tallest = std::max(tallest, stands_[i].height);
      tops.push_back(y);
      bottoms.push_back(y + tallest);
      y += tallest;
      layout.height = y;
      y += room_below(rank);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      layout.corners.push_back({stands_[i].center - stands_[i].width / 2, tops[stands_[i].rank]});
    }
    std::size_t next = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      GraphRoute route;
      for (std::size_t i = 0; i + 1 < ways_[e].size(); ++i) {
        const Piece& piece = pieces_[next++];
        const std::size_t rank = stands_[piece.from].rank;
        const double from = stands_[piece.from].center + piece.from_shift;
        if (i == 0) route.push_back({from, tops[rank] + edges_[e].from_height});
        route.push_back({from, bottoms[rank]});
        route.push_back({stands_[piece.to].center + piece.to_shift, tops[rank + 1]});
      }
      layout.routes.push_back(std::move(route));
    }
    return layout;
  }

  // Arrows that lead far to the side need more room, so as not to lie flat.
  double room_below(std::size_t rank) const {
    double farthest = 0;
    for (const Piece& piece : pieces_) {
      if (stands_[piece.from].rank != rank) continue;
      farthest = std::max(farthest, std::abs(stands_[piece.from].center + piece.from_shift - stands_[piece.to].center -
                                             piece.to_shift));
    }
    return shortest_arrow + std::min(46.0, farthest * 0.09);
  }

  const std::vector<GraphNode>& nodes_;
  const std::vector<GraphEdge>& edges_;
  std::vector<Stand> stands_;  // of the nodes, then of what passes
  std::map<std::pair<std::pair<std::size_t, long>, std::size_t>, std::size_t> passing_;
  std::vector<Piece> pieces_;                   // edge by edge
  std::vector<std::vector<std::size_t>> ways_;  // the stands of an edge
  std::vector<std::vector<std::size_t>> layers_;
  std::vector<std::size_t> at_;  // in its layer
};

}  // namespace

GraphLayout laid_out(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges) {
  return Layers(nodes, edges).layout();
}

}  // namespace attn
