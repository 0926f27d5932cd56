#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "files/input_file.h"

namespace attn {

// What is wrong with the directory at the end of a zip archive, if it asks its
// reader for memory or time that the file's size does not justify, or names an
// entry in a way that readers understand differently. Whether the rest of it
// holds together is for the library to find.
std::optional<Diagnostic> wrong_zip_directory(const InputFile& file);

}  // namespace attn
