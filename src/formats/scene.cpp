#include "formats/scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "base/math.h"
#include "formats/spelling.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double row_height = 16;
// The widths of a scene's parts.
struct Widths {
  double column;            // of names, on either side of the drawing
  double plot;              // of the drawing, which is as high
  double names, cell, bar;  // where what softmax reads is sharpened
  double radius;            // of a pair that is turned

  constexpr double scene() const { return 2 * column + plot; }
};

constexpr Widths usual = {.column = 150, .plot = 220, .names = 120, .cell = 80, .bar = 34, .radius = 48};
constexpr Widths narrow = {.column = 96, .plot = 192, .names = 84, .cell = 60, .bar = 20, .radius = 42};
static_assert(narrow.names + 5 * narrow.cell == narrow.scene());

constexpr double top = 26;  // of the drawing
constexpr double paler = 0.4;
constexpr std::size_t most_arcs = 4, most_pairs = 4;

std::string two_decimals(double value) { return written(value, {.decimals = 2}); }
std::string degrees(double angle) { return written(angle * 180 / std::numbers::pi, {.decimals = 1}) + "°"; }

// Places in the order of their numbers, equal ones as they stood. For a few: a template for each sort would be larger.
std::vector<std::size_t> sorted_by(std::vector<std::size_t> places, const std::vector<double>& numbers) {
  for (std::size_t i = 1; i < places.size(); ++i) {
    for (std::size_t j = i; j > 0 && numbers[places[j]] < numbers[places[j - 1]]; --j)
      std::swap(places[j], places[j - 1]);
  }
  return places;
}

std::vector<std::size_t> sorted_by(const std::vector<double>& numbers) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < numbers.size(); ++i) places.push_back(i);
  return sorted_by(std::move(places), numbers);
}

// A name beside the drawing, and what it names.
struct SideName {
  DrawnPoint of;
  std::string text;
  SceneInk ink;
  bool bold = false;
  double y = 0;
  std::string brief = {};  // where there is no room for all of it
};

// Brings points of a plane to places of the drawing: as large as there is room, zero among them.
class Frame {
 public:
  Frame(const std::vector<DrawnPoint>& points, const Widths& widths) : widths_(widths) {
    for (const DrawnPoint& point : points) {
      left_ = std::min(left_, point.x);
      right_ = std::max(right_, point.x);
      below_ = std::min(below_, point.y);
      above_ = std::max(above_, point.y);
    }
    // Halves, which are finite also where the whole is not. Points closer to each other than their
    // scale could be said are one.
    const double half = std::max(right_ / 2 - left_ / 2, above_ / 2 - below_ / 2);
    const double scale = widths.plot / 2 / half;
    if (std::isfinite(scale)) scale_ = scale;
  }

  DrawnPoint at(const DrawnPoint& point) const {
    const double middle = widths_.plot / 2;
    return {widths_.column + middle + (point.x - (left_ / 2 + right_ / 2)) * scale_,
            top + middle - (point.y - (below_ / 2 + above_ / 2)) * scale_};
  }

 private:
  const Widths& widths_;
  double left_ = 0, right_ = 0, below_ = 0, above_ = 0, scale_ = 1;
};

class Drawer {
 public:
  Drawer(GeometryPicture::Kind kind, const Geometry& geometry, const Widths& widths)
      : geometry_(geometry), widths_(widths) {
    scene_.kind = kind;
    scene_.width = widths.scene();
    scene_.height = bottom() + 30;
  }

