#include <memory>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// The lines that turn queries or keys.
using Turns = std::vector<std::shared_ptr<const Instruction>>;

std::optional<Turns> turns(const RightAttention& right) {
  Turns found = right.instructions();
  std::erase_if(found, [](const auto& own) { return !std::holds_alternative<Rotate>(own->op); });
  return found.empty() ? std::nullopt : std::optional(std::move(found));
}

std::size_t pair_count(const RightAttention& right, const Turns& found) {
  return right.shape(found.front()->operands[1].id).size(std::get<Rotate>(found.front()->op).pair);
}

Rewrites other_pairs(const RightAttention& right, const Turns& found) {
  if (pair_count(right, found) < 2) return {};
  std::vector<Instruction> lines;
  for (const auto& own : found) {
    Rotate other = std::get<Rotate>(own->op);
    other.interleaved = !other.interleaved;
    lines.push_back(line(own->id(), other, own->operands, own->open));
  }
  const bool neighbours = std::get<Rotate>(found.front()->op).interleaved;
  const Said& variant = neighbours ? language().mistakes.rope_halves : language().mistakes.rope_neighbours;
  return {rewritten(right, lines.front().id(), variant, lines)};
}

// −θ has the same cosine, and the sine with the other sign.
Rewrites other_direction(const RightAttention& right, const Turns& found) {
  std::vector<Instruction> lines;
  for (const auto& own : found) {
    const std::string turned = "~sines." + own->id();
    lines.push_back(line(turned, Map{Unary::multiply, -1, ""}, {own->operands[2].id}));
    std::vector<Operand> operands = own->operands;
    operands[2].id = turned;
    lines.push_back(line(own->id(), own->op, operands, own->open));
  }
  return {rewritten(right, found.front()->id(), "", lines)};
}

Rewrites keys_not_turned(const RightAttention& right, const Turns& found) {
  Rewrites all;
  for (const auto& own : found) {
    if (own->operands[0].id != right.at.keys) continue;
    all.push_back(rewritten(right, own->id(), "", {line(own->id(), Copy{}, {own->operands[0]})}));
  }
  return all;
}

// As many pairs, turned by the angles that they had if all features were.
Rewrites angles_by_whole_width(const RightAttention& right, const Turns& found) {
  const std::size_t width = size_along(right, right.at.keys, "d_k");
  const std::size_t pairs = pair_count(right, found);
  if (pairs < 2 || width == 2 * pairs) return {};
  std::vector<Instruction> lines;
  for (const auto& own : right.instructions()) {
    const auto* waves = std::get_if<Waves>(&own->op);
    if (!waves || waves->kind == Waves::Kind::alternating) continue;
    Waves slower = *waves;
    slower.width = width;
    lines.push_back(line(own->id(), slower, {}));
  }
  return {rewritten(right, lines.front().id(), "", lines)};
}

}  // namespace

Family rope_family() {
  const MistakeWords& said = language().mistakes;
  return {said.rope,
          {
              {"rope.pairs", said.rope_pairs, where<turns, other_pairs>},
              {"rope.direction", said.rope_direction, where<turns, other_direction>},
              {"rope.keys_not_turned", said.rope_keys_not_turned, where<turns, keys_not_turned>},
              {"rope.dims", said.rope_dims, where<turns, angles_by_whole_width>},
          }};
}

}  // namespace attn
