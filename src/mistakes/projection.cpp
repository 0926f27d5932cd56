#include <algorithm>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// One product of inputs (or of the context) with a weight matrix.
struct Projecting {
  std::string role;  // "key"
  std::string step;  // right.at.projected_keys
  Axis over;         // the axis of the inputs
  Axis made;         // the axis of what is made
  std::size_t in = 0, out = 0;
  bool has_heads = false;  // one matrix a head
  Operand source, weight;
  std::optional<Operand> bias;
};

// Where a role's product may stand, and the weight that it is with.
struct Place {
  std::vector<StepId> steps;
  StepId weight;
};

Place place_of(const Anatomy& at, const std::string& role) {
  if (role == "query") return {{at.projected_queries, at.queries}, at.query_weight};
  if (role == "key") return {{at.projected_keys, at.keys}, at.key_weight};
  if (role == "value") return {{at.projected_values, at.values}, at.value_weight};
  return {{at.output}, at.output_weight};
}

std::optional<Projecting> projecting(const RightAttention& right, const std::string& role) {
  const Place place = place_of(right.at, role);
  for (const std::string& step : place.steps) {
    const Instruction* line = right.find(step);
    const auto* product = line ? std::get_if<Contract>(&line->op) : nullptr;
    if (!product || line->operands[1].id != place.weight) continue;
    Projecting found{.role = role,
                     .step = step,
                     .over = product->over,
                     .made = {},
                     .source = line->operands[0],
                     .weight = line->operands[1],
                     .bias = {}};
    for (const Dim& dim : right.given(line->operands[1].id).shape().dims()) {
      if (dim.axis == "head") {
        found.has_heads = true;
      } else if (dim.axis == product->over) {
        found.in = dim.size;
      } else {
        found.made = dim.axis;
        found.out = dim.size;
      }
    }
    if (line->operands.size() > 2) found.bias = line->operands[2];
    return found;
  }
  return std::nullopt;
}

// Those of the roles that are projected, in the order of the steps.
std::vector<Projecting> all_projecting(const RightAttention& right, std::initializer_list<const char*> roles) {
  std::vector<Projecting> all;
  for (const char* role : roles) {
    if (auto found = projecting(right, role)) all.push_back(std::move(*found));
  }
  return all;
}

void project(Recipe& recipe, const Projecting& by) {
  std::vector<Operand> operands = {by.source, by.weight};
  if (by.bias) operands.push_back(*by.bias);
  recipe.replace(by.step, Contract{by.over}, std::move(operands));
}

std::string named(const std::vector<Projecting>& chosen) {
  std::string words;
  for (const Projecting& one : chosen) words += (words.empty() ? "" : ", ") + one.role;
  return words;
}

// The change made to all of them, and to each alone; change(recipe, one) makes it.
template <class Change>
Rewrites to_all_or_one(const RightAttention& right, const std::vector<Projecting>& all, Change change) {
  std::vector<std::vector<Projecting>> choices;
  if (!all.empty()) choices.push_back(all);
  for (const Projecting& one : all) {
    if (all.size() > 1) choices.push_back({one});
  }
  Rewrites rewrites;
  for (const std::vector<Projecting>& chosen : choices) {
    rewrites.push_back(rewritten(right, chosen.front().step, named(chosen), [&](Recipe& recipe) {
      for (const Projecting& one : chosen) change(recipe, one);
    }));
  }
  return rewrites;
}

Rewrites transposed_weights(const RightAttention& right) {
  std::vector<Projecting> square = all_projecting(right, {"key", "query", "value"});
  std::erase_if(square, [](const Projecting& one) { return one.in != one.out || one.in < 2; });
  return to_all_or_one(right, square, [](Recipe& recipe, Projecting one) {
    one.weight = transposed(one.weight, one.over, one.made);
    project(recipe, one);
  });
}

// What projects `one` if it takes the weights of the other.
Projecting with_weights_of(const Projecting& one, const Projecting& other, bool with_bias) {
  Projecting exchanged = one;
  exchanged.weight = read_as(other.weight, other.made, one.made);
  if (with_bias) {
    exchanged.bias.reset();
    if (other.bias) exchanged.bias = read_as(*other.bias, other.made, one.made);
  }
  return exchanged;
}

