#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "formats/looks.h"
#include "formats/spelling.h"
#include "formats/svg/drawings.h"
#include "formats/svg/grid.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double between_parts = 36;
constexpr double map_formula_size = 17, map_text_size = 13;
constexpr std::size_t most_arcs = 32;  // tokens on a side
constexpr int legend_parts = 10;
constexpr double legend_part = 18, legend_height = 12;

bool is_of_queries_and_keys(const Matrix& matrix) {
  return (matrix.row_axis == "query" && matrix.column_axis == "key") ||
         (matrix.row_axis == "key" && matrix.column_axis == "query");
}

// What the shades mean.
Drawing legend(const Grid& grid, const Theme& theme) {
  const Heat heat = grid.heat();
  const std::string least = written(heat.smallest(), grid.format()), most = written(heat.largest(), grid.format());
  const double before = text_width(least, map_text_size - 1) + 6;
  Drawing drawing{before + legend_parts * legend_part + 6 + text_width(most, map_text_size - 1), legend_height + 4, {}};
  const TextLook look{.size = map_text_size - 1, .fill = theme.faint};
  drawing.content = svg_text(0, legend_height - 1, least, look);
  for (int i = 0; i < legend_parts; ++i) {
    drawing.content += svg("<rect x=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", before + i * legend_part,
                           legend_part, legend_height, theme.shade(i / double{legend_parts - 1}));
  }
  drawing.content +=
      svg("<rect x=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"0.75\"/>\n", before,
          legend_parts * legend_part, legend_height, theme.faint);
  drawing.content += svg_text(before + legend_parts * legend_part + 6, legend_height - 1, most, look);
  return drawing;
}

// The heat map of one head of one sequence, with what explains it.
Drawing card(const ToldMatrix& told, const std::vector<ToldMatrix>& alike, const FormatOptions& options,
             const Theme& theme, const Room& room) {
  const Matrix& matrix = *told.matrix;
  const GridLook look{.most_rows = 24,
                      .most_columns = 24,
                      .widest = 1400,
                      .tinted = true,
                      .full = options.full,
                      .size = 14,
                      .pads = told.is_padding,
                      .alike = &alike};
  const Grid grid(matrix, theme, look);
  double y = 0;
  Drawing drawing;
  drawing.content =
      fmt::format(R"(<g class="map {}" data-step="{}">)", class_name(matrix.role), escaped_markup(matrix.step)) + "\n";
  if (!told.place.empty()) {
    drawing.content += svg_text(0, map_text_size, told.place, {.size = map_text_size, .fill = theme.ink, .bold = true});
    drawing.width = text_width(told.place, map_text_size) * 1.1;
    y += map_text_size + 12;
  }
  drawing.content += grid.drawn(0, y);
  const Drawing scale = legend(grid, theme);
  drawing.content += svg_moved(0, y + grid.height() + 14, scale.content);
  drawing.width = std::max({drawing.width, grid.width(), scale.width});
  drawing.height = y + grid.height() + 14 + scale.height;
  const bool has_arcs = matrix.role == Role::attention_weight && is_of_queries_and_keys(matrix) &&
                        std::max(matrix.rows(), matrix.columns()) <= most_arcs;
  if (has_arcs) {
    const Drawing curves = arcs_drawing(matrix, theme.palette());
    const bool beside = room.width >= Room{}.width || drawing.width + between_parts + curves.width <= room.width;
    const double x = beside ? drawing.width + between_parts : 0, top = beside ? y : drawing.height + between_parts / 2;
    drawing.content += svg_moved(x, top, "<g class=\"arcs\">\n" + curves.content + "</g>\n");
    drawing.width = std::max(drawing.width, x + curves.width);
    drawing.height = std::max(drawing.height, top + curves.height);
  }
  drawing.content += "</g>\n";
  return drawing;
}

}  // namespace

Drawing map_drawing(const std::vector<ToldMatrix>& places, const FormatOptions& options, const Theme& theme,
                    const Room& room) {
  const Matrix& matrix = *places.front().matrix;
  std::vector<Drawing> cards;
  double widest = 0;
  for (const ToldMatrix& place : places) {
    cards.push_back(card(place, places, options, theme, room));
    widest = std::max(widest, cards.back().width);
  }
  const double page = std::max(room.width, widest);
  Drawing drawing;
  double y = 0;
  const auto words = [&](const Runs& runs, const TextLook& look) {
    for (const Runs& line : wrapped(runs, look.size, std::max(widest, std::min(420.0, room.width)), look.bold)) {
      drawing.content += svg_runs(0, y + look.size, line, look);
      drawing.width = std::max(drawing.width, runs_width(line, look.size, look.bold));
      y += look.size + 7;
    }
  };
  words(formula_runs(matrix.name(), theme), {.size = map_formula_size, .fill = theme.ink, .bold = true});
  words(text_runs({places.front().title}, theme), {.size = map_text_size, .fill = theme.ink});
  words(text_runs({matrix.meaning()}, theme), {.size = map_text_size - 1, .fill = theme.faint});
  y += 12;
  double x = 0, tallest = 0;
  for (const Drawing& one : cards) {
    if (x > 0 && x + one.width > page) {
      y += tallest + between_parts;
      x = tallest = 0;
    }
    drawing.content += svg_moved(x, y, one.content);
    drawing.width = std::max(drawing.width, x + one.width);
    x += one.width + between_parts;
    tallest = std::max(tallest, one.height);
  }
  drawing.height = y + tallest;
  return drawing;
}

}  // namespace attn
