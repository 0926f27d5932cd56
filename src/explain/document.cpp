#include "explain/document.h"

namespace attn {

std::string plain(const Inline& text) {
  std::string all;
  for (const Span& span : text) all += span.text;
  return all;
}

Inline joined(Inline text, const Inline& more) {
  text.insert(text.end(), more.begin(), more.end());
  return text;
}

Inline in_parentheses(const Inline& text) { return joined(joined({"("}, text), {")"}); }

Inline Expression::whole() const {
  Inline all;
  if (!relation.empty()) all.emplace_back(relation + " ");
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i > 0) all.emplace_back(" ");
    all.insert(all.end(), terms[i].begin(), terms[i].end());
  }
  return all;
}

namespace {

enum class Standing { opens, leads, stands, follows };

// How a block stands to its neighbours: whether it leads up to what comes, is
// something to look at, or belongs to what was before.
Standing standing(const Block& block, bool leading) {
  return std::visit(
      Overloaded{
          [](const Headline&) { return Standing::opens; },
          [&](const Prose&) { return leading ? Standing::leads : Standing::follows; },
          [&](const Remark&) { return leading ? Standing::leads : Standing::follows; },
          [&](const Matrix& matrix) { return matrix.beside && !leading ? Standing::follows : Standing::stands; },
          [](const auto&) { return Standing::stands; },
      },
      block);
}

}  // namespace

std::vector<Stop> stops(const Document& document) {
  std::vector<Stop> all;
  Inline part;
  bool leading = false;  // the last stop has only headlines and words so far
  bool words = false;    // and not only headlines
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const Block& block = document.blocks[i];
    const Standing place = standing(block, leading);
    if (const auto* headline = std::get_if<Headline>(&block); headline && headline->level <= 2) part = headline->text;
    const bool new_stop =
        all.empty() || (place == Standing::opens && (!leading || words)) || (place == Standing::stands && !leading);
    if (new_stop) {
      all.push_back({i, 0, part});
      words = false;
    }
    all.back().part = part;
    ++all.back().count;
    words = (words && !new_stop) || place == Standing::leads;
    leading = place == Standing::opens || place == Standing::leads;
  }
  return all;
}

}  // namespace attn
