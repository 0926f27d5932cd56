#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "explain/document.h"
#include "formats/format.h"

namespace attn {

// What a place is in: "Sequence 1 of 2" of "Sequence 1 of 2 · Head 2 of 8"; empty where it is in nothing.
std::string whole_of(const std::string& place);

// Whether a place is in another, of which "" has all; and its name without that, if it is in it: "Head 2 of 8".
bool is_within(const std::string& place, const std::string& whole);
std::string name_within(const std::string& place, const std::string& whole);

// Consecutive parts of a document that are about one head or sequence of several.
struct PlaceGroup {
  std::string place;      // "Sequence 1 of 2 · Head 2 of 8"
  std::size_t parts = 0;  // headlines of level 2
  bool is_open = false;   // with those that stand beside the first, as far as there is room
  bool is_whole = false;  // what all its heads make together: no head among heads
};

// How much room a head needs so that nothing of it that is open has to be cut.
struct HeadRoom {
  double digits = 0;  // of the widest table or line
  double spaces = 0;  // around its numbers, in rem

  double pixels() const;             // about
  std::size_t side_by_side() const;  // on a page of usual width
  std::string width() const;         // as CSS has it
};

HeadRoom room_of_heads(const Document& document, const FormatOptions& options);

// How many digits the longest line of arithmetic is wide, as far as lines are not to be broken.
std::size_t longest_line(const Document& document);

// By the block of the first headline of each group. Empty where there is one place only.
std::map<std::size_t, PlaceGroup> place_groups(const Document& document, const HeadRoom& room);

// What the page has of one place and no part of the document tells.
struct Untold {
  std::string place;     // "Head 9 of 12"; empty of what belongs to no head
  bool is_head = false;  // with weights, which the document does not tell
  std::vector<const Matrix*> matrices;
};

// By places, those that are of none first.
std::vector<Untold> untold(const Document& document, const std::map<std::size_t, PlaceGroup>& groups);

}  // namespace attn
