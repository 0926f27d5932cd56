#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/render.h"
#include "mark/answers.h"
#include "reading/names/step_names.h"

namespace attn {

// What one person handed in, in a file or several; or a file that cannot be read.
struct HandIn {
  std::vector<std::string> files;
  std::optional<Answers> answers = {};
  std::string error = {};  // where there are none: the first fault, in a line
  Exit code = Exit::done;  // then: what it comes to
};

// What is in a folder, in order of names. A Refusal says why it cannot be read.
std::vector<std::filesystem::directory_entry> entries_of(const std::string& folder);

// The files of answers that words on the command line mean: a folder stands for what
// it has of them, in order of names, but for the problem; what else it has is said on
// standard error. Refuses a folder without any.
std::vector<std::string> answer_files(const std::vector<std::string>& words, const std::string& problem);

// Reads them all. `step`, where it is not empty, is what tables hold. Files that are
// called alike but for a step's name are one person's; what cannot be read is said on
// standard error, as `look` has it, and stops nothing.
std::vector<HandIn> read_hand_ins(const std::vector<std::string>& files, const std::string& step,
                                  const KnownSteps& known, const RenderOptions& look);

}  // namespace attn
