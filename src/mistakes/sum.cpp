#include <algorithm>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// So steep that a softmax gives all to the largest.
constexpr double steep = 1e6;

bool is_square(const RightAttention& right) {
  return size_along(right, right.at.weights, "query") == size_along(right, right.at.weights, "key");
}

// The context summed of something else.
Rewrites summed(const RightAttention& right, const std::string& variant, const WeightedSum& sum) {
  return {rewritten(right, right.at.context, variant, [&](Recipe& recipe) {
    weigh(recipe, right.at, sum);
    end_where_widths_differ(recipe, right.at);
  })};
}

Rewrites transposed_weights(const RightAttention& right) {
  auto sum = weighted_sum(right);
  if (!sum || !is_square(right)) return {};
  sum->weights = transposed(sum->weights, "query", "key");
  if (sum->open) sum->open = transposed(*sum->open, "query", "key");
  return summed(right, "", *sum);
}

Rewrites of_keys(const RightAttention& right) {
  auto sum = weighted_sum(right);
  if (!sum || !right.has(right.at.keys)) return {};
  sum->values = read_as(right.at.keys, "d_k", "d_v");
  return summed(right, "", *sum);
}

Rewrites of_queries(const RightAttention& right) {
  auto sum = weighted_sum(right);
  if (!sum || !right.has(right.at.queries) || !is_square(right)) return {};
  sum->values = read_as(read_as(right.at.queries, "query", "key"), "d_k", "d_v");
  return summed(right, "", *sum);
}

// The inputs that the values are projected from; nothing where they are not.
std::optional<Operand> inputs_of_values(const RightAttention& right) {
  for (const std::string& id : {right.at.projected_values, right.at.values}) {
    const Instruction* made = right.find(id);
    const auto* product = made ? std::get_if<Contract>(&made->op) : nullptr;
    if (product) return read_as(made->operands[0], product->over, "d_v");
  }
  return std::nullopt;
}

Rewrites of_inputs(const RightAttention& right) {
  auto sum = weighted_sum(right);
  const auto inputs = inputs_of_values(right);
  if (!sum || !inputs) return {};
  sum->values = *inputs;
  return summed(right, "", *sum);
}

// Every key counts for as much, of those that are 1 in `counted`.
Tensor<double> equal_weights(Tensor<double> counted) {
  const std::size_t keys = counted.shape().size("key");
  for (std::size_t row = 0; row < counted.size(); row += keys) {
    const auto cells = counted.data().subspan(row, keys);
    const double number = static_cast<double>(std::ranges::count(cells, 1.0));
    for (double& cell : cells) cell = cell == 1 ? 1 / number : 0;
  }
  return counted;
}

Rewrite mean(const RightAttention& right, const WeightedSum& sum, const std::string& variant, Tensor<double> counted,
             const std::optional<Operand>& open) {
  return rewritten(right, right.at.context, variant, [&](Recipe& recipe) {
    recipe.give("~equal_weights", equal_weights(std::move(counted)));
    recipe.replace(right.at.context, Contract{"key"}, {"~equal_weights", sum.values}, open);
  });
}

// The weighted values stay as they are: whoever takes a plain mean has no use for them.
Rewrites mean_of_values(const RightAttention& right) {
  const auto sum = weighted_sum(right);
  if (!sum) return {};
  Tensor<double> all(right.shape(right.at.weights));
  std::ranges::fill(all.data(), 1.0);
  if (!sum->open) return {mean(right, *sum, "", std::move(all), {})};
  Tensor<double> open = right.value(sum->open->id);
  if (open == all) return {mean(right, *sum, "", std::move(all), {})};
  return {mean(right, *sum, language().mistakes.of_all_values, std::move(all), {}),
          mean(right, *sum, language().mistakes.of_open_values, std::move(open), sum->open)};
}

Rewrites not_summed(const RightAttention& right) {
  const auto sum = weighted_sum(right);
  if (!sum) return {};
  return {rewritten(right, right.at.context, "", [&](Recipe& recipe) {
    if (recipe.has(right.at.weighted_values)) {
      recipe.replace(right.at.context, Copy{}, {right.at.weighted_values});
    } else {
      recipe.replace(right.at.context, Combine{Binary::multiply, {}}, {sum->weights, sum->values}, sum->open);
    }
  })};
}

// 1 for the largest weight of each row, 0 for all others.
void mark_largest(Recipe& recipe, const Anatomy& at, const WeightedSum& sum) {
  const auto part = [](Softmax::Part which) { return Softmax{which, "key"}; };
  for (Instruction& line : std::vector<Instruction>{
           in_between("~steep", Map{Unary::multiply, steep, ""}, {sum.weights}),
           in_between("~steepest", part(Softmax::Part::maximum), {"~steep"}, sum.open),
           in_between("~apart", part(Softmax::Part::exponentials), {"~steep", "~steepest"}, sum.open),
           in_between("~how_many", part(Softmax::Part::sum), {"~apart"}),
           in_between("~largest", part(Softmax::Part::weights), {"~apart", "~how_many"}, sum.open),
       }) {
    recipe.insert_before(at.context, std::move(line));
  }
}

Rewrites top_only(const RightAttention& right) {
  const auto sum = weighted_sum(right);
  if (!sum) return {};
  return {rewritten(right, right.at.context, language().mistakes.value_itself,
                    [&](Recipe& recipe) {
                      mark_largest(recipe, right.at, *sum);
                      recipe.replace(right.at.context, Contract{"key"}, {"~largest", sum->values}, sum->open);
                    }),
          rewritten(right, right.at.context, language().mistakes.weighted_value, [&](Recipe& recipe) {
            mark_largest(recipe, right.at, *sum);
            if (recipe.has(right.at.weighted_values)) {
              recipe.replace(right.at.context, Contract{"key"}, {"~largest", right.at.weighted_values}, sum->open);
            } else {
              recipe.insert_before(right.at.context, in_between("~kept", Combine{Binary::multiply, {}},
                                                                {"~largest", sum->weights}, sum->open));
              recipe.replace(right.at.context, Contract{"key"}, {"~kept", sum->values}, sum->open);
            }
          })};
}

}  // namespace

Family sum_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "sum",
      .title = said.sum,
      .mistakes =
          {
              {.id = "sum.transposed_weights", .words = said.sum_transposed_weights, .rewrites = transposed_weights},
              {.id = "sum.key_for_value", .words = said.sum_key_for_value, .rewrites = of_keys},
              {.id = "sum.query_for_value", .words = said.sum_query_for_value, .rewrites = of_queries},
              {.id = "sum.input_for_value", .words = said.sum_input_for_value, .rewrites = of_inputs},
              {.id = "sum.top_only", .words = said.sum_top_only, .rewrites = top_only},
              {.id = "sum.mean_of_values", .words = said.sum_mean_of_values, .rewrites = mean_of_values},
              {.id = "sum.not_summed", .words = said.sum_not_summed, .rewrites = not_summed},
          },
  };
}

}  // namespace attn
