#pragma once

#include <string>
#include <string_view>

#include "explain/document.h"

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

// How formulas are written in Markdown: as GitHub reads them, between dollars
// as notebooks and pandoc do, or as the text they are.
enum class MathStyle { github, dollar, none };

struct MarkdownStyle {
  MathStyle math = MathStyle::github;
  bool ascii = false;  // pure ASCII, whatever the document holds
};

// The text as Markdown, as escaped_markdown().
std::string words_of(std::string_view text, const MarkdownStyle& style);

// Whether a span stands for a formula rather than for words that have a role.
bool is_formula(const Span& span);

// A formula within a line.
std::string inline_math(const Inline& formula, const MarkdownStyle& style);

// Running text with the formulas in it; one line, safe in a cell of a table.
std::string running_text(const Inline& text, const MarkdownStyle& style);

// An equation within a line, which may be broken between its sides: a label
// before it, why it is so behind it.
std::string inline_equation(const Equation& equation, const MarkdownStyle& style);

// The lines of a derivation as one block, their sides aligned.
// REQUIRES: a line.
std::string display_math(const Derivation& derivation, const MarkdownStyle& style);

}  // namespace attn
