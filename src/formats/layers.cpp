#include <algorithm>

#include "formats/graph.h"

namespace attn {

// Each layer in the order of the middle of what its stands are joined to; the
// order with the fewest crossings is kept.
void LayeredGraph::order() {
  constexpr int sweeps = 24;
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

std::size_t LayeredGraph::crossings() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ArrowPiece &a = pieces_[i], &b = pieces_[j];
      if (stands_[a.from].rank != stands_[b.from].rank) continue;
      const auto side = [&](bool down) {
        const std::size_t x = a.end(down), y = b.end(down);
        if (x == y) return a.shift(down) - b.shift(down);
        return static_cast<double>(at_[x]) - static_cast<double>(at_[y]);
      };
      count += side(false) * side(true) < 0;
    }
  }
  return count;
}

void LayeredGraph::number() {
  at_.resize(stands_.size());
  for (const auto& layer : layers_) {
    for (std::size_t i = 0; i < layer.size(); ++i) at_[layer[i]] = i;
  }
}

void LayeredGraph::sort_layer(std::size_t rank, bool down) {
  std::map<std::size_t, double> middle;
  for (const std::size_t i : layers_[rank]) {
    double sum = 0;
    int count = 0;
    for (const ArrowPiece& piece : pieces_) {
      if (piece.end(down) != i) continue;
      const std::size_t other = piece.end(!down);
      sum += static_cast<double>(at_[other]) + piece.shift(!down) / (stands_[other].width + 1);
      ++count;
    }
    middle[i] = count > 0 ? sum / count : static_cast<double>(at_[i]);
  }
  std::ranges::stable_sort(layers_[rank], {}, [&](std::size_t i) { return middle[i]; });
}

void LayeredGraph::swap_neighbours(std::size_t& fewest) {
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

void LayeredGraph::place() {
  constexpr int pulls = 400;
  for (const auto& layer : layers_) {
    double x = 0;
    for (const std::size_t i : layer) {
      stands_[i].center = x + stands_[i].width / 2;
      x += stands_[i].width + gaps_.between_stands;
    }
    for (const std::size_t i : layer) stands_[i].center -= (x - gaps_.between_stands) / 2;
  }
  for (int sweep = 0; sweep < pulls; ++sweep) {
    for (std::size_t k = 0; k < layers_.size(); ++k) pull(layers_[sweep % 2 == 0 ? k : layers_.size() - 1 - k]);
  }
  straighten();
}

// Where an arrow passes several layers in a row it does so in one line, if no box
// is in its way.
void LayeredGraph::straighten() {
  for (const std::vector<std::size_t>& way : ways_) {
    if (way.size() < 4) continue;
    double least = -1e9, most = 1e9, sum = 0;
    for (std::size_t i = 1; i + 1 < way.size(); ++i) {
      const std::vector<std::size_t>& layer = layers_[stands_[way[i]].rank];
      const std::size_t at = at_[way[i]];
      const auto edge = [&](std::size_t of, double side) {
        const Stand& stand = stands_[layer[of]];
        return stand.center + side * ((stand.width + lane_width) / 2 + gaps_.between_stands);
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
void LayeredGraph::pull(const std::vector<std::size_t>& layer) {
  struct Neighbours {
    double sum;
    double weight;
    std::size_t count;
    double at() const { return sum / weight; }
  };
  std::vector<Neighbours> blocks;
  std::vector<double> offset(layer.size(), 0);
  for (std::size_t i = 0; i < layer.size(); ++i) {
    if (i > 0) {
      offset[i] = offset[i - 1] + (stands_[layer[i - 1]].width + stands_[layer[i]].width) / 2 + gaps_.between_stands;
    }
    const auto [wish, weight] = wanted(layer[i]);
    blocks.push_back({(wish - offset[i]) * weight, weight, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].at() > blocks.back().at()) {
      const Neighbours last = blocks.back();
      blocks.pop_back();
      Neighbours& before = blocks.back();
      before = {before.sum + last.sum, before.weight + last.weight, before.count + last.count};
    }
  }
  std::size_t i = 0;
  for (const Neighbours& block : blocks) {
    for (std::size_t n = 0; n < block.count; ++n, ++i) stands_[layer[i]].center = block.at() + offset[i];
  }
}

// Where a stand would be best, and how much it matters: long arrows are to be straight.
std::pair<double, double> LayeredGraph::wanted(std::size_t stand) const {
  double sum = 0, weight = 0;
  for (const ArrowPiece& piece : pieces_) {
    const bool down = piece.to == stand;
    if (!down && piece.from != stand) continue;
    const std::size_t other = piece.end(!down);
    const double matters = how_much(piece, stand, other);
    sum += (stands_[other].center + (piece.shift(!down) - piece.shift(down))) * matters;
    weight += matters;
  }
  if (weight == 0) return {stands_[stand].center, 0.001};
  return {sum / weight, weight};
}

// What is computed stands first, straight below each other; what is given and
// arrows that pass make room for it.
double LayeredGraph::how_much(const ArrowPiece& piece, std::size_t stand, std::size_t other) const {
  constexpr double little = 0.02;
  if (is_passing(stand)) return is_passing(other) ? 10 * little : little;
  if (is_passing(other)) return little / 10;
  return nodes_[other].late || nodes_[stand].late ? little : piece.pull;
}

}  // namespace attn
