#include "model/possible_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/attention.h"
#include "problem/problem.h"

namespace attn {
namespace {

constexpr std::size_t heads = 2, kv_heads = 1, width = 2, model_width = 4, other_width = 6, rows = 3;

// Recipes look at shapes alone: these numbers are never made.
Source shaped(Shape shape) {
  return {shape, [count = shape.count()] { return std::vector<double>(count); }};
}

// Which shape of problem the choices are tried in; cross_of_widths: queries are made from other widths than keys.
enum class Layout { one_head, several_heads, shared_heads, split_inputs, cross, cross_of_widths, direct };

std::size_t heads_of(Layout layout) { return layout == Layout::one_head || layout == Layout::direct ? 0 : heads; }

bool is_cross(Layout layout) { return layout == Layout::cross || layout == Layout::cross_of_widths; }

// The width of the inputs that keys and values are made from.
std::size_t key_model_width(Layout layout) { return layout == Layout::cross_of_widths ? other_width : model_width; }

Projection projection(Layout layout, const Axis& made, bool of_keys) {
  if (layout == Layout::split_inputs) {
    return {shaped({{"d_head", model_width / heads}, {made, width}}), shaped({{made, width}})};
  }
  if (heads_of(layout) == 0) return {shaped({{"d_model", model_width}, {made, width}}), shaped({{made, width}})};
  const std::size_t count = layout == Layout::shared_heads && of_keys ? kv_heads : heads;
  const std::size_t in = of_keys ? key_model_width(layout) : model_width;
  return {shaped({{"d_model", in}, {"d_concat", count * width}}), shaped({{"d_concat", count * width}})};
}

void give_inputs(Problem& problem, Layout layout) {
  if (layout == Layout::direct) return;
  if (!is_cross(layout)) {
    problem.inputs.self = shaped({{"token", rows}, {"d_model", model_width}});
    return;
  }
  problem.inputs.query = shaped({{"query", rows}, {"d_model", model_width}});
  problem.inputs.key = shaped({{"key", rows + 1}, {"d_model", key_model_width(layout)}});
  problem.inputs.value = shaped({{"key", rows + 1}, {"d_model", key_model_width(layout)}});
}

Problem sample(Layout layout) {
  Problem problem;
  give_inputs(problem, layout);
  Attention& attention = problem.attention();
  if (heads_of(layout) != 0) attention.heads = heads;
  if (layout == Layout::shared_heads) attention.kv_heads = kv_heads;
  attention.split_input = layout == Layout::split_inputs;
  attention.query_count = rows;
  attention.key_count = is_cross(layout) ? rows + 1 : rows;
  attention.query_width = attention.key_width = attention.value_width = width;
  if (layout == Layout::direct) {
    attention.queries = shaped({{"query", rows}, {"d_k", width}});
    attention.keys = shaped({{"key", rows}, {"d_k", width}});
    attention.values = shaped({{"key", rows}, {"d_v", width}});
  } else {
    attention.query = projection(layout, "d_k", false);
    attention.key = projection(layout, "d_k", true);
    attention.value = projection(layout, "d_v", true);
  }
  const std::size_t out = std::max<std::size_t>(heads_of(layout), 1) * width;
  attention.output = Projection{shaped({{heads_of(layout) != 0 ? "d_concat" : "d_v", out}, {"d_out", width}}), {}};
  attention.score = {.name = catalog().scores.front().name};
  return problem;
}

std::size_t size_of(const Axis& axis, Layout layout, std::size_t own) {
  if (axis == "d_q" || axis == "d_k" || axis == "d_v") return width;
  if (axis == "d_pair") return 2 * width;
  if (axis == "d_model") return model_width;
  if (axis == "head") return heads;
  if (axis == "d_concat") return std::max<std::size_t>(heads_of(layout), 1) * width;
  return own;
}

// The choice with every parameter that it can have, axes of its own of that size.
Choice with_all_parameters(const ChoiceSpec& spec, Layout layout, std::size_t own) {
  Choice choice{.name = spec.name};
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.axes.empty()) {
      choice.numbers[parameter.name] = parameter.fallback.value_or(2);
      continue;
    }
    Shape shape;
    for (const Axis& axis : parameter.axes) {
      const bool has_heads = heads_of(layout) != 0;
      if (axis == "head" && !has_heads) continue;
      shape.append({axis == "d_concat" && !has_heads ? "d_k" : axis, size_of(axis, layout, own)});
    }
    choice.tensors.emplace(parameter.name, shaped(shape));
  }
  return choice;
}

// The same, of a size that the choice accepts; nothing where no problem like this can make it.
std::optional<Choice> chosen(const ChoiceSpec& spec, Layout layout) {
  const ChoiceSetting setting{.query_width = width,
                              .key_width = width,
                              .value_width = width,
                              .model_width = model_width,
                              .heads = heads_of(layout) == 0 ? std::nullopt : std::optional(heads),
                              .from_inputs = layout != Layout::direct,
                              .one_model_width = key_model_width(layout) == model_width,
                              .longest = rows + 1};
  for (const std::size_t own : {5, 6}) {
    Choice choice = with_all_parameters(spec, layout, own);
    if (!spec.misfit || !spec.misfit(choice, setting)) return choice;
  }
  return std::nullopt;
}

// Everything that can be said beside the choices.
void say_all(Problem& problem, Layout layout) {
  Attention& attention = problem.attention();
  const std::size_t keys = attention.key_count;
  attention.options["softcap"] = 2.0;
  attention.options["causal"] = true;
  attention.options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::add, shaped({{"query", rows}, {"key", keys}})}};
  if (layout == Layout::direct) {
    const auto more = [] {
      return KeysAndValues{shaped({{"key", 1}, {"d_k", width}}), shaped({{"key", 1}, {"d_v", width}})};
    };
    attention.past = more();
    attention.appended = more();
    attention.key_count += 1;
    attention.options.erase("mask");
  }
}

// Puts those that are new where they stand among those that are known.
void add_steps(const Problem& problem, std::vector<StepId>& all) {
  const Recipe recipe = attention_recipe(problem, {.all_steps = true});
  auto place = all.begin();
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    if (recipe.instruction(line).kind != Instruction::Kind::step) continue;
    const StepId& id = recipe.instruction(line).id();
    const auto known = std::ranges::find(all, id);
    place = (known != all.end() ? known : all.insert(place, id)) + 1;
  }
}

}  // namespace

std::vector<StepId> possible_steps() {
  const Catalog known = catalog();
  std::vector<StepId> all;
  for (const Layout layout : {Layout::several_heads, Layout::one_head, Layout::shared_heads, Layout::split_inputs,
                              Layout::cross, Layout::cross_of_widths, Layout::direct}) {
    const Problem plain = sample(layout);
    add_steps(plain, all);
    Problem full = plain;
    say_all(full, layout);
    add_steps(full, all);
    const auto add_each = [&](const std::vector<ChoiceSpec>& specs, const Problem& in, auto choose) {
      for (const ChoiceSpec& spec : specs) {
        const auto choice = chosen(spec, layout);
        if (!choice) continue;
        Problem problem = in;
        choose(problem.attention(), *choice);
        add_steps(problem, all);
      }
    };
    add_each(known.scores, full, [](Attention& attention, const Choice& choice) { attention.score = choice; });
    add_each(known.positions, plain, [](Attention& attention, const Choice& choice) { attention.positions = choice; });
    add_each(known.softmaxes, plain, [](Attention& attention, const Choice& choice) { attention.softmax = choice; });
  }
  return all;
}

}  // namespace attn
