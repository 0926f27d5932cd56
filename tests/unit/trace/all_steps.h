#pragma once

#include <vector>

#include "model/possible_steps.h"

namespace attn {

// possible_steps(), read off once.
inline const std::vector<StepId>& all_steps() {
  static const std::vector<StepId> all = possible_steps();
  return all;
}

}  // namespace attn