// REQUIRES: `one` comes before the other in the order of the steps.
Rewrites swapped(const RightAttention& right, const std::string& first, const std::string& second) {
  const auto one = projecting(right, first);
  const auto other = projecting(right, second);
  if (!one || !other) return {};
  if (one->in != other->in || one->out != other->out || one->has_heads != other->has_heads) return {};
  const auto exchange = [&](const std::string& variant, bool with_bias) {
    return rewritten(right, one->step, variant, [&](Recipe& recipe) {
      project(recipe, with_weights_of(*one, *other, with_bias));
      project(recipe, with_weights_of(*other, *one, with_bias));
    });
  };
  if (!one->bias && !other->bias) return {exchange("", false)};
  return {exchange(language().mistakes.with_biases, true), exchange(language().mistakes.without_biases, false)};
}

// The inputs in the place of what is projected from them. Heads side by side
// get the columns of the inputs that stand where theirs would.
void skip(Recipe& recipe, const Projecting& one) {
  const bool wide = one.made == "d_concat";
  if (wide || !one.has_heads) {
    recipe.replace(one.step, Copy{}, {read_as(one.source, one.over, one.made)});
    return;
  }
  recipe.replace(one.step, Split{one.over, "head", one.made, size_along(recipe, one.step, "head")}, {one.source});
}

// Whether the heads can share the columns of the inputs among them.
bool can_be_skipped(const RightAttention& right, const Projecting& one) {
  const bool wide = one.made == "d_concat";
  if (!wide && !one.has_heads) return true;
  const std::size_t heads = head_count(right);
  return one.in % heads == 0;
}

Rewrites skipped(const RightAttention& right) {
  const std::vector<Projecting> all = all_projecting(right, {"key", "query", "value"});
  if (all.size() != 3 || all[0].in != all[1].in) return {};
  if (!std::ranges::all_of(all, [&](const Projecting& one) { return can_be_skipped(right, one); })) return {};
  const auto change = [&](Recipe& recipe) {
    for (const Projecting& one : all) skip(recipe, one);
    end_where_widths_differ(recipe, right.at);
  };
  const Rewrite made = rewritten(right, all[0].step, "", change);
  const std::size_t width = size_along(made.recipe, right.at.keys, "d_k");
  const auto asked = asked_scale(right);
  if (!asked || asked->function != Unary::divide || width == size_along(right, right.at.keys, "d_k")) return {made};
  Rewrite rescaled = made;
  rescaled.variant = language().mistakes.by_input_width;
  rescaled.recipe.replace(right.at.scaled, divided_by_root(width), made.recipe.find(right.at.scaled)->operands);
  return {made, std::move(rescaled)};
}

std::vector<Projecting> biased(const RightAttention& right) {
  std::vector<Projecting> all = all_projecting(right, {"key", "query", "value", "output"});
  std::erase_if(all, [](const Projecting& one) { return !one.bias; });
  return all;
}

Rewrites bias_forgotten(const RightAttention& right) {
  return to_all_or_one(right, biased(right), [](Recipe& recipe, Projecting one) {
    one.bias.reset();
    project(recipe, one);
  });
}

Rewrites bias_added_twice(const RightAttention& right) {
  return to_all_or_one(right, biased(right), [](Recipe& recipe, Projecting one) {
    Tensor<double> doubled = recipe.given(one.bias->id);
    for (double& number : doubled.data()) number *= 2;
    const std::string id = "~twice." + one.role;
    recipe.give(id, std::move(doubled));
    one.bias->id = id;
    project(recipe, one);
  });
}

}  // namespace

Family projection_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "projection",
      .title = said.projection,
      .mistakes =
          {
              {.id = "projection.transposed", .words = said.projection_transposed, .rewrites = transposed_weights},
              {.id = "projection.swapped_query_key",
               .words = said.projection_swapped_query_key,
               .rewrites = [](const RightAttention& right) { return swapped(right, "key", "query"); }},
              {.id = "projection.swapped_key_value",
               .words = said.projection_swapped_key_value,
               .rewrites = [](const RightAttention& right) { return swapped(right, "key", "value"); }},
              {.id = "projection.swapped_query_value",
               .words = said.projection_swapped_query_value,
               .rewrites = [](const RightAttention& right) { return swapped(right, "query", "value"); }},
              {.id = "projection.skipped", .words = said.projection_skipped, .rewrites = skipped},
              {.id = "projection.bias_forgotten", .words = said.projection_bias_forgotten, .rewrites = bias_forgotten},
              {.id = "projection.bias_added_twice",
               .words = said.projection_bias_added_twice,
               .rewrites = bias_added_twice},
          },
  };
}

}  // namespace attn
