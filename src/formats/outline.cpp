#include "formats/outline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "formats/spelling.h"

namespace attn {
namespace {

constexpr double text_size = 13, line_height = 30, inset = 10;
constexpr double between_boxes = 16, between_layers = 26;
constexpr double map_side = 44, between_maps = 6;
constexpr std::size_t most_squares = 22;  // of a map's side: two dots each
constexpr double lane = 16, corner = 6, head = 7;

struct OutlineBox {
  double x = 0, y = 0, width = 0, height = 0;

  double middle() const { return x + width / 2; }
  double right() const { return x + width; }
};

// An arrow that passes boxes: of all that reads one part the same.
struct Passing {
  std::size_t from = 0;
  std::vector<std::size_t> to = {};
  std::size_t lane = 0;

  bool overlaps(const Passing& other) const { return from < other.to.back() && other.from < to.back(); }
  std::size_t length() const { return to.back() - from; }
};

// "layer1" of "layer1.self": what is of one layer stands together.
std::string layer_of(const OutlinePart& part) { return part.id.substr(0, part.id.rfind('.')); }

class OutlineFigure {
 public:
  OutlineFigure(const std::vector<OutlinePart>& parts, const Theme& theme, const OutlineTarget& target)
      : parts_(parts), theme_(theme), target_(target), boxes_(parts.size()) {
    for (std::size_t i = 0; i < parts.size(); ++i) columns_[column_of(i)].push_back(i);
  }

  Drawing drawing() {
    find_passing();
    double x = 0;
    for (std::size_t column = 0; column < columns_.size(); ++column) x = place_column(column, x);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (const std::size_t from : parts_[i].reads) arrow_to_next(from, i);
    }
    for (const Passing& one : passing_) arrows_around(one);
    for (std::size_t i = 0; i < parts_.size(); ++i) draw_box(i);
    return std::move(drawing_);
  }

 private:
  std::size_t column_of(std::size_t part) const { return parts_[part].of_encoder ? 0 : 1; }

  bool leaves(const Passing& one) const { return column_of(one.to.back()) != column_of(one.from); }

  // Whether one stands just above the other.
  bool are_neighbours(std::size_t above, std::size_t below) const {
    const std::vector<std::size_t>& column = columns_[column_of(below)];
    const auto found = std::ranges::find(column, above);
    return found != column.end() && *std::next(found) == below;  // `below` comes after it
  }

  void find_passing() {
    std::map<std::size_t, std::vector<std::size_t>> readers;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (const std::size_t from : parts_[i].reads) {
        if (!are_neighbours(from, i)) readers[from].push_back(i);
      }
    }
    for (auto& [from, to] : readers) passing_.push_back({from, std::move(to)});
    // Short ones first: they stand inside the long ones, and those that lead to the next column outside of all.
    std::ranges::stable_sort(passing_, {}, [&](const Passing& one) { return std::pair(leaves(one), one.length()); });
    for (std::size_t i = 0; i < passing_.size(); ++i) {
      const auto is_taken = [&](std::size_t wanted) {
        return std::any_of(passing_.begin(), passing_.begin() + static_cast<std::ptrdiff_t>(i),
                           [&](const Passing& one) {
                             const bool is_near = leaves(passing_[i]) || one.overlaps(passing_[i]);
                             return one.lane == wanted && column_of(one.from) == column_of(passing_[i].from) && is_near;
                           });
      };
      while (is_taken(passing_[i].lane)) ++passing_[i].lane;
      std::size_t& lanes = lanes_[column_of(passing_[i].from)];
      lanes = std::max(lanes, passing_[i].lane + 1);
    }
  }

  Runs result_of(const OutlinePart& part) const {
    Runs runs = formula_runs(part.name, theme_);
    append(text_runs({(runs.empty() ? "" : "  ") + part.sizes}, theme_), runs);
    return runs;
  }

  // Returns where the next column begins.
  double place_column(std::size_t column, double x) {
    double width = 0;
    for (const std::size_t i : columns_[column]) {
      const double words = text_width(parts_[i].title, text_size) * 1.1 + runs_width(result_of(parts_[i]), text_size);
      width = std::max(width, words + 2 * inset + 24);
    }
    double y = 0;
    for (std::size_t at = 0; at < columns_[column].size(); ++at) {
      const std::size_t i = columns_[column][at];
      if (at > 0)
        y += layer_of(parts_[i]) == layer_of(parts_[columns_[column][at - 1]]) ? between_boxes : between_layers;
      boxes_[i] = {x, y, width, line_height + maps_height(parts_[i], width)};
      y += boxes_[i].height;
    }
    if (columns_[column].empty()) return x;
    drawing_.height = std::max(drawing_.height, y);
    drawing_.width = x + width + lane * static_cast<double>(lanes_[column]) + (lanes_[column] > 0 ? corner : 0);
    return drawing_.width + 2 * lane;
  }

  static std::size_t maps_in_row(double width) {
    return static_cast<std::size_t>((width - 2 * inset + between_maps) / (map_side + between_maps));
  }

