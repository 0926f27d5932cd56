#pragma once

#include <string_view>

#include "base/result.h"
#include "mark/answers.h"

namespace attn {

// Holds what was read of answers to what is promised: as many cells as a shape has, indices that fit one another,
// faults with their places.
void demand_answers(const Result<Answers>& read, std::string_view text);

}  // namespace attn
