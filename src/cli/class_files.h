#pragma once

#include <string>
#include <vector>

#include "reading/names/step_names.h"

// The files of a class, and whose they are by their names.

namespace attn {

// Files that belong together: those of a person's folder; tables that are called alike but for
// a step's name; or one file.
struct FilesOfPerson {
  std::string name = {};        // by the folder, or by the file up to its first point
  std::string whole_name = {};  // by the file, points and all: "J. Doe"
  std::string folder = {};      // the one that the files are in, without what is before it
  std::vector<std::string> files = {};
  std::string problem = {};  // why none of them can be read, where that is so
};

// The files of these words: a folder has hand-ins, each a file or a folder of its own. What
// is no file of answers and belongs to nobody is added to `left_out`, but for what was read
// already (the problem, the scheme, the list of the class). Refuses folders without a hand-in.
std::vector<FilesOfPerson> files_of_class(const std::vector<std::string>& words, const KnownSteps& known,
                                          std::vector<std::string>& left_out);

// A name's person_key() without accents, points, quotes and a copy's number: "José O’Neil" and
// "jose oneil (1)" are alike, and so may be two people.
std::string loose_person_key(std::string_view name);

// A name of a file for a person's name, without an ending: no separator of folders, no point
// (up to the first one it says whose a hand-in is), no dash at its beginning, and not too long.
std::string file_name_for(const std::string& name);

// In a folder of problems: the one with their answers.
inline constexpr const char* folder_of_keys = "keys";

}  // namespace attn
