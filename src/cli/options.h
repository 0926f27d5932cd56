#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "tensor/dtype.h"
#include "trace/step_name.h"

// What stands behind an option, as it was typed, and what it means. Where it
// means nothing, a Refusal says what the option takes.

namespace attn {

// What the rows of a table are called.
template <class Rows, class Name>
std::vector<std::string> names_of(const Rows& rows, Name name) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(std::invoke(name, row));
  return names;
}
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  return names_of(rows, [](const auto& row) { return row.name; });
}

// What there is nothing of under that name: "no mistake is called `x`; did you mean `y`?".
Refusal unknown(std::string_view said, std::string_view typed, std::span<const std::string> known, Help help);

// The id of the step that somebody means by an id or a symbol; what was typed where nothing is
// called so.
std::string step_id(const std::string& typed, std::span<const StepName> names);

// The ids of the steps that somebody means by an id, a symbol, or a pattern of either: what is
// called so, else what is like it. A Refusal says what there is instead, where nothing is.
std::vector<std::string> step_ids(const std::string& typed, std::span<const StepName> names, std::string_view said);

// Refuses an empty word among those of a command line, and an option that ends in "=":
// nothing takes an empty value.
void refuse_empty(std::span<const std::string> words);

// Which of these an option is.
std::size_t choice(const std::string& option, std::string_view typed, const std::vector<std::string>& known);

// The dtype that an option names, by our name or a framework's.
Dtype dtype_of(const std::string& option, const std::string& typed);

// A whole number within these bounds. `kind` says of what: "number of threads".
std::size_t whole_number(std::string_view option, std::string_view typed, std::string_view kind, std::size_t least,
                         std::optional<std::size_t> most = std::nullopt);

// How far apart numbers may be. `example` is one; nothing typed is 0.
double tolerance(std::string_view option, std::string_view typed, std::string_view example);

}  // namespace attn
