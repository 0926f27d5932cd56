#include <fmt/core.h>

#include "formats/latex/blocks.h"
#include "formats/latex/math.h"
#include "formats/scene.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double scene_scale = 0.64;  // points to a place of the scene

std::string_view colour(SceneInk ink) {
  switch (ink) {
    case SceneInk::ink:
      return "black";
    case SceneInk::faint:
      return "attnfaint";
    case SceneInk::grid:
      return "black!25";
    case SceneInk::query:
      return "attnquery";
    case SceneInk::key:
      return "attnkey";
    case SceneInk::value:
      return "attnvalue";
    case SceneInk::weight:
      return "attnweight";
    case SceneInk::output:
      return "attnoutput";
  }
  return "black";
}

std::string at(const DrawnPoint& point) { return "(" + svg_number(point.x) + "," + svg_number(point.y) + ")"; }

std::string written(const SceneLine& line) {
  std::string path;
  for (const DrawnPoint& point : line.through) path += (path.empty() ? "" : "--") + at(point);
  std::string options = fmt::format("{},line width={}pt", colour(line.ink), svg_number(line.width * scene_scale));
  if (line.arrow) options += ",-stealth";
  if (line.dashed) options += ",dashed";
  if (line.opacity < 1) options += ",opacity=" + svg_number(line.opacity);
  if (line.filled) options += ",fill opacity=0.16,draw opacity=0.5,fill";
  return "\\draw[" + options + "]" + path + (line.filled ? "--cycle" : "") + ";\n";
}

std::string written(const SceneDisc& disc) {
  return fmt::format("\\{}[{}{}]{}circle[radius={}];\n", disc.hollow ? "draw" : "fill", colour(disc.ink),
                     disc.opacity < 1 ? ",opacity=" + svg_number(disc.opacity) : "", at(disc.at),
                     svg_number(disc.radius));
}

std::string written(const SceneText& text) {
  constexpr std::string_view anchors[] = {"base west", "base", "base east"};
  const double room =
      std::min(text.room, 900.0) * scene_scale * 1.35;  // labels are measured at 10 points, and are set at 7
  const bool fits = latex_text_width(text.text) <= room;
  const std::string words = fits ? latex_prose(text.text) : latex_label(text.text, room);
  return fmt::format("\\node[{},anchor={}]at{}{{{}}};\n", colour(text.ink),
                     anchors[static_cast<std::size_t>(text.side)], at(text.at),
                     text.bold ? "\\textbf{\\boldmath " + words + "}" : words);
}

std::string picture(const Scene& scene) {
  std::string text = fmt::format(
      "\\begin{{tikzpicture}}[x={0}pt,y=-{0}pt,inner sep=0pt,outer sep=0pt,font=\\scriptsize]\n"
      "\\path[use as bounding box](0,0)rectangle({1},{2});\n",
      svg_number(scene_scale), svg_number(scene.width), svg_number(scene.height));
  for (const auto& one : scene.drawn) {
    text += std::visit([](const auto& drawn) { return written(drawn); }, one);
  }
  return text + "\\end{tikzpicture}\n";
}

}  // namespace

// Pictures where there is TikZ; the numbers in them as tables in any case.
LatexPieces latex_pieces(const GeometryTold& told, const LatexPage& page) {
  LatexPieces all;
  for (const GeometryPicture& one : told.pictures) {
    const Scene scene = scene_of(one.kind, told.drawn);
    std::string drawn, facts;
    for (const std::string& said : one.how_drawn) drawn += said + " ";
    for (const std::string& said : one.facts) facts += (facts.empty() ? "" : " ") + said;
    std::string text = all.empty() ? "\\attnsubpart{" + latex_text(told.title) + "}\n" : "";
    text += "\\attnmatrix{\\attnfaint{" + latex_text(one.title) + "}\\par\n";
    double height = (all.empty() ? 40 : 18) + latex_height(latex_text_width(drawn + facts), page);
    if (scene.height > 0) {
      text += "\\ifdefined\\tikz\n\\hfil\\attnfit{%\n" + picture(scene) + "}\\par\n{\\small " + latex_prose(drawn) +
              "\\par}\n\\fi\n";
      height += scene.height * scene_scale + 8;
    }
    text += "{\\small " + latex_prose(facts) + "\\par}}\n";
    all.push_back({std::move(text), height});
  }
  for (const Table& table : told.tables) {
    for (LatexPiece& piece : latex_pieces(table, page)) all.push_back(std::move(piece));
  }
  return all;
}

}  // namespace attn
