#include "exports/xlsx/options.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace attn {

std::string defined_name(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return !is_ascii_alnum(c); }, '_');
  return text;
}

std::string SheetOptions::name_of(const std::string& prefix, SheetOption wanted) {
  const std::string plain = defined_name(wanted.name);
  const std::string with_prefix = prefix.empty() ? plain : defined_name(prefix) + "_" + plain;
  for (std::size_t attempt = 0;; ++attempt) {
    const std::string name = attempt == 0   ? plain
                             : attempt == 1 ? with_prefix
                                            : with_prefix + "_" + std::to_string(attempt);
    if (kept_free_.contains(name)) continue;
    const auto taken = std::ranges::find(all_, name, &SheetOption::name);
    if (taken == all_.end()) {
      wanted.name = name;
      all_.push_back(std::move(wanted));
      return name;
    }
    if (taken->value == wanted.value && taken->formula == wanted.formula) return name;
  }
}

}  // namespace attn
