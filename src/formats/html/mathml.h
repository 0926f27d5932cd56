#pragma once

#include <string>

#include "explain/document.h"

namespace attn {

// A formula as elements <math>, a new one where words begin or end, so that a line
// can be broken there; names of tensors have the class of their role.
std::string math_elements(const Inline& formula);

}  // namespace attn
