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
constexpr double narrowest_box = 22, widest_box = 58;
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

// The steps that a document shows as matrices, and which of them each was made from, past what is not shown.
class StepBoxes {
 public:
  explicit StepBoxes(const Document& document) {
    for (const ToldMatrix& told : told_matrices(document)) {
      const Matrix& matrix = *told.matrix;
      if (at(matrix.step) < steps_.size()) continue;
      boxes_.push_back(
          {matrix.role, {Span(matrix.symbol, matrix.role)}, latex_short_title(told.title), shape_text(matrix)});
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
    breadth_ = down_ ? widest_title() : of_name;
    thickness_ = down_ ? 15 : narrowest_box;
  }

  LatexPieces drawn() {
    if (edges_.empty() || layers_ > (down_ ? most_layers_down : most_layers_across)) return {};
    GraphLayout layout = laid_out();
    if (!down_) {
      const double left = page_.width - 8 - layout.height * drawn_scale;
      thickness_ = std::clamp(thickness_ + left / static_cast<double>(layers_), narrowest_box, widest_box);
      fill_boxes(true, true);
      layout = laid_out();
      const auto is_too_high = [&] { return page_.is_slide() && height_of(layout) > page_.height; };
      for (const bool with_titles : {true, false}) {
        if (!is_too_high()) break;
        fill_boxes(with_titles, !with_titles);
        layout = laid_out();
      }
    }
    std::string text = "\\begin{attnpicture}\n";
    for (std::size_t i = 0; i < edges_.size(); ++i) text += arrow(edges_[i], layout.routes[i]);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const GraphPoint corner = layout.corners[i];
      text += box(boxes_[i], {corner.x + nodes_[i].width / 2, corner.y + nodes_[i].height / 2});
    }
    return {{"\\attnfigure{" + text + "\\end{attnpicture}}\n", height_of(layout)}};
  }

 private:
  // Of what stands in a box: the letters as against text, the name, each line below, what is left and right.
  static constexpr double small_letters = 0.75, of_name = 17, of_line = 8.5, inner = 4;

  double height_of(const GraphLayout& layout) const {
    return (down_ ? layout.height : layout.width) * drawn_scale + 26;
  }

  // What stands below the names of boxes that lie side by side: where it fits.
  void fill_boxes(bool with_titles, bool with_shapes) {
    has_titles_ = with_titles && std::ranges::all_of(boxes_, [&](const FlowBox& box) { return lines_of(box) > 0; });
    has_shapes_ = with_shapes && std::ranges::all_of(boxes_, [&](const FlowBox& box) {
                    return small_letters * latex_math_width({box.shape}) <= thickness_ - inner;
                  });
    std::size_t lines = has_shapes_ ? 1 : 0, of_title = 0;
    for (const FlowBox& box : boxes_) of_title = std::max(of_title, has_titles_ ? lines_of(box) : 0);
    lines += of_title;
    breadth_ = of_name + of_line * static_cast<double>(lines);
  }

  // In how many lines the title of the box is set; 0 where a word of it is too wide.
  std::size_t lines_of(const FlowBox& box) const {
    std::size_t lines = 1;
    double used = 0;
    for (std::size_t begin = 0; begin < box.title.size();) {
      const std::size_t end = std::min(box.title.find(' ', begin), box.title.size());
      const double word = small_letters * latex_text_width(box.title.substr(begin, end - begin));
      if (word > thickness_ - inner) return 0;
      const double space = used > 0 ? small_letters * 3.4 : 0;
      if (used + space + word > thickness_ - inner) {
        ++lines;
        used = word;
      } else {
        used += space + word;
      }
      begin = end + 1;
    }
    return lines;
  }

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

  double widest_title() const {
    double widest = 0;
    for (const FlowBox& box : boxes_) {
      widest = std::max(widest, 0.85 * (latex_text_width(box.title + box.shape) + latex_math_width(box.name)) + 28);
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
      words = "\\footnotesize " + latex_prose(box.title) + "\\hfill " + name + "\\ {\\attnfaint{" +
              latex_prose(box.shape) + "}}";
    } else {
      words = "{\\footnotesize " + name + "}" + (has_titles_ ? "\\\\" + latex_prose(box.title) : "") +
              (has_shapes_ ? "\\\\\\attnfaint{" + latex_prose(box.shape) + "}" : "");
    }
    return fmt::format("\\attnflowbox{{{}}}{{{}}}{{{:.1f}}}{{{:.1f}}}{{{}}}\n", colour(box.role), place(middle),
                       down_ ? breadth_ : thickness_, down_ ? thickness_ : breadth_, words);
  }

  std::vector<FlowBox> boxes_;
  const LatexPage& page_;
  bool down_;
  bool has_titles_ = false, has_shapes_ = false;
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