  Scene arrows() {
    const DrawnPlane& plane = geometry_.arrows;
    if (geometry_.asked().numbers.empty()) return nothing();
    std::vector<DrawnPoint> tips;
    for (const DrawnVector* vector : arrows_drawn()) tips.push_back(plane.of(vector->numbers));
    const Frame frame(tips, widths_);
    axes(plane, frame);
    const bool is_line = plane.kind == DrawnPlane::Kind::line;
    double track = -static_cast<double>(tips.size()) / 2;
    const auto put = [&](const DrawnVector& vector, const std::string& more, bool asked) {
      if (!vector.can_be_drawn()) return;
      DrawnPoint from = frame.at({}), to = frame.at(plane.of(vector.numbers));
      if (is_line) from.y = to.y = from.y + 11 * ++track;
      const SceneInk ink = vector.role == Role::query ? SceneInk::query : SceneInk::key;
      const bool pale = vector.closed || (vector.role == Role::query && !asked);
      if (std::abs(from.x - to.x) + std::abs(from.y - to.y) < 0.5) {
        scene_.drawn.push_back(SceneDisc{to, 2.5, ink, false, pale ? paler : 1});
      } else {
        scene_.drawn.push_back(
            SceneLine{{from, to}, ink, asked ? 2.6 : 1.6, true, vector.closed, false, pale ? paler : 1});
      }
      if (vector.named) names_.push_back({to, vector.words() + more, ink, asked, 0, vector.name + more});
    };
    for (std::size_t i = 0; i < geometry_.queries.size(); ++i) {
      if (i != geometry_.query) put(geometry_.queries[i], "", false);
    }
    for (std::size_t i = 0; i < geometry_.keys.size(); ++i) {
      const double angle = geometry_.angles[i];
      put(geometry_.keys[i], std::isnan(angle) ? "" : " · " + degrees(angle), false);
    }
    if (plane.kind == DrawnPlane::Kind::plane) arcs(frame);
    put(geometry_.asked(), "", true);
    write_names();
    return std::move(scene_);
  }

  Scene points() {
    if (!geometry_.context) return nothing();
    const DrawnPlane& plane = geometry_.points;
    const auto at_key = [&](std::size_t key) {
      return key < geometry_.values.size() ? plane.of(geometry_.values[key].numbers) : DrawnPoint{};
    };
    std::vector<DrawnPoint> all;
    for (const DrawnVector& value : geometry_.values) {
      if (value.can_be_drawn()) all.push_back(plane.of(value.numbers));
    }
    const DrawnPoint context = plane.of(geometry_.context->numbers);
    const bool has_context = geometry_.context->can_be_drawn();
    if (has_context) all.push_back(context);
    const Frame frame(about(all), widths_);
    const auto here = [&](const DrawnPoint& point) { return frame.at(less_origin(point)); };
    axis_names(plane);
    std::vector<DrawnPoint> corners;
    for (const std::size_t outermost : geometry_.corners) corners.push_back(here(at_key(outermost)));
    if (corners.size() > 1) {
      scene_.drawn.push_back(SceneLine{std::move(corners), SceneInk::value, 1, false, false, true, 0.5});
    }
    if (geometry_.path.size() > 1) {
      std::vector<DrawnPoint> path;
      for (const DrawnPoint& point : geometry_.path) path.push_back(here(point));
      scene_.drawn.push_back(SceneLine{std::move(path), SceneInk::output, 1.2, false, true});
    }
    for (std::size_t key = 0; key < geometry_.values.size(); ++key) {
      const DrawnVector& value = geometry_.values[key];
      if (!value.can_be_drawn()) continue;
      const bool is_known = std::isfinite(geometry_.weights[key]);
      const double weight = is_known ? std::clamp(geometry_.weights[key], 0.0, 1.0) : 0;
      const DrawnPoint at = here(at_key(key));
      if (weight > 0 && has_context) {
        scene_.drawn.push_back(
            SceneLine{{here(context), at}, SceneInk::weight, 0.4 + 5 * weight, false, false, false, 0.35});
      }
      scene_.drawn.push_back(
          SceneDisc{at, 2.5 + 7 * sqrt(weight), SceneInk::value, value.closed, value.closed ? paler : 1});
      if (value.named) {
        const std::string more = value.closed ? "" : " · " + two_decimals(geometry_.weights[key]);
        names_.push_back({at, value.words() + more, SceneInk::value, false, 0, value.name + more});
      }
    }
    if (geometry_.zero_counts) {
      scene_.drawn.push_back(SceneDisc{here({}), 3, SceneInk::faint, true});
      names_.push_back({here({}), "0", SceneInk::faint});
    }
    if (has_context && !std::ranges::all_of(geometry_.keys, &DrawnVector::closed)) {
      scene_.drawn.push_back(SceneDisc{here(context), 5, SceneInk::output});
      names_.push_back({here(context), geometry_.context->name, SceneInk::output, true});
    }
    write_names();
    return std::move(scene_);
  }

