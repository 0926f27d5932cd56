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

// A fault of a line that is no file's, such as a command line, and the part of it that fits so
// many columns. REQUIRES: a line in UTF-8 that a range of it begins in, or behind its end.
Complaint placed_in_line(const Diagnostic& fault, std::string_view line, TextRange range, std::size_t width);

// A complaint as people read it: the place, what is wrong, the line, what to do. No
// control character of the file, of its name or of a message is left. Nothing is printed.
std::string report(const Complaint& complaint, bool color = false);

// Both.
std::string report(const Diagnostics& faults, std::string_view text, std::string_view file, bool color = false);

}  // namespace attn
