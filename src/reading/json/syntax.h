#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "reading/json/scanner.h"

namespace attn {

// What is no JSON, in the words of somebody who wrote it by hand or printed it
// from Python.

Diagnostic syntax_fault(TextRange range, std::string message, Help help);

// What is wrong with a token wherever it stands.
std::optional<Diagnostic> token_fault(std::string_view text, const Token& token);

// What a file that is no text is, by how it begins: "a PDF"; and what to do about it who wants a problem.
struct OtherFormat {
  const char* name;
  Help help;
};
std::optional<OtherFormat> other_format(std::string_view text);

// Bytes that no JSON text has anywhere: a NUL, or what is not UTF-8.
std::optional<Diagnostic> encoding_fault(std::string_view text);

// What the file says there, short enough for a sentence: "`[1, 2`".
std::string in_backticks(std::string_view spelling);

}  // namespace attn
