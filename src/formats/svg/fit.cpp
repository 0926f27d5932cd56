#include "formats/svg/fit.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/core.h>

#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double margin = 24;

// Where a figure goes. Lengths are pixels of a slide of 1280, or points of a column.
struct Page {
  double width, height;  // a height of 0: as high as it gets
  double margin;
  double smallest;    // letters that can be read
  double most_scale;  // a small figure is made larger up to so much
  std::vector<Room> rooms;
};

// A column of a paper is 85 mm wide, in points.
constexpr double column_width = 241;

Page slide() {
  return {.width = 1280,
          .height = 720,
          .margin = 28,
          .smallest = 11,
          .most_scale = 1.8,
          .rooms = {{.width = 1180, .paper = 1120},
                    {.width = 1180, .paper = 1120, .flows_across = true},
                    {.width = 1180, .paper = 1120, .flows_across = true, .is_brief = true, .letters = 15},
                    {.width = 1000, .paper = 900, .is_brief = true},
                    {.width = 960, .paper = 760, .flows_across = true, .is_brief = true, .has_numbers = false}}};
}

Page column() {
  return {.width = column_width,
          .height = 0,
          .margin = 4,
          .smallest = 7,
          .most_scale = 1,
          .rooms = {{.width = 330, .paper = 330},
                    {.width = 330, .paper = 330, .one_a_layer = true},
                    {.width = 330, .paper = 330, .one_a_layer = true, .is_brief = true},
                    {.width = 300, .paper = 300, .one_a_layer = true, .is_brief = true, .has_numbers = false}}};
}

// The size of the smallest letters of a drawing; indices, which are lowered, aside.
double smallest_letters(std::string_view content) {
  constexpr std::string_view element = "<text ", attribute = "font-size=\"";
  double smallest = 1e9;
  for (std::size_t at = content.find(element); at != content.npos; at = content.find(element, at + 1)) {
    const std::size_t size = content.find(attribute, at);
    if (size == content.npos) break;
    double found = 0;
    std::from_chars(content.data() + size + attribute.size(), content.data() + content.size(), found);
    if (found > 0) smallest = std::min(smallest, found);
  }
  return smallest;
}

FittedFigure on_page(const Page& page, const Drawing& drawing) {
  FittedFigure figure;
  const double room = page.width - 2 * page.margin;
  double scale = std::min(page.most_scale, room / std::max(drawing.width, 1.0));
  if (page.height > 0) scale = std::min(scale, (page.height - 2 * page.margin) / std::max(drawing.height, 1.0));
  figure.page_width = page.width;
  figure.page_height = page.height > 0 ? page.height : drawing.height * scale + 2 * page.margin;
  const double x = (page.width - drawing.width * scale) / 2;
  const double y = (figure.page_height - drawing.height * scale) / 2;
  figure.content = fmt::format("<g transform=\"translate({} {}) scale({:.4g})\">\n{}</g>\n", svg_number(x),
                               svg_number(y), scale, drawing.content);
  figure.smallest = smallest_letters(drawing.content) * scale;
  figure.is_readable = figure.smallest >= page.smallest - 1e-6;
  const std::string_view unit = page.height > 0 ? "" : "pt";
  figure.width = svg_number(page.width) + std::string(unit);
  figure.height = svg_number(figure.page_height) + std::string(unit);
  return figure;
}

}  // namespace

FittedFigure fitted_figure(std::string_view fit, const std::function<Drawing(const Room&)>& draw) {
  constexpr double narrowest = 380;
  if (fit == "none") {
    const Drawing drawing = draw({});
    FittedFigure figure;
    figure.page_width = std::max(drawing.width, narrowest) + 2 * margin;
    figure.page_height = drawing.height + 2 * margin;
    figure.width = svg_number(figure.page_width);
    figure.height = svg_number(figure.page_height);
    figure.content = svg("<g transform=\"translate({0} {0})\">\n{1}</g>\n", margin, drawing.content);
    return figure;
  }
  const Page page = fit == "slide" ? slide() : column();
  FittedFigure best;
  for (const Room& room : page.rooms) {
    FittedFigure figure = on_page(page, draw(room));
    if (figure.smallest > best.smallest) best = std::move(figure);
    if (best.is_readable) break;
  }
  return best;
}

std::string hint_on_fit(std::string_view fit, const FittedFigure& figure) {
  if (fit == "none" || figure.is_readable) return "";
  const std::string letters =
      fmt::format("{:.1f} {}", figure.smallest, fit == "slide" ? "pixels of its 720" : "points");
  return fmt::format("the letters of the figure are down to {} high, hard to read; --only or --query shows less",
                     letters);
}

}  // namespace attn
