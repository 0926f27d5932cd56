#include "model/attention.h"

#include <cmath>
#include <limits>
#include <string>

#include "base/text.h"
#include "model/at_once.h"
#include "model/keys.h"
#include "model/masks/mask.h"
#include "model/notes.h"
#include "model/positions/position.h"
#include "model/projections.h"
#include "model/row_named.h"
#include "model/scores/score.h"
#include "model/softmaxes/softmax_kind.h"
#include "trace/recorder.h"

namespace attn {
namespace {

// Beyond so many cells the weighted values are summed without being shown.
constexpr std::size_t most_weighted_values = 100'000;

// The tensors that a choice brings along.
void give_parameters(Recorder& work, const std::string& of, Role role, const ChoiceSpec& spec, const Choice& choice) {
  for (const Parameter& parameter : spec.parameters) {
    const auto tensor = choice.tensors.find(parameter.name);
    if (tensor == choice.tensors.end()) continue;
    const std::string symbol = parameter.symbol.empty() ? parameter.name : parameter.symbol;
    work.given({.id = of + "." + parameter.name,
                .symbol = symbol,
                .title = capitalised(parameter.summary.substr(0, parameter.summary.find(", ["))),
                .formula = symbol + " is given",
                .role = role},
               tensor->second);
  }
}

std::string record_scaled(Recorder& work, const Problem& problem, const Score& score, std::size_t terms) {
  Heading heading{.id = "scaled_scores", .symbol = "S′", .role = Role::score};
  if (problem.scale) {
    heading.title = "Scores times the scale";
    heading.formula = "S′ = S × scale";
    return work.step(heading, Map{Unary::multiply, *problem.scale, ""}, {"scores"});
  }
  if (!score.divided_by_root_width) return "scores";
  const std::size_t width = terms * problem.key_width;
  const std::string written = terms == 1 ? "√d_k" : "√(" + std::to_string(terms) + "·d_k)";
  heading.title = terms == 1
                      ? "Scores divided by √d_k, the root of the width of a key"
                      : "Scores divided by " + written + ": they are sums of " + std::to_string(terms) + " products";
  heading.formula = "S′ = S / " + written;
  return work.step(heading, Map{Unary::divide, std::sqrt(static_cast<double>(width)), "√" + std::to_string(width)},
                   {"scores"});
}

// The scores, compared, scaled and capped.
std::string record_scores(Recorder& work, const Problem& problem, const Projected& projected) {
  const Score& score = score_named(problem.score.name);
  const Position& position = position_of(problem);
  Compared compared{.queries = projected.queries, .keys = projected.keys};
  std::size_t products = 1;
  if (position.score_terms) {
    compared.terms = [&] {
      std::vector<Operand> terms = position.score_terms(work, problem, {projected.queries, projected.keys});
      if (position.scales_terms) products += terms.size();
      return terms;
    };
  }
  score.compose(work, problem.score, compared);
  const std::string scaled = record_scaled(work, problem, score, products);
  if (!problem.softcap) return scaled;
  const std::string s = work.symbol(scaled);
  return work.step({.id = "capped_scores",
                    .symbol = "S_c",
                    .title = "Scores capped: squeezed between −c and c",
                    .formula = "S_c = c·tanh(" + s + " / c)",
                    .role = Role::score},
                   Map{Unary::softcap, *problem.softcap, ""}, {scaled});
}

// The given tensors of the rules of one kind, as operands.
std::vector<Operand> record_rules(Recorder& work, const std::vector<MaskRule>& rules, MaskRule::Effect effect) {
  std::vector<Operand> operands;
  for (const MaskRule& rule : rules) {
    if (rule.effect == effect) operands.emplace_back(work.given(rule.heading, rule.shape, rule.make));
  }
  return operands;
}

// "B_1 + B_2"
std::string sum_of(const Recorder& work, const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& operand : operands) text += (text.empty() ? "" : " + ") + work.symbol(operand.id);
  return text;
}

MaskedScores record_mask(Recorder& work, const Problem& problem, const std::string& scores) {
  const std::vector<MaskRule> rules = mask_rules(problem);
  const Position& position = position_of(problem);
  if (rules.empty() && !position.biases) return {scores, std::nullopt};

  const Shape all = work.shape(scores);
  const std::vector<Operand> closing = record_rules(work, rules, MaskRule::Effect::closes);
  std::vector<Operand> adding;
  if (position.biases) adding = position.biases(work, problem);
  for (Operand& given : record_rules(work, rules, MaskRule::Effect::adds)) adding.push_back(std::move(given));
  const std::string symbol = work.symbol(scores);

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
                                     .formula = "B = " + sum_of(work, adding),
                                     .role = Role::mask},
                                    op, adding));
    masked.title = "Scores with what is added, closed cells at −∞";
    masked.formula = "S″ = " + symbol + " + B where open, −∞ where closed";
  }
  return {work.step(masked, Close{}, operands, open), open};
}

