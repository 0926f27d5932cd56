#include "model/attention.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "model/masks/mask.h"
#include "model/notes.h"
#include "model/projections.h"
#include "model/scores/score.h"
#include "trace/recorder.h"

namespace attn {
namespace {

// Beyond so many cells the weighted values are summed without being shown.
constexpr std::size_t most_weighted_values = 100'000;

// The steps before softmax: their ids, and the mask where there is one.
struct Scored {
  std::string scores;
  std::optional<Operand> open;
};

std::string symbol_of(const std::string& scores) {
  return scores == "scores" ? "S" : scores == "scaled_scores" ? "S′" : "S″";
}

std::string record_scores(Recorder& work, const Problem& problem, const Projected& projected) {
  const Score& score = score_named(problem.score.name);
  for (const auto& [name, tensor] : problem.score.tensors) {
    work.given({.id = "score." + name,
                .symbol = name,
                .title = "Parameter " + name + " of the score",
                .formula = name + " is given",
                .role = Role::weight_matrix},
               tensor);
  }
  score.compose(work, problem.score, projected.queries, projected.keys);

  Heading heading{.id = "scaled_scores", .symbol = "S′", .role = Role::score};
  if (problem.scale) {
    heading.title = "Scores times the scale";
    heading.formula = "S′ = S × scale";
    return work.step(heading, Map{Unary::multiply, *problem.scale, ""}, {"scores"});
  }
  if (score.divided_by_root_width) {
    const auto width = static_cast<double>(problem.key_width);
    heading.title = "Scores divided by √d_k, the root of the width of a key";
    heading.formula = "S′ = S / √d_k";
    return work.step(heading, Map{Unary::divide, std::sqrt(width), "√" + std::to_string(problem.key_width)},
                     {"scores"});
  }
  return "scores";
}

// The given tensors of the rules of one kind, as operands.
std::vector<Operand> record_rules(Recorder& work, const std::vector<MaskRule>& rules, MaskRule::Effect effect) {
  std::vector<Operand> operands;
  for (const MaskRule& rule : rules) {
    if (rule.effect == effect) operands.emplace_back(work.given(rule.heading, rule.shape, rule.make));
  }
  return operands;
}

std::vector<MaskRule> rules_of(const Problem& problem) {
  std::vector<MaskRule> rules;
  for (const Mask& mask : masks()) {
    for (MaskRule& rule : mask.rules(problem)) rules.push_back(std::move(rule));
  }
  return rules;
}

Scored record_mask(Recorder& work, const Problem& problem, const std::string& scores) {
  const std::vector<MaskRule> rules = rules_of(problem);
  if (rules.empty()) return {scores, std::nullopt};

  const Shape& all = work.shape(scores);
  const std::vector<Operand> closing = record_rules(work, rules, MaskRule::Effect::closes);
  const std::vector<Operand> adding = record_rules(work, rules, MaskRule::Effect::adds);
  const std::string symbol = symbol_of(scores);

  std::vector<Operand> operands = {scores};
  Heading masked{.id = "masked_scores",
                 .symbol = "S″",
                 .title = "Scores with closed cells at −∞",
                 .formula = "S″ = " + symbol + " where open, −∞ where closed",
                 .role = Role::score};
  std::optional<Operand> open;
  if (!closing.empty()) {
    open = work.step({.id = "mask",
                      .symbol = "M",
                      .title = "Mask: which query may attend to which key",
                      .formula = "M = 1 where open, 0 where closed",
                      .role = Role::mask},
                     Combine{Binary::minimum, all}, closing);
  }
  if (!adding.empty()) {
    const Op op = adding.size() == 1 ? Op(Copy{all}) : Op(Combine{Binary::add, all});
    operands.emplace_back(work.step({.id = "score_bias",
                                     .symbol = "B",
                                     .title = "What is added to the scores",
                                     .formula = adding.size() == 1 ? "B is given" : "B = the sum of what is added",
                                     .role = Role::mask},
                                    op, adding));
    masked.title = "Scores with what is added, closed cells at −∞";
    masked.formula = "S″ = " + symbol + " + B where open, −∞ where closed";
  }
  return {work.step(masked, Close{}, operands, open), open};
}

// Vaswani et al. 2017, equation 1; the maximum is subtracted first, which
// changes nothing in the result and keeps e^x from overflowing.
std::string record_softmax(Recorder& work, const Scored& scored) {
  const std::string symbol = symbol_of(scored.scores);
  const auto part = [](Softmax::Part which) { return Softmax{which, "key"}; };
  const auto heading = [](std::string id, std::string sign, std::string title, std::string formula, Role role) {
    return Heading{std::move(id), std::move(sign), std::move(title), std::move(formula), role};
  };
  const auto maximum = work.step(
      heading("row_maximum", "m", "Largest score of the row", "m = max of each row of " + symbol, Role::softmax),
      part(Softmax::Part::maximum), {scored.scores}, scored.open);
  const auto exponentials = work.step(heading("exponentials", "E", "Exponentials of the differences to the maximum",
                                              "E = e^(" + symbol + " − m)", Role::softmax),
                                      part(Softmax::Part::exponentials), {scored.scores, maximum}, scored.open);
  const auto sums = work.step(
      heading("exponential_sums", "z", "Sum of the exponentials of the row", "z = sum of each row of E", Role::softmax),
      part(Softmax::Part::sum), {exponentials});
  return work.step(heading("attention_weights", "A", "Attention weights: softmax of each row of scores", "A = E / z",
                           Role::attention_weight),
                   part(Softmax::Part::weights), {exponentials, sums}, scored.open);
}

std::string record_context(Recorder& work, const std::string& weights, const std::string& values,
                           const std::optional<Operand>& open, AttentionOptions options) {
  const Heading weighted{.id = "weighted_values",
                         .symbol = "U",
                         .title = "Weighted values: each value times its attention weight",
                         .formula = "u_ij = A_ij · v_j",
                         .role = Role::weighted_value};
  const Heading context{.id = "context",
                        .symbol = "C",
                        .title = "Context: the sum of each query's weighted values",
                        .formula = work.vectors() == Vectors::rows ? "C = A·V" : "C = V·Aᵀ",
                        .role = Role::output};
  const Op weigh = Combine{Binary::multiply, {}};
  const std::vector<Operand> operands = {weights, values};

  const bool shown = options.all_weighted_values || work.shape_of(weigh, operands).count() <= most_weighted_values;
  if (shown) {
    const std::string id = work.step(weighted, weigh, operands, open);
    return work.step(context, Reduce{Reducer::sum, "key"}, {id});
  }
  // By hand each weighted value is rounded before it is added, shown or not.
  if (work.arithmetic().hand_rounding) {
    const std::string id = work.hidden_step(weighted, weigh, operands, open);
    return work.step(context, Reduce{Reducer::sum, "key"}, {id});
  }
  return work.step(context, Contract{"key"}, operands, open);
}

std::string record_output(Recorder& work, const Problem& problem, std::string result) {
  std::string symbol = "C";
  if (problem.heads) {
    result = work.step({.id = "concat",
                        .symbol = "H",
                        .title = "The contexts of all heads, side by side",
                        .formula = "H = the heads' C side by side",
                        .role = Role::output},
                       Merge{"head", "d_v", "d_concat"}, {result});
    symbol = "H";
  }
  if (!problem.output) return result;

  std::vector<Operand> operands = {result};
  operands.emplace_back(work.given({.id = "weights.output",
                                    .symbol = "W_O",
                                    .title = "Weights of the output projection",
                                    .formula = "W_O is given",
                                    .role = Role::weight_matrix},
                                   problem.output->weight));
  if (problem.output->bias) {
    operands.emplace_back(work.given({.id = "biases.output",
                                      .symbol = "b_O",
                                      .title = "Bias of the output projection",
                                      .formula = "b_O is given",
                                      .role = Role::weight_matrix},
                                     *problem.output->bias));
  }
  return work.step({.id = "output",
                    .symbol = "O",
                    .title = "Output",
                    .formula = "O = " + product(problem, symbol, "W_O", problem.output->bias ? "b_O" : ""),
                    .role = Role::output},
                   Contract{problem.heads ? "d_concat" : "d_v"}, operands);
}

// The whole computation, a line a part of it; returns the id of the last step.
std::string record(Recorder& work, const Problem& problem, AttentionOptions options) {
  const Projected projected = record_projections(work, problem);
  const std::string scores = record_scores(work, problem, projected);
  const Scored masked = record_mask(work, problem, scores);
  const std::string weights = record_softmax(work, masked);
  const std::string context = record_context(work, weights, projected.values, masked.open, options);
  return record_output(work, problem, context);
}

std::vector<Note> notes_on_steps(const Problem& problem, const Trace& trace) {
  std::vector<Note> notes = problem.notes;
  for (Note& note : notes_on_numbers(trace)) notes.push_back(std::move(note));
  if (!trace.find("weighted_values")) {
    notes.push_back({"weighted_values",
                     {},
                     "left_out",
                     "the weighted values are left out: more than 100,000 numbers; --only weighted_values shows them"});
  }
  return notes;
}

}  // namespace

const Score& score_named(const std::string& name) {
  const auto found = std::ranges::find_if(scores(), [&](const Score& score) { return score.spec.name == name; });
  assert(found != scores().end());
  return *found;
}

Catalog catalog() {
  Catalog all;
  for (const Score& score : scores()) all.scores.push_back(score.spec);
  return all;
}

Trace attention(const Problem& problem, Backend& backend, AttentionOptions options) {
  Recorder work(&backend, problem.arithmetic, problem.vectors);

  Trace trace;
  trace.result = record(work, problem, options);
  trace.givens = work.take_givens();
  trace.steps = work.take_steps();
  trace.title = problem.title;
  trace.statement = problem.statement;
  trace.arithmetic = problem.arithmetic;
  trace.backend = backend.name();
  trace.batched = problem.batched;
  trace.vectors = problem.vectors;
  trace.own_queries = problem.own_queries;
  trace.labels = {problem.query_labels, problem.key_labels};
  trace.notes = notes_on_steps(problem, trace);
  return trace;
}

TracePlan planned(const Problem& problem, AttentionOptions options) {
  Recorder work(nullptr, problem.arithmetic, problem.vectors);
  record(work, problem, options);

  TracePlan plan;
  plan.bytes = work.bytes();
  for (const Step& step : work.take_steps()) plan.steps.push_back(step.heading.id);
  return plan;
}

}  // namespace attn