  Scene turning() {
    const std::size_t shown = std::min(most_pairs, geometry_.turned.size());
    double longest = 0;
    for (std::size_t i = 0; i < shown; ++i) {
      const DrawnPoint& point = geometry_.turned[i].before;
      longest = std::max(longest, length_of({point.x, point.y}));
    }
    const double cell = widths_.scene() / most_pairs, radius = widths_.radius, middle = 6 + radius;
    const double scale = longest > 0 ? radius / longest : 0;
    scene_.height = 6 + 2 * radius + 44;
    for (std::size_t i = 0; i < shown; ++i) {
      const TurnedPair& pair = geometry_.turned[i];
      const DrawnPoint center{cell * (static_cast<double>(i) + 0.5), middle};
      const double length = length_of({pair.before.x, pair.before.y}) * scale;
      scene_.drawn.push_back(SceneDisc{center, length, SceneInk::grid, true});
      const auto tip = [&](const DrawnPoint& of) {
        return DrawnPoint{center.x + of.x * scale, center.y - of.y * scale};
      };
      if (length > 0) {
        scene_.drawn.push_back(arc(center, pair.before, {-pair.before.y, pair.before.x},
                                   pair.angle - 2 * std::numbers::pi * std::floor(pair.angle / (2 * std::numbers::pi)),
                                   std::min(18.0, length * 0.6), SceneInk::faint));
        scene_.drawn.push_back(SceneLine{{center, tip(pair.before)}, SceneInk::query, 1.4, true, true, false, 0.6});
        scene_.drawn.push_back(SceneLine{{center, tip(pair.after)}, SceneInk::query, 2.4, true});
      }
      const double below = middle + radius + 18;
      text({center.x, below}, "pair " + std::to_string(i + 1) + ": " + degrees(pair.angle), SceneInk::query,
           SceneText::Side::middle);
      text({center.x, below + row_height}, "= " + written(pair.position, {}) + " × " + degrees(pair.each),
           SceneInk::faint, SceneText::Side::middle);
    }
    return std::move(scene_);
  }

