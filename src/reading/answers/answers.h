#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "mark/answers.h"
#include "reading/names/step_names.h"

namespace attn {

// Reads an answers file (docs/answers-format.md). All its faults are reported
// at once, each with its place in the text. Whether a step has the shape it
// should have is not looked at.
//
// Needs memory in proportion to the text: a blank that stands for many numbers
// is refused where the text itself has few.
Result<Answers> read_answers(std::string_view text, const KnownSteps& known);

// Reads one step from rows of numbers, separated by commas, semicolons or tabs;
// an empty field is a blank. The shape is [rows, columns], however many axes the
// step has: those before the last two stand one under the other.
// REQUIRES: the id is that of a step.
Result<Answers> read_answers_csv(std::string_view text, std::string id);

}  // namespace attn
