#include "formats/svg/box.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "formats/figures.h"
#include "formats/looks.h"
#include "formats/spelling.h"

namespace attn {
namespace {

constexpr double usual_padding = 12, tight_padding = 8;
constexpr double usual_formula_size = 15, tight_formula_size = 13, title_size = 12, small_size = 11;
constexpr double narrowest_head = 215, narrowest_of_vectors = 170, narrowest_across = 90;
constexpr double widest_grid = 430, narrowest_map = 64;
constexpr std::size_t most_maps = 16;
constexpr std::size_t most_rows_of_two = 8, most_matrices_a_query = 4;
constexpr double between_grids = 18;
constexpr double map_side = 46, tight_map_side = 34, between_maps = 12;
constexpr double tight_square = 8;

// "Sequence 1 of 2" and "head 2 of 8" of "Sequence 1 of 2 · head 2 of 8".
std::pair<std::string, std::string> parts(const std::string& place) {
  const std::string dot = " · ";
  const std::size_t at = place.rfind(dot);
  if (at == std::string::npos) return {"", place};
  return {place.substr(0, at), place.substr(at + dot.size())};
}

}  // namespace

void StepBox::lay_out(const Theme& theme, double room, const Room& figure, bool full) {
  padding_ = figure.is_tight ? tight_padding : usual_padding;
  formula_size_ = figure.is_tight ? tight_formula_size : usual_formula_size;
  lay_out_grids(theme, room, figure, full);
  lay_out_maps(theme, room, figure);
  lay_out_head(theme, room, figure);
}

// Both where there are two and they are small, all of a few queries of which each has one, else the first.
void StepBox::lay_out_grids(const Theme& theme, double room, const Room& figure, bool full) {
  const double widest = figure.width < widest_grid ? figure.width : std::max(room, widest_grid);
  const Role role = first().role;
  GridLook look{.widest = widest,
                .tinted = role == Role::attention_weight,
                .full = full,
                .size = figure.letters,
                .largest_square = figure.is_tight ? tight_square : 0,
                .is_tight = figure.is_tight,
                .bare_rows = figure.is_tight && (role == Role::query || role == Role::key || role == Role::value),
                .alike = &places_};
  if (figure.is_tight) look.widest_map = std::clamp(room - 2 * padding_, narrowest_map, look.widest_map);
  if (!figure.has_numbers) look.most_rows = look.most_columns = 0;
  double x = 0, y = 0;
  double tallest = 0;
  for (const ToldMatrix& place : places_) {
    look.pads = place.is_padding;
    Grid grid(*place.matrix, theme, look);
    const bool few = places_.size() == 2 || (is_matrix_a_query(first()) && places_.size() <= most_matrices_a_query);
    const bool drawn = shown_.empty() || full || (few && grid.has_numbers() && first().rows() <= most_rows_of_two);
    if (!drawn) break;
    const double label = is_named(place) ? small_size + 8 : 0;
    if (x > 0 && x + grid.width() > room) {
      y += tallest + between_grids;
      x = tallest = 0;
    }
    const double width = std::max(grid.width(), label > 0 ? text_width(place.place, small_size) : 0);
    const double height = grid.height() + label;
    shown_.push_back({&place, std::move(grid), x, y + label});
    x += width + between_grids;
    tallest = std::max(tallest, height);
    inner_ = std::max(inner_, x - between_grids);
  }
  body_ = y + tallest;
}

void StepBox::lay_out_maps(const Theme& theme, double room, const Room& figure) {
  Palette palette = theme.palette();
  palette.heat = theme.of(first().role).ink;
  const double most = std::max(inner_, std::min(room, 320.0));
  double x = 0, y = body_ + 16;
  double tallest = 0;
  const std::string here = parts(places_.front().place).first;
  std::string above = here;
  const bool many = places_.size() > most_maps + 1;
  for (std::size_t i = shown_.size(); i < places_.size(); ++i) {
    const Matrix& matrix = *places_[i].matrix;
    const double sides = static_cast<double>(std::max({matrix.rows(), matrix.columns(), std::size_t{1}}));
    if (maps_.size() == most_maps) break;
    if (many && parts(places_[i].place).first != here) continue;
    Map map{
        &places_[i],
        small_map_drawing(matrix, palette, std::clamp((figure.is_tight ? tight_map_side : map_side) / sides, 0.5, 9.0)),
        0,
        0,
        0,
        ""};
    const auto [prefix, name] = parts(places_[i].place);
    const bool is_new = prefix != above;
    map.room = std::max(map.drawing.width, text_width(name, small_size));
    if (x > 0 && (is_new || x + map.room > most)) {
      y += tallest + between_maps;
      x = tallest = 0;
    }
    if (is_new) {
      map.above = above = prefix;
      y += small_size + 8;
      inner_ = std::max(inner_, text_width(prefix, small_size));
    }
    map.x = x;
    map.y = y;
    tallest = std::max(tallest, map.drawing.height + small_size + 5);
    x += map.room + between_maps;
    inner_ = std::max(inner_, x - between_maps);
    body_ = y + tallest;
    maps_.push_back(std::move(map));
  }
  const std::size_t drawn = shown_.size() + maps_.size();
  if (drawn == places_.size()) return;
  left_out_ = fmt::format("… {} more", places_.size() - drawn);
  body_ += small_size + 8;
}

void StepBox::lay_out_head(const Theme& theme, double room, const Room& figure) {
  const Matrix& matrix = first();
  const double usual = matrix.columns() == 1 ? narrowest_of_vectors : narrowest_head;
  const double widest_line =
      std::max(inner_, figure.flows_across || figure.is_tight ? std::clamp(room - 2 * padding_, narrowest_across, usual)
                                                              : usual);
  formula_ = wrapped(formula_runs(matrix.name(), theme), formula_size_, widest_line, true);
  // A symbol alone says which step it is.
  const bool is_short = figure.is_brief() || figure.flows_across;
  const std::size_t most_lines = figure.is_tight ? 1 : 2;
  if (is_short && formula_.size() > most_lines) {
    formula_ = wrapped(formula_runs({Span(matrix.symbol, matrix.role)}, theme), formula_size_, widest_line, true);
  }
  title_ = figure.is_brief() ? std::vector<Runs>()
                             : wrapped(text_runs({places_.front().title}, theme), title_size, widest_line);
  sizes_ = figure.is_brief() ? "" : matrix.sizes;
  double widest = inner_;
  for (const Runs& line : formula_) widest = std::max(widest, runs_width(line, formula_size_, true));
  for (const Runs& line : title_) widest = std::max(widest, runs_width(line, title_size));
  widest = std::max(widest, text_width(sizes_, small_size));
  head_ = static_cast<double>(formula_.size()) * (formula_size_ + 5) +
          static_cast<double>(title_.size()) * (title_size + 4) + (sizes_.empty() ? 0 : small_size + 4) + 8;
  width_ = widest + 2 * padding_;
  set_head(head_);
}

void StepBox::set_head(double head) {
  head_ = head;
  height_ = head_ + body_ + 2 * padding_;
}

std::string StepBox::drawn(double x, double y, const Theme& theme) const {
  const Matrix& matrix = first();
  const Hue hue = theme.of(matrix.role);
  std::string drawn = fmt::format(R"(<g class="box {}" data-step="{}"><title>{}</title>)", class_name(matrix.role),
                                  escaped_markup(matrix.step), escaped_markup(in_words(places_.front())));
  drawn += "\n" + svg_rect(x, y, width_, height_,
                           fmt::format(R"(rx="8" fill="{}" stroke="{}" stroke-width="1.5")", hue.fill, hue.line));
  const double left = x + padding_;
  double line = y + padding_;
  for (const Runs& runs : formula_) {
    drawn += svg_runs(left, line + formula_size_, runs, {.size = formula_size_, .fill = hue.ink, .bold = true});
    line += formula_size_ + 5;
  }
  for (const Runs& runs : title_) {
    drawn += svg_runs(left, line + title_size, runs, {.size = title_size, .fill = theme.ink});
    line += title_size + 4;
  }
  if (!sizes_.empty()) {
    drawn += svg_text(left, line + small_size, sizes_, {.size = small_size, .fill = theme.faint});
  }
  const double top = y + padding_ + head_;
  const double start = left + (width_ - 2 * padding_ - inner_) / 2;
  for (const Shown& one : shown_) {
    if (is_named(*one.told)) {
      drawn += svg_text(start + one.x, top + one.y - 8, one.told->place, {.size = small_size, .fill = theme.ink});
    }
    drawn += one.grid.drawn(start + one.x, top + one.y);
  }
  const TextLook small{.size = small_size, .fill = theme.faint};
  for (const Map& map : maps_) {
    if (!map.above.empty()) {
      drawn += svg_text(start, top + map.y - 6, map.above, {.size = small_size, .fill = theme.ink});
    }
    const double corner = start + map.x, upper = top + map.y;
    drawn += svg("<g transform=\"translate({} {})\"><title>{}</title>\n{}</g>\n", corner, upper,
                 escaped_markup(in_words(*map.told)), map.drawing.content);
    drawn += svg_text(corner, upper + map.drawing.height + small_size, parts(map.told->place).second, small);
  }
  if (!left_out_.empty()) drawn += svg_text(start, top + body_ - 2, left_out_, small);
  return drawn + "</g>\n";
}

}  // namespace attn
