#pragma once

#include <set>
#include <string>

#include "trace/trace.h"

namespace attn {

// What there is to know of a trace for the code of its steps.
struct NumpySetting {
  bool closes = false;            // some cell of a mask may be closed
  bool reads_non_finite = false;  // something given is NaN or infinite, and may stand behind a mask
};

// The lines that compute a step; adds the names of the functions that they call (helpers.h).
std::string code_of_step(const Trace& trace, const Step& step, NumpySetting setting, std::set<std::string>& helpers);

// The lines that compute given numbers that follow from others. REQUIRES: they do.
std::string code_of_rule(const GivenTensor& given);

}  // namespace attn
