#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "mark/answers.h"
#include "problem/faults.h"
#include "reading/names/step_names.h"

// Answers by the names of their files: what a file holds is known by its ending.

namespace attn {

// Whether a file may hold answers, and whether it is then a table of numbers, .csv.
bool is_answers_file(const std::string& file);
bool is_table_file(const std::string& file);

// What a file's name says of whom and of which step it is.
FileOfAnswers named_by_file(const std::string& file, const KnownSteps& known);

// Whose a text of answers says that it is, and the statement of which problem, as far as it says
// so, and whatever else is wrong with it.
struct OriginOfAnswers {
  std::string name = {}, problem = {};
};
OriginOfAnswers origin_of_answers(const std::string& file, std::string_view text);

// Reads the text of a file of answers; of "-", standard input, as what it looks like.
// `step`, where it is not empty, is what a table holds. Of a text that cannot be read but for
// steps that nobody knows the rest is taken where somebody asks for `unknown`, which has those.
// What has more than 512 KiB, and 1 KiB for each number of all steps, is refused: "not-answers".
Result<Answers> read_answers_of(const std::string& file, std::string_view text, const std::string& step,
                                const KnownSteps& known, Faults* unknown = nullptr);

}  // namespace attn
