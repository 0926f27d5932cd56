#include "model/possible_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/attention.h"
#include "problem/problem.h"

namespace attn {
namespace {

constexpr std::size_t tried_width = 2, model_width = 4, tried_rows = 3;

// A shape of problem that the choices are tried in.
struct Layout {
  std::size_t heads = 0, kv_heads = heads;  // 0: no head axis
  bool split_inputs = false;
  bool direct = false;  // queries, keys and values are given
  bool cross = false;
  std::size_t key_model_width = model_width;  // of the inputs that keys and values are made from

  std::size_t keys() const { return cross ? tried_rows + 1 : tried_rows; }
  std::size_t all_heads(std::size_t of_one) const { return std::max<std::size_t>(heads, 1) * of_one; }
};

const Layout layouts[] = {
    {.heads = 2},
    {},
    {.heads = 2, .kv_heads = 1},
    {.heads = 2, .split_inputs = true},
    {.heads = 2, .cross = true},
    {.heads = 2, .cross = true, .key_model_width = 6},
    {.direct = true},
};

// Recipes look at shapes alone: these numbers are never made.
Source shaped(Shape shape) {
  return {shape, [count = shape.count()] { return std::vector<double>(count); }};
}

Projection projection(const Layout& layout, const Axis& made, std::size_t heads, std::size_t in) {
  const Dim out =
      layout.heads == 0 || layout.split_inputs ? Dim{made, tried_width} : Dim{"d_concat", heads * tried_width};
  const Dim from = layout.split_inputs ? Dim{"d_head", in / heads} : Dim{"d_model", in};
  return {shaped({from, out}), shaped({out})};
}

void give_inputs(Problem& problem, const Layout& layout) {
  if (!layout.cross) {
    problem.inputs.self = shaped({{"token", tried_rows}, {"d_model", model_width}});
    return;
  }
  problem.inputs.query = shaped({{"query", tried_rows}, {"d_model", model_width}});
  problem.inputs.key = shaped({{"key", layout.keys()}, {"d_model", layout.key_model_width}});
  problem.inputs.value = problem.inputs.key;
}

KeysAndValues keys_and_values(std::size_t count) {
  return {shaped({{"key", count}, {"d_k", tried_width}}), shaped({{"key", count}, {"d_v", tried_width}})};
}

Problem sample(const Layout& layout) {
  Problem problem;
  Attention& attention = problem.attention();
  if (layout.heads != 0) attention.heads = layout.heads;
  if (layout.kv_heads != layout.heads) attention.kv_heads = layout.kv_heads;
  attention.split_input = layout.split_inputs;
  attention.query_count = tried_rows;
  attention.key_count = layout.keys();
  attention.key_width = attention.value_width = tried_width;
  if (layout.direct) {
    attention.queries = shaped({{"query", tried_rows}, {"d_k", tried_width}});
    attention.keys = keys_and_values(tried_rows).keys;
    attention.values = keys_and_values(tried_rows).values;
  } else {
    give_inputs(problem, layout);
    attention.query = projection(layout, "d_k", layout.heads, model_width);
    attention.key = projection(layout, "d_k", layout.kv_heads, layout.key_model_width);
    attention.value = projection(layout, "d_v", layout.kv_heads, layout.key_model_width);
  }
  const Axis made = layout.heads == 0 ? "d_v" : "d_concat";
  attention.output = Projection{shaped({{made, layout.all_heads(tried_width)}, {"d_out", tried_width}}), {}};
  attention.score = {.name = catalog().scores.front().name};
  return problem;
}

std::size_t size_of(const Axis& axis, const Layout& layout, std::size_t own) {
  if (axis == "d_q" || axis == "d_k" || axis == "d_v") return tried_width;
  if (axis == "d_pair") return 2 * tried_width;
  if (axis == "d_model") return model_width;
  if (axis == "head") return layout.heads;
  if (axis == "d_concat") return layout.all_heads(tried_width);
  return own;
}

// The choice with every parameter that it can have, axes of its own of that size.
Choice with_all_parameters(const ChoiceSpec& spec, const Layout& layout, std::size_t own) {
  Choice choice{.name = spec.name};
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.axes.empty()) {
      choice.numbers[parameter.name] = parameter.fallback.value_or(2);
      continue;
    }
    Shape shape;
    for (const Axis& axis : parameter.axes) {
      const std::size_t size = size_of(axis, layout, own);
      if (size != 0) shape.append({axis == "d_concat" && layout.heads == 0 ? "d_k" : axis, size});
    }
    choice.tensors.emplace(parameter.name, shaped(shape));
  }
  return choice;
}

// The same, of a size that the choice accepts; nothing where no problem like this can make it.
std::optional<Choice> chosen(const ChoiceSpec& spec, const Layout& layout) {
  const ChoiceSetting setting{.query_width = tried_width,
                              .key_width = tried_width,
                              .value_width = tried_width,
                              .model_width = model_width,
                              .heads = layout.heads == 0 ? std::nullopt : std::optional(layout.heads),
                              .from_inputs = !layout.direct,
                              .one_model_width = layout.key_model_width == model_width,
                              .longest = tried_rows + 1};
  for (const std::size_t own : {5, 6}) {
    Choice choice = with_all_parameters(spec, layout, own);
    if (!spec.misfit || !spec.misfit(choice, setting)) return choice;
  }
  return std::nullopt;
}

// Everything that can be said beside the choices.
void say_all(Problem& problem, const Layout& layout) {
  Attention& attention = problem.attention();
  attention.options["softcap"] = 2.0;
  attention.options["causal"] = true;
  if (layout.direct) {
    attention.past = attention.appended = keys_and_values(1);
    attention.key_count += 1;
  } else {
    const Source added = shaped({{"query", tried_rows}, {"key", layout.keys()}});
    attention.options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::add, added}};
  }
}

// Puts those that are new where they stand among those that are known.
void add_steps(const Problem& problem, std::vector<StepId>& all, AttentionOptions options = {.all_steps = true}) {
  auto place = all.begin();
  for (const StepId& id : recipe_of(problem, options).steps()) {
    const auto known = std::ranges::find(all, id);
    place = (known != all.end() ? known : all.insert(place, id)) + 1;
  }
}

std::vector<StepId> read_off_recipes() {
  const Catalog known = catalog();
  std::vector<StepId> all;
  for (const Layout& layout : layouts) {
    const Problem plain = sample(layout);
    add_steps(plain, all);
    Problem full = plain;
    say_all(full, layout);
    add_steps(full, all);
    add_steps(full, all, {.keys_a_block = 1});
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

}  // namespace

const std::vector<StepId>& possible_steps() {
  static const std::vector<StepId> all = read_off_recipes();
  return all;
}

}  // namespace attn
