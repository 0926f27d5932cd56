#pragma once

#include <string>

namespace attn {

// Other people's text as a cell: quoted where it must be, without control
// characters, and with an apostrophe before what a spreadsheet would compute.
std::string csv_cell(const std::string& text);

}  // namespace attn
