#include "formats/places.h"

#include <algorithm>
#include <variant>

namespace attn {

Places::Places(const Document& document) {
  for (const Block& block : document.blocks) {
    if (const auto* matrix = std::get_if<Matrix>(&block)) all_.insert(matrix->place);
  }
  for (const Matrix& matrix : document.behind) all_.insert(matrix.place);
  all_.erase("");
}

std::string Places::named_by(const Headline& headline) const {
  const std::string words = plain(headline.text);
  std::string longest;
  for (const std::string& place : all_) {
    // Of places that begin alike the longest comes last.
    if (words == place || words.starts_with(place + " · ")) longest = place;
  }
  return longest;
}

namespace {

// What stands for no token is called so: "query 3 · padding".
void name_padding(ToldMatrix& told) {
  const std::string dot = " · ";
  const std::size_t at = told.place.rfind(dot);
  if (at == std::string::npos || !is_padding(told.place.substr(at + dot.size()))) return;
  told.place.replace(at + dot.size(), std::string::npos, "padding");
  told.is_padding = true;
}

}  // namespace

std::vector<ToldMatrix> told_matrices(const Document& document) {
  const Places places(document);
  std::vector<ToldMatrix> told;
  std::string title, place;
  std::set<std::string> parts;
  for (const Block& block : document.blocks) {
    if (const auto* found = std::get_if<Headline>(&block); found && found->level > 1) {
      const std::string named = places.named_by(*found);
      if (found->level == 2 || !named.empty()) place = named;
      if (found->level == 2) title = "";
      if (named.empty()) title = plain(found->text);
    }
    const auto* matrix = std::get_if<Matrix>(&block);
    if (!matrix) continue;
    // A title that the headline says is not said again below it.
    const bool is_whole = matrix->cells.size() == matrix->reading.result.count();
    told.push_back({matrix, matrix->title.empty() ? title : matrix->title,
                    is_whole ? matrix->place : dotted(place, matrix->place)});
    name_padding(told.back());
    parts.insert(matrix->part);
  }
  if (parts.size() < 2) return told;
  for (ToldMatrix& one : told) {
    if (!one.title.starts_with(one.matrix->part)) one.title = dotted(one.matrix->part, one.title);
  }
  return told;
}

std::vector<std::string> words_left_out(const Document& document) {
  std::vector<std::string> all;
  const auto add = [&](const Inline& text) {
    const std::string words = plain(text);
    if (words.starts_with("…") && std::ranges::find(all, words) == all.end()) all.push_back(words);
  };
  for (const Block& block : document.blocks) {
    if (const auto* prose = std::get_if<Prose>(&block)) add(prose->text);
    if (const auto* remark = std::get_if<Remark>(&block)) add(remark->text);
  }
  return all;
}

std::string in_words(const ToldMatrix& told) {
  std::string words = told.title;
  const auto add = [&](const std::string& separator, const std::string& more) {
    if (!more.empty()) words += (words.empty() ? "" : separator) + more;
  };
  add(": ", plain(told.matrix->name()));
  add(", ", told.place);
  add(", ", told.matrix->sizes);
  add(", ", told.matrix->words);
  return words;
}

}  // namespace attn
