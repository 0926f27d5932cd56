#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/interval.h"
#include "base/rounding.h"
#include "mark/follow.h"

namespace attn {

// Whether intervals have grown so wide that they no longer tell what somebody may get who works honestly: through
// layers of a block they do, where each number stands for itself and never for what it has in common with others.
// Then one is wider than many units of the last decimal, and than a good part of the largest number of its line.
bool tells_little(const Task& task, const Tensor<Interval>& made);

// What some people get who work the recipe out honestly on the sheet. One rounds nothing and one everything, by this
// habit; the others decide by lot for each line whether they do, and which of their numbers they carry on. What is
// computed is moved, up or down by lot, by all that rounding to the dtype may do to it: to single precision where
// the numbers of the sheet come from a machine.
class SomePeople {
 public:
  // Few are those who leave nothing to chance: soon asked, for what is far from all of them.
  SomePeople(const Task& task, RoundingMode habit, bool asks_few = false);

  // Takes from the line's intervals what lies farther from what these people get than one and a half times what lies
  // between the two farthest apart, in that cell or in the cells of the line at large: by chance so few people are
  // close together in one of them. Of few, who are closer together, than twenty times that, and nothing where all of
  // these get the same.
  void narrow(std::size_t line, Tensor<Interval>& made) const;

 private:
  const bool asks_few_;
  std::vector<std::optional<Tensor<Interval>>> ranges_;  // of each line that is asked for
};

}  // namespace attn
