#include <algorithm>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// What the context is the weighted sum of.
struct WeightedSum {
  Operand weights, values;
  std::optional<Operand> open;
};

// Nothing where the context is no plain weighted sum.
std::optional<WeightedSum> weighted_sum(const RightAttention& right) {
  const Instruction* context = right.find(right.at.context);
  if (!right.has(right.at.weights)) return std::nullopt;
  if (std::holds_alternative<Reduce>(context->op)) {
    if (context->operands.size() > 1) return std::nullopt;
    context = right.find(right.at.weighted_values);
  }
  if (context->operands.size() != 2) return std::nullopt;
  return WeightedSum{context->operands[0], context->operands[1], context->open};
}

bool is_square(const RightAttention& right) {
  return size_along(right, right.at.weights, "query") == size_along(right, right.at.weights, "key");
}

// The context, and weighted_values where it is, following from another sum.
Rewrites summed(const RightAttention& right, const WeightedSum& sum) {
  const std::vector<Operand> operands = {sum.weights, sum.values};
  std::vector<Instruction> lines;
  if (right.has(right.at.weighted_values)) {
    lines.push_back(line(right.at.weighted_values, Combine{Binary::multiply, {}}, operands, sum.open));
  }
  if (!std::holds_alternative<Reduce>(right.find(right.at.context)->op)) {
    lines.push_back(line(right.at.context, Contract{"key"}, operands, sum.open));
  }
  return {ended_where_widths_differ(rewritten(right, right.at.context, "", lines), right.at)};
}

Rewrites transposed_weights(const RightAttention& right, const WeightedSum& sum) {
  if (!is_square(right)) return {};
  WeightedSum turned = sum;
  turned.weights = transposed(sum.weights, "query", "key");
  if (sum.open) turned.open = transposed(*sum.open, "query", "key");
  return summed(right, turned);
}

// The same of other values, as a reading that is called so.
Rewrites summed_as(const RightAttention& right, const WeightedSum& sum, const std::string& variant) {
  Rewrites all = summed(right, sum);
  for (Rewrite& made : all) made.variant = variant;
  return all;
}

// Queries or keys in the place of the values: as they were projected, and as they were
// turned by their positions, where they were.
Rewrites of_vectors(const RightAttention& right, const WeightedSum& sum, const StepId& vectors, const Axis& token) {
  const auto values = [&](const StepId& id) {
    return WeightedSum{sum.weights, read_as(read_as(as_read(right, id), token, "key"), "d_k", "d_v"), sum.open};
  };
  Rewrites all = summed(right, values(vectors));
  for (const auto& own : right.instructions()) {
    if (!std::holds_alternative<Rotate>(own->op) || own->operands[0].id != vectors) continue;
    append(all, summed_as(right, values(own->id()), language().mistakes.as_turned));
  }
  return all;
}

Rewrites of_keys(const RightAttention& right, const WeightedSum& sum) {
  if (!right.has(right.at.keys)) return {};
  return of_vectors(right, sum, right.at.keys, "key");
}

Rewrites of_queries(const RightAttention& right, const WeightedSum& sum) {
  if (!right.has(right.at.queries) || !is_square(right)) return {};
  return of_vectors(right, sum, right.at.queries, "query");
}

