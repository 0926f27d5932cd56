#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "mark/answers.h"
#include "problem/faults.h"
#include "reading/names/step_names.h"

namespace attn {

// Reads an answers file (docs/answers-format.md). All its faults are reported
// at once, each with its place in the text. Whether a step has the shape it
// should have is not looked at.
//
// Needs memory in proportion to the text: a blank that stands for many numbers
// is refused where the text itself has few.
//
// Where somebody asks for `unknown`, here and below, steps that nobody knows are no
// faults: they are left out, and told there.
Result<Answers> read_answers(std::string_view text, const KnownSteps& known, Faults* unknown = nullptr);

// Reads one step from rows of numbers, separated by commas, semicolons or tabs;
// an empty field is a blank. There may be headings above them and labels before
// them. The shape is [rows, columns], however many axes the step has: those before
// the last two stand one under the other.
//
// Without an id the first heading is the step's name; then there may be several
// steps, an empty line between any two.
// REQUIRES: the id is that of a step, or empty.
Result<Answers> read_answers_csv(std::string_view text, const KnownSteps& known, const std::string& id = "",
                                 Faults* unknown = nullptr);

// Reads steps as people type them: S = [2 4; 4 16], S[1,2] = 4, s₂ = [4 16].
// All faults are reported at once, each with its place in the text.
Result<Answers> read_answers_text(std::string_view text, const KnownSteps& known, Faults* unknown = nullptr);

}  // namespace attn
