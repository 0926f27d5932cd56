#include "model/masks/by_position.h"

#include <utility>
#include <vector>

#include "words/language.h"

namespace attn {

namespace {

template <class Open>
MaskRule closing(const Attention& attention, Heading heading, const Open& open) {
  const std::size_t queries = attention.query_count;
  const std::size_t keys = attention.key_count;
  const Integers first = attention.first_queries();

  Shape shape;
  if (first.size() > 1) shape.append({"batch", first.size()});
  shape.append({"query", queries});
  shape.append({"key", keys});

  auto make = [=] {
    Tensor<double> cells(shape);
    std::size_t at = 0;
    for (const std::int64_t offset : first) {
      for (std::size_t i = 0; i < queries; ++i) {
        // An offset has at most 53 bits, so that nothing overflows.
        const std::int64_t position = static_cast<std::int64_t>(i) + offset;
        for (std::size_t j = 0; j < keys; ++j) cells[at++] = open(position, static_cast<std::int64_t>(j)) ? 1 : 0;
      }
    }
    return cells;
  };
  return {std::move(heading), MaskRule::Effect::closes, shape, std::move(make)};
}

}  // namespace

MaskRule closing_where(const Attention& attention, Heading heading,
                       const std::function<bool(std::int64_t query, std::int64_t key)>& open) {
  return closing(attention, std::move(heading), open);
}

MaskRule closing_by_position(const Attention& attention, Heading heading, Window sees) {
  MaskRule rule = closing(attention, std::move(heading), [sees](std::int64_t query, std::int64_t key) {
    const std::int64_t behind = key - query;  // or before it if negative
    return (sees.left < 0 || -behind <= sees.left) && (sees.right < 0 || behind <= sees.right);
  });
  rule.sees = sees;
  const Integers first = attention.first_queries();
  rule.follows = GivenRule{
      .kind = GivenRule::Kind::band, .values = {first.begin(), first.end()}, .left = sees.left, .right = sees.right};
  return rule;
}

std::string written_position(const Attention& attention) {
  return language().steps.position(!attention.offsets().empty());
}

}  // namespace attn