  static double maps_height(const OutlinePart& part, double width) {
    if (part.weights.empty()) return 0;
    const std::size_t in_row = maps_in_row(width), rows = (part.weights.size() + in_row - 1) / in_row;
    return static_cast<double>(rows) * (map_side + between_maps) + inset - between_maps;
  }

  void add_path(const std::string& way, std::size_t from, std::size_t to, const std::string& tip) {
    const std::string_view ink = theme_.of(parts_[from].role).ink;
    drawing_.content +=
        fmt::format(R"(<g class="arrow" data-from="{}" data-to="{}"><path d="{}" fill="none" stroke="{}" )"
                    R"(stroke-width="1.5"/><path d="{}" fill="{}"/></g>)",
                    escaped_markup(parts_[from].id), escaped_markup(parts_[to].id), way, ink, tip, ink) +
        "\n";
  }

  void arrow_to_next(std::size_t from, std::size_t to) {
    if (!are_neighbours(from, to)) return;
    const OutlineBox &above = boxes_[from], &below = boxes_[to];
    add_path(svg("M{} {}V{}", above.middle(), above.y + above.height, below.y - head + 1), from, to,
             svg("M{0} {1}l-{2} -{3}h{3}z", below.middle(), below.y, head / 2, head));
  }

  // From the right side of the one, down its lane, to the right side of each that reads
  // it, or to the left side of one in the next column.
  void arrows_around(const Passing& passing) {
    const OutlineBox& from = boxes_[passing.from];
    const double x = from.right() + lane * static_cast<double>(passing.lane + 1), start = from.y + line_height / 2 + 4;
    for (const std::size_t to : passing.to) {
      const OutlineBox& box = boxes_[to];
      const double end = box.y + line_height / 2 - 4;
      const double turn = std::min(corner, std::abs(end - start) / 2);
      const double down = end < start ? -turn : turn;
      const bool is_beside = column_of(to) != column_of(passing.from);
      const double side = is_beside ? box.x - head : box.right() + head;
      const double after = is_beside ? x + turn : x - turn;
      add_path(svg("M{} {}H{}Q{} {} {} {}V{}Q{} {} {} {}H{}", from.right(), start, x - turn, x, start, x, start + down,
                   end - down, x, end, after, end, is_beside ? side + 1 : side - 1),
               passing.from, to,
               is_beside ? svg("M{0} {1}l-{2} -{3}v{2}z", box.x, end, head, head / 2)
                         : svg("M{0} {1}l{2} -{3}v{2}z", box.right(), end, head, head / 2));
    }
  }

  void draw_box(std::size_t i) {
    const OutlinePart& part = parts_[i];
    const OutlineBox& box = boxes_[i];
    const Hue& hue = theme_.of(part.role);
    const std::string leads_to = target_ ? target_(part) : "";
    std::string& content = drawing_.content;
    if (!leads_to.empty()) content += fmt::format("<a href=\"{}\">", escaped_markup(leads_to));
    content += fmt::format(R"(<g class="part" data-part="{}">)", escaped_markup(part.id)) + "\n";
    content += svg_rect(box.x, box.y, box.width, box.height,
                        fmt::format(R"(rx="6" fill="{}" stroke="{}" stroke-width="1.25")", hue.fill, hue.line));
    const double base = box.y + line_height / 2 + text_size * 0.36;
    content += svg_text(box.x + inset, base, part.title, {.size = text_size, .fill = hue.ink, .bold = true});
    content += svg_runs(box.right() - inset, base, result_of(part),
                        {.size = text_size, .anchor = Anchor::end, .fill = theme_.faint});
    const std::size_t in_row = maps_in_row(box.width);
    for (std::size_t at = 0; at < part.weights.size(); ++at) {
      const Matrix& weights = part.weights[at];
      const double cell = map_side / static_cast<double>(std::max(weights.rows(), weights.columns()));
      const double step = map_side + between_maps;
      content += svg_moved(box.x + inset + static_cast<double>(at % in_row) * step,
                           box.y + line_height + static_cast<double>(at / in_row) * step,
                           small_map_drawing(weights, theme_.palette(), cell, most_squares).content);
    }
    content += "</g>\n";
    if (!leads_to.empty()) content += "</a>\n";
  }

  const std::vector<OutlinePart>& parts_;
  const Theme& theme_;
  const OutlineTarget& target_;
  std::vector<OutlineBox> boxes_;
  std::array<std::vector<std::size_t>, 2> columns_;  // of an encoder, and all else
  std::array<std::size_t, 2> lanes_ = {};            // of each column
  std::vector<Passing> passing_;
  Drawing drawing_;
};

}  // namespace

Drawing outline_drawing(const std::vector<OutlinePart>& parts, const Theme& theme, const OutlineTarget& target) {
  return OutlineFigure(parts, theme, target).drawing();
}

std::string outline_words(const std::vector<OutlinePart>& parts) {
  std::string words;
  for (const OutlinePart& part : parts) {
    words += (words.empty() ? "" : ". ") + part.title + ": " + plain(part.name) + ", " + part.sizes;
    for (std::size_t i = 0; i < part.reads.size(); ++i)
      words += (i == 0 ? ", from " : " and ") + parts[part.reads[i]].title;
  }
  return words;
}

}  // namespace attn
