#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mistakes/masking.h"
#include "words/language.h"

namespace attn {
namespace {

// Which keys a window leaves open: those whose number less the query's is at least
// `first` and at most `last`.
struct Band {
  std::int64_t first = 0, last = 0;
};

bool in_band(const MaskCell& cell, const Band& band) {
  const auto behind = static_cast<std::int64_t>(cell.key) - static_cast<std::int64_t>(cell.query);
  return band.first <= behind && behind <= band.last;
}

// What the window's rule is in one matrix of the mask. An end that closes nothing
// there may just reach the farthest key. Nothing where it is no such band.
std::optional<Band> band_of(const Masking& mask, std::span<const double> rule) {
  const auto queries = static_cast<std::int64_t>(mask.queries), keys = static_cast<std::int64_t>(mask.keys);
  Band band{1 - queries, keys - 1};
  const auto is_open = [&](std::int64_t query, std::int64_t key) {
    return rule[static_cast<std::size_t>(query * keys + key)] == 1;
  };
  for (std::int64_t query = 0; query < queries; ++query) {
    std::int64_t first = 0, last = keys - 1;
    while (first < keys && !is_open(query, first)) ++first;
    if (first == keys) continue;  // it sees nothing
    while (!is_open(query, last)) --last;
    if (first > 0) band.first = first - query;
    if (last < keys - 1) band.last = last - query;
  }
  for (std::size_t at = 0; at < rule.size(); ++at) {
    const MaskCell cell = mask.cell(at);
    if ((rule[at] == 1) != in_band(cell, band)) return std::nullopt;
  }
  return band;
}

// A mask, the rule of it that is a window, and that window in each of its matrices.
struct Windowed {
  Masking mask;
  std::size_t rule = 0;
  std::vector<Band> bands = {};
};

std::optional<Windowed> windowed(const RightAttention& right) {
  if (!right.has(right.at.window_rule)) return std::nullopt;
  auto mask = masking(right);
  if (!mask) return std::nullopt;
  Windowed found{std::move(*mask)};
  while (found.rule < found.mask.rules.size() && found.mask.rules[found.rule] != right.at.window_rule) ++found.rule;
  if (found.rule == found.mask.rules.size()) return std::nullopt;
  const Tensor<double> rule = spread(right, found.mask, right.at.window_rule);
  const std::size_t cells = found.mask.queries * found.mask.keys;
  for (std::size_t at = 0; at < rule.size(); at += cells) {
    const auto band = band_of(found.mask, rule.data().subspan(at, cells));
    if (!band) return std::nullopt;
    found.bands.push_back(*band);
  }
  return found;
}

Rewrites off_by_one(const RightAttention& right, const Windowed& window) {
  const std::size_t cells = window.mask.queries * window.mask.keys;
  const auto with = [&](const std::string& variant, std::int64_t more_before, std::int64_t more_behind) {
    return with_rule(right, window.mask, window.rule, variant, [&](const MaskCell& cell) {
      const Band& band = window.bands[cell.at / cells];
      return in_band(cell, {band.first - more_before, band.last + more_behind});
    });
  };
  const MistakeWords& said = language().mistakes;
  Rewrites all;
  append(all, with(said.one_more_before, 1, 0));
  append(all, with(said.one_fewer_before, -1, 0));
  append(all, with(said.one_more_behind, 0, 1));
  append(all, with(said.one_fewer_behind, 0, -1));
  append(all, with(said.one_more_on_both_sides, 1, 1));
  append(all, with(said.one_fewer_on_both_sides, -1, -1));
  return all;
}

}  // namespace

Family window_family() {
  const MistakeWords& said = language().mistakes;
  return {said.window, {{"window.off_by_one", said.window_off_by_one, where<windowed, off_by_one>}}};
}

}  // namespace attn
