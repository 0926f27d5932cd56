#pragma once

#include "explain/document.h"
#include "trace/scaling.h"

namespace attn {

Document told_scaling(const ScalingReport& report);

}  // namespace attn
