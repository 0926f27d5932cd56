#pragma once

#include "cli/command.h"
#include "cli/render.h"
#include "explain/telling/steps.h"
#include "trace/trace.h"

namespace attn {

// Refuses where there can be no lecture: it is for people who sit at a terminal.
void refuse_pause(const Rendering& rendering);

// Steps through the document key by key, until the person at the terminal has
// had enough. What they ask about is looked up in the trace.
// REQUIRES: refuse_pause() has nothing against it.
Exit pause(const Trace& trace, Document document, const ExplainOptions& explaining, const Rendering& rendering);

}  // namespace attn