std::string record_softmax(Recorder& work, const Problem& problem, const MaskedScores& scores) {
  const SoftmaxKind& kind = softmax_of(problem);
  const Choice choice = chosen_softmax(problem);
  give_parameters(work, "softmax", Role::softmax, kind.spec, choice);
  return kind.exponentials ? record_exponentials(work, scores, kind.exponentials(choice))
                           : kind.compose(work, choice, scores);
}

std::string record_context(Recorder& work, const Problem& problem, const std::string& weights,
                           const std::string& values, const std::optional<Operand>& open, AttentionOptions options) {
  const Heading weighted{.id = "weighted_values",
                         .symbol = "U",
                         .title = "Weighted values: each value times its attention weight",
                         .formula = "u_ij = A_ij · v_j",
                         .role = Role::weighted_value};
  const std::string v = work.symbol(values);
  Heading context{.id = "context",
                  .symbol = "C",
                  .title = "Context: the sum of each query's weighted values",
                  .formula = work.vectors() == Vectors::rows ? "C = A·" + v : "C = " + v + "·Aᵀ",
                  .role = Role::output};
  const Position& position = position_of(problem);
  const auto record_sum = [&](const Op& op, std::vector<Operand> operands, const std::optional<Operand>& unread) {
    std::vector<Operand> terms;
    if (position.context_terms) terms = position.context_terms(work, problem, weights);
    if (!terms.empty()) {
      context.title += ", and what positions add";
      context.formula += " + " + sum_of(work, terms);
      operands.insert(operands.end(), terms.begin(), terms.end());
    }
    return work.step(context, op, operands, unread);
  };
  const Op weigh = Combine{Binary::multiply, {}};
  const std::vector<Operand> operands = {weights, values};

  const bool shown = options.all_weighted_values || work.shape_of(weigh, operands).count() <= most_weighted_values;
  if (shown) {
    const std::string id = work.step(weighted, weigh, operands, open);
    return record_sum(Reduce{Reducer::sum, "key"}, {id}, std::nullopt);
  }
  // A step that rounds its numbers does so whether it is shown or not.
  if (work.arithmetic().hand_rounding || rounds_once_a_step(work.arithmetic().dtype)) {
    const std::string id = work.hidden_step(weighted, weigh, operands, open);
    return record_sum(Reduce{Reducer::sum, "key"}, {id}, std::nullopt);
  }
  return record_sum(Contract{"key"}, operands, open);
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

// Queries, and all keys and values, with positions where these turn them.
Projected record_vectors(Recorder& work, const Problem& problem) {
  if (problem.positions)
    give_parameters(work, "positions", Role::weight_matrix, position_of(problem).spec, *problem.positions);
  const Projected projected = record_projections(work, problem);
  give_parameters(work, "score", Role::weight_matrix, score_named(problem.score.name).spec, problem.score);
  return record_all_keys(work, problem, projected);
}

// The whole computation, a line a part of it; returns the id of the last step.
std::string record(Recorder& work, const Problem& problem, AttentionOptions options) {
  const Projected all = record_repeated_heads(work, problem, record_vectors(work, problem));
  const std::string scores = record_scores(work, problem, all);
  const MaskedScores masked = record_mask(work, problem, scores);
  const std::string weights = record_softmax(work, problem, masked);
  const std::string context = record_context(work, problem, weights, all.values, masked.open, options);
  return record_output(work, problem, context);
}

// The same with everything between the vectors and the context computed at once.
ContextAtOnce record_at_once(Recorder& work, const Problem& problem) {
  const Projected all = record_vectors(work, problem);
  give_parameters(work, "softmax", Role::softmax, softmax_of(problem).spec, chosen_softmax(problem));
  ContextAtOnce made = record_context_at_once(work, problem, all);
  made.id = record_output(work, problem, made.id);
  return made;
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

// What the problem asks for that no step says by itself.
std::vector<Particular> particulars_of(const Problem& problem) {
  std::vector<Particular> all;
  if (const Position& position = position_of(problem); position.words)
    all.push_back({"Positions", position.words(problem), true});
  if (const SoftmaxKind& kind = softmax_of(problem); kind.words && problem.softmax)
    all.push_back({"Softmax", kind.words(*problem.softmax)});
  if (!problem.offsets.empty()) {
    std::string words = "the first query stands at position ";
    for (std::size_t b = 0; b < problem.offsets.size(); ++b)
      words += (b > 0 ? ", " : "") + std::to_string(problem.offsets[b]);
    all.push_back({"Offset", words + ", counted from 0" + (problem.offsets.size() > 1 ? ", a number a sequence" : "")});
  }
  if (problem.window) {
    const auto keys = [](std::int64_t count) {
      return count < 0 ? "all keys" : std::to_string(count) + (count == 1 ? " key" : " keys");
    };
    all.push_back({"Window", "a query sees its own position, " + keys(problem.window->left) + " before it and " +
                                 keys(problem.window->right) + " behind it"});
  }
  return all;
}

}  // namespace

Catalog catalog() {
  Catalog all;
  for (const Score& score : scores()) all.scores.push_back(score.spec);
  for (const Position& position : positions()) all.positions.push_back(position.spec);
  for (const SoftmaxKind& kind : softmaxes()) all.softmaxes.push_back(kind.spec);
  return all;
}

// What a trace says beside its steps.
Trace described(const Problem& problem, const Backend& backend) {
  Trace trace;
  trace.title = problem.title;
  trace.statement = problem.statement;
  trace.arithmetic = problem.arithmetic;
  trace.backend = backend.name();
  trace.batched = problem.batched;
  trace.vectors = problem.vectors;
  trace.own_queries = problem.own_queries;
  trace.past_keys = problem.past_count();
  trace.labels = {problem.query_labels, problem.key_labels};
  trace.particulars = particulars_of(problem);
  return trace;
}

Trace attention(const Problem& problem, Backend& backend, AttentionOptions options) {
  Recorder work(&backend, problem.arithmetic, problem.vectors);
  work.tell_before_each_step(options.before_step);
  Trace trace = described(problem, backend);
  trace.result = record(work, problem, options);
  trace.givens = work.take_givens();
  trace.steps = work.take_steps();
  trace.notes = notes_on_steps(problem, trace);
  return trace;
}

std::optional<Trace> attention_at_once(const Problem& problem, Backend& backend) {
  if (!has_fused_form(problem)) return std::nullopt;
  Recorder work(&backend.in_any_order(), problem.arithmetic, problem.vectors);
  const ContextAtOnce made = record_at_once(work, problem);
  if (!made.holds) return std::nullopt;

  Trace trace = described(problem, backend);
  trace.result = made.id;
  trace.steps.push_back(work.take_steps().back());
  trace.steps.back().op = Given{};
  trace.steps.back().operands.clear();
  trace.notes = problem.notes;
  trace.notes.insert(trace.notes.end(), made.notes.begin(), made.notes.end());
  trace.notes.push_back({made.id,
                         {},
                         "at_once",
                         "computed at once, without the steps between: its last digits may differ from those of the "
                         "steps, and from one kind of processor to another"});
  return trace;
}

std::optional<std::size_t> bytes_at_once(const Problem& problem) {
  if (!has_fused_form(problem)) return std::nullopt;
  Recorder work(nullptr, problem.arithmetic, problem.vectors);
  record_at_once(work, problem);
  const std::size_t bytes = work.bytes();
  return bytes > std::numeric_limits<std::size_t>::max() / 2 ? bytes : 2 * bytes;
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
