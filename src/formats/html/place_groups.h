#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "explain/document.h"

namespace attn {

// Consecutive parts of a document that are about one head or sequence of several.
struct PlaceGroup {
  std::string place;      // "Sequence 1 of 2 · Head 2 of 8"
  std::size_t parts = 0;  // headlines of level 2
  bool first = false;     // of all groups
};

// By the block of the first headline of each group. Empty where there is one place only.
std::map<std::size_t, PlaceGroup> place_groups(const Document& document);

}  // namespace attn
