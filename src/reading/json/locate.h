#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace attn {

// A value of a JSON text, or its key, by JSON Pointer.
struct Pointed {
  std::string pointer;
  bool at_key = false;
};

// Where in the text each of them stands, found in one pass. Where a pointer
// leads nowhere, it is the place of the last value on the way; an empty range at 0
// where the text has nothing but blanks.
// REQUIRES: text that parse_json reads, unless all pointers are "".
std::vector<TextRange> located(std::string_view text, std::span<const Pointed> wanted);

}  // namespace attn
