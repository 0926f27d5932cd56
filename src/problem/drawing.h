#pragma once

#include "problem/problem.h"

namespace attn {

// Draws the random numbers of a problem that are not drawn yet, after which its
// statement is known too.
void draw(Problem& problem);

}  // namespace attn
