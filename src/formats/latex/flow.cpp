#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "formats/graph.h"
#include "formats/latex/blocks.h"
#include "formats/latex/math.h"
#include "formats/looks.h"
#include "formats/places.h"

namespace attn {
namespace {

constexpr double drawn_scale = 0.31;  // of what a graph leaves between its boxes
constexpr double narrowest_box = 22, widest_box = 56;
constexpr std::size_t most_layers_across = 16, most_layers_down = 26;

struct FlowBox {
  Role role = Role::score;
  Inline name;
  std::string title, shape;
  std::vector<std::size_t> reads = {};
};

std::string shape_text(const Matrix& matrix) {
  std::string text;
  if (matrix.reading.result.dims().empty()) return fmt::format("{}×{}", matrix.rows(), matrix.columns());
  for (const Dim& dim : matrix.reading.result.dims()) text += (text.empty() ? "" : "×") + std::to_string(dim.size);
  return text;
}

// What fits into a box: "Attention weights" of "Attention weights, softmax of each row of scores".
std::string short_title(const std::string& title) { return title.substr(0, title.find_first_of(":,;(")); }

// The steps that a document shows as matrices, and which of them each was made from, past what is not shown.
class StepBoxes {
 public:
  explicit StepBoxes(const Document& document) {
    for (const ToldMatrix& told : told_matrices(document)) {
      const Matrix& matrix = *told.matrix;
      if (at(matrix.step) < steps_.size()) continue;
      boxes_.push_back({matrix.role, {Span(matrix.symbol, matrix.role)}, short_title(told.title), shape_text(matrix)});
      steps_.push_back(&matrix);
    }
    shown_ = steps_.size();
    for (const Matrix& matrix : document.behind) {
      if (at(matrix.step) == steps_.size()) steps_.push_back(&matrix);
    }
    for (std::size_t i = 0; i < shown_; ++i) find_sources(i);
  }

  std::vector<FlowBox> take() { return std::move(boxes_); }

 private:
  // Where the step is; behind all where it is not known.
  std::size_t at(const std::string& step) const {
    std::size_t i = 0;
    while (i < steps_.size() && steps_[i]->step != step) ++i;
    return i;
  }

  void find_sources(std::size_t box) {
    std::vector<bool> seen(steps_.size());
    look_at_sources(box, seen);
    // All that follows the scores that a mask closes reads it too: one arrow is enough.
    const Matrix& matrix = *steps_[box];
    if (matrix.reading.open && matrix.role == Role::score) look_at(matrix.reading.open->id, seen);
    for (std::size_t i = 0; i < shown_; ++i) {
      if (seen[i] && i != box) boxes_[box].reads.push_back(i);
    }
  }

  // Marks the nearest steps that have boxes, and those that were passed.
  void look_at_sources(std::size_t step, std::vector<bool>& seen) const {
    for (const Reading::Source& source : steps_[step]->reading.operands) look_at(source.id, seen);
  }
  void look_at(const std::string& id, std::vector<bool>& seen) const {
    const std::size_t source = at(id);
    if (source == steps_.size() || seen[source]) return;
    seen[source] = true;
    if (source >= shown_) look_at_sources(source, seen);
  }

  std::vector<const Matrix*> steps_;  // those with boxes first
  std::size_t shown_ = 0;
  std::vector<FlowBox> boxes_;
};

std::vector<FlowBox> boxes_of_outline(const std::vector<OutlinePart>& parts) {
  std::vector<FlowBox> boxes;
  for (const OutlinePart& part : parts) boxes.push_back({part.role, part.name, part.title, part.sizes, part.reads});
  return boxes;
}

// Boxes in layers: side by side, or one below the other where their titles are long.
class FlowFigure {
 public:
  FlowFigure(std::vector<FlowBox> boxes, const LatexPage& page, bool down)
      : boxes_(std::move(boxes)), page_(page), down_(down) {
    for (const FlowBox& box : boxes_) nodes_.push_back({.late = box.reads.empty()});
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      for (const std::size_t source : boxes_[i].reads) edges_.push_back({.from = source, .to = i});
    }
    layers_ = 0;
    for (const std::size_t rank : ranked(nodes_, edges_)) layers_ = std::max(layers_, rank + 1);
    has_titles_ = !page.is_slide();
    breadth_ = down_ ? widest_title() : has_titles_ ? 40 : 27;
    thickness_ = down_ ? 15 : narrowest_box;
  }

