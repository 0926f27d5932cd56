#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/evaluate.h"
#include "trace/recipe.h"
#include "words/mistakes.h"

namespace attn {

// One attention of a recipe, as the problem asks for it: what mistakes and
// conventions are rewrites of.
struct RightAttention {
  const Recipe& recipe;
  std::size_t part = 0;
  const Anatomy& at = *recipe.parts()[part].attention;

  bool has(std::string_view id) const { return recipe.has(id); }
  const Instruction* find(std::string_view id) const { return recipe.find(id); }
  const Shape& shape(std::string_view id) const { return recipe.shape(id); }
  // Of what is given, or was before another mistake was made.
  Tensor<double> value(std::string_view id) const { return value_in(recipe, id); }

  // The instructions of this part, in order.
  std::vector<std::shared_ptr<const Instruction>> instructions() const;
};

// Every attention of the recipe, which must outlive them.
std::vector<RightAttention> attentions(const Recipe& recipe);

// What a known way of going astray makes of a computation.
struct Rewrite {
  std::string step;     // id of the step at which it was made
  std::string variant;  // which reading of the mistake, where there are several; "" where there is one
  Recipe recipe;
};
using Rewrites = std::vector<Rewrite>;

// Every way to go astray so in this computation; none where one cannot, or
// would change no instruction.
using RewriteRule = Rewrites (*)(const RightAttention& right);

// What the rule makes of the attention, or of each of the recipe, but for what
// nobody can have gone on with: numbers that the next step cannot read. Where another
// mistake was made before and stands in its way, it makes nothing.
Rewrites rewrites_of(const RightAttention& right, RewriteRule rule);
Rewrites rewrites_of(const Recipe& recipe, RewriteRule rule);

enum class MistakeKind { error, convention, note };

// "error", as programs read it.
constexpr std::string_view name(MistakeKind kind) {
  constexpr std::string_view names[] = {"error", "convention", "note"};
  return names[static_cast<std::size_t>(kind)];
}

// A norm, a residual or a feed-forward network of a recipe, as the problem asks for it.
struct RightPart {
  const Recipe& recipe;
  std::size_t part = 0;
  const RecipePart& at = recipe.parts()[part];
};

// Every way to go astray so in that part, as a RewriteRule does in an attention.
using PartRule = Rewrites (*)(const RightPart& right);

// A row of the catalogue: something people are known to do instead of what the
// problem asks for.
struct Mistake {
  std::string id;  // "scale.none"
  OneMistake words;

  // Null for what is no rewrite of the computation: slips of one cell, layouts, roundings.
  RewriteRule rewrites = nullptr;

  MistakeKind kind = MistakeKind::error;

  PartRule of_part = nullptr;  // in place of `rewrites`, where it is made beside an attention

  bool is_rewrite() const { return rewrites || of_part; }
};

// What the mistake makes of that part of the recipe, or of each; as rewrites_of() above.
Rewrites rewrites_in_part(const Recipe& recipe, std::size_t part, const Mistake& mistake);
Rewrites rewrites_of(const Recipe& recipe, const Mistake& mistake);

// Mistakes of one kind, the most common first; their ids begin alike.
struct Family {
  std::string title;  // "Scale", for a heading
  std::vector<Mistake> mistakes;
};

// Every known family: the rows that mistakes/CMakeLists.txt names.
const std::vector<Family>& families();

// The mistakes of all of them, in order.
const std::vector<const Mistake*>& all_mistakes();

// The mistake of that id; null where none is called so.
const Mistake* mistake_named(std::string_view id);

}  // namespace attn
