#pragma once

#include <memory>

#include "bench/measurable.h"

namespace attn::cuda {

// The ladder of fused/, timed by the device's own clock. REQUIRES: there is a device.
//
// A call is timed as one of many that follow one another without a gap, and each
// reads another copy of the inputs where they would stay in a cache: so neither
// the start of a kernel nor that cache is part of what is measured.
std::unique_ptr<Measurable> make_measurable();

}  // namespace attn::cuda
