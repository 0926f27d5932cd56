#include "mistakes/right_attention.h"

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

}  // namespace attn
