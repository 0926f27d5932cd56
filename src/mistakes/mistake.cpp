#include "mistakes/mistake.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace attn {

std::vector<std::shared_ptr<const Instruction>> RightAttention::instructions() const {
  std::vector<std::shared_ptr<const Instruction>> own;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    if (recipe.instruction(line).part == part) own.push_back(recipe.shared(line));
  }
  return own;
}

std::vector<RightAttention> attentions(const Recipe& recipe) {
  std::vector<RightAttention> all;
  for (std::size_t part = 0; part < recipe.parts().size(); ++part) {
    if (recipe.parts()[part].attention) all.push_back({recipe, part});
  }
  return all;
}

namespace {

template <class Right>
Rewrites fitting_rewrites(const Right& right, Rewrites (*rule)(const Right&)) {
  Rewrites all;
  try {
    all = rule(right);
  } catch (const std::logic_error&) {
    // Another mistake was made here before, and its lines stand in the way of this one's.
    return {};
  }
  std::erase_if(all, [](const Rewrite& rewrite) { return !rewrite.recipe.fits(); });
  return all;
}

}  // namespace

Rewrites rewrites_of(const RightAttention& right, RewriteRule rule) { return fitting_rewrites(right, rule); }

Rewrites rewrites_in_part(const Recipe& recipe, std::size_t part, const Mistake& mistake) {
  if (mistake.of_part) return fitting_rewrites(RightPart{recipe, part}, mistake.of_part);
  return mistake.rewrites && recipe.parts()[part].attention ? rewrites_of({recipe, part}, mistake.rewrites)
                                                            : Rewrites();
}

Rewrites rewrites_of(const Recipe& recipe, const Mistake& mistake) {
  Rewrites all;
  for (std::size_t part = 0; part < recipe.parts().size(); ++part) {
    std::ranges::move(rewrites_in_part(recipe, part, mistake), std::back_inserter(all));
  }
  return all;
}

Rewrites rewrites_of(const Recipe& recipe, RewriteRule rule) {
  Rewrites all;
  for (const RightAttention& attention : attentions(recipe)) {
    std::ranges::move(rewrites_of(attention, rule), std::back_inserter(all));
  }
  return all;
}

const std::vector<const Mistake*>& all_mistakes() {
  static const std::vector<const Mistake*> all = [] {
    std::vector<const Mistake*> rows;
    for (const Family& family : families()) {
      for (const Mistake& mistake : family.mistakes) rows.push_back(&mistake);
    }
    return rows;
  }();
  return all;
}

const Mistake* mistake_named(std::string_view id) {
  const auto found = std::ranges::find(all_mistakes(), id, &Mistake::id);
  return found == all_mistakes().end() ? nullptr : *found;
}

}  // namespace attn
