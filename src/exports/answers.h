#pragma once

#include <string>

#include "mark/answers.h"

namespace attn {

// Answers as a file has them (docs/answers-format.md), each number as it was written: a
// row of numbers a line.
std::string answers_json(const Answers& answers);

}  // namespace attn
