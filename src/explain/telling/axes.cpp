#include "explain/telling/axes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "words/language.h"

namespace attn {
namespace {

// What stands at an index of an axis without tokens: distances go from −k on,
// positions from 0, all else counts from 1.
std::string number(const Dim& dim, std::size_t index) {
  if (dim.axis == "position") return std::to_string(index);
  if (dim.axis != "distance") return std::to_string(index + 1);
  const std::size_t k = dim.size / 2;
  return index < k ? "−" + std::to_string(k - index) : std::to_string(index - k);
}

// The tokens along an axis; none where it has none of its own. Not every step has
// all of the keys: there are those of a cache, new ones, and appended ones.
std::span<const std::string> tokens_of(const Trace& trace, const Heading& heading, const Dim& dim, const Place& place) {
  if (!is_position(dim.axis)) return {};
  const bool of_keys = dim.axis == "key" || heading.id.ends_with(".key") || heading.id.ends_with(".value");
  const auto& lists = of_keys ? trace.labels.key : trace.labels.query;
  // A tensor that all sequences share has no labels of its own.
  if (lists.size() > 1 && !index_along(place, "batch")) return {};
  const std::size_t sequence = sequence_of(place);
  if (sequence >= lists.size() || lists[sequence].size() < dim.size) return {};
  const std::span<const std::string> all = lists[sequence];
  if (all.size() == dim.size || heading.id.starts_with("past.")) return all.first(dim.size);
  if (heading.id.starts_with("appended.")) return all.last(dim.size);
  if (!of_keys || trace.past_keys + dim.size > all.size()) return {};
  return all.subspan(trace.past_keys, dim.size);
}

}  // namespace

std::vector<std::string> axis_labels(const Trace& trace, const Heading& heading, const Dim& dim, const Place& place) {
  const auto tokens = tokens_of(trace, heading, dim, place);
  std::vector<std::string> labels(tokens.begin(), tokens.end());
  for (std::size_t i = labels.size(); i < dim.size; ++i) labels.push_back(number(dim, i));
  return labels;
}

std::string axis_label(const Trace& trace, const Heading& heading, const Dim& dim, const Place& place,
                       std::size_t index) {
  const auto tokens = tokens_of(trace, heading, dim, place);
  return tokens.empty() ? number(dim, index) : tokens[index];
}

bool is_numbered(const std::string& label, std::size_t index) {
  const std::string number = std::to_string(index + 1);
  return label == number || label == "Input " + number || label == "Key " + number || label == "Query " + number;
}

std::string place_words(const Shape& shape, const Place& place) {
  const TellingWords& said = language().telling;
  std::string words;
  for (const auto& [axis, index] : place) {
    if (!is_outer(axis) || !shape.has(axis)) continue;
    words = dotted(words, (axis == "batch" ? said.sequence_of : said.head_of)(index + 1, shape.size(axis)));
  }
  return words;
}

Place with(Place place, const Axis& axis, std::size_t index) {
  place.emplace_back(axis, index);
  return place;
}

std::vector<Place> outer_places(const Shape& shape, std::size_t batch, std::size_t head) {
  std::vector<Place> places = {{}};
  for (const auto& [axis, only] : {std::pair<Axis, std::size_t>{"batch", batch}, {"head", head}}) {
    if (!shape.has(axis)) continue;
    std::vector<Place> longer;
    for (const Place& place : places) {
      for (std::size_t i = 0; i < shape.size(axis); ++i) {
        if (only != 0 && i + 1 != only) continue;
        longer.push_back(with(place, axis, i));
      }
    }
    places = std::move(longer);
  }
  return places;
}

std::vector<Dim> inner_axes(const Shape& shape, const Place& place) {
  std::vector<Dim> inner;
  for (const Dim& dim : shape.dims()) {
    if (!index_along(place, dim.axis)) inner.push_back(dim);
  }
  return inner;
}

std::size_t offset_at(const Shape& shape, const Place& place) {
  std::size_t offset = 0;
  for (const auto& [axis, index] : place) offset += index * shape.stride(axis);
  return offset;
}

std::optional<std::size_t> index_along(const Place& place, std::string_view axis) {
  const auto found = std::ranges::find(place, axis, &Place::value_type::first);
  return found == place.end() ? std::nullopt : std::optional(found->second);
}

std::size_t sequence_of(const Place& place) { return index_along(place, "batch").value_or(0); }

}  // namespace attn
