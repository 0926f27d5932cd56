#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mark/follow.h"

namespace attn {

// How a hand-in looks to somebody who believes that its person computed what the
// recipe says, and rounded honestly.
struct HonestReading {
  RoundingMode habit = RoundingMode::half_up;  // the way of rounding that explains most
  int decimals = 0;                            // to which numbers were rounded that were not handed in

  // Of every cell, whether it is explained, given all that was handed in before it.
  Flags matched;

  // How many are not.
  std::size_t mismatches = 0;

  // What comes of it if every number by itself may be rounded; null where a rule of
  // the teacher's own counts.
  std::shared_ptr<const Followed<Interval>> all = {};

  // Whether some only are because not every way of rounding could be tried.
  bool is_doubted = false;
};

// Whether something that was handed in could be nearly any number: where intervals went
// through so much that one is wider than half of the largest number of its step.
bool leaves_sheet_open(const Task& task, const Followed<Interval>& all);

// Reads the whole of it with one habit. A step that was not handed in was rounded
// to the decimals of the file, or it was not: one of the two for all of its
// numbers. Of a step that was, each number was carried on as written, or as it was before.
HonestReading read_honestly(const Task& task);

// The same with that habit.
HonestReading read_honestly(const Task& task, RoundingMode habit);

}  // namespace attn
