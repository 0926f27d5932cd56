#pragma once

#include <string>

#include "explain/document.h"

namespace attn {

// A formula as the content of <math>; names of tensors have the class of their role.
std::string mathml(const Inline& formula);

// The same as elements <math>, a new one where words begin or end, so that a line
// can be broken there.
std::string math_elements(const Inline& formula);

}  // namespace attn
