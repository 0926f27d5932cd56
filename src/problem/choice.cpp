#include "problem/choice.h"

#include <algorithm>

namespace attn {

const ChoiceSpec* find(const std::vector<ChoiceSpec>& specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &ChoiceSpec::name);
  return found == specs.end() ? nullptr : &*found;
}

const OptionSpec* find(const std::vector<OptionSpec>& specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &OptionSpec::name);
  return found == specs.end() ? nullptr : &*found;
}

}  // namespace attn