  Scene sharpening() {
    const double first = widths_.names, cell = widths_.cell, bar = widths_.bar;
    std::vector<std::size_t> keys;
    for (std::size_t key = 0; key < geometry_.keys.size(); ++key) {
      if (geometry_.keys[key].named) keys.push_back(key);
    }
    const bool some_left = keys.size() < geometry_.keys.size();
    const double rows = static_cast<double>(keys.size() + (some_left ? 1 : 0));
    scene_.height = top + rows * row_height + 12;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      text({0, top + row_height * static_cast<double>(i) + 12}, geometry_.keys[keys[i]].words(), SceneInk::key,
           SceneText::Side::from, first - 10);
    }
    if (some_left) {
      text({0, top + row_height * (rows - 1) + 12}, std::to_string(geometry_.keys.size() - keys.size()) + " others",
           SceneInk::faint);
    }
    for (std::size_t i = 0; i < geometry_.sharpened.size(); ++i) {
      const Sharpened& one = geometry_.sharpened[i];
      const double x = first + cell * static_cast<double>(i);
      const double bottom = top + rows * row_height + 4;
      if (one.is_own) {
        scene_.drawn.push_back(
            SceneLine{{{x - 5, 1}, {x + cell - 7, 1}, {x + cell - 7, bottom}, {x - 5, bottom}, {x - 5, 1}},
                      SceneInk::weight,
                      1.2});
      }
      text({x, 16}, "× " + one.factor, SceneInk::weight, SceneText::Side::from, cell, one.is_own);
      double others = std::accumulate(one.weights.begin(), one.weights.end(), 0.0);
      const auto row = [&](std::size_t at, double weight) {
        const double y = top + row_height * static_cast<double>(at) + 7.5;
        const double length = bar * std::clamp(weight, 0.0, 1.0);
        if (length > 0)
          scene_.drawn.push_back(SceneLine{{{x, y}, {x + length, y}}, SceneInk::weight, 9, false, false, false, 0.55});
        text({x + cell - 12, y + 4.5}, two_decimals(weight), SceneInk::ink, SceneText::Side::to);
      };
      for (std::size_t at = 0; at < keys.size(); ++at) {
        if (geometry_.keys[keys[at]].closed) {
          text({x + cell - 12, top + row_height * static_cast<double>(at) + 12}, "–", SceneInk::faint,
               SceneText::Side::to);
          continue;
        }
        row(at, one.weights[keys[at]]);
        others -= one.weights[keys[at]];
      }
      if (some_left) row(keys.size(), std::max(others, 0.0));
    }
    return std::move(scene_);
  }

 private:
  double central() const { return widths_.column + widths_.plot / 2; }  // to the middle of the drawing
  double bottom() const { return top + widths_.plot; }

  Scene nothing() {
    scene_.height = 0;
    return std::move(scene_);
  }

  std::vector<const DrawnVector*> arrows_drawn() const {
    std::vector<const DrawnVector*> all;
    for (const auto* vectors : {&geometry_.queries, &geometry_.keys}) {
      for (const DrawnVector& vector : *vectors) {
        if (vector.can_be_drawn()) all.push_back(&vector);
      }
    }
    return all;
  }

  void text(DrawnPoint at, std::string words, SceneInk ink, SceneText::Side side = SceneText::Side::from,
            double room = 1e9, bool bold = false) {
    scene_.drawn.push_back(SceneText{at, std::move(words), ink, side, bold, room});
  }

  // Points need no zero among them but where it is one of them: the first then stands for it.
  std::vector<DrawnPoint> about(std::vector<DrawnPoint> points) {
    if (!geometry_.zero_counts && !points.empty()) origin_ = points.front();
    for (DrawnPoint& point : points) point = less_origin(point);
    return points;
  }
  DrawnPoint less_origin(const DrawnPoint& point) const { return {point.x - origin_.x, point.y - origin_.y}; }

  void axes(const DrawnPlane& plane, const Frame& frame) {
    const DrawnPoint zero = frame.at({});
    if (plane.kind == DrawnPlane::Kind::space) {
      for (std::size_t i = 0; i < 3; ++i) {
        const DrawnPoint end{zero.x + 60 * plane.right[i], zero.y - 60 * plane.up[i]};
        scene_.drawn.push_back(SceneLine{{zero, end}, SceneInk::grid, 1, true});
        text({end.x + 3, end.y - 3}, std::to_string(i + 1), SceneInk::faint);
      }
      return;
    }
    scene_.drawn.push_back(SceneLine{{{widths_.column - 8, zero.y}, {widths_.column + widths_.plot + 8, zero.y}}});
    if (plane.kind != DrawnPlane::Kind::line) {
      scene_.drawn.push_back(SceneLine{{{zero.x, top - 8}, {zero.x, bottom() + 8}}});
    }
    axis_names(plane);
  }

  void axis_names(const DrawnPlane& plane) {
    if (!plane.right_name.empty()) {
      text({central(), bottom() + 24}, "→ " + plane.right_name, SceneInk::faint, SceneText::Side::middle);
    }
    if (!plane.up_name.empty()) {
      text({central(), 12}, "↑ " + plane.up_name, SceneInk::faint, SceneText::Side::middle);
    }
  }

  // From one direction so far towards another at a right angle to it.
  SceneLine arc(DrawnPoint center, DrawnPoint from, DrawnPoint towards, double angle, double radius,
                SceneInk ink) const {
    // Directions however short, or long.
    int exponent = 0;
    std::frexp(std::max(std::abs(from.x), std::abs(from.y)), &exponent);
    for (double* one : {&from.x, &from.y, &towards.x, &towards.y}) *one = std::ldexp(*one, -exponent);
    const double length = length_of({from.x, from.y});
    SceneLine made{{}, ink, 1};
    constexpr int pieces = 16;
    for (int i = 0; i <= pieces; ++i) {
      const double cosine = cos(angle * i / pieces) * radius / length, sine = sin(angle * i / pieces) * radius / length;
      made.through.push_back(
          {center.x + from.x * cosine + towards.x * sine, center.y - from.y * cosine - towards.y * sine});
    }
    return made;
  }

  // From the query to the keys, the narrowest angle inside; to the key of the largest weight where they are many.
  void arcs(const Frame& frame) {
    std::vector<std::size_t> keys;
    for (std::size_t key = 0; key < geometry_.keys.size(); ++key) {
      if (!geometry_.keys[key].closed && geometry_.angles[key] > 0) keys.push_back(key);
    }
    if (keys.size() > most_arcs) {
      std::vector<double> lightness;
      for (const double weight : geometry_.weights) lightness.push_back(-weight);
      keys = {sorted_by(keys, lightness).front()};
    }
    keys = sorted_by(keys, geometry_.angles);
    const std::vector<double>& query = geometry_.asked().numbers;
    double radius = 20;
    for (const std::size_t key : keys) {
      const std::vector<double>& other = geometry_.keys[key].numbers;
      const double side = query[0] * other[1] - query[1] * other[0] < 0 ? -1 : 1;
      scene_.drawn.push_back(arc(frame.at({}), {query[0], query[1]}, {-side * query[1], side * query[0]},
                                 geometry_.angles[key], radius, SceneInk::faint));
      radius += 7;
    }
  }

  // Each on its side of the drawing, as high as what it names where there is room, and joined to it.
  void write_names() {
    std::vector<double> across;
    std::size_t on_left = 0;
    for (const SideName& name : names_) {
      across.push_back(name.of.x);
      if (name.of.x <= central()) ++on_left;
    }
    const std::vector<std::size_t> order = sorted_by(across);
    const std::size_t most = static_cast<std::size_t>(widths_.plot / row_height) + 2;
    const std::size_t all = names_.size();
    on_left = std::max(all - std::min(all, most), std::min(on_left, std::max(most, all / 2)));
    write_side({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(on_left)}, false);
    write_side({order.begin() + static_cast<std::ptrdiff_t>(on_left), order.end()}, true);
  }

  void write_side(std::vector<std::size_t> names, bool on_right) {
    std::vector<double> heights;
    for (const SideName& name : names_) heights.push_back(name.of.y);
    names = sorted_by(std::move(names), heights);
    double y = top - row_height;
    for (const std::size_t i : names) names_[i].y = y = std::max(names_[i].of.y, y + row_height);
    double lowest = bottom() + row_height;
    for (std::size_t i = names.size(); i-- > 0;) {
      names_[names[i]].y = std::min(names_[names[i]].y, lowest - row_height);
      lowest = names_[names[i]].y;
    }
    const double room = widths_.column - 14;
    const double edge = on_right ? widths_.column + widths_.plot + 14 : widths_.column - 14;
    for (const std::size_t i : names) {
      const SideName& name = names_[i];
      const double to = edge + (on_right ? -3 : 3);
      // Below all else that was drawn.
      scene_.drawn.insert(scene_.drawn.begin(), SceneLine{{name.of, {to, name.y}}, SceneInk::grid, 0.8});
      const bool fits = name.brief.empty() || text_width(name.text, scene_text_size * (name.bold ? 1.1 : 1)) <= room;
      text({edge, name.y + 4}, fits ? name.text : name.brief, name.ink,
           on_right ? SceneText::Side::from : SceneText::Side::to, room, name.bold);
    }
  }

  const Geometry& geometry_;
  const Widths& widths_;
  Scene scene_;
  std::vector<SideName> names_;
  DrawnPoint origin_;
};

