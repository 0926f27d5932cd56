#include "mark/other_numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "mistakes/mistake.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

bool is_feature(const Axis& axis) { return !is_outer(axis) && !is_position(axis); }

bool has_features(const Shape& shape) {
  return std::ranges::any_of(shape.dims(), [](const Dim& dim) { return is_feature(dim.axis); });
}

// Inputs of size 1 and, of a product, results of about that size.
Tensor<double> drawn(const Shape& shape, bool is_matrix, Random& random) {
  Tensor<double> numbers(shape);
  const double size = is_matrix && shape.rank() > 1 ? std::sqrt(static_cast<double>(shape[shape.rank() - 2].size)) : 1;
  for (double& number : numbers.data()) number = random.normal() / size;
  return numbers;
}

// By axis, the widths that are to be; a width that is not there stays.
using Widths = std::map<Axis, std::size_t, std::less<>>;

// What a given tensor is about, as its id ends: "weights.value", "layer1.self.biases.output".
bool is_about_values(std::string_view id) {
  return id.ends_with("value") || id.ends_with("values") || id.ends_with("output");
}

// What a shape becomes. Heads side by side are as many as before. REQUIRES: what is other was there before.
Shape resized(std::string_view id, const Shape& shape, const Widths& before, const Widths& after) {
  Shape other;
  for (Dim dim : shape.dims()) {
    const bool is_wide = dim.axis == "d_concat";
    const Axis axis = !is_wide ? dim.axis : is_about_values(id) ? "d_v" : "d_k";
    const auto found = after.find(axis);
    if (found != after.end()) dim.size = is_wide ? dim.size / before.at(axis) * found->second : found->second;
    other.append(std::move(dim));
  }
  return other;
}

// The width of each axis of features, as the attentions have it.
Widths widths_of(const Recipe& recipe) {
  Widths widths;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    for (const Dim& dim : recipe.shape(line).dims()) {
      if (is_feature(dim.axis)) widths.emplace(dim.axis, dim.size);
    }
  }
  return widths;
}

std::set<std::size_t> token_counts(const Recipe& recipe) {
  std::set<std::size_t> counts;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    for (const Dim& dim : recipe.shape(line).dims()) {
      if (!is_feature(dim.axis)) counts.insert(dim.size);
    }
  }
  return counts;
}

// Widths of d_model, d_k and d_v that are no number of tokens, and none a square of
// another or of a number of tokens.
Widths other_widths(const Recipe& recipe, const Widths& before) {
  const std::set<std::size_t> tokens = token_counts(recipe);
  std::set<std::size_t> taken = tokens;
  for (const std::size_t count : tokens) taken.insert(count * count);
  // Even, as rotations need them, and with room for several heads.
  std::size_t next = 6;
  const auto take = [&] {
    while (taken.contains(next) || tokens.contains(next * next)) next += 2;
    taken.insert(next);
    taken.insert(next * next);
    return next;
  };
  Widths widths;
  for (const char* axis : {"d_k", "d_v", "d_model", "d_hidden"}) {
    if (before.contains(axis)) widths[axis] = take();
  }
  // Heads are split from inputs.
  if (before.contains("d_head")) {
    const std::size_t heads = before.at("d_model") / before.at("d_head");
    widths["d_head"] = widths["d_model"];
    widths["d_model"] *= heads;
  }
  if (before.contains("d_out") && before.contains("d_model")) widths["d_out"] = widths["d_model"];
  return widths;
}

// A division by the root of the width of the keys is one by that of their new width.
void divide_anew(Recipe& recipe, const Recipe& before) {
  for (const RightAttention& right : attentions(before)) {
    const std::size_t was = size_along(right, right.at.keys, "d_k");
    const auto asked = asked_division(right);
    const Map usual = divided_by_root(was);
    if (!asked || asked->parameter != usual.parameter) continue;
    const std::size_t width = size_along(recipe, right.at.keys, "d_k");
    if (width == was) continue;
    const Instruction line = *recipe.find(right.at.scaled);
    recipe.replace(right.at.scaled, divided_by_root(width), line.operands, line.open);
  }
}

Recipe drawn_anew(const Recipe& recipe, std::uint64_t seed, const Widths& before, const Widths& after) {
  Random random(seed);
  Recipe other(recipe.vectors(), Dtype::f64);
  other.parts() = recipe.parts();
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    Instruction made = recipe.instruction(line);
    const Shape& shape = recipe.shape(line);
    if (std::holds_alternative<Given>(made.op) && has_features(shape)) {
      const bool is_matrix = made.kind == Instruction::Kind::given;
      made.given.emplace(LateTensor<double>(drawn(resized(made.id(), shape, before, after), is_matrix, random)));
    }
    other.append(std::move(made));
  }
  return other;
}

}  // namespace

Recipe with_drawn_numbers(const Recipe& recipe, std::uint64_t seed) { return drawn_anew(recipe, seed, {}, {}); }

std::optional<Recipe> with_other_widths(const Recipe& recipe, std::uint64_t seed) {
  const Widths before = widths_of(recipe);
  const Widths all = other_widths(recipe, before);
  // What is rotated, or added up with something else, keeps its width: as few as can be.
  const std::vector<std::vector<Axis>> may_be_kept = {
      {}, {"d_k"}, {"d_v"}, {"d_model"}, {"d_k", "d_v"}, {"d_k", "d_model"}, {"d_v", "d_model"}};
  for (const std::vector<Axis>& kept : may_be_kept) {
    Widths after = all;
    for (const Axis& axis : kept) after.erase(axis);
    Recipe other = drawn_anew(recipe, seed, before, after);
    if (!other.fits()) continue;
    divide_anew(other, recipe);
    return other;
  }
  return std::nullopt;
}

}  // namespace attn
