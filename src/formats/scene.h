#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "explain/document.h"

namespace attn {

// A drawing before it is known what draws it: lines, discs, words, in places of which each is
// about a pixel; right and down. What geometry is drawn with, in figures, pages and LaTeX alike.

enum class SceneInk { ink, faint, grid, query, key, value, weight, output };

struct SceneLine {
  std::vector<DrawnPoint> through;
  SceneInk ink = SceneInk::grid;
  double width = 1;
  bool arrow = false, dashed = false;
  bool filled = false;  // closed, and filled so that all behind it is seen
  double opacity = 1;
};

struct SceneDisc {
  DrawnPoint at;
  double radius = 3;
  SceneInk ink = SceneInk::value;
  bool hollow = false;
  double opacity = 1;
};

struct SceneText {
  enum class Side { from, middle, to };
  DrawnPoint at;  // the base line
  std::string text;
  SceneInk ink = SceneInk::ink;
  Side side = Side::from;
  bool bold = false;
  double room = 1e9;  // wider it is cut
};

struct Scene {
  GeometryPicture::Kind kind = GeometryPicture::Kind::arrows;
  double width = 0, height = 0;
  std::vector<std::variant<SceneLine, SceneDisc, SceneText>> drawn;  // each above those before it
};

inline constexpr double scene_text_size = 12;

// How much room a scene has: that of a page, or of a phone and of a column of a paper.
enum class SceneSize { usual, narrow };

// The picture as a scene.
Scene scene_of(GeometryPicture::Kind kind, const Geometry& geometry, SceneSize size = SceneSize::usual);

// A scene as elements of SVG, in these colours.
std::string svg_scene(const Scene& scene, const std::function<std::string(SceneInk)>& colour);

// Every angle, weight and share in the pictures in words, for those who do not see them.
std::string geometry_words(const GeometryTold& told);

}  // namespace attn
