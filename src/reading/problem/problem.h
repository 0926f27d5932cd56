#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "problem/problem.h"
#include "problem/statement.h"
#include "problem/validate.h"
#include "reading/json/json.h"

namespace attn {

// Whose problem a file says that it is, by "x-for"; empty where it does not.
std::string owner_of_problem(const JsonValue& root);

// Reads and validates a problem file's text (docs/problem-format.md). All its
// faults are reported at once. Numbers that the text only describes, random
// ones, those of other files, and padding, are made or loaded only if they take
// no more than `max_bytes`.
//
// Other files are looked for in `folder` and below; without one none is read.
Result<Problem> read_problem(std::string_view text, const Catalog& catalog, std::size_t max_bytes,
                             const std::optional<std::string>& folder = std::nullopt);

// The same where somebody else knows what a reference to a file stands for, and when to read it.
Result<Problem> read_problem(std::string_view text, const Catalog& catalog, std::size_t max_bytes, TensorLoader load,
                             const LateReading& late = {});

}  // namespace attn
