#pragma once

#include <span>
#include <string>
#include <vector>

#include "explain/document.h"
#include "mistakes/mistake.h"

namespace attn {

// One of the things that there are, with a line about it.
struct Listed {
  std::string name, summary;
};

// What there is of one kind.
struct Listing {
  std::string name;   // "scores": what attn list calls it
  std::string title;  // "Scores"
  std::string where;  // where to write one: "`score` of a problem"
  std::vector<Listed> rows;
};

// A table for each.
Document told_listings(std::span<const Listing> listings);

// These mistakes, a paragraph each, family by family.
Document told_catalogue(std::span<const Mistake* const> mistakes);

// One of them, with what to do about it.
Document told_mistake(const Mistake& mistake);

}  // namespace attn
