#include "explain/document.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "problem/labels.h"

namespace attn {

std::string plain(const Inline& text) {
  std::string all;
  for (const Span& span : text) all += span.text;
  return all;
}

bool is_padding(const std::string& label) { return label == padding_label; }

Inline joined(Inline text, const Inline& more) {
  text.insert(text.end(), more.begin(), more.end());
  return text;
}

Inline in_parentheses(const Inline& text) { return joined(joined({"("}, text), {")"}); }

Inline Expression::term(std::size_t at) const {
  return at > 0 || relation.empty() ? terms[at] : joined({relation + " "}, terms[at]);
}

Inline Expression::whole() const {
  Inline all;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i > 0) all.emplace_back(" ");
    all = joined(std::move(all), term(i));
  }
  return all;
}

std::string Matrix::in_box(std::size_t row, std::size_t column) const {
  if (box(row, column) == Box::open) return "";
  const double value = number(row, column);
  // From here on the digits that say which number it is are fewer than those before its point.
  constexpr double too_large = 1e15;
  if (std::isfinite(value) && std::abs(value) >= too_large) return (value < 0 ? "−" : "") + shortest(std::abs(value));
  const int at_least = box(row, column) == Box::filled ? decimals_in_lines : 0;
  return written(value, {.decimals = value == std::trunc(value) ? at_least : format.decimals});
}

std::vector<Block> without_pictures(const GeometryTold& told) {
  std::vector<Block> blocks = {Headline{3, {told.title}}};
  for (const GeometryPicture& picture : told.pictures) {
    for (const std::string& fact : picture.facts) blocks.emplace_back(Prose{{fact}});
  }
  for (const Table& table : told.tables) blocks.emplace_back(table);
  return blocks;
}

void Document::hint(const std::string& words) {
  if (std::ranges::find(hints, words) == hints.end()) hints.push_back(words);
}

Document titled(const std::string& title) { return title.empty() ? Document() : Document{{Headline{1, {title}}}}; }

std::vector<Stop> stops(const Document& document) {
  std::vector<Stop> all;
  Inline part;
  bool leading = false;  // the last stop has only headlines and words so far
  bool words = false;    // and not only headlines
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const Block& block = document.blocks[i];
    const auto* headline = std::get_if<Headline>(&block);
    const auto* matrix = std::get_if<Matrix>(&block);
    // Words lead up to what comes next, but behind what is shown they belong to it.
    const bool speaks = std::holds_alternative<Prose>(block) || std::holds_alternative<Remark>(block);
    const bool follows = !leading && (speaks || (matrix && matrix->beside));
    if (headline && headline->level <= 2) part = headline->text;
    const bool new_stop = all.empty() || (headline && words) || (!leading && !follows);
    if (new_stop) {
      all.push_back({i, 0, part});
      words = false;
    }
    all.back().part = part;
    ++all.back().count;
    words = words || (leading && speaks);
    leading = headline || (leading && speaks);
  }
  return all;
}

}  // namespace attn
