#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "problem/fit_attention.h"

namespace attn {

// A problem that is part of another, with what its result is.
struct PartProblem {
  Problem problem;
  Side result;
};

// Validates a statement that stands within another; nothing, and faults, where it is faulty.
using ValidatePart = std::function<std::optional<PartProblem>(Statement)>;

// Hands faults over that were found in a part.
void hand_over(Faults from, Faults& to);

struct FittedBlock {
  TransformerBlock block;
  std::vector<Attention> sublayers;  // labelled; at least one
  std::vector<Note> notes;           // of the memory, where it is a problem of its own
};

// Fits the block of a statement to the vectors that go into it: every width of it
// comes back to theirs. Nothing, and faults, where something is faulty.
// REQUIRES: statement.block; the sources' sides were checked, and are not taken.
std::optional<FittedBlock> fitted_block(Statement& statement, const Sources& sources, const AttentionSetting& in,
                                        const ValidatePart& validate);

}  // namespace attn
