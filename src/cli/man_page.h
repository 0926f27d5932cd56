#pragma once

#include <span>
#include <string>

#include "cli/usage.h"

namespace attn {

// Manual pages, as man(7) has them: attn(1), of the program, and attn-run(1) and the
// like, of its commands.
std::string man_page(std::span<const CommandUsage> commands);
std::string man_page(const CommandUsage& command);

}  // namespace attn
