#pragma once

#include <string>

#include "compare/difference.h"

namespace attn {

// What attn diff found, as the object with the schema "attn/diff/1" that
// docs/commands.md describes.
std::string difference_json(const DiffReport& report);

}  // namespace attn
