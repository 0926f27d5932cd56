#include "model/computation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "model/at_once.h"
#include "model/chosen.h"
#include "model/notes.h"
#include "problem/digest.h"
#include "trace/compute.h"
#include "words/language.h"

namespace attn {
namespace {

// What the problem asks for that no step says by itself.
std::vector<Particular> particulars_of(const Attention& attention) {
  const Chosen chosen(attention);
  std::vector<Particular> all;
  if (chosen.position.words) all.push_back({language().steps.positions, chosen.position.words(attention), true});
  if (attention.softmax && chosen.softmax.words) {
    all.push_back({language().steps.softmax, chosen.softmax.words(*attention.softmax)});
  }
  for (const OptionSpec& spec : catalog().options) {
    const auto value = attention.options.find(spec.name);
    if (value == attention.options.end() || !spec.words) continue;
    const auto [name, text] = spec.words(value->second);
    all.push_back({name, text});
  }
  return all;
}

// Every attention of a problem, with those of a memory that is a problem of its own.
std::vector<const Attention*> attentions_of(const Problem& problem) {
  if (!problem.block) return {&problem.attention()};
  std::vector<const Attention*> all;
  if (problem.block->encoder) all = attentions_of(*problem.block->encoder);
  for (const Layer& layer : problem.block->layers) {
    for (const auto& sublayer : {layer.self, layer.cross}) {
      if (sublayer) all.push_back(&problem.sublayers[*sublayer]);
    }
  }
  return all;
}

// The same of all of them: only what holds for each.
std::vector<Particular> particulars_of(const Problem& problem) {
  const std::vector<const Attention*> attentions = attentions_of(problem);
  if (attentions.empty()) return {};
  std::vector<Particular> all = particulars_of(*attentions.front());
  for (const Attention* other : attentions) {
    const std::vector<Particular> its = particulars_of(*other);
    std::erase_if(all, [&](const Particular& one) {
      return std::ranges::none_of(
          its, [&](const Particular& same) { return same.what == one.what && same.words == one.words; });
    });
  }
  return all;
}

// What a trace says beside its steps.
Trace described(const Problem& problem, const Backend& backend, bool with_statement = true) {
  const Attention& attention = problem.attention();
  Trace trace;
  trace.title = problem.title;
  trace.remarks = problem.remarks;
  if (with_statement) trace.statement = statement_digest(problem);
  trace.arithmetic = problem.arithmetic;
  trace.backend = backend.name();
  trace.batched = attention.batched;
  trace.own_queries = attention.own_queries;
  trace.past_keys = attention.past_count();
  trace.digits = problem.digits;
  trace.labels = {attention.query_labels, attention.key_labels, {}};
  if (problem.block) trace.labels.vocabulary = problem.block->vocabulary;
  trace.particulars = particulars_of(problem);
  if (problem.keys_a_block) {
    trace.particulars.push_back({language().steps.softmax, language().online.softmax(*problem.keys_a_block)});
  }
  trace.notes = problem.notes;
  return trace;
}

// What a trace is to have.
struct Wishes {
  bool weighted_values = true, statement = true, bounds = false;
  std::vector<std::size_t> kept = {};  // lines; empty: all
};

ComputingPolicy policy_for(const Recipe& recipe, const Problem& problem, Backend& backend,
                           std::function<void(std::string_view)> before_step, const Wishes& wishes) {
  ComputingPolicy policy(backend, problem.arithmetic, std::move(before_step));
  if (!wishes.kept.empty()) policy.keep_only(recipe, wishes.kept);
  return policy;
}

// Without notes on its numbers.
Trace worked_out(Recipe recipe, const Problem& problem, Backend& backend,
                 std::function<void(std::string_view)> before_step, const Wishes& wishes) {
  Trace trace = described(problem, backend, wishes.statement);
  ComputingPolicy policy = policy_for(recipe, problem, backend, std::move(before_step), wishes);
  compute(std::move(recipe), policy, trace, wishes.bounds);
  trace.result = trace.steps.back().heading.id;
  return trace;
}

Trace noted(Trace trace, const Problem& problem, const Wishes& wishes) {
  std::ranges::move(notes_on_numbers(trace), std::back_inserter(trace.notes));
  for (const RecipePart& part : trace.recipe.parts()) {
    if (!wishes.weighted_values || !wishes.kept.empty() || !part.attention ||
        trace.find(part.attention->weighted_values))
      continue;
    if (problem.keys_a_block) continue;  // which has none
    const StepId& id = part.attention->weighted_values;
    trace.notes.push_back({id, {}, "left_out", language().steps.weighted_values_left_out});
  }
  return trace;
}

// Whether a result alone may come of sums in any order, step by step: for it there is no fused form.
bool adds_in_any_order(const Problem& problem) { return problem.block && !rounds_each_step(problem.arithmetic); }

}  // namespace

Trace attention(const Problem& problem, Backend& backend, AttentionOptions options) {
  const Wishes wishes;
  return noted(worked_out(recipe_of(problem, options), problem, backend, {}, wishes), problem, wishes);
}

std::optional<Trace> attention_at_once(const Problem& problem, Backend& backend) {
  if (!has_fused_form(problem, backend)) return std::nullopt;
  auto [recipe, read] = recipe_at_once(problem);
  AtOncePolicy policy(problem.attention(), problem.arithmetic, read, backend);
  const Evaluation<double> made = evaluate(recipe, policy);
  const std::size_t last = recipe.size() - 1;
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!policy.holds() || !std::ranges::all_of(made.computed[last]->data(), is_finite)) return std::nullopt;

