#pragma once

#include <span>
#include <string>

#include "explain/reports/verdict.h"
#include "mark/report.h"

namespace attn {

// A marked hand-in as docs/checking.md says, with no more than is to be
// revealed. Numbers that a step has right are not listed; indices count from 1.
std::string report_json(const Report& report, Reveal reveal);

// Several of them: an array, in order, each with its file.
std::string reports_json(std::span<const MarkedFile> files, Reveal reveal);

}  // namespace attn
