#include "formats/html/heads.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/text.h"
#include "formats/html/elements.h"
#include "formats/places.h"

namespace attn {
namespace {

constexpr const char* between_places = " · ";  // as dotted() joins them
constexpr std::size_t longest_unbroken = 54;   // digits; longer lines may be broken

// Whether it stands in heads, where there are heads, or is made of all of them together.
bool is_of_head(const Matrix& matrix, bool has_heads) { return !has_heads || matrix.reading.result.has("head"); }

bool has_heads(const Document& document) {
  return std::ranges::any_of(document.blocks, [](const Block& block) {
    const auto* matrix = std::get_if<Matrix>(&block);
    return matrix && matrix->reading.result.has("head");
  });
}

std::size_t line_width(const Equation& line) {
  std::size_t width = display_width(plain(line.label)) + 2;
  for (const Expression& side : line.sides) width += display_width(plain(side.whole())) + 2;
  return width;
}

void grow(HeadRoom& room, const HeadRoom& needed) {
  if (needed.pixels() > room.pixels()) room = needed;
}

}  // namespace

std::string whole_of(const std::string& place) {
  const std::size_t end = place.rfind(between_places);
  return end == std::string::npos ? "" : place.substr(0, end);
}

bool is_within(const std::string& place, const std::string& whole) {
  return whole.empty() || place.starts_with(whole + between_places);
}

std::string name_within(const std::string& place, const std::string& whole) {
  if (whole.empty() || !is_within(place, whole)) return place;
  return place.substr(whole.size() + std::string_view(between_places).size());
}

double HeadRoom::pixels() const { return 9.6 * digits + 16 * spaces; }

std::size_t HeadRoom::side_by_side() const {
  constexpr double page = 1216, gap = 40;
  return std::max<std::size_t>(1, static_cast<std::size_t>((page + gap) / (pixels() + gap)));
}

std::string HeadRoom::width() const { return fmt::format("calc({:.4g}ch + {:.4g}rem)", digits, spaces); }

std::size_t longest_line(const Document& document) {
  std::size_t longest = 0;
  for (const Block& block : document.blocks) {
    const auto* derivation = std::get_if<Derivation>(&block);
    if (!derivation) continue;
    for (const Equation& line : derivation->lines) longest = std::max(longest, line_width(line));
  }
  return std::min(longest, longest_unbroken);
}

HeadRoom room_of_heads(const Document& document, const FormatOptions& options) {
  HeadRoom room{28, 1};
  const bool heads = has_heads(document);
  const Places places(document);
  bool in_group = false;
  for (const Block& block : document.blocks) {
    if (const auto* headline = std::get_if<Headline>(&block); headline && headline->level == 2)
      in_group = !places.named_by(*headline).empty();
    if (!in_group) continue;
    if (const auto* derivation = std::get_if<Derivation>(&block)) {
      for (const Equation& line : derivation->lines)
        grow(room, {0.9 * static_cast<double>(std::min(line_width(line), longest_unbroken)), 3});
    }
    const auto* matrix = std::get_if<Matrix>(&block);
    if (matrix && (are_weights(*matrix) || matrix->role == Role::output) && is_of_head(*matrix, heads))
      grow(room, room_of(*matrix, shown_of(*matrix, options)));
  }
  return room;
}

std::map<std::size_t, PlaceGroup> place_groups(const Document& document, const HeadRoom& room) {
  const Places places(document);
  std::map<std::size_t, PlaceGroup> groups;
  std::set<std::string> seen;
  std::string last;
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const auto* headline = std::get_if<Headline>(&document.blocks[i]);
    if (!headline || headline->level != 2) continue;
    const std::string place = places.named_by(*headline);
    if (!place.empty()) {
      if (place != last) groups[i] = {place, 0, groups.size() < room.side_by_side()};
      ++std::prev(groups.end())->second.parts;
      seen.insert(place);
    }
    last = place;
  }
  if (seen.size() < 2) groups.clear();
  for (auto& [block, group] : groups) {
    group.is_whole = std::ranges::any_of(
        seen, [&, &group = group](const std::string& other) { return is_within(other, group.place); });
  }
  // The second sequence of several heads may be told as a whole only.
  for (auto& [block, group] : groups) {
    for (const Matrix& matrix : document.behind) {
      if (are_weights(matrix) && is_within(matrix.place, group.place)) group.is_whole = true;
    }
  }
  return groups;
}

std::vector<Untold> untold(const Document& document, const std::map<std::size_t, PlaceGroup>& groups) {
  std::vector<Untold> all = {{}};
  const auto entry = [&](const std::string& place) -> Untold& {
    const auto found = std::ranges::find(all, place, &Untold::place);
    return found != all.end() ? *found : all.emplace_back(Untold{place, false, {}});
  };
  const auto place_of = [](const Matrix& matrix) { return dotted(matrix.part, matrix.place); };
  std::set<std::string> heads;
  for (const auto& [block, group] : groups) heads.insert(group.place);
  for (const Matrix& matrix : document.behind) {
    if (!are_weights(matrix) || matrix.place.empty()) continue;
    entry(place_of(matrix)).is_head = true;
    heads.insert(place_of(matrix));
  }
  for (const Matrix& matrix : document.behind) {
    const std::string place = place_of(matrix);
    std::string of = place;  // the longest that it is of: a query of that head
    while (!of.empty() && !heads.contains(of)) of = whole_of(of);
    entry(of).matrices.push_back(&matrix);
  }
  return all;
}

}  // namespace attn
