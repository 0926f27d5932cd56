#pragma once

#include <string>
#include <string_view>

namespace attn {

// Text as Markdown that renders as just that text: nothing of it is markup,
// HTML, a link, a formula, or the start of a list or heading, in CommonMark, on
// GitHub, in pandoc, and where a script looks for formulas in the finished page.
// It is one line and does not end a cell of a table.
//
// `opens`: whether it is the first of its paragraph, heading, item or cell.
std::string escaped_markdown(std::string_view text, bool opens = true);

// Markdown on one line in bold ("**") or italics ("*"); as it is where white
// space at its ends would leave the stars standing.
std::string emphasised(const std::string& markdown, std::string_view stars);

// The text as a code span, which shows every character as it is, and lines so.
std::string code_span(std::string_view text);
std::string code_block(const std::string& lines);

}  // namespace attn
