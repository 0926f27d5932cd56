#include <algorithm>
#include <map>
#include <utility>

#include "formats/svg/layers.h"

namespace attn {
namespace {

constexpr int sweeps = 24;

class Orderer {
 public:
  explicit Orderer(Layers& graph) : graph_(graph) {}

  // Each layer in the order of the middle of what its stands are joined to; the
  // order with the fewest crossings is kept.
  void order() {
    number();
    std::size_t fewest = crossings();
    swap_neighbours(fewest);
    auto best = graph_.layers;
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t k = 1; k < graph_.layers.size(); ++k) {
        sort_layer(down ? k : graph_.layers.size() - 1 - k, down);
        number();
      }
      const std::size_t now = crossings();
      if (now < fewest) {
        fewest = now;
        best = graph_.layers;
      }
    }
    graph_.layers = std::move(best);
    number();
    swap_neighbours(fewest);
  }

 private:
  std::size_t crossings() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < graph_.pieces.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const ArrowPiece &a = graph_.pieces[i], &b = graph_.pieces[j];
        if (graph_.stands[a.from].rank != graph_.stands[b.from].rank) continue;
        const auto side = [&](std::size_t x, double shift_x, std::size_t y, double shift_y) {
          if (x == y) return shift_x - shift_y;
          return static_cast<double>(graph_.at[x]) - static_cast<double>(graph_.at[y]);
        };
        count += side(a.from, a.from_shift, b.from, b.from_shift) * side(a.to, a.to_shift, b.to, b.to_shift) < 0;
      }
    }
    return count;
  }

  void number() {
    graph_.at.resize(graph_.stands.size());
    for (const auto& layer : graph_.layers) {
      for (std::size_t i = 0; i < layer.size(); ++i) graph_.at[layer[i]] = i;
    }
  }

  void sort_layer(std::size_t rank, bool down) {
    std::map<std::size_t, double> middle;
    for (const std::size_t i : graph_.layers[rank]) {
      double sum = 0;
      int count = 0;
      for (const ArrowPiece& piece : graph_.pieces) {
        if ((down ? piece.to : piece.from) != i) continue;
        const std::size_t other = down ? piece.from : piece.to;
        const double shift = down ? piece.from_shift : piece.to_shift;
        sum += static_cast<double>(graph_.at[other]) + shift / (graph_.stands[other].width + 1);
        ++count;
      }
      middle[i] = count > 0 ? sum / count : static_cast<double>(graph_.at[i]);
    }
    std::ranges::stable_sort(graph_.layers[rank], {}, [&](std::size_t i) { return middle[i]; });
  }

  void swap_neighbours(std::size_t& fewest) {
    bool better = fewest > 0;
    while (better) {
      better = false;
      for (auto& layer : graph_.layers) {
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

  Layers& graph_;
};

}  // namespace

void order_layers(Layers& graph) { Orderer(graph).order(); }

}  // namespace attn
