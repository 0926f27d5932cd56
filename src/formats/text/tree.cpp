#include <algorithm>
#include <string>
#include <utility>

#include "formats/text/layout.h"

namespace attn {
namespace {

// However deep a line stands, it has so many columns.
constexpr std::size_t narrowest_line = 24;

// For each line whether another follows below the same parent.
std::vector<bool> has_siblings_below(const std::vector<Branch>& branches) {
  std::vector<bool> has(branches.size());
  std::vector<bool> seen;  // at each depth, since the last line above it
  for (std::size_t i = branches.size(); i-- > 0;) {
    seen.resize(branches[i].depth + 1);
    has[i] = seen[branches[i].depth];
    seen[branches[i].depth] = true;
  }
  return has;
}

}  // namespace

std::vector<StyledLine> laid_out(const Tree& tree, const Typesetter& typesetter, std::size_t width) {
  const std::vector<bool> siblings_below = has_siblings_below(tree.branches);
  std::vector<StyledLine> lines;
  std::vector<std::string> rails;  // a depth: what runs down past the lines below
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    const Branch& branch = tree.branches[i];
    std::string passing;
    rails.resize(branch.depth);
    for (std::size_t depth = 1; depth < branch.depth; ++depth) passing += rails[depth];
    std::string first, others;
    if (branch.depth > 0) {
      first = passing + (siblings_below[i] ? "├ " : "└ ");
      rails.push_back(siblings_below[i] ? "│ " : "  ");
      others = passing + rails.back();
    } else {
      rails.emplace_back();
    }
    const Derivation alone{"", {}, "", {branch.line}};
    const std::size_t used = typesetter.width(first);
    const std::size_t left = std::max(width - std::min(width, used), narrowest_line);
    bool is_first = true;
    for (const StyledLine& part : laid_out(alone, typesetter, left)) {
      StyledLine line;
      line.add({typesetter.spelled(is_first ? first : others), std::nullopt, Weight::faint});
      line.add(part);
      lines.push_back(std::move(line));
      is_first = false;
    }
  }
  return lines;
}

}  // namespace attn