  Trace trace = described(problem, backend);
  const Heading& heading = recipe.instruction(last).heading;
  trace.result = heading.id;
  trace.steps.emplace_back(std::make_shared<const Instruction>(Instruction{.heading = heading, .op = Given{}}),
                           made.shared_result(last));
  trace.notes.insert(trace.notes.end(), policy.notes().begin(), policy.notes().end());
  trace.notes.push_back({trace.result, {}, "at_once", language().steps.at_once});
  if (rounds_once_a_step(problem.arithmetic.dtype)) trace.notes.back().message += language().steps.at_once_in_16_bits;
  return trace;
}

std::optional<std::size_t> bytes_at_once(const Problem& problem, const Backend& backend) {
  if (!has_fused_form(problem, backend)) return std::nullopt;
  const auto [recipe, read] = recipe_at_once(problem);
  const std::size_t bytes = recipe.bytes();
  if (bytes > std::numeric_limits<std::size_t>::max() / 4) return bytes;
  return bytes + bytes_copied_at_once(recipe, read, problem.arithmetic.dtype);
}

void Computation::keep(const std::vector<std::string>& asked) {
  const auto shows = [](const Recipe& recipe, const std::string& id) {
    const Instruction* found = recipe.find(id);
    return found && found->kind == Instruction::Kind::step;
  };
  const auto is_missing = [&](const std::string& id) { return !shows(recipe_, id); };
  if (std::ranges::none_of(asked, is_missing)) return;
  Recipe all = whole();
  const auto is_left_out = [&](const std::string& id) { return is_missing(id) && shows(all, id); };
  if (std::ranges::any_of(asked, is_left_out)) recipe_ = std::move(all);
}

void Computation::keep_only(const std::vector<std::string>& steps) {
  std::vector<bool> kept(recipe_.size());
  const auto keep = [&](std::size_t line) { kept[line] = recipe_.instruction(line).kind == Instruction::Kind::step; };
  for (const std::string& id : steps) {
    const auto line = recipe_.line(id == "result" ? recipe_.steps().back() : id);
    if (!line) continue;
    keep(*line);
    for (const std::size_t operand : recipe_.operands(*line)) keep(operand);
    if (const auto open = recipe_.open(*line)) keep(*open);
  }
  // What is worked out in any case is noted as if all were kept.
  const std::vector<bool> needed = needed_for(recipe_, kept);
  for (const StepId& id : read_by_notes(recipe_)) {
    if (const std::size_t line = *recipe_.line(id); needed[line]) keep(line);
  }
  kept_.clear();
  for (std::size_t line = 0; line < kept.size(); ++line) {
    if (kept[line]) kept_.push_back(line);
  }
}

void Computation::leave_out_weighted_values() {
  if (rounds_each_step(problem_.arithmetic)) return;
  recipe_ = recipe_of(problem_, {.no_weighted_values = true});
  wants_weighted_values_ = false;
}

std::variant<Trace, TooLarge> Computation::run(Backend& backend, bool only_result, std::size_t most_bytes,
                                               const Watcher& watcher) {
  const auto draw_numbers = [&] {
    if (problem_.draws_many) watcher.draws();
  };
  std::optional<std::size_t> at_once;
  if (only_result) at_once = bytes_at_once(problem_, backend);
  if (at_once && *at_once <= most_bytes) {
    draw_numbers();
    watcher.computes_at_once();
    if (auto trace = attention_at_once(problem_, backend)) return std::move(*trace);
  }
  Backend* const others = only_result && adds_in_any_order(problem_) ? &backend.in_any_order() : &backend;
  if (others != &backend && kept_.empty()) keep_only({"result"});
  const Wishes wishes{wants_weighted_values_, wants_statement_, wants_bounds_, kept_};
  std::size_t needed = bytes_held(recipe_, policy_for(recipe_, problem_, backend, {}, wishes));
  constexpr std::size_t with_bounds = 5;  // a number, an interval, and two bounds
  if (wants_bounds_) needed = std::max(needed, needed * with_bounds);
  if (needed > most_bytes) {
    const bool less_at_once = at_once && *at_once > most_bytes && *at_once < needed;
    return TooLarge{less_at_once ? *at_once : needed, less_at_once};
  }
  draw_numbers();
  Trace trace = worked_out(std::move(recipe_), problem_, *others, watcher.computes_step, wishes);
  // How many rows are closed is known only now.
  if (const std::size_t notes = bytes_of_notes(trace); notes > most_bytes - needed) return TooLarge{needed + notes};
  trace = noted(std::move(trace), problem_, wishes);
  if (others != &backend) trace.notes.push_back({trace.result, {}, "at_once", language().steps.at_once});
  return trace;
}

}  // namespace attn
