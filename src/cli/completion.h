#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/usage.h"

namespace attn {

// A shell that completes words, and the script that teaches it ours.
struct Shell {
  std::string name;
  std::string file;  // what the script is called where that shell looks for such
  std::string (*script)(std::span<const CommandUsage> commands);
};
const std::vector<Shell>& shells();

}  // namespace attn
