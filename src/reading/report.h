#pragma once

#include <string>
#include <string_view>

#include "base/complaint.h"
#include "base/diagnostic.h"

namespace attn {

// Faults and where they are in a file's text: line and column (counted in
// characters, from 1), and the line with a caret under the place. In the order
// of the text, at most 20.
//
// An empty text says that there is no text to point into.
Complaint placed(const Diagnostics& faults, std::string_view text, std::string_view file);

// A complaint as people read it: the place, what is wrong, the line, what to do. No
// control character of the file, of its name or of a message is left. Nothing is printed.
std::string report(const Complaint& complaint, bool color = false);

// Both.
std::string report(const Diagnostics& faults, std::string_view text, std::string_view file, bool color = false);

}  // namespace attn
