#pragma once

#include <array>
#include <optional>

#include "problem/extra_keys.h"
#include "problem/faults.h"
#include "problem/projections.h"
#include "problem/sources.h"
#include "problem/statement.h"

namespace attn {

// Finds out from all that says so how many heads queries, and keys and values,
// have; where that is contradictory or not known, heads_known is not set.
// `parts` are those of query, key and value; `extra` are past and appended keys and
// values, not there where they are not given or faulty, which count where nothing
// else has said a number: whoever fits them in compares them with it.
void count_heads(const Statement& statement, const Sources& sources, const std::array<const Part*, 3>& parts,
                 const std::array<const std::optional<ExtraSides>*, 2>& extra, Setting& setting, Faults& faults);

}  // namespace attn
