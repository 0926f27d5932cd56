#include "formats/html/place_groups.h"

#include <iterator>
#include <set>
#include <variant>

#include "formats/places.h"

namespace attn {
std::map<std::size_t, PlaceGroup> place_groups(const Document& document) {
  const Places places(document);
  std::map<std::size_t, PlaceGroup> groups;
  std::set<std::string> seen;
  std::string last;
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const auto* headline = std::get_if<Headline>(&document.blocks[i]);
    if (!headline || headline->level != 2) continue;
    const std::string place = places.named_by(*headline);
    if (!place.empty() && place != last) groups[i] = {place, 0, groups.empty()};
    if (!place.empty()) ++std::prev(groups.end())->second.parts;
    if (!place.empty()) seen.insert(place);
    last = place;
  }
  if (seen.size() < 2) groups.clear();
  return groups;
}

}  // namespace attn