// The inputs that the values are projected from, where they are, or these before positions
// were added; where each head has a part of them, that, or all of them.
Rewrites of_inputs(const RightAttention& right, const WeightedSum& sum) {
  for (const std::string& id : {right.at.projected_values, right.at.values}) {
    const Instruction* made = right.find(id);
    const auto* product = made ? std::get_if<Contract>(&made->op) : nullptr;
    if (!product) continue;
    const Operand& inputs = made->operands[0];
    Rewrites all = summed(right, {sum.weights, read_as(inputs, product->over, "d_v"), sum.open});
    const Instruction* parts = right.find(inputs.id);
    if (const auto* split = parts ? std::get_if<Split>(&parts->op) : nullptr) {
      Operand whole = parts->operands[0];
      whole.renamed.insert(whole.renamed.end(), inputs.renamed.begin(), inputs.renamed.end());
      append(all, summed_as(right, {sum.weights, read_as(whole, split->axis, "d_v"), sum.open},
                            language().mistakes.all_inputs));
    }
    // What is added in a residual, or in a norm, is no position.
    const RecipePart* from = parts ? &right.recipe.parts()[parts->part] : nullptr;
    const bool are_inputs = from && !from->residual && !from->norm;
    const auto* added = are_inputs ? std::get_if<Combine>(&parts->op) : nullptr;
    if (added && added->function == Binary::add && parts->heading.role == Role::input) {
      Operand bare = parts->operands[0];
      bare.renamed.insert(bare.renamed.end(), inputs.renamed.begin(), inputs.renamed.end());
      append(all, summed_as(right, {sum.weights, read_as(bare, product->over, "d_v"), sum.open},
                            language().mistakes.without_positions));
    }
    return all;
  }
  return {};
}

// The weighted values stay as they are: whoever takes a plain mean has no use for them.
Rewrites mean_of_values(const RightAttention& right, const WeightedSum& sum) {
  const auto mean = [&](const std::string& variant, Tensor<double> counted, std::optional<Operand> open) {
    return rewritten(right, right.at.context, variant,
                     {given_line("~equal_weights", equal_weights(std::move(counted))),
                      line(right.at.context, Contract{"key"}, {"~equal_weights", sum.values}, std::move(open))});
  };
  Tensor<double> all(right.shape(right.at.weights));
  std::ranges::fill(all.data(), 1.0);
  Tensor<double> open = sum.open ? right.value(sum.open->id) : all;
  if (open == all) return {mean("", std::move(all), {})};
  return {mean(language().mistakes.of_all_values, std::move(all), {}),
          mean(language().mistakes.of_open_values, std::move(open), sum.open)};
}

Rewrites not_summed(const RightAttention& right, const WeightedSum& sum) {
  const bool has_step = right.has(right.at.weighted_values);
  return {rewritten(
      right, right.at.context, "",
      {has_step ? line(right.at.context, Copy{}, {right.at.weighted_values})
                : line(right.at.context, Combine{Binary::multiply, {}}, {sum.weights, sum.values}, sum.open)})};
}

Rewrites top_only(const RightAttention& right, const WeightedSum& sum) {
  std::vector<Instruction> itself = largest_lines("~largest", sum.weights, sum.open);
  std::vector<Instruction> weighted = itself;
  const auto summed_up = [&](const Operand& chosen, const Operand& values) {
    return line(right.at.context, Contract{"key"}, {chosen, values}, sum.open);
  };
  itself.push_back(summed_up("~largest", sum.values));
  if (right.has(right.at.weighted_values)) {
    weighted.push_back(summed_up("~largest", right.at.weighted_values));
  } else {
    weighted.push_back(line("~kept", Combine{Binary::multiply, {}}, {"~largest", sum.weights}, sum.open));
    weighted.push_back(summed_up("~kept", sum.values));
  }
  return {rewritten(right, right.at.context, language().mistakes.value_itself, std::move(itself)),
          rewritten(right, right.at.context, language().mistakes.weighted_value, std::move(weighted))};
}

}  // namespace

Family sum_family() {
  const MistakeWords& said = language().mistakes;
  return {said.sum,
          {
              {"sum.transposed_weights", said.sum_transposed_weights, where<weighted_sum, transposed_weights>},
              {"sum.key_for_value", said.sum_key_for_value, where<weighted_sum, of_keys>},
              {"sum.query_for_value", said.sum_query_for_value, where<weighted_sum, of_queries>},
              {"sum.input_for_value", said.sum_input_for_value, where<weighted_sum, of_inputs>},
              {"sum.top_only", said.sum_top_only, where<weighted_sum, top_only>},
              {"sum.mean_of_values", said.sum_mean_of_values, where<weighted_sum, mean_of_values>},
              {"sum.not_summed", said.sum_not_summed, where<weighted_sum, not_summed>},
          }};
}

}  // namespace attn
