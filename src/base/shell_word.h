#pragma once

#include <string>
#include <string_view>

namespace attn {

// A word as a shell takes it for one: with quotes where it needs them. Nothing in it
// steers a terminal.
std::string shell_word(std::string_view word);

// The same of a file's name, which no command takes for an option.
std::string shell_file(std::string_view file);

// The pieces of a word: what stands on either side of it, which may be nothing, and how a
// part of it is written between.
std::string shell_quote(std::string_view word);
std::string within_shell_quotes(std::string_view part, std::string_view word);

}  // namespace attn
