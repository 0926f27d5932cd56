#pragma once

#include <cstddef>

namespace attn {

// The most bytes of memory that this process ever occupied; 0 where the system
// does not say.
std::size_t peak_memory();

// From here on peak_memory() is about what comes. Returns false, and changes
// nothing, where the system has no such thing.
bool restart_peak_memory();

}  // namespace attn
