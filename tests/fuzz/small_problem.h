#pragma once

#include <string>

#include "bytes.h"

namespace attn {

// The text of a small problem, every choice of it from the next bytes: sizes from 1 to 4, heads and groups of them,
// a mask of some kind, a score, a scale, positions, a softmax; numbers that are short. Most are valid.
std::string small_problem(Bytes& bytes);

}  // namespace attn
