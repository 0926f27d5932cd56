#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
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

constexpr double beside_distance = 40;  // to a box beside another
constexpr double arrow_head = 8, shortest_arrow = 44;
constexpr GraphGaps tight_gaps{.shortest_arrow = 24, .between_stands = 10};

bool is_vector(const Matrix& matrix) { return matrix.row_axis.empty() || matrix.column_axis.empty(); }

// Whether the step only puts numbers into another order.
bool regroups(const Matrix& matrix) {
  return std::holds_alternative<Split>(matrix.reading.op) || std::holds_alternative<Merge>(matrix.reading.op);
}

// Whether the step stays where there is little room: it is neither within a softmax
// nor given beside the inputs, and not only numbers in another order.
bool is_of_the_gist(const Matrix& matrix) {
  return !regroups(matrix) && matrix.role != Role::softmax && matrix.role != Role::weighted_value &&
         matrix.role != Role::weight_matrix && matrix.role != Role::mask;
}

// The first place of a box: "Head 1 of 2".
std::string place_of(const StepBox& box) { return box.places().front().place; }

std::string in_sentence(std::string words) {
  if (words[0] >= 'A' && words[0] <= 'Z') words[0] = static_cast<char>(words[0] - 'A' + 'a');
  return words;
}

// Of which sequence and which head a matrix is, where its step has several.
using Whose = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;

Whose whose(const Matrix& matrix) {
  const Shape& shape = matrix.reading.result;
  const auto index = [&](const Axis& axis) -> std::optional<std::size_t> {
    if (!shape.has(axis)) return std::nullopt;
    return shape.index(matrix.first)[*shape.position(axis)];
  };
  return {index("batch"), index("head")};
}

class Flow {
 public:
  Flow(const Document& document, const FormatOptions& options, const Theme& theme, const Room& room)
      : options_(options), theme_(theme), room_(room) {
    std::map<std::string, std::vector<ToldMatrix>> by_step;
    std::vector<std::string> order;
    for (const Matrix& matrix : document.behind) behind_[matrix.step].push_back(&matrix);
    for (ToldMatrix& told : told_matrices(document)) {
      const std::string& step = told.matrix->step;
      if (by_step[step].empty()) order.push_back(step);
      by_step[step].push_back(std::move(told));
    }
    for (const std::string& step : order) boxes_.emplace_back(by_step[step]);
    number_boxes();
    add_what_is_between(document);
    if (!document.is_selection) leave_out();
    for (StepBox& box : boxes_) {
      if (room.one_place) box.keep_first();
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) find_sources(i);
    find_companions();
  }

  FlowDrawing drawn() {
    Drawing drawing = this->drawing();
    return {std::move(drawing), words_of_places(), std::move(left_out_)};
  }

