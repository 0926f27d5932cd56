#include "cli/options.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "problem/faults.h"
#include "reading/names/step_names.h"

namespace attn {

Refusal unknown(std::string_view said, std::string_view typed, std::span<const std::string> known, Help help) {
  return Refusal(fmt::format("{} `{}`{}", said, shown(typed), did_you_mean(typed, known)), std::move(help))
      .at({.value = typed});
}

void refuse_empty(std::span<const std::string> words) {
  const auto is_option = [](std::string_view word) { return word.size() > 1 && word[0] == '-'; };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool ends_in_nothing = is_option(word) && word.ends_with('=');
    const bool is_blank = word.find_first_not_of(' ') == std::string::npos;
    if (!is_blank && !ends_in_nothing) continue;
    const bool is_value = is_blank && i > 0 && is_option(words[i - 1]);
    const std::string before = ends_in_nothing ? word.substr(0, word.size() - 1) : is_value ? words[i - 1] : "";
    throw Refusal(before.empty() ? "an argument is empty" : "what stands behind `" + before + "` is empty",
                  "write a value, or leave it out")
        .at(before.empty() ? Typed{.value = word} : Typed{.option = before});
  }
}

std::string step_id(const std::string& typed, std::span<const StepName> names) {
  const std::vector<std::string> called = steps_called(typed, names);
  if (called.size() > 1) {
    throw Refusal(fmt::format("`{}` is the symbol of several steps: {}", shown(typed), listed(called)),
                  "write the id of one")
        .at({.value = typed});
  }
  return called.empty() ? typed : called.front();
}

std::vector<std::string> step_ids(const std::string& typed, std::span<const StepName> names, std::string_view said) {
  const std::vector<std::string> known = names_of(names, &StepName::id);
  const std::string id = step_id(typed, names);
  if (std::ranges::find(known, id) != known.end()) return {id};
  if (is_step_pattern(typed)) {
    if (std::vector<std::string> ids = steps_like(typed, names); !ids.empty()) return ids;
  }
  const auto ends_so = [&](const std::string& one) { return one.ends_with("." + typed); };
  if (const auto one = std::ranges::find_if(known, ends_so); one != known.end()) {
    throw Refusal(fmt::format("{} `{}`: each part of the block has its own", said, shown(typed)),
                  fmt::format("*.{} names all of them, {} one", printable(typed), *one))
        .at({"--only", typed});
  }
  std::string letters = typed;
  std::erase_if(letters, [](char c) { return c == '*' || c == '?'; });
  const std::optional<std::string> alias = alias_of_step(letters);
  const bool is_alias = alias && std::ranges::find(known, *alias) != known.end();
  throw Refusal(fmt::format("{} `{}`{}", said, shown(typed), did_you_mean(is_alias ? *alias : letters, known)),
                "the steps are " + listed(known))
      .at({"--only", typed});
}

std::size_t choice(const std::string& option, std::string_view typed, const std::vector<std::string>& known) {
  const auto found = std::ranges::find(known, typed);
  if (found == known.end())
    throw unknown(option + " cannot be", typed, known, option + " takes " + listed(known)).at({option, typed});
  return static_cast<std::size_t>(found - known.begin());
}

Dtype dtype_of(const std::string& option, const std::string& typed) {
  if (const auto dtype = dtype_called(typed)) return *dtype;
  std::vector<std::string> known(dtype_names.begin(), dtype_names.end());
  for (const DtypeAlias& alias : dtype_aliases) known.emplace_back(alias.name);
  throw unknown("no dtype is called", typed, known,
                option + " takes f64, f32, bf16 or f16, or what frameworks call them: float32, half, …")
      .at({option, typed});
}

std::size_t whole_number(std::string_view option, std::string_view typed, std::string_view kind, std::size_t least,
                         std::optional<std::size_t> most) {
  std::size_t number = 0;
  if (parse_natural(typed, number) && number >= least && number <= most.value_or(number)) return number;
  throw Refusal(
      fmt::format("`{}` is no {}", shown(typed), kind),
      fmt::format("{} takes a whole number from {}", option, least) + (most ? fmt::format(" to {}", *most) : ""))
      .at({option, typed});
}

double tolerance(std::string_view option, std::string_view typed, std::string_view example) {
  double value = 0;
  if (typed.empty() || (parse_number(typed, value) && value >= 0)) return value;
  throw Refusal(fmt::format("`{}` is no tolerance", shown(typed)),
                fmt::format("{} takes a number from 0, such as {}", option, example))
      .at({option, typed});
}

}  // namespace attn
