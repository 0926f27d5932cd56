#pragma once

#include <vector>

#include "problem/projections.h"
#include "problem/sources.h"

namespace attn {

// What a person should know of how the sequences were read: cut to `limit`,
// padded, or read as a batch where something else may have been meant.
std::vector<Note> notes_on(const Sources& sources, const Setting& setting, std::size_t limit);

}  // namespace attn
