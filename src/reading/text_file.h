#pragma once

#include <string>

#include "base/result.h"

namespace attn {

// The whole text of a file; of standard input for "-". Faults have no place in
// the text, since there is none. The file counts as read (files/input_file.h).
Result<std::string> read_text(const std::string& path);

}  // namespace attn