 private:
  Drawing drawing() {
    if (boxes_.empty()) return {};  // all is left out
    build_nodes();
    GraphLayout layout = LayeredGraph(nodes_, edges_, room_.is_tight ? tight_gaps : GraphGaps{}).layout();
    if (room_.flows_across) turn(layout);
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

  // Drawn even where only lines tell them, as what is made from them has a box: the largest score
  // of a row and the sum of its exponentials; and what is one matrix a query, as weighted values
  // are. Of the places that are told; and of nothing where only some steps were asked for.
  void add_what_is_between(const Document& document) {
    if (document.is_selection) return;
    std::set<Whose> told_of;
    for (const StepBox& box : boxes_) {
      for (const ToldMatrix& told : box.places()) told_of.insert(whose(*told.matrix));
    }
    std::vector<std::string> wanted;
    std::set<std::string> seen;
    for (const StepBox& box : boxes_) {
      for (const Reading::Source& source : box.first().reading.operands) {
        const auto found = behind_.find(source.id);
        if (found == behind_.end() || box_of_.contains(source.id) || !seen.insert(source.id).second) continue;
        const Matrix& matrix = *found->second.front();
        if (!(is_vector(matrix) && matrix.role == Role::softmax) && !is_matrix_a_query(matrix)) continue;
        std::set<std::size_t> from;
        std::set<std::string> passed;
        nearest_boxes(source.id, from, passed);
        if (!from.empty()) wanted.push_back(source.id);
      }
    }
    for (const std::string& step : wanted) {
      std::vector<ToldMatrix> told;
      for (const Matrix* matrix : behind_[step]) {
        if (told_of.contains(whose(*matrix))) told.push_back({matrix, matrix->title, matrix->place});
      }
      if (told.empty()) continue;
      box_of_[step] = boxes_.size();
      boxes_.emplace_back(std::move(told));
    }
  }

  void number_boxes() {
    box_of_.clear();
    for (std::size_t i = 0; i < boxes_.size(); ++i) box_of_[boxes_[i].step()] = i;
  }

  void leave_out() {
    if (room_.detail == Detail::all) return;
    keep([](const Matrix& matrix) { return is_of_the_gist(matrix); });
    if (room_.detail == Detail::gist) return;
    const std::set<std::string> passed = passed_on();
    keep([&](const Matrix& matrix) { return matrix.role != Role::score && !passed.contains(matrix.step); });
  }

  template <class IsKept>
  void keep(IsKept is_kept) {
    std::vector<StepBox> kept;
    for (StepBox& box : boxes_) {
      const Matrix& matrix = box.first();
      if (is_kept(matrix)) {
        kept.push_back(std::move(box));
        continue;
      }
      left_out_.push_back(&matrix);
      behind_[matrix.step].push_back(&matrix);
    }
    boxes_ = std::move(kept);
    number_boxes();
  }

  // Inputs, queries, keys and values that others of their kind are made from.
  std::set<std::string> passed_on() const {
    std::set<std::string> passed;
    for (const StepBox& box : boxes_) {
      std::set<std::size_t> from;
      std::set<std::string> seen;
      nearest_boxes(box.step(), from, seen);
      const Role role = box.first().role;
      if (role != Role::input && role != Role::query && role != Role::key && role != Role::value) continue;
      for (const std::size_t i : from) {
        if (boxes_[i].first().role == role) passed.insert(boxes_[i].step());
      }
    }
    return passed;
  }

  // Of the box with the most heads and sequences that are not drawn large.
  std::string words_of_places() const {
    const StepBox* most = nullptr;
    const auto not_large = [](const StepBox& box) { return box.drawn_small() + box.not_drawn(); };
    for (const StepBox& box : boxes_) {
      if (is_matrix_a_query(box.first())) continue;
      if (not_large(box) > (most ? not_large(*most) : 0)) most = &box;
    }
    if (!most) return "";
    const bool has_numbers = std::ranges::any_of(boxes_, &StepBox::has_numbers);
    const std::size_t small = most->drawn_small(), none = most->not_drawn();
    std::string words = small == 0 ? "Only " + in_sentence(place_of(*most)) + " is drawn here"
                                   : place_of(*most) + (has_numbers ? " is drawn with its numbers" : " is drawn large");
    if (small > 0) words += small + none == 1 ? ", the other as a small map" : ", the others as small maps";
    if (none > 0 && small > 0) words += fmt::format("; {} more {} left out", none, none == 1 ? "is" : "are");
    return words + ".";
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
    if (room_.flows_across || room_.one_a_layer) return;  // there is no room beside
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
    if (room_.one_a_layer) stand_one_by_one();
    measure();
    if (room_.flows_across) return turn_nodes();
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      edges_[i].from_at = middle(arrows_[i].first, edges_[i].from);
      edges_[i].to_at = middle(arrows_[i].second, edges_[i].to);
      edges_[i].from_height = boxes_[arrows_[i].first].height();
    }
  }

