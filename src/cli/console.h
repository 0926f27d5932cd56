#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/sink.h"
#include "cli/command.h"

namespace attn {

enum class ColorChoice { automatic, always, never };

// Writes to standard error; where that cannot be written, nothing is said.
void say(std::string_view text);

// A mistake on the command line, with what to do about it; says so on standard
// error and returns the exit code for it.
Exit complain(std::string_view message, std::string_view help = {}, Exit code = Exit::wrong_input);

// Reports the faults of a file, with the lines they stand in, on standard error.
Exit complain(const Diagnostics& faults, std::string_view text, std::string_view file,
              ColorChoice color = ColorChoice::automatic);

// Writes to standard output; false where it cannot be written.
bool print(std::string_view text);

// Writes a file whole or not at all: under another name first, then renamed.
// A file that is write-protected is not replaced. Returns why it could not be written.
std::optional<std::string> write_file(const std::string& path, std::string_view text);

// The same for text that `write` hands over piece by piece.
bool print(const std::function<void(Sink&)>& write);
std::optional<std::string> write_file(const std::string& path, const std::function<void(Sink&)>& write);

// Whether standard output (or standard error) gets colour: the flag decides,
// then NO_COLOR, then CLICOLOR_FORCE, then whether it is a terminal.
bool colored(ColorChoice choice, bool standard_error = false);

// Whether standard output is a terminal.
bool is_terminal();

// Columns of the terminal; 80 where standard output is none.
std::size_t terminal_width();

}  // namespace attn
