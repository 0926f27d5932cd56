#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "formats/latex/blocks.h"
#include "formats/latex/math.h"
#include "formats/looks.h"
#include "formats/svg/graph.h"

// The steps of a computation as boxes, joined as the numbers flow.

namespace attn {
namespace {

constexpr std::size_t fewest = 4, most = 26;  // boxes of one picture
constexpr double padding = 12;                // of a box, on both sides together
constexpr double widest_title = 105;
constexpr double title_size = 0.7;  // of letters, of that of text

struct FlowBox {
  std::string step;
  Role role = Role::score;
  std::string text;
  double width = 0;
};

class Flow {
 public:
  Flow(const Document& document, bool has_titles) : has_titles_(has_titles), squeezed_(has_titles ? 0.72 : 0.5) {
    for (const Matrix& matrix : document.behind) first_of_.emplace(matrix.step, &matrix);
    for (const Block& block : document.blocks) {
      const auto* matrix = std::get_if<Matrix>(&block);
      if (!matrix || !matrix->handed_in.empty() || !matrix->boxes.empty()) continue;
      first_of_[matrix->step] = matrix;
      if (box_of_.try_emplace(matrix->step, boxes_.size()).second) boxes_.push_back(box(*matrix));
    }
    for (std::size_t to = 0; to < boxes_.size(); ++to) {
      std::set<std::size_t> from;
      std::set<std::string> seen;
      find_sources(boxes_[to].step, from, seen);
      from.erase(to);
      has_sources_.push_back(!from.empty());
      for (const std::size_t one : from) arrows_.emplace_back(one, to);
    }
  }

  bool is_worth_drawing() const {
    return boxes_.size() >= fewest && boxes_.size() <= most && arrows_.size() + 1 >= boxes_.size();
  }

  // REQUIRES: it is worth drawing.
  LatexPiece piece() const {
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      nodes.push_back({.width = boxes_[i].width, .height = height(), .late = !has_sources_[i]});
    for (const auto& [from, to] : arrows_) {
      edges.push_back({.from = from,
                       .to = to,
                       .from_at = boxes_[from].width / 2,
                       .to_at = boxes_[to].width / 2,
                       .from_height = height()});
    }
    const GraphLayout layout = LayeredGraph(nodes, edges).layout();
    std::string text =
        fmt::format("\\attndrawing{{\\attnfit{{\\begin{{tikzpicture}}[x=1pt,y=-{}pt,font=\\footnotesize]\n", squeezed_);
    for (std::size_t i = 0; i < edges.size(); ++i) text += arrow(layout.routes[i], boxes_[arrows_[i].first].role);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const GraphPoint& corner = layout.corners[i];
      text += fmt::format(
          "\\node[draw,rounded corners=2pt,fill=white,align=center,inner sep=2pt,minimum width={:.0f}pt,minimum "
          "height={:.0f}pt] at ({:.1f},{:.1f}) {{{}}};\n",
          boxes_[i].width, squeezed_ * height(), corner.x + boxes_[i].width / 2, corner.y + height() / 2,
          boxes_[i].text);
    }
    return {text + "\\end{tikzpicture}}}\n", squeezed_ * layout.height + 20, layout.width};
  }

 private:
  double height() const { return has_titles_ ? 36 : 22; }

  FlowBox box(const Matrix& matrix) const {
    const Inline symbol = {Span(matrix.symbol, matrix.role)};
    const bool is_short = latex_math_width(matrix.name()) <= widest_title;
    const Inline name = is_short ? matrix.name() : symbol;
    FlowBox made{matrix.step, matrix.role, latex_inline_math(name), latex_math_width(name)};
    const std::string title = matrix.title.substr(0, matrix.title.find(':'));
    if (has_titles_ && !title.empty()) {
      made.text += "\\\\[-1pt]{\\scriptsize\\attnfaint{" + latex_label(title, widest_title / title_size) + "}}";
      made.width = std::max(made.width, title_size * latex_label_width(title, widest_title / title_size));
    }
    made.width += padding;
    return made;
  }

  // The nearest steps with boxes that the step was made from.
  void find_sources(const std::string& step, std::set<std::size_t>& found, std::set<std::string>& seen) const {
    const auto matrix = first_of_.find(step);
    if (matrix == first_of_.end() || !seen.insert(step).second) return;
    for (const Reading::Source& source : matrix->second->reading.operands) {
      const auto box = box_of_.find(source.id);
      if (box != box_of_.end()) {
        found.insert(box->second);
      } else {
        find_sources(source.id, found, seen);
      }
    }
  }

  // Straight down and curved in turns.
  static std::string arrow(const GraphRoute& route, Role role) {
    const std::string_view colour = look_of(role).command;
    std::string way = fmt::format("({:.1f},{:.1f})", route[0].x, route[0].y);
    for (std::size_t i = 1; i < route.size(); ++i) {
      const GraphPoint &a = route[i - 1], &b = route[i];
      const double half = (a.y + b.y) / 2;
      way += i % 2 == 1 ? fmt::format(" -- ({:.1f},{:.1f})", b.x, b.y)
                        : fmt::format(" .. controls ({:.1f},{:.1f}) and ({:.1f},{:.1f}) .. ({:.1f},{:.1f})", a.x, half,
                                      b.x, half, b.x, b.y);
    }
    return fmt::format("\\draw[->,{}] {};\n", colour.empty() ? std::string_view("attnfaint") : colour, way);
  }

  bool has_titles_;
  double squeezed_;  // the room between layers, beside that of a figure with numbers
  std::map<std::string, const Matrix*> first_of_;
  std::vector<FlowBox> boxes_;
  std::map<std::string, std::size_t> box_of_;
  std::vector<bool> has_sources_;
  std::vector<std::pair<std::size_t, std::size_t>> arrows_;
};

}  // namespace

LatexPieces latex_flow(const Document& document, const LatexPage& page) {
  constexpr double highest = 600;  // on a page of paper
  for (const bool has_titles : {true, false}) {
    if (has_titles && page.is_slide()) continue;
    const Flow flow(document, has_titles);
    if (!flow.is_worth_drawing()) return {};
    LatexPiece piece = flow.piece();
    if (piece.height <= highest) return {std::move(piece)};
  }
  return {};
}

}  // namespace attn