  // Each node in a layer of its own, in the order of those they would have.
  void stand_one_by_one() {
    const std::vector<std::size_t> ranks = ranked(nodes_, edges_);
    std::vector<std::size_t> order(nodes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t node) { return ranks[node]; });
    for (std::size_t layer = 0; layer < order.size(); ++layer) nodes_[order[layer]].layer = layer;
  }

  // The graph knows only ways down: what flows across is a graph that lies on its side.
  void turn_nodes() {
    for (GraphNode& node : nodes_) std::swap(node.width, node.height);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      edges_[i].from_at = boxes_[arrows_[i].first].height() / 2;
      edges_[i].to_at = boxes_[arrows_[i].second].height() / 2;
      edges_[i].from_height = boxes_[arrows_[i].first].width();
    }
  }

  static void turn(GraphLayout& layout) {
    std::swap(layout.width, layout.height);
    for (GraphPoint& corner : layout.corners) std::swap(corner.x, corner.y);
  }

  void measure() {
    std::map<std::size_t, std::size_t> in_layer;
    const std::vector<std::size_t> ranks = ranked(nodes_, edges_);
    const std::size_t layers = std::ranges::max(ranks) + 1;
    for (std::size_t node = 0; node < nodes_.size(); ++node) in_layer[ranks[node]] += members_[node].size();
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      double head = 0;
      for (const std::size_t i : members_[node]) {
        const std::size_t beside = room_.flows_across ? layers : in_layer[ranks[node]];
        const double between = !room_.flows_across ? 0 : room_.is_tight ? tight_gaps.shortest_arrow : shortest_arrow;
        boxes_[i].lay_out(theme_, room_.width / static_cast<double>(beside) - between, room_, options_.full);
        head = std::max(head, boxes_[i].head());
      }
      for (const std::size_t i : members_[node]) {
        boxes_[i].set_head(head);
        nodes_[node].width += boxes_[i].width() + (i == members_[node].front() ? 0 : beside_distance);
        nodes_[node].height = std::max(nodes_[node].height, boxes_[i].height());
      }
    }
  }

  // Where the middle of the box is, from the left side of its node. REQUIRES: it is one of the node's.
  double middle(std::size_t box, std::size_t node) const {
    assert(std::ranges::find(members_[node], box) != members_[node].end());
    double x = 0;
    for (auto i = members_[node].begin(); *i != box; ++i) x += boxes_[*i].width() + beside_distance;
    return x + boxes_[box].width() / 2;
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
    const bool across = room_.flows_across;
    std::string way = svg("M{} {}", across ? route[0].y : route[0].x, across ? route[0].x : route[0].y);
    for (std::size_t i = 1; i < route.size(); ++i) {
      const GraphPoint &a = route[i - 1], &b = route[i];
      const double y = i + 1 == route.size() ? b.y - arrow_head + 1 : b.y;
      const double half = (a.y + y) / 2;
      if (room_.flows_across) {
        way += i % 2 == 1 ? svg("H{}", y) : svg("C{0} {1} {0} {2} {3} {2}", half, a.x, b.x, y);
      } else {
        way += i % 2 == 1 ? svg("V{}", y) : svg("C{0} {1} {2} {1} {2} {3}", a.x, half, b.x, y);
      }
    }
    const GraphPoint end = route.back();
    if (room_.flows_across) {
      const std::string head = svg("M{0} {1}l-{2} {3}v{2}z", end.y, end.x, arrow_head, -arrow_head / 2);
      return path(from.step(), boxes_[names.second].step(), from.first().role, way, head);
    }
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
  const Room& room_;
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
  std::vector<const Matrix*> left_out_;
};

}  // namespace

bool is_matrix_a_query(const Matrix& matrix) {
  const Shape& shape = matrix.reading.result;
  return shape.has("query") && shape.rank() - shape.has("batch") - shape.has("head") > 2;
}

FlowDrawing flow_drawing(const Document& document, const FormatOptions& options, const Theme& theme, const Room& room) {
  return Flow(document, options, theme, room).drawn();
}

}  // namespace attn
