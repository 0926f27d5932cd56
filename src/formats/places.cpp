#include "formats/places.h"

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
    const bool named = words == place || words.starts_with(place + " · ");
    if (named && place.size() > longest.size()) longest = place;
  }
  return longest;
}

}  // namespace attn