  LatexPieces drawn() {
    if (edges_.empty() || layers_ > (down_ ? most_layers_down : most_layers_across)) return {};
    GraphLayout layout = laid_out();
    if (!down_) {
      const double left = page_.width - 4 - layout.height * drawn_scale;
      thickness_ = std::clamp(thickness_ + left / static_cast<double>(layers_), narrowest_box, widest_box);
      if (has_titles_ && thickness_ < widest_word()) {
        has_titles_ = false;
        breadth_ = 27;
      }
      layout = laid_out();
    }
    std::string text = "\\begin{attnpicture}\n";
    for (std::size_t i = 0; i < edges_.size(); ++i) text += arrow(edges_[i], layout.routes[i]);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const GraphPoint corner = layout.corners[i];
      text += box(boxes_[i], {corner.x + nodes_[i].width / 2, corner.y + nodes_[i].height / 2});
    }
    const double height = (down_ ? layout.height : layout.width) * drawn_scale;
    return {{"\\attnfigure{" + text + "\\end{attnpicture}}\n", height + 14}};
  }

 private:
  GraphLayout laid_out() {
    for (GraphNode& node : nodes_) {
      node.width = breadth_ / drawn_scale;
      node.height = thickness_ / drawn_scale;
    }
    for (GraphEdge& edge : edges_) {
      edge.from_at = edge.to_at = breadth_ / drawn_scale / 2;
      edge.from_height = thickness_ / drawn_scale;
    }
    return LayeredGraph(nodes_, edges_).layout();
  }

  // Of the titles in their boxes.
  double widest_word() const {
    double widest = 0;
    for (const FlowBox& box : boxes_) {
      for (std::size_t begin = 0; begin < box.title.size();) {
        const std::size_t end = std::min(box.title.find(' ', begin), box.title.size());
        widest = std::max(widest, 0.64 * latex_text_width(box.title.substr(begin, end - begin)) + 4);
        begin = end + 1;
      }
    }
    return widest;
  }

  double widest_title() const {
    double widest = 0;
    for (const FlowBox& box : boxes_) {
      widest = std::max(widest, 0.8 * (latex_text_width(box.title + box.shape) + latex_math_width(box.name)) + 28);
    }
    return std::min(widest, page_.width * 0.6);
  }

  // Layers lead down in the graph.
  std::string place(const GraphPoint& point) const {
    const double along = point.y * drawn_scale, across = point.x * drawn_scale;
    return down_ ? fmt::format("({:.1f},{:.1f})", across, -along) : fmt::format("({:.1f},{:.1f})", along, -across);
  }

  static std::string colour(Role role) {
    const std::string_view command = look_of(role).command;
    return std::string(command.empty() ? "attnfaint" : command);
  }

  std::string arrow(const GraphEdge& edge, const GraphRoute& route) const {
    std::string way = place(route[0]);
    for (std::size_t i = 1; i < route.size(); ++i) {
      const GraphPoint &a = route[i - 1], &b = route[i];
      const double half = (a.y + b.y) / 2;
      way += i % 2 == 1 ? "--" + place(b)
                        : "..controls" + place({a.x, half}) + "and" + place({b.x, half}) + ".." + place(b);
    }
    return "\\attnarrow{" + colour(boxes_[edge.from].role) + "}{" + way + "}\n";
  }

  std::string box(const FlowBox& box, const GraphPoint& middle) const {
    const std::string name = latex_inline_math(box.name);
    std::string words;
    if (down_) {
      words = "\\footnotesize " + latex_text(box.title) + "\\hfill " + name + "\\ {\\attnfaint{" +
              latex_prose(box.shape) + "}}";
    } else {
      words = "{\\footnotesize " + name + "}" + (has_titles_ ? "\\\\" + latex_text(box.title) : "") +
              "\\\\\\attnfaint{" + latex_prose(box.shape) + "}";
    }
    return fmt::format("\\attnflowbox{{{}}}{{{}}}{{{:.1f}}}{{{:.1f}}}{{{}}}\n", colour(box.role), place(middle),
                       down_ ? breadth_ : thickness_, down_ ? thickness_ : breadth_, words);
  }

  std::vector<FlowBox> boxes_;
  const LatexPage& page_;
  bool down_;
  bool has_titles_ = false;
  std::vector<GraphNode> nodes_;
  std::vector<GraphEdge> edges_;
  std::size_t layers_ = 0;
  double breadth_ = 0, thickness_ = 0;  // of a box, across the layers and along
};

}  // namespace

LatexPieces latex_flow(const Document& document, const LatexPage& page) {
  constexpr std::size_t fewest = 4;  // boxes that are worth a figure
  const bool is_told = std::ranges::none_of(document.blocks, [](const Block& block) {
    const auto* matrix = std::get_if<Matrix>(&block);
    return std::holds_alternative<Tree>(block) || (matrix && !matrix->handed_in.empty());
  });
  if (!is_told || document.sheet) return {};
  const bool has_parts = !document.outline.empty();
  std::vector<FlowBox> boxes = has_parts ? boxes_of_outline(document.outline) : StepBoxes(document).take();
  if (boxes.size() < fewest) return {};
  return FlowFigure(std::move(boxes), page, has_parts && !page.is_slide()).drawn();
}

}  // namespace attn
