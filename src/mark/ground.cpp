#include "mark/ground.h"

#include <utility>

namespace attn {

Ground::Ground(Recipe right)
    : recipe(std::move(right)), same(same_lines(recipe, recipe)), exact(follow(recipe, {}, {}, {})) {
  for (std::size_t line = 0; line < recipe.size(); ++line) cells += recipe.shape(line).count();
  for (const Family& family : families()) {
    for (const Mistake& mistake : family.mistakes) {
      if (!mistake.rewrites) continue;
      for (const RightAttention& attention : attentions(recipe)) {
        for (Rewrite& rewrite : mistake.rewrites(attention)) {
          // Nobody can have gone on with numbers that the next step cannot read.
          if (!rewrite.recipe.fits()) continue;
          auto twins = same_lines(rewrite.recipe, recipe);
          candidates.push_back({&mistake, std::move(rewrite), std::move(twins)});
        }
      }
    }
  }
}

}  // namespace attn
