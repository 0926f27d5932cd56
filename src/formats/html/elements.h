#pragma once

#include <string>
#include <string_view>

#include "explain/document.h"

namespace attn {

// Running text; what names a tensor has the class of its role.
std::string page_text(const Inline& text);

// A formula as elements <math>, a new one where words begin or end, so that a line
// can be broken there; names of tensors have the class of their role.
std::string math_elements(const Inline& formula);

// Other people's name of a row, a column or a line: however it is written, it
// leaves what is around it in order.
std::string page_label(std::string_view label);

// Elements of a page.
std::string page_lines(const Derivation& derivation);
std::string page_table(const Table& table, const std::string& part);  // `part`: names a table that has no caption
std::string page_tree(const Tree& tree);

}  // namespace attn
