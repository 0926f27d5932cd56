#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "formats/graph.h"
#include "formats/spelling.h"
#include "formats/svg/box.h"
#include "formats/svg/drawings.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double page_width = 1060;     // about, for boxes of a layer
constexpr double beside_distance = 40;  // to a box beside another
constexpr double arrow_head = 8;

bool is_vector(const Matrix& matrix) {
  return (matrix.row_axis.empty() && matrix.rows() == 1) || (matrix.column_axis.empty() && matrix.columns() == 1);
}

class Flow {
 public:
  Flow(const Document& document, const FormatOptions& options, const Theme& theme) : options_(options), theme_(theme) {
    std::map<std::string, std::vector<ToldMatrix>> by_step;
    std::vector<std::string> order;
    for (const Matrix& matrix : document.behind) behind_[matrix.step].push_back(&matrix);
    for (ToldMatrix& told : told_matrices(document)) {
      const std::string& step = told.matrix->step;
      if (by_step[step].empty()) order.push_back(step);
      by_step[step].push_back(std::move(told));
    }
    for (const std::string& step : order) boxes_.emplace_back(by_step[step]);
    for (std::size_t i = 0; i < boxes_.size(); ++i) box_of_[boxes_[i].step()] = i;
    add_vectors_between();
    for (std::size_t i = 0; i < boxes_.size(); ++i) find_sources(i);
    find_companions();
  }

