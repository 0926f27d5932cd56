#pragma once

#include <optional>

#include "cli/command.h"
#include "cli/render.h"
#include "explain/telling/steps.h"
#include "trace/trace.h"

namespace attn {

// Says why there can be no lecture and returns the exit code for it: it is for
// people who sit at a terminal. Nothing where there can be one.
std::optional<Exit> refuse_pause(const Rendering& rendering);

// Steps through the document key by key, until the person at the terminal has
// had enough. What they ask about is looked up in the trace.
// REQUIRES: refuse_pause() has nothing against it.
Exit pause(const Trace& trace, Document document, const ExplainOptions& explaining, const Rendering& rendering);

}  // namespace attn