std::string points_of(const std::vector<DrawnPoint>& through) {
  std::string all;
  for (const DrawnPoint& point : through)
    all += svg("{}{},{}", std::string_view(all.empty() ? "" : " "), point.x, point.y);
  return all;
}

// The tip of an arrow, a triangle.
std::vector<DrawnPoint> tip_of(const SceneLine& arrow) {
  const DrawnPoint end = arrow.through.back(), before = arrow.through[arrow.through.size() - 2];
  const double dx = end.x - before.x, dy = end.y - before.y;
  const double length = sqrt(dx * dx + dy * dy);
  const double size = std::min(5 + 1.6 * arrow.width, length);
  const double ux = dx / length * size, uy = dy / length * size;
  return {end, {end.x - ux - uy * 0.4, end.y - uy + ux * 0.4}, {end.x - ux + uy * 0.4, end.y - uy - ux * 0.4}};
}

std::string see_through(double opacity) { return opacity < 1 ? fmt::format(" opacity=\"{:.2g}\"", opacity) : ""; }

}  // namespace

Scene scene_of(GeometryPicture::Kind kind, const Geometry& geometry, SceneSize size) {
  Drawer drawer(kind, geometry, size == SceneSize::narrow ? narrow : usual);
  switch (kind) {
    case GeometryPicture::Kind::arrows:
      return drawer.arrows();
    case GeometryPicture::Kind::points:
      return drawer.points();
    case GeometryPicture::Kind::turning:
      return drawer.turning();
    case GeometryPicture::Kind::sharpening:
      return drawer.sharpening();
  }
  return {};
}

