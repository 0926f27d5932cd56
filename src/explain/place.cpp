#include "explain/place.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "base/text.h"
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

// Those of the innermost part that it stands in and that has its own: a memory may be a block with a memory.
const Labels& labels_of(const Trace& trace, const Heading& heading) {
  const RecipePart* innermost = nullptr;
  for (const RecipePart& part : trace.recipe.parts()) {
    if (!part.labels || !heading.id.starts_with(part.prefix)) continue;
    const bool is_in = heading.id.size() == part.prefix.size() || heading.id[part.prefix.size()] == '.';
    if (is_in && (!innermost || part.prefix.size() > innermost->prefix.size())) innermost = &part;
  }
  return innermost ? *innermost->labels : trace.labels;
}

// The tokens along an axis; none where it has none of its own. Not every step has
// all of the keys: there are those of a cache, new ones, and appended ones.
std::span<const std::string> tokens_of(const Trace& trace, const Heading& heading, const Dim& dim, const Place& place) {
  if (dim.axis == "vocabulary" && trace.labels.vocabulary.size() == dim.size) return trace.labels.vocabulary;
  if (!is_position(dim.axis)) return {};
  const Labels& labels = labels_of(trace, heading);
  const bool of_keys = dim.axis == "key" || heading.id.ends_with(".key") || heading.id.ends_with(".value");
  const auto& lists = of_keys ? labels.key : labels.query;
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

// One capital letter, perhaps with a prime or star: what has a lower case.
bool is_simple(const Formula& symbol) {
  const std::vector<FormulaPiece>& pieces = symbol.pieces();
  return pieces.size() == 1 && pieces[0].kind == FormulaPiece::Kind::letter && is_ascii_upper(pieces[0].text[0]);
}

// "₁₂" for 12.
std::string subscript(std::size_t number) {
  static constexpr std::array digits = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string text;
  for (const char digit : std::to_string(number)) text += digits[static_cast<std::size_t>(digit - '0')];
  return text;
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

std::size_t head_of(const Trace& trace, std::string_view id, std::size_t head) {
  const Shape& shape = trace.value(id).shape();
  const auto line = trace.recipe.line(id);
  if (head == 0 || !line || !shape.has("head")) return head;
  const std::size_t part = trace.recipe.instruction(*line).part;
  if (part >= trace.recipe.parts().size()) return head;
  const auto& attention = trace.recipe.parts()[part].attention;
  if (!attention || !trace.recipe.has(attention->scores)) return head;
  const Shape& scores = trace.recipe.shape(attention->scores);
  const std::size_t heads = scores.has("head") ? scores.size("head") : 1, own = shape.size("head");
  return own < heads && heads % own == 0 ? (head - 1) / (heads / own) + 1 : head;
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

// The layers of a block repeat their symbols: a second tensor of that symbol is found soon, or there are few in all.
bool CellNames::is_of_one_tensor(const std::string& symbol) const {
  if (const auto known = found_.find(symbol); known != found_.end()) return known->second;
  std::size_t count = 0;
  const auto is_second = [&](const auto& tensor) {
    count += tensor.heading.symbol.text() == symbol ? 1 : 0;
    return count > 1;
  };
  const bool is_shared = std::ranges::any_of(trace_.givens, is_second) || std::ranges::any_of(trace_.steps, is_second);
  return found_[symbol] = !is_shared;
}

Span CellNames::of(const Slice& cells) const {
  const Heading& heading = trace_.heading(cells.tensor);
  const std::string symbol = heading.symbol.text();
  const bool is_its_alone = !symbol.empty() && is_of_one_tensor(symbol);
  return {cell_name(trace_, cells, is_its_alone ? symbol : heading.id), heading.role};
}

Symbols::Symbols(const Trace& trace) : trace_(trace) {
  for (const GivenTensor& given : trace.givens) taken_.insert(given.heading.symbol.text());
  for (const Step& step : trace.steps) taken_.insert(step.heading.symbol.text());
}

// "k₁". The capital stays where the small letter means something else: e is
// Euler's number, m the maximum.
std::string Symbols::row(const Formula& symbol, std::size_t index) const {
  const std::string text = symbol.text();
  if (text.size() == 1 && is_ascii_lower(text[0])) return text + subscript(index + 1);
  if (!is_simple(symbol)) return text + "[" + std::to_string(index + 1) + "]";
  const std::string small = static_cast<char>(text[0] - 'A' + 'a') + text.substr(1);
  const bool ambiguous = small == "e" || taken_.contains(small);
  return (ambiguous ? text : small) + subscript(index + 1);
}

Span Symbols::part(const Heading& heading, const Shape& shape, const Place& place) const {
  std::vector<std::size_t> indices;
  std::size_t open = 0;
  for (const Dim& dim : shape.dims()) {
    if (is_outer(dim.axis)) continue;
    if (const auto index = index_along(place, dim.axis)) {
      indices.push_back(*index);
    } else {
      ++open;
    }
  }
  if (indices.empty()) return {heading.symbol, heading.role};
  if (indices.size() == 1 && open <= 1) return {row(heading.symbol, indices[0]), heading.role};
  std::string at;
  for (const std::size_t index : indices) at += (at.empty() ? "[" : ",") + std::to_string(index + 1);
  return {heading.symbol.text() + at + "]", heading.role};
}

Inline Symbols::formula(const Step& step, const Place& place) const {
  // What the step reads has the names there that it reads it by.
  std::map<std::string_view, const Operand*> reads;
  for (const Operand& operand : step.operands) reads.emplace(operand.id, &operand);
  const auto part_of = [&](const std::string& id) {
    const auto read = reads.find(id);
    const Shape& shape = trace_.value(id).shape();
    return part(trace_.heading(id), read == reads.end() ? shape : shape_as_read(*read->second, shape), place);
  };
  const std::vector<FormulaPiece>& pieces = step.heading.formula.pieces();
  Inline text;
  for (auto begin = pieces.begin(); begin != pieces.end();) {
    const std::string& of = begin->of;
    const auto end = std::find_if(begin, pieces.end(), [&](const FormulaPiece& piece) { return piece.of != of; });
    const bool is_known = !of.empty() && (trace_.find(of) || trace_.find_given(of));
    text.push_back(is_known ? part_of(of) : Span(Formula(std::vector(begin, end)), std::nullopt));
    begin = end;
  }
  return text;
}

}  // namespace attn
