#include "cli/picked.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/options.h"
#include "problem/faults.h"

namespace attn {
namespace {

// The parts that a block's prefix names: "layer1.self", or all of "layer1".
std::vector<std::size_t> parts_called(const std::string& prefix, const Recipe& recipe) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < recipe.parts().size(); ++i) {
    const std::string& own = recipe.parts()[i].prefix;
    if (!own.empty() && (own == prefix || own.starts_with(prefix + "."))) found.push_back(i);
  }
  return found;
}

// What can be named so, each once.
std::vector<std::string> names_of_parts(const Recipe& recipe) {
  std::vector<std::string> names;
  for (const RecipePart& part : recipe.parts()) {
    if (!part.prefix.empty()) names.push_back(part.prefix);
  }
  return names;
}

// The size of the axis in that of these steps that has the most; 0 where none has it.
std::size_t most_along(const Axis& axis, const Recipe& recipe, const std::vector<std::size_t>& parts,
                       const std::vector<std::string>& only) {
  std::size_t most = 0;
  const auto look_at = [&](std::size_t line) {
    if (recipe.shape(line).has(axis)) most = std::max(most, recipe.shape(line).size(axis));
  };
  for (const std::string& id : only) {
    if (const auto line = recipe.line(id)) look_at(*line);
  }
  for (std::size_t line = 0; only.empty() && line < recipe.size(); ++line) {
    if (parts.empty() || std::ranges::count(parts, recipe.instruction(line).part) > 0) look_at(line);
  }
  return most;
}

}  // namespace

std::optional<std::size_t> picked_index(const std::string& option, const std::string& typed, std::size_t count,
                                        const std::string& what) {
  if (typed.empty()) return std::nullopt;
  if (count == 0) {
    throw Refusal("`" + option + "` picks one of the " + what + ", and what is asked for has none",
                  "leave " + option + " out")
        .at({option});
  }
  std::size_t index = 0;
  if (parse_natural(typed, index) && index >= 1 && index <= count) return index;
  throw Refusal("`" + option + " " + shown(typed) + "` picks none of the problem's " + what,
                option + (count == 1 ? " can be 1 only" : fmt::format(" goes from 1 to {}", count)))
      .at({option, typed});
}

std::vector<std::size_t> picked_parts(const std::string& part, const std::string& layer, const Recipe& recipe) {
  if (part.empty() && layer.empty()) return {};
  const bool by_layer = !layer.empty();
  const std::string option = by_layer ? "--layer" : "--part";
  const std::string& typed = by_layer ? layer : part;
  if (by_layer && !part.empty()) {
    throw Refusal("--part and --layer both say which part", "give the one or the other: --part layer2.self")
        .at({"--layer"});
  }
  const std::vector<std::string> names = names_of_parts(recipe);
  if (names.empty()) {
    throw Refusal("`" + option + "` picks a part of a block, and none has a step", "leave " + option + " out")
        .at({option});
  }
  std::size_t number = 0;
  const bool is_number = parse_natural(typed, number);
  std::vector<std::size_t> found = parts_called(!by_layer   ? typed
                                                : is_number ? "layer" + std::to_string(number)
                                                            : "",
                                                recipe);
  if (!found.empty()) return found;
  std::size_t layers = 0;
  while (!parts_called("layer" + std::to_string(layers + 1), recipe).empty()) ++layers;
  const auto near = by_layer ? std::nullopt : closest(typed, names);
  throw Refusal("`" + option + " " + shown(typed) + "` picks no part of the block",
                by_layer ? fmt::format("layers count from 1 to {}", layers)
                : near   ? "did you mean " + *near + "?"
                         : "there are " + listed(names))
      .at({option, typed});
}

std::vector<std::string> picked_steps(const std::vector<std::string>& asked, Computation& computation) {
  // The result needs no other name looked at, of which there may be very many.
  const bool only_result = std::ranges::all_of(asked, [](const std::string& typed) { return typed == "result"; });
  if (only_result) return std::vector<std::string>(asked.size(), computation.steps().back());
  std::vector<std::string> only;
  const std::vector<StepName> all = step_names(computation.whole());
  const std::vector<StepName> told = step_names(computation.recipe());  // without those left out for their size
  for (const std::string& typed : asked) {
    if (typed == "result") {
      only.push_back(all.back().id);
      continue;
    }
    const bool is_like_some = is_step_pattern(typed) && !steps_like(typed, told).empty();
    std::ranges::copy(step_ids(typed, is_like_some ? told : all, "this problem has no step"), std::back_inserter(only));
  }
  computation.keep(only);
  return only;
}

std::size_t queries_told(const Recipe& recipe, const std::vector<std::size_t>& parts,
                         const std::vector<std::string>& only) {
  return most_along("query", recipe, parts, only);
}

std::size_t heads_told(const Recipe& recipe, const std::vector<std::size_t>& parts,
                       const std::vector<std::string>& only) {
  const std::size_t most = most_along("head", recipe, parts, only);
  return most == 0 && most_along("head", recipe, {}, {}) == 0 ? 1 : most;
}

}  // namespace attn
