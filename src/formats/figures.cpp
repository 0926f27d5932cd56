#include "formats/figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "formats/spelling.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double font = 14, line = 26, margin = 6;
constexpr double widest_label = 130;  // of a token
constexpr double gap = 170;           // between queries and keys
constexpr double widest_arc = 12;     // of the weight 1

constexpr double faint = 0.25;  // how strong what padding attends to, which nobody reads, is drawn, of 1

constexpr double map_size = 120;  // of a small map, about
constexpr int shades = 24;

std::string name_of(const Matrix& matrix) { return dotted(matrix.symbol.text(), matrix.caption()); }

std::string root(const Drawing& drawing, const std::string& kind, const std::string& name) {
  return svg(R"(<svg class="{0}" role="img" viewBox="0 0 {1} {2}" width="{1}" height="{2}" )"
             R"(style="max-width:100%;height:auto" font-family="sans-serif"><title>{3}</title>)",
             kind, drawing.width, drawing.height, escaped_markup(name)) +
         "\n" + drawing.content + "</svg>\n";
}

// Colours that a page can set.
Palette of_page() {
  return {.faint = "var(--faint, #595959)",
          .query = "var(--query, #a84300)",
          .key = "var(--key, #7a5b00)",
          .heat = "var(--heat, #0072b2)",
          .grid = "var(--grid, #d9d9d9)",
          .paper = "var(--paper, #ffffff)"};
}

// The weights as queries × keys, whichever of the two the rows are.
class Arcs {
 public:
  Arcs(const Matrix& weights, const Palette& palette)
      : weights_(weights), palette_(palette), turned_(weights.row_axis == "key") {
    for (const std::string& label : query_labels()) left_ = std::max(left_, label_width(label));
    for (const std::string& label : key_labels()) right_ = std::max(right_, label_width(label));
    left_ = std::max(left_, text_width("queries", small));
    right_ = std::max(right_, text_width("keys", small));
    for (const double weight : weights.cells) {
      if (std::isfinite(weight)) largest_ = std::max(largest_, weight);
    }
  }

  Drawing drawing() const {
    const std::size_t lines = std::max(query_labels().size(), key_labels().size());
    Drawing drawing{to_x() + 4 + right_ + margin, top + static_cast<double>(lines) * line + margin, {}};
    drawing.content = svg_text(margin + left_, font, "queries", look(Anchor::end, palette_.faint, small)) +
                      svg_text(to_x() + 4, font, "keys", look(Anchor::start, palette_.faint, small));
    for (std::size_t key = 0; key < key_labels().size(); ++key) {
      drawing.content +=
          svg_text(to_x() + 4, y(key, key_labels().size()) + font * 0.36, key_labels()[key],
                   look(Anchor::start, pads_key(key) ? palette_.faint : palette_.key, font), widest_label);
    }
    for (std::size_t query = 0; query < query_labels().size(); ++query) drawing.content += of_query(query);
    return drawing;
  }

 private:
  static constexpr double top = 24, small = 11;

  const std::vector<std::string>& query_labels() const {
    return turned_ ? weights_.column_labels : weights_.row_labels;
  }
  const std::vector<std::string>& key_labels() const { return turned_ ? weights_.row_labels : weights_.column_labels; }

  bool pads_query(std::size_t query) const {
    return turned_ ? weights_.is_padding_column(query) : weights_.is_padding_row(query);
  }
  bool pads_key(std::size_t key) const {
    return turned_ ? weights_.is_padding_row(key) : weights_.is_padding_column(key);
  }

  static double label_width(const std::string& label) { return std::min(widest_label, text_width(label, font)); }

  static TextLook look(Anchor anchor, const std::string& fill, double size) {
    return {.size = size, .anchor = anchor, .fill = fill};
  }

  double from_x() const { return margin + left_ + 4; }
  double to_x() const { return from_x() + gap; }

  // Where there are fewer tokens than on the other side, they stand in its middle.
  double y(std::size_t at, std::size_t of) const {
    const double lines = static_cast<double>(std::max(query_labels().size(), key_labels().size()));
    return top + line * (static_cast<double>(at) + 0.5 + (lines - static_cast<double>(of)) / 2);
  }

  std::string of_query(std::size_t query) const {
    std::string group = fmt::format("<g class=\"of-query\" data-row=\"{}\">\n", query);
    const double from = y(query, query_labels().size());
    group += svg_text(from_x() - 4, from + font * 0.36, query_labels()[query],
                      look(Anchor::end, pads_query(query) ? palette_.faint : palette_.query, font), widest_label);
    for (std::size_t key = 0; key < key_labels().size(); ++key) group += arc(query, key, from);
    return group + "</g>\n";
  }

