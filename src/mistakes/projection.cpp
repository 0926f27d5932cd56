#include <algorithm>
#include <iterator>
#include <span>
#include <variant>

#include "base/text.h"
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
    for (const Dim& dim : right.shape(line->operands[1].id).dims()) {
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

Instruction product_line(const Projecting& by) {
  std::vector<Operand> operands = {by.source, by.weight};
  if (by.bias) operands.push_back(*by.bias);
  return line(by.step, Contract{by.over}, std::move(operands));
}

// Other products in the place of all of them, and of each alone; other(one) gives its lines.
template <class Other>
Rewrites all_or_one(const RightAttention& right, const std::vector<Projecting>& all, Other other) {
  Rewrites rewrites;
  const auto add = [&](std::span<const Projecting> chosen) {
    std::vector<Instruction> lines;
    std::vector<std::string> roles;
    for (const Projecting& one : chosen) {
      std::ranges::move(other(one), std::back_inserter(lines));
      roles.push_back(one.role);
    }
    rewrites.push_back(rewritten(right, chosen.front().step, listed(roles), std::move(lines)));
  };
  if (!all.empty()) add(all);
  for (std::size_t i = 0; all.size() > 1 && i < all.size(); ++i) add(std::span(all).subspan(i, 1));
  return rewrites;
}

Rewrites transposed_weights(const RightAttention& right) {
  std::vector<Projecting> square = all_projecting(right, {"key", "query", "value"});
  std::erase_if(square, [](const Projecting& one) { return one.in != one.out || one.in < 2; });
  return all_or_one(right, square, [](Projecting one) {
    one.weight = transposed(one.weight, one.over, one.made);
    return std::vector{product_line(one)};
  });
}

// What projects `one` if it takes the weights of the other.
Instruction with_weights_of(Projecting one, const Projecting& other, bool with_bias) {
  one.weight = read_as(other.weight, other.made, one.made);
  if (with_bias) one.bias = other.bias ? std::optional(read_as(*other.bias, other.made, one.made)) : std::nullopt;
  return product_line(one);
}

// REQUIRES: `one` comes before the other in the order of the steps.
Rewrites swapped(const RightAttention& right, const std::string& first, const std::string& second) {
  const auto one = projecting(right, first);
  const auto other = projecting(right, second);
  if (!one || !other) return {};
  if (one->in != other->in || one->out != other->out || one->has_heads != other->has_heads) return {};
  const auto exchange = [&](const std::string& variant, bool with_bias) {
    return rewritten(right, one->step, variant,
                     {with_weights_of(*one, *other, with_bias), with_weights_of(*other, *one, with_bias)});
  };
  if (!one->bias && !other->bias) return {exchange("", false)};
  return {exchange(language().mistakes.with_biases, true), exchange(language().mistakes.without_biases, false)};
}

// The inputs in the place of what is projected from them. Heads side by side
// get the columns of the inputs that stand where theirs would.
Instruction inputs_line(const RightAttention& right, const Projecting& one) {
  if (!one.has_heads) return line(one.step, Copy{}, {read_as(one.source, one.over, one.made)});
  return line(one.step, Split{one.over, "head", one.made, size_along(right, one.step, "head")}, {one.source});
}

Rewrites skipped(const RightAttention& right) {
  Rewrites rewrites = all_or_one(right, all_projecting(right, {"key", "query", "value"}),
                                 [&](const Projecting& one) { return std::vector{inputs_line(right, one)}; });
  Rewrites all;
  for (Rewrite& rewrite : rewrites) {
    Rewrite made = ended_where_widths_differ(std::move(rewrite), right.at);
    const std::size_t width = size_along(made.recipe, right.at.keys, "d_k");
    if (width > 0 && width != size_along(right, right.at.keys, "d_k") && asked_division(right)) {
      Rewrite rescaled = with_op(made, right.at.scaled, divided_by_root(width));
      rescaled.variant += "; " + language().mistakes.by_input_width.text();
      all.push_back(std::move(rescaled));
    }
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<Projecting> biased(const RightAttention& right) {
  std::vector<Projecting> all = all_projecting(right, {"key", "query", "value", "output"});
  std::erase_if(all, [](const Projecting& one) { return !one.bias; });
  return all;
}

Rewrites bias_forgotten(const RightAttention& right) {
  return all_or_one(right, biased(right), [](Projecting one) {
    one.bias.reset();
    return std::vector{product_line(one)};
  });
}

Rewrites bias_added_twice(const RightAttention& right) {
  return all_or_one(right, biased(right), [&](Projecting one) {
    Tensor<double> doubled = right.value(one.bias->id);
    for (double& number : doubled.data()) number *= 2;
    one.bias->id = "~twice." + one.role;
    return std::vector{given_line(one.bias->id, std::move(doubled)), product_line(one)};
  });
}

}  // namespace

Family projection_family() {
  const MistakeWords& said = language().mistakes;
  return {said.projection,
          {
              {"projection.transposed", said.projection_transposed, transposed_weights},
              {"projection.swapped_query_key", said.projection_swapped_query_key,
               [](const RightAttention& right) { return swapped(right, "key", "query"); }},
              {"projection.swapped_key_value", said.projection_swapped_key_value,
               [](const RightAttention& right) { return swapped(right, "key", "value"); }},
              {"projection.swapped_query_value", said.projection_swapped_query_value,
               [](const RightAttention& right) { return swapped(right, "query", "value"); }},
              {"projection.skipped", said.projection_skipped, skipped},
              {"projection.bias_forgotten", said.projection_bias_forgotten, bias_forgotten},
              {"projection.bias_added_twice", said.projection_bias_added_twice, bias_added_twice},
          }};
}

}  // namespace attn
