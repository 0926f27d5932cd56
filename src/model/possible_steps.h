#pragma once

#include <vector>

#include "trace/anatomy.h"

namespace attn {

// The id of every step that a problem file can ask for, in the order in which
// traces have them: read off the recipes of small problems that between them ask
// for everything there is, so that a new score or position is among them.
// Worked out when first asked for.
const std::vector<StepId>& possible_steps();

}  // namespace attn