  std::string arc(std::size_t query, std::size_t key, double from) const {
    const std::size_t row = turned_ ? key : query;
    const std::size_t column = turned_ ? query : key;
    if (!weights_.handed_in.empty() || weights_.is_closed(row, column)) return "";
    const double weight = weights_.number(row, column);
    if (!std::isfinite(weight) || weight <= 0) return "";
    const double share = weight / largest_;
    const double strength = pads_query(query) || pads_key(key) ? faint : 1;
    return svg(R"(<path d="M{0} {1}C{2} {1} {2} {3} {4} {3}" fill="none" stroke="{5}")", from_x(), from,
               (from_x() + to_x()) / 2, y(key, key_labels().size()), to_x(), palette_.heat) +
           fmt::format(
               R"( stroke-width="{:.4g}" stroke-opacity="{:.3g}" data-column="{}"><title>{} → {}: {}</title></path>)",
               share * widest_arc, strength * (0.35 + 0.55 * share), key, escaped_markup(query_labels()[query]),
               escaped_markup(key_labels()[key]), escaped_markup(weights_.cell(row, column))) +
           "\n";
  }

  const Matrix& weights_;
  const Palette& palette_;
  bool turned_;
  double left_ = 0, right_ = 0;
  double largest_ = 1;
};

}  // namespace

Drawing arcs_drawing(const Matrix& weights, const Palette& palette) { return Arcs(weights, palette).drawing(); }

std::string arcs(const Matrix& weights) { return root(arcs_drawing(weights, of_page()), "arcs", name_of(weights)); }

Heat::Heat(const Matrix& matrix) : matrix_(&matrix) { share_with(matrix); }

void Heat::share_with(const Matrix& matrix) {
  const bool is_share = matrix.role == Role::attention_weight || matrix.role == Role::mask || !matrix.handed_in.empty();
  for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
    const double value = matrix.cells[i];
    if (!std::isfinite(value) || (!matrix.closed.empty() && matrix.closed[i])) continue;
    if (!is_share) {
      smallest_ = any_ ? std::min(smallest_, value) : value;
      largest_ = any_ ? std::max(largest_, value) : value;
    }
    any_ = true;
  }
}

std::optional<double> Heat::size(std::size_t row, std::size_t column) const {
  if (!matrix_->handed_in.empty() || matrix_->is_closed(row, column)) return std::nullopt;
  const double value = matrix_->number(row, column);
  if (!std::isfinite(value)) return std::nullopt;
  if (is_one()) return 0;
  // Halves, so that the difference of the two largest numbers there are is one.
  return std::clamp((value / 2 - smallest_ / 2) / (largest_ / 2 - smallest_ / 2), 0.0, 1.0);
}

double Heat::of(std::size_t row, std::size_t column) const {
  const std::optional<double> known = size(row, column);
  return known && is_one() && matrix_->number(row, column) != 0 ? 0.5 : known.value_or(0);
}

Drawing small_map_drawing(const Matrix& matrix, const Palette& palette, double cell, std::size_t most) {
  const Heat heat(matrix);
  const std::size_t rows = matrix.rows(), columns = matrix.columns();
  Drawing drawing{static_cast<double>(columns) * cell, static_cast<double>(rows) * cell, {}};
  const std::size_t down = (rows + most - 1) / most;
  const std::size_t across = (columns + most - 1) / most;
  const double gap = cell > 4 ? 1 : 0;
  std::map<int, std::string> squares;  // by how dark they are; closed ones first
  for (std::size_t row = 0; row < rows; row += down) {
    for (std::size_t column = 0; column < columns; column += across) {
      double darkest = 0;
      bool closed = true;
      for (std::size_t r = row; r < std::min(rows, row + down); ++r) {
        for (std::size_t c = column; c < std::min(columns, column + across); ++c) {
          const bool is_padded = matrix.is_padding_row(r) || matrix.is_padding_column(c);
          darkest = std::max(darkest, (is_padded ? faint : 1) * heat.of(r, c));
          closed = closed && matrix.is_closed(r, c);
        }
      }
      const double width = cell * static_cast<double>(std::min(across, columns - column)) - gap;
      const double height = cell * static_cast<double>(std::min(down, rows - row)) - gap;
      squares[closed ? -1 : static_cast<int>(std::lround(darkest * shades))] +=
          svg("M{} {}h{}v{}h-{}z", static_cast<double>(column) * cell, static_cast<double>(row) * cell, width, height,
              width);
    }
  }
  drawing.content =
      svg("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", drawing.width, drawing.height, palette.paper);
  for (const auto& [shade, path] : squares) {
    const std::string& fill = shade < 0 ? palette.grid : palette.heat;
    const std::string opacity = shade < 0 ? "1" : fmt::format("{:.3g}", shade / double{shades});
    if (shade != 0)
      drawing.content += fmt::format("<path fill=\"{}\" fill-opacity=\"{}\" d=\"{}\"/>\n", fill, opacity, path);
  }
  drawing.content += svg("<rect width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"0.5\"/>\n",
                         drawing.width, drawing.height, palette.faint);
  return drawing;
}

std::string small_map(const Matrix& matrix) {
  const std::size_t longest = std::max({matrix.rows(), matrix.columns(), std::size_t{1}});
  const double cell = std::clamp(map_size / static_cast<double>(longest), 0.5, 16.0);
  return root(small_map_drawing(matrix, of_page(), cell), "small-map", name_of(matrix));
}

}  // namespace attn
