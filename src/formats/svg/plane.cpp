#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "formats/scene.h"
#include "formats/svg/drawings.h"

namespace attn {
namespace {

constexpr double apart = 44, said_size = 13, picture_title_size = 15;
constexpr double of_a_column = 400;  // in which they stand one below the other

std::string colour(SceneInk ink, const Theme& theme) {
  switch (ink) {
    case SceneInk::ink:
      return std::string(theme.ink);
    case SceneInk::faint:
      return std::string(theme.faint);
    case SceneInk::grid:
      return std::string(theme.grid);
    case SceneInk::query:
      return std::string(theme.of(Role::query).ink);
    case SceneInk::key:
      return std::string(theme.of(Role::key).ink);
    case SceneInk::value:
      return std::string(theme.of(Role::value).ink);
    case SceneInk::weight:
      return std::string(theme.of(Role::attention_weight).ink);
    case SceneInk::output:
      return std::string(theme.of(Role::output).ink);
  }
  return "";
}

}  // namespace

// Pictures beside each other while there is room, each under its title and what there is to see.
Drawing geometry_drawing(const GeometryTold& told, const Theme& theme, double room, Detail detail) {
  const bool is_column = room <= of_a_column, is_narrow = is_column || detail != Detail::all;
  Drawing drawing;
  double y = 0;
  const auto write = [&](double x, double& at, const std::string& words, const TextLook& look, double width) {
    for (const Runs& line : wrapped(text_runs({words}, theme), look.size, width, look.bold)) {
      drawing.content += svg_runs(x, at + look.size, line, look);
      at += look.size + 6;
    }
  };
  double x = 0, lowest = 0;
  for (const GeometryPicture& picture : told.pictures) {
    if (detail == Detail::core && picture.kind == GeometryPicture::Kind::sharpening) continue;
    const Scene scene = scene_of(picture.kind, told.drawn, is_narrow ? SceneSize::narrow : SceneSize::usual);
    double at = y;
    write(x, at, picture.title, {.size = picture_title_size, .fill = theme.ink, .bold = true}, scene.width);
    at += 6;
    drawing.content += svg_moved(x, at, svg_scene(scene, [&](SceneInk ink) { return colour(ink, theme); }));
    at += scene.height + 8;
    const TextLook small{.size = said_size, .fill = theme.faint};
    for (const std::string& words : picture.how_drawn) write(x, at, words, small, scene.width);
    for (const std::string& words : picture.facts) {
      if (detail == Detail::all) write(x, at, words, small, scene.width);
    }
    lowest = std::max(lowest, at);
    drawing.width = std::max(drawing.width, x + scene.width);
    x += scene.width + apart;
    if (is_column || x + scene.width > std::max(room, 2 * scene.width + apart) * 1.05) {
      x = 0;
      y = lowest + apart / 2;
    }
  }
  drawing.height = lowest;
  return drawing;
}

void FigureSheet::lay_out(const GeometryTold& told) {
  space(12);
  paragraph(text_runs({told.title}, theme_), {.size = 16, .fill = theme_.ink, .bold = true});
  add(geometry_drawing(told, theme_, room_width_, detail_));
  if (detail_ == Detail::all) return;
  const std::string_view temperature = detail_ == Detail::core ? "what temperature does, and " : "";
  lay_out(Prose{{fmt::format("Left out here: {}what there is to see in each picture.", temperature)}});
}

}  // namespace attn
