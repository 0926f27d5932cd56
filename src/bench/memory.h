#pragma once

#include <cstddef>

namespace attn {

// Bytes of memory that this process occupies, and the most that it ever
// occupied; 0 where the system does not say.
std::size_t resident_memory();
std::size_t peak_memory();

// From here on peak_memory() is about what comes. Returns false, and changes
// nothing, where the system has no such thing.
bool restart_peak_memory();

}  // namespace attn
