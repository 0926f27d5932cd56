#include "base/suggest.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace attn {
namespace {

// Nobody means a longer name; and a word has so many bits, one for each of its letters.
constexpr std::size_t longest_name = 64;

bool is_dash(char c) { return c == '-' || c == '_'; }

// A third of the letters may be wrong.
bool is_close(std::size_t distance, std::size_t longer) { return distance <= longer / 3; }

}  // namespace

std::string plain_name(std::string_view name, bool (*is_sign)(char)) {
  std::string plain;
  plain.reserve(name.size());
  for (std::size_t at = 0; at < name.size();) {
    const CodePoint point = code_point(name, at);
    const char c = name[at];
    if (point.bytes > 1 && !is_unseen(point.value)) plain += name.substr(at, point.bytes);
    if (point.bytes == 1 && !is_sign(c)) plain += is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    at += point.bytes;
  }
  return plain;
}

// The table of distances of each beginning of `a` to each of `b` is gone through column by column: neighbours in it
// differ by one at most, so that a column is the bits of two words, which say where it rises and where it falls.
// (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003.)
std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  assert(a.size() <= longest_name);
  if (a.empty()) return b.size();
  std::array<std::uint64_t, 256> places{};  // of each letter in a
  for (std::size_t i = 0; i < a.size(); ++i) places[static_cast<unsigned char>(a[i])] |= std::uint64_t{1} << i;

  const std::uint64_t last = std::uint64_t{1} << (a.size() - 1);
  std::size_t distance = a.size();
  std::uint64_t rises = ~std::uint64_t{0}, falls = 0;  // from one letter of a to the next
  std::uint64_t diagonal = 0;                          // where the distance is what it was one letter of each before
  std::uint64_t before = 0;                            // the places of the letter before
  for (const char letter : b) {
    const std::uint64_t equal = places[static_cast<unsigned char>(letter)];
    const std::uint64_t swapped = ((~diagonal & equal) << 1) & before;
    diagonal = (((equal & rises) + rises) ^ rises) | equal | falls | swapped;
    const std::uint64_t more = falls | ~(diagonal | rises);  // than one letter of b before
    const std::uint64_t less = diagonal & rises;
    if ((more & last) != 0) ++distance;
    if ((less & last) != 0) --distance;
    rises = less << 1 | ~(diagonal | (more << 1 | 1));
    falls = diagonal & (more << 1 | 1);
    before = equal;
  }
  return distance;
}

std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known) {
  if (typed.size() > longest_name) return std::nullopt;
  const std::string meant = plain_name(typed, is_dash);

  std::optional<std::string> best;
  std::size_t least = 0;
  for (const std::string& name : known) {
    if (name.size() > 4 * longest_name) continue;
    const std::string plain = plain_name(name, is_dash);
    // At least so many letters are missing; counting the rest can be spared.
    const std::size_t missing = std::max(meant.size(), plain.size()) - std::min(meant.size(), plain.size());
    if (!is_close(missing, std::max(meant.size(), plain.size()))) continue;
    const std::size_t distance = edit_distance(meant, plain);
    if (!is_close(distance, std::max(meant.size(), plain.size()))) continue;
    if (best && distance >= least) continue;
    best = name;
    least = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> known) {
  const auto meant = closest(typed, known);
  return meant ? "; did you mean `" + *meant + "`?" : "";
}

}  // namespace attn
