#include "formats/svg/told.h"

#include <algorithm>
#include <set>
#include <variant>

namespace attn {
namespace {

constexpr std::string_view dot = " · ";

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + std::string(dot) + b;
}

std::set<std::string> all_places(const Document& document) {
  std::set<std::string> places;
  for (const Block& block : document.blocks) {
    if (const auto* matrix = std::get_if<Matrix>(&block)) places.insert(matrix->place);
  }
  for (const Matrix& matrix : document.behind) places.insert(matrix.place);
  places.erase("");
  return places;
}

// The place that a headline begins with: "Head 1 of 3" of "Head 1 of 3 · Query 2 · cat".
std::string place_in(const std::string& headline, const std::set<std::string>& places) {
  std::string longest;
  for (const std::string& place : places) {
    const bool named = headline == place || headline.starts_with(place + std::string(dot));
    if (named && place.size() > longest.size()) longest = place;
  }
  return longest;
}

}  // namespace

std::vector<ToldMatrix> told_matrices(const Document& document) {
  const std::set<std::string> places = all_places(document);
  std::vector<ToldMatrix> told;
  std::string title, place;
  for (const Block& block : document.blocks) {
    if (const auto* found = std::get_if<Headline>(&block); found && found->level > 1) {
      const std::string headline = plain(found->text);
      const std::string named = place_in(headline, places);
      if (found->level == 2 || !named.empty()) place = named;
      if (found->level == 2) title = "";
      if (named.empty()) title = headline;
    }
    const auto* matrix = std::get_if<Matrix>(&block);
    if (!matrix) continue;
    // A title that the headline says is not said again below it.
    const bool is_whole = matrix->cells.size() == matrix->reading.result.count();
    told.push_back({matrix, matrix->title.empty() ? title : matrix->title,
                    is_whole ? matrix->place : joined(place, matrix->place)});
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
