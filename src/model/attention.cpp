#include "model/attention.h"

#include <algorithm>
#include <cmath>

#include "model/activations/activation.h"
#include "model/block.h"
#include "model/chosen.h"
#include "model/masks/mask.h"
#include "model/norms/norm_kind.h"
#include "model/online.h"
#include "model/options/options.h"
#include "model/vectors.h"
#include "words/language.h"

namespace attn {
namespace {

// Beyond so many cells the weighted values are summed without being shown.
constexpr std::size_t most_weighted_values = 100'000;

std::string record_scaled(RecipeBuilder& work, const Attention& attention, const Score& score, std::size_t terms) {
  Heading heading{.id = "scaled_scores", .symbol = "S′", .role = Role::score};
  if (const auto* scale = attention.option<double>("scale")) {
    heading.title = language().steps.times_scale;
    heading.formula = language().steps.scale_formula;
    return work.step(heading, Map{Unary::multiply, *scale, ""}, {"scores"});
  }
  if (!score.divided_by_root_width) return "scores";
  const std::size_t width = terms * attention.key_width;
  const std::string written = terms == 1 ? "√d_k" : "√(" + std::to_string(terms) + "·d_k)";
  heading.title = language().steps.scaled(written, terms);
  heading.formula = "{} = {0} / " + written;
  return work.step(heading, Map{Unary::divide, std::sqrt(static_cast<double>(width)), "√" + std::to_string(width)},
                   {"scores"});
}

// The scores, compared, scaled and capped.
std::string record_scores(RecipeBuilder& work, const Attention& attention, const Chosen& chosen,
                          const Projected& projected, const std::string& own_keys) {
  Compared compared{projected.queries, projected.keys, own_keys, query_heads_to_each_key(attention)};
  std::size_t products = 1;
  if (chosen.position.score_terms) {
    compared.terms = [&] {
      auto terms = chosen.position.score_terms(work, attention, {projected.queries, projected.keys});
      if (chosen.position.scales_terms) products += terms.size();
      return terms;
    };
  }
  if (chosen.score.multiplied) {
    const std::string queries = chosen.score.multiplied(work, attention.score, compared);
    record_last(work, compared, {.title = chosen.score.title, .formula = written_products(work)}, Contract{"d_k"},
                {queries, compared.keys});
  } else {
    chosen.score.compose(work, attention.score, compared);
  }
  const std::string scaled = record_scaled(work, attention, chosen.score, products);
  const auto* softcap = attention.option<double>("softcap");
  if (!softcap) return scaled;
  return work.step({"capped_scores", "S_c", language().steps.capped, "{} = c·tanh({0} / c)", Role::score},
                   Map{Unary::softcap, *softcap, ""}, {scaled});
}

MaskedScores record_mask(RecipeBuilder& work, const Attention& attention, const Position& position,
                         const std::string& scores) {
  const std::vector<MaskRule> rules = mask_rules(attention, work.arithmetic().dtype);
  std::vector<Operand> closing, adding;
  const auto give = [&](MaskRule::Effect effect, std::vector<Operand>& operands) {
    for (const MaskRule& rule : rules) {
      if (rule.effect == effect)
        operands.emplace_back(work.given(rule.heading, rule.shape, rule.make, Instruction::Kind::given, rule.follows));
    }
  };
  give(MaskRule::Effect::closes, closing);
  if (position.biases) adding = position.biases(work, attention);
  give(MaskRule::Effect::adds, adding);
  if (closing.empty() && adding.empty()) return {scores, std::nullopt};

  const Shape all = work.shape(scores);
  std::vector<Operand> operands = {scores};
  Heading masked{"masked_scores", "S″", language().steps.masked, language().steps.masked_formula, Role::score};
  std::optional<Operand> open;
  if (!closing.empty()) {
    open = work.step({"mask", "M", language().steps.mask, language().steps.mask_formula, Role::mask},
                     Combine{Binary::minimum, all}, closing);
  }
  if (!adding.empty()) {
    const Op op = adding.size() == 1 ? Op(Copy{all}) : Op(Combine{Binary::add, all});
    operands.emplace_back(work.step(
        {"score_bias", "B", language().steps.score_bias, "{} = " + places(0, adding.size()), Role::mask}, op, adding));
    masked.title = language().steps.masked_and_added;
    masked.formula = language().steps.masked_and_added_formula;
  }
  return {work.step(masked, Close{}, operands, open), open};
}

std::string record_softmax(RecipeBuilder& work, const Chosen& chosen, const MaskedScores& scores) {
  const SoftmaxKind& kind = chosen.softmax;
  const Choice& choice = chosen.softmax_choice;
  give_parameters(work, "softmax", Role::softmax, kind.spec, choice);
  return kind.exponentials ? record_exponentials(work, scores, kind.exponentials(choice))
                           : kind.compose(work, choice, scores);
}

std::string record_context(RecipeBuilder& work, const Attention& attention, const Position& position,
                           const std::string& weights, const std::string& values, const std::optional<Operand>& open,
                           AttentionOptions options) {
  const Formula a = work.symbol(weights), v = work.symbol(values);
  Heading context{"context", "C", language().steps.context,
                  work.vectors() == Vectors::rows ? "{} = " + a + "·" + v : "{} = " + v + "·" + a + "ᵀ", Role::output};
  const auto record_sum = [&](const Op& op, std::vector<Operand> operands, const std::optional<Operand>& unread) {
    if (position.context_terms) add_terms(position.context_terms(work, attention, weights), context, operands);
    return work.step(context, op, std::move(operands), unread);
  };
  const Op weigh = Combine{Binary::multiply, {}};
  const std::vector<Operand> operands = {weights, values};
  const bool shown = options.all_steps ||
                     (!options.no_weighted_values && work.shape_of(weigh, operands).count() <= most_weighted_values);
  // A step that rounds its numbers does so whether it is shown or not.
  if (!shown && !rounds_each_step(work.arithmetic())) return record_sum(Contract{"key"}, operands, open);
  const std::string weighted =
      work.step({"weighted_values", "U", language().steps.weighted_values, "u_ij = A_ij · v_j", Role::weighted_value},
                weigh, operands, open, shown ? Instruction::Kind::step : Instruction::Kind::hidden);
  return record_sum(Reduce{Reducer::sum, "key"}, {weighted}, std::nullopt);
}

}  // namespace

Anatomy attention_anatomy(const std::string& prefix, const std::string& query_inputs, const std::string& key_inputs) {
  const auto id = [&](const char* name) { return prefix.empty() ? std::string(name) : prefix + "." + name; };
  return {.query_inputs = query_inputs,
          .key_inputs = key_inputs,
          .projected_queries = id("projected_queries"),
          .projected_keys = id("projected_keys"),
          .projected_values = id("projected_values"),
          .queries = id("queries"),
          .keys = id("keys"),
          .values = id("values"),
          .past_keys = id("past.keys"),
          .appended_keys = id("appended.keys"),
          .scores = id("scores"),
          .scaled = id("scaled_scores"),
          .capped = id("capped_scores"),
          .mask = id("mask"),
          .position_bias = id("position_bias"),
          .bias = id("score_bias"),
          .masked = id("masked_scores"),
          .causal_rule = id("mask.causal"),
          .lengths_rule = id("mask.lengths"),
          .window_rule = id("mask.window"),
          .maximum = id("row_maximum"),
          .exponentials = id("exponentials"),
          .sums = id("exponential_sums"),
          .weights = id("attention_weights"),
          .weighted_values = id("weighted_values"),
          .context = id("context"),
          .concat = id("concat"),
          .output = id("output"),
          .query_weight = id("weights.query"),
          .key_weight = id("weights.key"),
          .value_weight = id("weights.value"),
          .output_weight = id("weights.output")};
}

std::vector<Anatomy> attentions_among(const std::vector<StepId>& ids) {
  std::vector<Anatomy> all;
  for (const StepId& id : ids) {
    const std::size_t dot = id.rfind('.');
    Anatomy made = attention_anatomy(dot == StepId::npos ? "" : id.substr(0, dot));
    if (id != made.scores && id != made.weights) continue;
    if (std::ranges::find(all, made.scores, &Anatomy::scores) == all.end()) all.push_back(std::move(made));
  }
  if (all.empty()) all.push_back(attention_anatomy(""));
  return all;
}

Recipe recipe_of(const Problem& problem, AttentionOptions options) {
  if (!options.keys_a_block) options.keys_a_block = problem.keys_a_block;
  if (problem.block) return block_recipe(problem, options);
  RecipeBuilder work(problem.arithmetic, problem.attention().vectors);
  record_attention(work, problem.inputs, problem.attention(), options);
  return work.take();
}

namespace {

// From the vectors on, a line a part of it.
StepId record_from(RecipeBuilder& work, const Projected& own, const Attention& attention, const Chosen& chosen,
                   AttentionOptions options) {
  const Projected all = record_repeated_heads(work, attention, own);
  const std::string scores = record_scores(work, attention, chosen, all, own.keys);
  const MaskedScores masked = record_mask(work, attention, chosen.position, scores);
  if (options.keys_a_block) {
    return record_output(work, attention, record_online(work, chosen, masked, all.values, *options.keys_a_block));
  }
  const std::string weights = record_softmax(work, chosen, masked);
  const std::string context =
      record_context(work, attention, chosen.position, weights, all.values, masked.open, options);
  return record_output(work, attention, context);
}

}  // namespace

StepId record_attention(RecipeBuilder& work, const Inputs& inputs, const Attention& attention,
                        AttentionOptions options) {
  const std::string& prefix = work.current().prefix;
  const std::string all = prefix.empty() ? "inputs" : prefix + ".inputs";
  const bool cross = inputs.cross();
  work.current().attention = attention_anatomy(prefix, cross ? all + ".query" : all, cross ? all + ".key" : all);
  const Chosen chosen(attention);
  return record_from(work, record_vectors(work, inputs, attention, chosen), attention, chosen, options);
}

StepId record_attention(RecipeBuilder& work, const ProjectedFrom& from, const Attention& attention,
                        AttentionOptions options) {
  work.current().attention = attention_anatomy(work.current().prefix, from.query, from.key);
  const Chosen chosen(attention);
  return record_from(work, record_vectors(work, from, attention, chosen), attention, chosen, options);
}

Catalog catalog() {
  Catalog all;
  for (const NormKind& norm : norm_kinds()) all.norms.push_back(norm.spec);
  for (const Activation& activation : activations()) all.activations.push_back(activation.spec);
  for (const Score& score : scores()) all.scores.push_back(score.spec);
  for (const Position& position : positions()) all.positions.push_back(position.spec);
  for (const SoftmaxKind& kind : softmaxes()) all.softmaxes.push_back(kind.spec);
  // What is no mask comes first: so they are told.
  all.options = options();
  for (const Mask& mask : masks()) all.options.push_back(mask.spec);
  return all;
}

}  // namespace attn
