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

// Whether an entry of a folder is read for being there: a file or a folder, no pipe and no device; and no link to what
// is outside of the folder that it stands in, which nobody named.
bool is_own_file(const std::filesystem::directory_entry& entry);
bool is_own_folder(const std::filesystem::directory_entry& entry);

// Why one is not read, as stands behind its name: " (a link to elsewhere)"; empty where its kind is no reason.
std::string why_left_out(const std::filesystem::directory_entry& entry);

// What a path leads to: a file, a folder, nothing. A Refusal where the machine cannot say.
std::filesystem::file_type kind_of(const std::filesystem::path& path);

// A path with its links followed, as far as it is there; empty where it cannot be. Throws where the machine is to
// blame, which the library says as it says that there is no such file.
std::filesystem::path followed(const std::filesystem::path& path);

// The .json files of a folder, in order of names; those that are none of its own are said on standard error.
std::vector<std::filesystem::path> json_files_of(const std::string& folder);

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
