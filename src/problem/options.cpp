#include "problem/options.h"

#include <algorithm>
#include <utility>

#include "problem/masks.h"

namespace attn {
namespace {

template <class T>
std::optional<OptionValue> as_value(std::optional<T> value) {
  return value ? std::optional<OptionValue>(std::move(*value)) : std::nullopt;
}

}  // namespace

std::map<std::string, OptionValue, std::less<>> fitted_options(
    std::map<std::string, Stated<RawOption>, std::less<>>& given, const std::vector<OptionSpec>& specs,
    const std::optional<SequenceSetting>& sequences, const std::optional<Shape>& scores, Budget& budget,
    Faults& faults) {
  using Kind = OptionSpec::Kind;
  std::map<std::string, OptionValue, std::less<>> fitted;
  // Masks come last: they are compared with all else.
  std::vector<const OptionSpec*> ordered;
  for (const OptionSpec& spec : specs) ordered.push_back(&spec);
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const OptionSpec* spec) { return spec->kind != Kind::masks; });
  for (const OptionSpec* one : ordered) {
    const OptionSpec& spec = *one;
    const auto stated = given.find(spec.name);
    if (stated != given.end() && stated->second.is_faulty()) continue;
    RawOption* const raw = stated == given.end() ? nullptr : &*stated->second;
    std::optional<OptionValue> value;
    if (spec.kind == Kind::per_sequence) {
      if (sequences)
        value = as_value(spec.fitted(raw ? &std::get<RawIntegers>(raw->value) : nullptr, *sequences, faults));
    } else if (raw && spec.kind == Kind::masks) {
      auto masks = mask_terms(std::move(std::get<std::vector<RawMask>>(raw->value)), scores, budget, faults);
      if (!masks.empty()) value = std::move(masks);
    } else if (raw && spec.kind == Kind::integers) {
      value = std::get<RawIntegers>(raw->value).values;
    } else if (raw && spec.kind == Kind::number) {
      value = std::get<double>(raw->value);
    } else if (raw && std::get<bool>(raw->value)) {
      value = true;
    }
    if (value) fitted.emplace(spec.name, std::move(*value));
  }
  return fitted;
}

}  // namespace attn
