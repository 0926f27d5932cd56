#include "model/recipe_at_once.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/vectors.h"
#include "words/language.h"

namespace attn {
namespace {

// The nearer of two limits, −1 being none.
std::int64_t nearer(std::int64_t a, std::int64_t b) { return a < 0 ? b : b < 0 ? a : std::min(a, b); }

// One tensor of them all, with the axes that they have; nothing of none.
std::optional<std::string> combined(RecipeBuilder& work, const std::string& id, Binary how,
                                    const std::vector<Operand>& operands) {
  if (operands.empty()) return std::nullopt;
  if (operands.size() == 1) return operands[0].id;
  return work.step({.id = id, .role = Role::mask}, Combine{how, {}}, operands, std::nullopt, Instruction::Kind::hidden);
}

// A number for each distance from a query to a key, in a row: that of the last
// query and the first key comes first.
std::string given_distances(RecipeBuilder& work, const Attention& attention, const BiasOfDistance& bias) {
  const std::size_t heads = attention.heads.value_or(1), distances = attention.query_count + attention.key_count - 1;
  Shape shape;
  if (bias.first_queries.size() > 1) shape.append({"batch", bias.first_queries.size()});
  shape.append({"head", heads});
  shape.append({"distance", distances});
  const auto make = [queries = static_cast<std::int64_t>(attention.query_count), bias, shape, heads, distances] {
    Tensor<double> numbers(shape);
    std::size_t at = 0;
    for (const std::int64_t position : bias.first_queries) {
      const std::int64_t first = 1 - position - queries;
      for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t i = 0; i < distances; ++i) {
          numbers[at++] = bias.at(head, first + static_cast<std::int64_t>(i));
        }
      }
    }
    return numbers;
  };
  return work.given({.id = "bias_of_distance", .role = Role::mask}, shape, make);
}

void read_masks(RecipeBuilder& work, const Attention& attention, const Position& position, ReadAtOnce& read) {
  std::vector<Operand> closing, adding;
  for (const MaskRule& rule : mask_rules(attention, work.arithmetic().dtype)) {
    if (rule.sees) {
      read.sees = {nearer(read.sees.left, rule.sees->left), nearer(read.sees.right, rule.sees->right)};
    } else if (rule.by_length) {
      read.by_length = true;
    } else {
      const bool closes = rule.effect == MaskRule::Effect::closes;
      (closes ? closing : adding).emplace_back(work.given(rule.heading, rule.shape, rule.make));
    }
  }
  read.bias_of_distance = position.bias_of_distance && adding.empty() && attention.appended_count() == 0;
  if (read.bias_of_distance) {
    adding.emplace_back(given_distances(work, attention, position.bias_of_distance(attention)));
  } else if (position.biases) {
    const std::vector<Operand> first = position.biases(work, attention);
    adding.insert(adding.begin(), first.begin(), first.end());
  }
  read.open = combined(work, "mask", Binary::minimum, closing);
  read.bias = combined(work, "score_bias", Binary::add, adding);
}

// The queries' shape, with a value in place of each.
Shape context_shape(const Shape& queries, const Attention& attention) {
  Shape context;
  for (const Dim& dim : queries.dims()) {
    context.append(dim.axis == "d_k" ? Dim{"d_v", attention.value_width} : dim);
  }
  return context;
}

}  // namespace

bool has_fused_form(const Problem& problem, const Backend& backend) {
  if (problem.block || problem.keys_a_block) return false;
  const Attention& attention = problem.attention();
  const Arithmetic& arithmetic = problem.arithmetic;
  const Chosen chosen(attention);
  const bool has_dtype = !rounds_once_a_step(arithmetic.dtype) || backend.attends_in_16_bits();
  return has_dtype && !arithmetic.hand_rounding && chosen.score.multiplied && chosen.softmax.exponentials &&
         !chosen.position.score_terms && !chosen.position.context_terms;
}

RecipeAtOnce recipe_at_once(const Problem& problem) {
  const Attention& attention = problem.attention();
  const Chosen chosen(attention);
  RecipeBuilder work(problem.arithmetic, attention.vectors);
  const Projected all = record_vectors(work, problem.inputs, attention, chosen);
  give_parameters(work, "softmax", Role::softmax, chosen.softmax.spec, chosen.softmax_choice);

  ReadAtOnce read{.queries = chosen.score.multiplied(work, attention.score, {.queries = all.queries, .keys = all.keys}),
                  .keys = all.keys,
                  .values = all.values,
                  .exponentials = chosen.softmax.exponentials(chosen.softmax_choice)};
  if (read.exponentials.sink) read.sinks = read.exponentials.sink->id;
  if (const auto* scale = attention.option<double>("scale")) {
    read.scale = *scale;
  } else if (chosen.score.divided_by_root_width) {
    read.scale = 1 / std::sqrt(static_cast<double>(attention.key_width));
  }
  read_masks(work, attention, chosen.position, read);
  read.context =
      work.step_of_shape({"context", "C", language().steps.context, language().steps.at_once_formula, Role::output},
                         context_shape(work.shape(read.queries), attention));
  record_output(work, attention, read.context);
  return {work.take(), std::move(read)};
}

std::size_t bytes_copied_at_once(const Recipe& recipe, const ReadAtOnce& read, Dtype dtype) {
  const auto count = [&](const std::string& id) { return recipe.shape(id).count(); };
  std::size_t numbers = count(read.queries) + count(read.keys) + count(read.values) + count(read.context);
  if (read.bias) numbers += count(*read.bias);
  if (read.sinks) numbers += count(*read.sinks);
  const Shape& context = recipe.shape(read.context);
  const std::size_t rows = context.count() / context.size("d_v");
  return numbers * (dtype == Dtype::f64 ? sizeof(double) : sizeof(float)) +
         (read.open ? count(*read.open) : 0) * sizeof(std::uint8_t) +  // the mask
         rows * sizeof(std::uint8_t) +                                 // closed rows
         recipe.shape(read.queries).size("query") * sizeof(double);    // how far scores get
}

}  // namespace attn
