#pragma once

#include "compare/difference.h"
#include "explain/document.h"

namespace attn {

// Two files side by side: whether they are the same, which step differs first
// and by how much, and what explains it.
Document told_difference(const DiffReport& report);

}  // namespace attn
