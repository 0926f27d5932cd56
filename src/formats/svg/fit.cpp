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
  double width, height;
  bool is_fixed;  // its height; else it is what there may be at most
  double margin;
  double smallest;    // letters that can be read
  double most_scale;  // a small figure is made larger up to so much
  std::vector<Room> rooms;
};

// A column of a paper is 85 mm wide and 245 mm high, in points.
constexpr double column_width = 241, column_height = 694, points_a_millimetre = 72 / 25.4;

template <class Change>
Room but(Room room, Change change) {
  change(room);
  return room;
}

Page slide() {
  constexpr double wide = 1224;
  const Room gist{.width = wide, .paper = wide, .flows_across = true, .detail = Detail::gist, .levels = 3};
  const Room one_place = but(gist, [](Room& room) { room.one_place = room.is_tight = true; });
  const Room maps = but(gist, [](Room& room) { room.has_numbers = false; });
  const Room one_map = but(one_place, [](Room& room) { room.has_numbers = false; });
  const auto core_of = [](Room& room) {
    room.detail = Detail::core;
    room.levels = 1;
  };
  const Room core = but(maps, core_of);
  const Room least = but(one_map, [&](Room& room) {
    core_of(room);
    room.levels = 0;
  });
  return {.width = 1280,
          .height = 720,
          .is_fixed = true,
          .margin = 28,
          .smallest = 11,
          .most_scale = 1.8,
          .rooms = {{.width = 1180, .paper = 1120},
                    {.width = 1180, .paper = 1120, .flows_across = true},
                    but(gist, [](Room& room) { room.letters = 15; }),
                    {.width = 1000, .paper = 900, .detail = Detail::gist},
                    one_place,
                    maps,
                    one_map,
                    core,
                    least,
                    but(least, [](Room& room) { room.has_notes = false; })}};
}

Page column() {
  constexpr double wide = 345;
  const Room gist{.width = wide, .paper = wide, .detail = Detail::gist, .is_tight = true, .levels = 3};
  const auto one_place = [](Room& room) { room.one_place = true; };
  const Room core = but(gist, [](Room& room) {
    room.detail = Detail::core;
    room.levels = 1;
  });
  const Room maps = but(gist, [](Room& room) { room.has_numbers = false; });
  const Room core_maps = but(maps, [](Room& room) { room.detail = Detail::core; });
  const Room least = but(core_maps, [&](Room& room) {
    one_place(room);
    room.levels = 0;
  });
  return {.width = column_width,
          .height = column_height,
          .is_fixed = false,
          .margin = 4,
          .smallest = 7,
          .most_scale = 1,
          .rooms = {{.width = wide, .paper = wide},
                    {.width = wide, .paper = wide, .one_a_layer = true},
                    gist,
                    {.width = wide, .paper = wide, .one_a_layer = true, .detail = Detail::gist},
                    but(gist, one_place),
                    core,
                    but(core, one_place),
                    maps,
                    but(maps, one_place),
                    core_maps,
                    least,
                    but(least, [](Room& room) { room.has_notes = false; })}};
}

// With its lines as short as they are where the figure is drawn as large as can be.
Room with_less_paper(Room room, const Page& page) {
  room.paper /= page.most_scale;
  return room;
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

FittedFigure on_page(const Page& page, const Drawing& drawing, bool may_be_higher) {
  FittedFigure figure;
  const double room = page.width - 2 * page.margin, most = page.height - 2 * page.margin;
  double scale = std::min(page.most_scale, room / std::max(drawing.width, 1.0));
  if (!may_be_higher) scale = std::min(scale, most / std::max(drawing.height, 1.0));
  figure.page_width = page.width;
  figure.page_height = page.is_fixed ? page.height : drawing.height * scale + 2 * page.margin;
  const double x = (page.width - drawing.width * scale) / 2;
  const double y = (figure.page_height - drawing.height * scale) / 2;
  figure.content = fmt::format("<g transform=\"translate({} {}) scale({:.4g})\">\n{}</g>\n", svg_number(x),
                               svg_number(y), scale, drawing.content);
  figure.smallest = smallest_letters(drawing.content) * scale;
  figure.is_readable = figure.smallest >= page.smallest - 1e-6;
  if (figure.page_height > page.height) figure.millimetres = figure.page_height / points_a_millimetre;
  const std::string_view unit = page.is_fixed ? "" : "pt";
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
    FittedFigure figure = on_page(page, draw(room), false);
    if (!room.has_numbers && page.most_scale > 1) {  // what is small may be drawn larger
      FittedFigure larger = on_page(page, draw(with_less_paper(room, page)), false);
      if (larger.smallest > figure.smallest) figure = std::move(larger);
    }
    if (figure.smallest > best.smallest) best = std::move(figure);
    if (best.is_readable) return best;
  }
  if (page.is_fixed) return best;
  // What can't be read within a page may go on over the next.
  FittedFigure higher = on_page(page, draw(page.rooms.front()), true);
  return higher.smallest > best.smallest ? higher : best;
}

std::string hint_on_fit(std::string_view fit, const FittedFigure& figure, std::string_view options) {
  if (fit == "none") return "";
  const std::string less = fmt::format("; {} shows less", options);
  if (figure.is_readable) {
    return figure.millimetres == 0
               ? ""
               : fmt::format("the figure is {:.0f} mm high, more than a page has{}", figure.millimetres, less);
  }
  const std::string letters =
      fmt::format("{:.1f} {}", figure.smallest, fit == "slide" ? "pixels of its 720" : "points");
  return fmt::format("the letters of the figure are down to {} high, hard to read{}", letters, less);
}

}  // namespace attn
