#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace attn {

// What the words of a command line ask for: who calls it does that. Throws a Refusal where they
// ask for nothing that there is.
std::function<Exit()> asked_for(std::vector<std::string> words);

// The options of a command line's command behind which a value stands, by all their names.
std::vector<std::string> options_with_values(const std::vector<std::string>& words);

}  // namespace attn
