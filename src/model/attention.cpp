#include "model/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "model/anatomy.h"
#include "model/at_once.h"
#include "model/keys.h"
#include "model/masks/mask.h"
#include "model/notes.h"
#include "model/options/options.h"
#include "model/positions/position.h"
#include "model/projections.h"
#include "model/row_named.h"
#include "model/scores/score.h"
#include "model/softmaxes/softmax_kind.h"
#include "problem/digest.h"
#include "trace/compute.h"
#include "words/language.h"

namespace attn {
namespace {

// Beyond so many cells the weighted values are summed without being shown.
constexpr std::size_t most_weighted_values = 100'000;

// The tensors that a choice brings along.
void give_parameters(RecipeBuilder& work, const std::string& of, Role role, const ChoiceSpec& spec,
                     const Choice& choice) {
  for (const Parameter& parameter : spec.parameters) {
    const auto tensor = choice.tensors.find(parameter.name);
    if (tensor == choice.tensors.end()) continue;
    work.given(
        {of + "." + parameter.name, parameter.symbol.empty() ? parameter.name : parameter.symbol,
         capitalised(parameter.summary.substr(0, parameter.summary.find(", ["))), language().steps.given.text(), role},
        tensor->second);
  }
}

std::string record_scaled(RecipeBuilder& work, const Attention& attention, const Score& score, std::size_t terms) {
  Heading heading{.id = "scaled_scores", .symbol = "S′", .role = Role::score};
  if (const auto* scale = attention.option<double>("scale")) {
    heading.title = language().steps.times_scale;
    heading.formula = language().steps.scale_formula.text();
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
std::string record_scores(RecipeBuilder& work, const Attention& attention, const Projected& projected,
                          const std::string& own_keys) {
  const Score& score = score_named(attention.score.name);
  const Position& position = position_of(attention);
  Compared compared{.queries = projected.queries,
                    .keys = projected.keys,
                    .own_keys = own_keys,
                    .sharing = query_heads_to_each_key(attention)};
  std::size_t products = 1;
  if (position.score_terms) {
    compared.terms = [&] {
      std::vector<Operand> terms = position.score_terms(work, attention, {projected.queries, projected.keys});
      if (position.scales_terms) products += terms.size();
      return terms;
    };
  }
  score.compose(work, attention.score, compared);
  const std::string scaled = record_scaled(work, attention, score, products);
  const auto* softcap = attention.option<double>("softcap");
  if (!softcap) return scaled;
  return work.step({"capped_scores", "S_c", language().steps.capped, "{} = c·tanh({0} / c)", Role::score},
                   Map{Unary::softcap, *softcap, ""}, {scaled});
}

// The given tensors of the rules of one kind, as operands.
std::vector<Operand> record_rules(RecipeBuilder& work, const std::vector<MaskRule>& rules, MaskRule::Effect effect) {
  std::vector<Operand> operands;
  for (const MaskRule& rule : rules) {
    if (rule.effect == effect) operands.emplace_back(work.given(rule.heading, rule.shape, rule.make));
  }
  return operands;
}

MaskedScores record_mask(RecipeBuilder& work, const Attention& attention, const std::string& scores) {
  const std::vector<MaskRule> rules = mask_rules(attention, work.arithmetic().dtype);
  const Position& position = position_of(attention);
  if (rules.empty() && !position.biases) return {scores, std::nullopt};

  const Shape all = work.shape(scores);
  const std::vector<Operand> closing = record_rules(work, rules, MaskRule::Effect::closes);
  std::vector<Operand> adding;
  if (position.biases) adding = position.biases(work, attention);
  for (Operand& given : record_rules(work, rules, MaskRule::Effect::adds)) adding.push_back(std::move(given));

  std::vector<Operand> operands = {scores};
  Heading masked{"masked_scores", "S″", language().steps.masked, language().steps.masked_formula.text(), Role::score};
  std::optional<Operand> open;
  if (!closing.empty()) {
    open = work.step({"mask", "M", language().steps.mask, language().steps.mask_formula.text(), Role::mask},
                     Combine{Binary::minimum, all}, closing);
  }
  if (!adding.empty()) {
    const Op op = adding.size() == 1 ? Op(Copy{all}) : Op(Combine{Binary::add, all});
    operands.emplace_back(work.step(
        {"score_bias", "B", language().steps.score_bias, "{} = " + places(0, adding.size()), Role::mask}, op, adding));
    masked.title = language().steps.masked_and_added;
    masked.formula = language().steps.masked_and_added_formula.text();
  }
  return {work.step(masked, Close{}, operands, open), open};
}

std::string record_softmax(RecipeBuilder& work, const Attention& attention, const MaskedScores& scores) {
  const SoftmaxKind& kind = softmax_of(attention);
  const Choice& choice = chosen_softmax(attention);
  give_parameters(work, "softmax", Role::softmax, kind.spec, choice);
  return kind.exponentials ? record_exponentials(work, scores, kind.exponentials(choice))
                           : kind.compose(work, choice, scores);
}

std::string record_context(RecipeBuilder& work, const Attention& attention, const std::string& weights,
                           const std::string& values, const std::optional<Operand>& open, AttentionOptions options) {
  const Heading weighted{"weighted_values", "U", language().steps.weighted_values, "u_ij = A_ij · v_j",
                         Role::weighted_value};
  const Formula a = work.symbol(weights), v = work.symbol(values);
  Heading context{"context", "C", language().steps.context,
                  work.vectors() == Vectors::rows ? "{} = " + a + "·" + v : "{} = " + v + "·" + a + "ᵀ", Role::output};
  const Position& position = position_of(attention);
  const auto record_sum = [&](const Op& op, std::vector<Operand> operands, const std::optional<Operand>& unread) {
    std::vector<Operand> terms;
    if (position.context_terms) terms = position.context_terms(work, attention, weights);
    if (!terms.empty()) {
      context.title = language().steps.and_positions(context.title);
      context.formula += " + " + places(operands.size(), terms.size());
      operands.insert(operands.end(), terms.begin(), terms.end());
    }
    return work.step(context, op, operands, unread);
  };
  const Op weigh = Combine{Binary::multiply, {}};
  const std::vector<Operand> operands = {weights, values};

  const bool shown = options.all_steps || work.shape_of(weigh, operands).count() <= most_weighted_values;
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

std::string record_output(RecipeBuilder& work, const Attention& attention, std::string result) {
  if (attention.heads) {
    result = work.step({"concat", "H", language().steps.concat, language().steps.concat_formula.text(), Role::output},
                       Merge{"head", "d_v", "d_concat"}, {result});
  }
  if (!attention.output) return result;

  std::vector<Operand> operands = {result};
  operands.emplace_back(work.given(
      {"weights.output", "W_O", language().steps.output_weights, language().steps.given.text(), Role::weight_matrix},
      attention.output->weight));
  if (attention.output->bias) {
    operands.emplace_back(work.given(
        {"biases.output", "b_O", language().steps.output_bias, language().steps.given.text(), Role::weight_matrix},
        *attention.output->bias));
  }
  return work.step({"output", "O", language().steps.output,
                    "{} = " + product(attention, attention.output->bias.has_value()), Role::output},
                   Contract{attention.heads ? "d_concat" : "d_v"}, operands);
}

// Queries, and all keys and values, with positions where these turn them.
Projected record_vectors(RecipeBuilder& work, const Inputs& inputs, const Attention& attention) {
  if (attention.positions)
    give_parameters(work, "positions", Role::weight_matrix, position_of(attention).spec, *attention.positions);
  const Projected projected = record_projections(work, inputs, attention);
  give_parameters(work, "score", Role::weight_matrix, score_named(attention.score.name).spec, attention.score);
  return record_all_keys(work, attention, projected);
}

// The whole computation, a line a part of it; returns the id of the last step.
std::string record(RecipeBuilder& work, const Inputs& inputs, const Attention& attention, AttentionOptions options) {
  const Projected own = record_vectors(work, inputs, attention);
  const Projected all = record_repeated_heads(work, attention, own);
  const std::string scores = record_scores(work, attention, all, own.keys);
  const MaskedScores masked = record_mask(work, attention, scores);
  const std::string weights = record_softmax(work, attention, masked);
  const std::string context = record_context(work, attention, weights, all.values, masked.open, options);
  return record_output(work, attention, context);
}

// The same with everything between the vectors and the context done at once.
ReadAtOnce record_at_once(RecipeBuilder& work, const Inputs& inputs, const Attention& attention) {
  const Projected all = record_vectors(work, inputs, attention);
  give_parameters(work, "softmax", Role::softmax, softmax_of(attention).spec, chosen_softmax(attention));
  ReadAtOnce read = record_context_at_once(work, attention, all);
  record_output(work, attention, read.context);
  return read;
}

std::vector<Note> notes_on_steps(const Problem& problem, const Trace& trace) {
  std::vector<Note> notes = problem.notes;
  for (Note& note : notes_on_numbers(trace)) notes.push_back(std::move(note));
  if (!trace.find("weighted_values")) {
    notes.push_back({"weighted_values", {}, "left_out", language().steps.weighted_values_left_out});
  }
  return notes;
}

// What is no mask comes first: so they are told.
std::vector<OptionSpec> all_options() {
  std::vector<OptionSpec> all = options();
  for (const Mask& mask : masks()) all.push_back(mask.spec);
  return all;
}

// What the problem asks for that no step says by itself.
std::vector<Particular> particulars_of(const Attention& attention) {
  std::vector<Particular> all;
  if (const Position& position = position_of(attention); position.words)
    all.push_back({language().steps.positions, position.words(attention), true});
  if (const SoftmaxKind& kind = softmax_of(attention); kind.words && attention.softmax)
    all.push_back({language().steps.softmax, kind.words(*attention.softmax)});
  for (const OptionSpec& spec : all_options()) {
    const auto value = attention.options.find(spec.name);
    if (value == attention.options.end() || !spec.words) continue;
    const auto [name, text] = spec.words(value->second);
    all.push_back({name, text});
  }
  return all;
}

}  // namespace

Catalog catalog() {
  Catalog all;
  for (const Score& score : scores()) all.scores.push_back(score.spec);
  for (const Position& position : positions()) all.positions.push_back(position.spec);
  for (const SoftmaxKind& kind : softmaxes()) all.softmaxes.push_back(kind.spec);
  all.options = all_options();
  return all;
}

// What a trace says beside its steps.
Trace described(const Problem& problem, const Backend& backend) {
  const Attention& attention = problem.attention();
  Trace trace;
  trace.title = problem.title;
  trace.statement = statement_digest(problem);
  trace.arithmetic = problem.arithmetic;
  trace.backend = backend.name();
  trace.batched = attention.batched;
  trace.vectors = attention.vectors;
  trace.own_queries = attention.own_queries;
  trace.past_keys = attention.past_count();
  trace.labels = {attention.query_labels, attention.key_labels};
  trace.particulars = particulars_of(attention);
  return trace;
}

Recipe attention_recipe(const Problem& problem, AttentionOptions options) {
  RecipeBuilder work(problem.arithmetic, problem.attention().vectors);
  record_attention(work, problem.inputs, problem.attention(), options);
  return work.take();
}

StepId record_attention(RecipeBuilder& work, const Inputs& inputs, const Attention& attention,
                        AttentionOptions options) {
  work.current().attention = attention_anatomy(work.current().prefix, inputs);
  return record(work, inputs, attention, options);
}

namespace {

Trace worked_out(Recipe recipe, const Problem& problem, Backend& backend,
                 std::function<void(std::string_view)> before_step) {
  Trace trace = described(problem, backend);
  ComputingPolicy policy(backend, problem.arithmetic, std::move(before_step));
  compute(std::move(recipe), policy, trace);
  trace.result = trace.steps.back().heading.id;
  trace.notes = notes_on_steps(problem, trace);
  return trace;
}

}  // namespace

Trace attention(const Problem& problem, Backend& backend, AttentionOptions options) {
  return worked_out(attention_recipe(problem, options), problem, backend, {});
}

std::optional<Trace> attention_at_once(const Problem& problem, Backend& backend) {
  if (!has_fused_form(problem.attention(), problem.arithmetic)) return std::nullopt;
  RecipeBuilder work(problem.arithmetic, problem.attention().vectors);
  AtOncePolicy policy(problem.attention(), problem.arithmetic,
                      record_at_once(work, problem.inputs, problem.attention()), backend);
  const Recipe recipe = work.take();
  const Evaluation<double> made = evaluate(recipe, policy);
  const std::size_t last = recipe.size() - 1;
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!policy.holds() || !std::ranges::all_of(made.computed[last]->data(), is_finite)) return std::nullopt;

  Trace trace = described(problem, backend);
  trace.result = recipe.instruction(last).id();
  const Heading& heading = recipe.instruction(last).heading;
  trace.steps.emplace_back(std::make_shared<const Instruction>(Instruction{.heading = heading, .op = Given{}}),
                           made.shared_result(last));
  trace.notes = problem.notes;
  trace.notes.insert(trace.notes.end(), policy.notes().begin(), policy.notes().end());
  trace.notes.push_back({trace.result, {}, "at_once", language().steps.at_once});
  return trace;
}

std::optional<std::size_t> bytes_at_once(const Problem& problem) {
  if (!has_fused_form(problem.attention(), problem.arithmetic)) return std::nullopt;
  RecipeBuilder work(problem.arithmetic, problem.attention().vectors);
  const ReadAtOnce read = record_at_once(work, problem.inputs, problem.attention());
  const Recipe recipe = work.take();
  const std::size_t bytes = recipe.bytes();
  if (bytes > std::numeric_limits<std::size_t>::max() / 4) return bytes;
  return bytes + bytes_copied_at_once(recipe, read, problem.arithmetic.dtype);
}

namespace {

std::vector<std::string> steps_of(const Recipe& recipe) {
  std::vector<std::string> ids;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& instruction = recipe.instruction(line);
    if (instruction.kind == Instruction::Kind::step) ids.push_back(instruction.id());
  }
  return ids;
}

}  // namespace

std::vector<std::string> Computation::steps() const { return steps_of(recipe_); }

std::vector<std::string> Computation::all_steps() const {
  return steps_of(attention_recipe(problem_, {.all_steps = true}));
}

void Computation::keep(const std::vector<std::string>& asked) {
  const std::vector<std::string> kept = steps();
  std::vector<std::string> missing = asked;
  std::erase_if(missing, [&](const std::string& id) { return std::ranges::find(kept, id) != kept.end(); });
  if (missing.empty()) return;
  const std::vector<std::string> all = all_steps();
  const auto is_step = [&](const std::string& id) { return std::ranges::find(all, id) != all.end(); };
  if (std::ranges::any_of(missing, is_step)) keep_all();
}

void Computation::keep_all() { recipe_ = attention_recipe(problem_, {.all_steps = true}); }

std::variant<Trace, TooLarge> Computation::run(Backend& backend, bool only_result, std::size_t most_bytes,
                                               const Watcher& watcher) {
  const auto draw_numbers = [&] {
    if (problem_.draws_many) watcher.draws();
  };
  const auto at_once = only_result ? bytes_at_once(problem_) : std::nullopt;
  if (at_once && *at_once <= most_bytes) {
    draw_numbers();
    watcher.computes_at_once();
    if (auto trace = attention_at_once(problem_, backend)) return std::move(*trace);
  }
  const std::size_t needed = recipe_.bytes();
  if (needed > most_bytes) {
    const bool less_at_once = at_once && *at_once > most_bytes && *at_once < needed;
    return TooLarge{less_at_once ? *at_once : needed, less_at_once};
  }
  draw_numbers();
  return worked_out(std::move(recipe_), problem_, backend, watcher.computes_step);
}

}  // namespace attn