std::string svg_scene(const Scene& scene, const std::function<std::string(SceneInk)>& colour) {
  std::string all;
  for (const auto& one : scene.drawn) {
    if (const auto* stroke = std::get_if<SceneLine>(&one)) {
      const std::string ink = colour(stroke->ink);
      std::vector<DrawnPoint> through = stroke->through;
      if (stroke->arrow) {
        const std::vector<DrawnPoint> tip = tip_of(*stroke);
        all += svg("<polygon points=\"{}\" fill=\"{}\"{}/>\n", points_of(tip), ink, see_through(stroke->opacity));
        through.back() = {(tip[1].x + tip[2].x) / 2, (tip[1].y + tip[2].y) / 2};
      }
      const std::string paint =
          stroke->filled ? " fill=\"" + ink + "\" fill-opacity=\"0.16\" stroke-linejoin=\"round\"" : " fill=\"none\"";
      all +=
          svg("<{} points=\"{}\"{} stroke=\"{}\" stroke-width=\"{}\"{}{}/>\n",
              std::string_view(stroke->filled ? "polygon" : "polyline"), points_of(through), paint, ink, stroke->width,
              std::string_view(stroke->dashed ? " stroke-dasharray=\"4 3\"" : ""), see_through(stroke->opacity));
    } else if (const auto* disc = std::get_if<SceneDisc>(&one)) {
      const std::string ink = colour(disc->ink);
      all += svg("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"{}/>\n", disc->at.x, disc->at.y,
                 disc->radius, std::string_view(disc->hollow ? "none" : ink), ink, see_through(disc->opacity));
    } else {
      const auto& text = std::get<SceneText>(one);
      const std::string ink = colour(text.ink);
      all +=
          svg_text(text.at.x, text.at.y, text.text,
                   {.size = scene_text_size, .anchor = static_cast<Anchor>(text.side), .fill = ink, .bold = text.bold},
                   text.room / (text.bold ? 1.1 : 1));
    }
  }
  return all;
}

std::string geometry_words(const GeometryTold& told) {
  std::string all = told.title;
  for (const GeometryPicture& picture : told.pictures) {
    all += ". " + picture.title + ":";
    for (const std::string& words : picture.how_drawn) all += " " + words;
    for (const std::string& words : picture.facts) all += " " + words;
    if (picture.kind != GeometryPicture::Kind::arrows) continue;
    const Geometry& drawn = told.drawn;
    for (std::size_t key = 0; key < drawn.keys.size(); ++key) {
      if (!drawn.keys[key].named || drawn.keys[key].closed) continue;
      all += " " + drawn.keys[key].words() + ": ";
      if (!std::isnan(drawn.angles[key])) all += degrees(drawn.angles[key]) + ", ";
      all += two_decimals(drawn.weights[key]) + ".";
    }
  }
  return all;
}

}  // namespace attn