  Drawing drawing() {
    build_nodes();
    const GraphLayout layout = LayeredGraph(nodes_, edges_).layout();
    Drawing drawing{layout.width, layout.height, {}};
    for (std::size_t i = 0; i < edges_.size(); ++i) drawing.content += arrow(arrows_[i], layout.routes[i]);
    std::string boxes;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      double x = layout.corners[node].x;
      const double y = layout.corners[node].y;
      const StepBox* last = nullptr;
      for (const std::size_t i : members_[node]) {
        if (last) {
          const double middle = y + std::min(last->height(), boxes_[i].height()) / 2;
          drawing.content += beside_arrow(last->step(), boxes_[i].step(), last->first().role, x, middle);
          x += beside_distance;
        }
        boxes += boxes_[i].drawn(x, y, theme_);
        x += boxes_[i].width();
        last = &boxes_[i];
      }
    }
    drawing.content += boxes;
    return drawing;
  }

 private:
  using Names = std::pair<std::size_t, std::size_t>;  // from box, to box

  const Matrix* matrix_of(const std::string& step) const {
    if (const auto box = box_of_.find(step); box != box_of_.end()) return &boxes_[box->second].first();
    const auto found = behind_.find(step);
    return found == behind_.end() ? nullptr : found->second.front();
  }

  // The nearest steps with boxes that the step was made from.
  void nearest_boxes(const std::string& step, std::set<std::size_t>& found, std::set<std::string>& seen) const {
    const Matrix* matrix = matrix_of(step);
    if (!matrix || !seen.insert(step).second) return;
    for (const Reading::Source& source : matrix->reading.operands) {
      if (const auto box = box_of_.find(source.id); box != box_of_.end()) {
        found.insert(box->second);
      } else {
        nearest_boxes(source.id, found, seen);
      }
    }
  }

  // The largest score of a row and the sum of its exponentials are drawn even
  // where only lines tell them: what is made from them has a box.
  void add_vectors_between() {
    std::vector<std::string> wanted;
    std::set<std::string> seen;
    for (const StepBox& box : boxes_) {
      for (const Reading::Source& source : box.first().reading.operands) {
        const auto found = behind_.find(source.id);
        if (found == behind_.end() || box_of_.contains(source.id) || !seen.insert(source.id).second) continue;
        const Matrix& matrix = *found->second.front();
        if (!is_vector(matrix) || matrix.role != Role::softmax) continue;
        std::set<std::size_t> from;
        std::set<std::string> passed;
        nearest_boxes(source.id, from, passed);
        if (!from.empty()) wanted.push_back(source.id);
      }
    }
    for (const std::string& step : wanted) {
      box_of_[step] = boxes_.size();
      std::vector<ToldMatrix> told;
      for (const Matrix* matrix : behind_[step]) told.push_back({matrix, matrix->title, matrix->place});
      boxes_.emplace_back(std::move(told));
    }
  }

  void find_sources(std::size_t box) {
    std::set<std::size_t> found;
    std::set<std::string> seen;
    nearest_boxes(boxes_[box].step(), found, seen);
    const Reading& reading = boxes_[box].first().reading;
    // The mask is read by all that comes behind the scores it closes: one arrow is enough.
    if (reading.open && box_of_.contains(reading.open->id)) {
      const std::size_t mask = box_of_[reading.open->id];
      const bool is_known = std::ranges::any_of(found, [&](std::size_t i) { return reads(i, mask); });
      if (!is_known) found.insert(mask);
    }
    found.erase(box);
    sources_.push_back({found.begin(), found.end()});
  }

  // Whether the box or what it is made from was made with that mask.
  bool reads(std::size_t box, std::size_t mask) const {
    const std::string& id = boxes_[mask].step();
    std::set<std::string> seen;
    std::vector<std::string> waiting = {boxes_[box].step()};
    while (!waiting.empty()) {
      const std::string step = waiting.back();
      waiting.pop_back();
      const Matrix* matrix = matrix_of(step);
      if (!matrix || !seen.insert(step).second) continue;
      if (matrix->reading.open && matrix->reading.open->id == id) return true;
      for (const Reading::Source& source : matrix->reading.operands) {
        if (source.id == id) return true;
        waiting.push_back(source.id);
      }
    }
    return false;
  }

  // A vector that is made from one matrix stands beside it.
  void find_companions() {
    companion_.assign(boxes_.size(), std::nullopt);
    beside_.assign(boxes_.size(), false);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (!is_vector(boxes_[i].first()) || sources_[i].size() != 1) continue;
      const std::size_t whole = *sources_[i].begin();
      if (companion_[whole] || beside_[whole] || is_vector(boxes_[whole].first())) continue;
      companion_[whole] = i;
      beside_[i] = true;
    }
  }

  // The boxes that stand together, joined by what their boxes are joined by.
  void build_nodes() {
    std::vector<std::size_t> node_of(boxes_.size());
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (beside_[i]) continue;
      node_of[i] = members_.size();
      members_.push_back({i});
      if (companion_[i]) {
        node_of[*companion_[i]] = node_of[i];
        members_.back().push_back(*companion_[i]);
      }
      nodes_.push_back({.late = sources_[i].empty()});
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      for (const std::size_t source : sources_[i]) {
        if (node_of[source] == node_of[i]) continue;
        edges_.push_back({.from = node_of[source], .to = node_of[i], .pull = beside_[source] ? 0.02 : 1});
        arrows_.emplace_back(source, i);
      }
    }
    measure();
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      edges_[i].from_at = middle(arrows_[i].first, edges_[i].from);
      edges_[i].to_at = middle(arrows_[i].second, edges_[i].to);
      edges_[i].from_height = boxes_[arrows_[i].first].height();
    }
  }

  void measure() {
    std::map<std::size_t, std::size_t> in_layer;
    const std::vector<std::size_t> ranks = ranked(nodes_, edges_);
    for (std::size_t node = 0; node < nodes_.size(); ++node) in_layer[ranks[node]] += members_[node].size();
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      double head = 0;
      for (const std::size_t i : members_[node]) {
        boxes_[i].lay_out(theme_, page_width / static_cast<double>(in_layer[ranks[node]]), options_.full);
        head = std::max(head, boxes_[i].head());
      }
      for (const std::size_t i : members_[node]) {
        boxes_[i].set_head(head);
        nodes_[node].width += boxes_[i].width() + (i == members_[node].front() ? 0 : beside_distance);
        nodes_[node].height = std::max(nodes_[node].height, boxes_[i].height());
      }
    }
  }

  // Where the middle of the box is, from the left side of its node.
  double middle(std::size_t box, std::size_t node) const {
    double x = 0;
    for (const std::size_t i : members_[node]) {
      if (i == box) return x + boxes_[i].width() / 2;
      x += boxes_[i].width() + beside_distance;
    }
    return x;
  }

  std::string path(const std::string& from, const std::string& to, Role role, const std::string& way,
                   const std::string& head) const {
    return fmt::format(R"(<g class="arrow" data-from="{}" data-to="{}"><path d="{}" fill="none" stroke="{}" )"
                       R"(stroke-width="1.75"/><path d="{}" fill="{}"/></g>)",
                       escaped_markup(from), escaped_markup(to), way, theme_.of(role).ink, head, theme_.of(role).ink) +
           "\n";
  }

  std::string arrow(const Names& names, const GraphRoute& route) const {
    const StepBox& from = boxes_[names.first];
    std::string way = svg("M{} {}", route[0].x, route[0].y);
    for (std::size_t i = 1; i < route.size(); ++i) {
      const GraphPoint &a = route[i - 1], &b = route[i];
      const double y = i + 1 == route.size() ? b.y - arrow_head + 1 : b.y;
      const double half = (a.y + y) / 2;
      way += i % 2 == 1 ? svg("V{}", y) : svg("C{0} {1} {2} {1} {2} {3}", a.x, half, b.x, y);
    }
    const GraphPoint end = route.back();
    const std::string head = svg("M{0} {1}l{2} -{3}h{3}z", end.x, end.y, -arrow_head / 2, arrow_head);
    return path(from.step(), boxes_[names.second].step(), from.first().role, way, head);
  }

  std::string beside_arrow(const std::string& from, const std::string& to, Role role, double x, double y) const {
    const std::string way = svg("M{} {}H{}", x, y, x + beside_distance - arrow_head + 1);
    const std::string head = svg("M{0} {1}l-{2} {3}v{2}z", x + beside_distance, y, arrow_head, -arrow_head / 2);
    return path(from, to, role, way, head);
  }

  const FormatOptions& options_;
  const Theme& theme_;
  std::map<std::string, std::vector<const Matrix*>> behind_;
  std::vector<StepBox> boxes_;
  std::map<std::string, std::size_t> box_of_;
  std::vector<std::vector<std::size_t>> sources_;      // of each box
  std::vector<std::optional<std::size_t>> companion_;  // that stands beside it
  std::vector<bool> beside_;
  std::vector<std::vector<std::size_t>> members_;  // boxes of a node
  std::vector<GraphNode> nodes_;
  std::vector<GraphEdge> edges_;
  std::vector<Names> arrows_;  // of the edges
};

}  // namespace

Drawing flow_drawing(const Document& document, const FormatOptions& options, const Theme& theme) {
  return Flow(document, options, theme).drawing();
}

}  // namespace attn
