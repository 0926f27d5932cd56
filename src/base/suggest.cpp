#include "base/suggest.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace attn {
namespace {

// Nobody means a name that long; and the work grows with the square.
constexpr std::size_t longest_name = 64;

bool is_dash(char c) { return c == '-' || c == '_'; }

// A third of the letters may be wrong.
bool is_close(std::size_t distance, std::size_t longer) { return distance <= longer / 3; }

}  // namespace

std::string plain_name(std::string_view name, bool (*is_sign)(char)) {
  std::string plain;
  for (std::size_t at = 0; at < name.size();) {
    const CodePoint point = code_point(name, at);
    const char c = name[at];
    if (point.bytes > 1 && !is_unseen(point.value)) plain += name.substr(at, point.bytes);
    if (point.bytes == 1 && !is_sign(c)) plain += is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    at += point.bytes;
  }
  return plain;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances of the first i letters of a to each beginning of
  // b; a swap of neighbours looks two rows back.
  std::vector<std::size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back.swap(back);
    back.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, back[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
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
