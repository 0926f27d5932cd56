#include <cmath>

#include <fmt/core.h>

#include "base/numbers.h"
#include "formats/html/elements.h"
#include "formats/scene.h"
#include "formats/spelling.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

// Colours of the page.
std::string page_colour(SceneInk ink) {
  constexpr const char* names[] = {"ink", "faint", "grid", "query", "key", "value", "attention_weight", "output"};
  return std::string("var(--") + names[static_cast<std::size_t>(ink)] + ")";
}

constexpr const char* kinds[] = {"arrows", "points", "turning", "sharpening"};
constexpr const char* planes[] = {"line", "plane", "space", "principal"};  // in the order of their enumerations

std::string json(const std::vector<double>& numbers) {
  std::string all;
  for (const double number : numbers) {
    all += (all.empty() ? "" : ",") + (std::isfinite(number) ? shortest(number) : std::string("null"));
  }
  return "[" + all + "]";
}

std::string json(const std::vector<DrawnVector>& vectors) {
  std::string all;
  for (const DrawnVector& one : vectors) {
    all += fmt::format(R"({}{{"name":{},"named":{},"numbers":{}}})", all.empty() ? "" : ",", json_string(one.words()),
                       one.named, json(one.numbers));
  }
  return "[" + all + "]";
}

std::string json(const DrawnPlane& plane) {
  return fmt::format(R"({{"kind":"{}","right":{},"up":{},"names":[{},{}]}})",
                     planes[static_cast<std::size_t>(plane.kind)], json(plane.right), json(plane.up),
                     json_string(plane.right_name), json_string(plane.up_name));
}

std::string json(const WeighingRule& rule) {
  std::string open;
  for (const bool one : rule.open) open += std::string(open.empty() ? "" : ",") + (one ? "1" : "0");
  return fmt::format(R"({{"cosine":{},"scale":{},"cap":{},"base":{},"open":[{}],"biases":{},"sinks":{}}})",
                     rule.by_cosine, shortest(rule.scale), shortest(rule.cap), shortest(rule.base), open,
                     json(rule.biases), json(rule.sinks));
}

std::string json(const Geometry& drawn) {
  return fmt::format(
      R"({{"query":{},"queries":{},"keys":{},"values":{},"context":{},"arrows":{},"points":{},"zero":{},"reads":{},"rule":{}}})",
      drawn.query, json(drawn.queries), json(drawn.keys), json(drawn.values), json_string(drawn.context->name),
      json(drawn.arrows), json(drawn.points), drawn.zero_counts, json_string(drawn.read_symbol), json(*drawn.rule));
}

std::string figure(const GeometryPicture& picture, const Geometry& drawn) {
  const bool moves = picture.kind == GeometryPicture::Kind::arrows || picture.kind == GeometryPicture::Kind::points;
  // On a phone the script draws what moves narrower; what does not move can be read there as it is.
  const Scene scene = scene_of(picture.kind, drawn, moves ? SceneSize::usual : SceneSize::narrow);
  std::string words;
  for (const std::string& said : picture.how_drawn) words += " " + said;
  for (const std::string& said : picture.facts) words += " " + said;
  std::string text = fmt::format("<figure{} data-kind=\"{}\">\n", moves ? "" : " class=\"fixed\"",
                                 kinds[static_cast<std::size_t>(picture.kind)]);
  if (scene.height > 0) {
    text += svg("<svg role=\"{}\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\"><title>{}</title>\n",
                std::string_view(moves ? "group" : "img"), scene.width, scene.height, escaped_markup(picture.title)) +
            svg_scene(scene, page_colour) + "</svg>\n";
  }
  return text + "<figcaption class=\"hint\"><b>" + escaped_markup(picture.title) + "</b>" + escaped_markup(words) +
         "</figcaption>\n</figure>\n";
}

}  // namespace

std::string page_geometry(const GeometryTold& told) {
  const Geometry& drawn = told.drawn;
  std::string text =
      "<details class=\"geometry\">\n<summary>" + page_label(told.title) + "</summary>\n<div class=\"pictures\">\n";
  for (const GeometryPicture& picture : told.pictures) text += figure(picture, drawn);
  text += "</div>\n";
  for (std::size_t i = 0; i < told.tables.size(); ++i) {
    text += fmt::format("<div class=\"{}\">{}</div>\n", i > 0 ? "fixed" : "numbers",
                        page_table(told.tables[i], told.title));
  }
  const bool moves = drawn.rule && drawn.context && !drawn.asked().numbers.empty();
  if (moves) text += "<script type=\"application/json\">" + json(drawn) + "</script>\n";
  return text + "</details>\n";
}

}  // namespace attn
