#pragma once

#include "problem/regular.h"

namespace attn {

// The choice that a file makes, every tensor of it of the shape that the spec
// asks for; what does not fit the problem is reported. `what` is the word for
// such a choice ("score").
Choice chosen(RawChoice raw, const ChoiceSpec& spec, std::string_view what, const ChoiceSetting& setting,
              Vectors vectors, Budget& budget, Faults& faults);

}  // namespace attn
