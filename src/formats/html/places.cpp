#include "formats/html/places.h"

#include <iterator>
#include <set>
#include <variant>

namespace attn {
namespace {

std::set<std::string> all_places(const Document& document) {
  std::set<std::string> places;
  const auto add = [&](const Matrix& matrix) {
    if (!matrix.place.empty()) places.insert(matrix.place);
  };
  for (const Block& block : document.blocks) {
    if (const auto* matrix = std::get_if<Matrix>(&block)) add(*matrix);
  }
  for (const Matrix& matrix : document.behind) add(matrix);
  return places;
}

// The place that the headline names first: "Head 1 of 3" of "Head 1 of 3 · Query 2 · cat".
std::string place_in(const std::string& headline, const std::set<std::string>& places) {
  std::string longest;
  for (const std::string& place : places) {
    const bool named = headline == place || headline.starts_with(place + " · ");
    if (named && place.size() > longest.size()) longest = place;
  }
  return longest;
}

}  // namespace

std::map<std::size_t, PlaceGroup> place_groups(const Document& document) {
  const std::set<std::string> places = all_places(document);
  std::map<std::size_t, PlaceGroup> groups;
  std::set<std::string> seen;
  std::string last;
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const auto* headline = std::get_if<Headline>(&document.blocks[i]);
    if (!headline || headline->level != 2) continue;
    const std::string place = place_in(plain(headline->text), places);
    if (!place.empty() && place != last) groups[i] = {place, 0, groups.empty()};
    if (!place.empty()) ++std::prev(groups.end())->second.parts;
    if (!place.empty()) seen.insert(place);
    last = place;
  }
  if (seen.size() < 2) groups.clear();
  return groups;
}

}  // namespace attn
