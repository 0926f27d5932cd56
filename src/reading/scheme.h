#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "mark/scheme.h"
#include "reading/names/step_names.h"

namespace attn {

// Reads a scheme of points (docs/grading.md). All its faults are reported at once, each
// with its place in the text. `steps` are the ids that it may give points for: those of
// the problems at hand; `known` says what else they are called.
Result<Scheme> read_scheme(std::string_view text, const KnownSteps& known, std::span<const std::string> steps);

}  // namespace attn
