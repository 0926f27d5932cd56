#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint.h"
#include "base/diagnostic.h"
#include "base/sink.h"
#include "cli/command.h"

namespace attn {

enum class ColorChoice { automatic, always, never };

// How errors are said: to people, or as one line of JSON each, attn/error/1.
enum class ErrorFormat { text, json };

// JSON where the words of a command line ask for --format json, or --report json, be they right or wrong otherwise.
ErrorFormat format_of_errors(std::span<char* const> words);

// What of a command line is meant: what stands behind an option, the option itself where no
// value is named, a word by its place where no option is, and the line's end where neither is.
struct Typed {
  std::string_view option = {};  // "--dtype", "-o,--output"; "SHELL" of a word by its place, or nothing
  std::optional<std::string_view> value = std::nullopt;  // as it was typed, or a part of it
};

// Thrown where a command cannot go on; main() says why, and ends with its exit code.
class Refusal final : public std::exception {
 public:
  // A mistake on the command line, with what to do about it.
  Refusal(std::string_view message, Help help, Exit code = Exit::wrong_input);

  // What the library says is wrong, in a word. Where the machine is to blame, the code says so.
  explicit Refusal(const Diagnostic& fault, Exit code = Exit::wrong_input);

  // The faults of a file, with the lines they stand in; the same holds.
  Refusal(const Diagnostics& faults, std::string_view text, std::string_view file,
          ColorChoice color = ColorChoice::automatic);

  // The same, and what of the command line is to blame.
  Refusal at(const Typed& typed) &&;

  // The same, and not the command line is to blame: it is one file of several that is refused.
  Refusal about(std::string_view file) &&;

  Refusal(const Refusal&);
  Refusal(Refusal&&) noexcept;
  Refusal& operator=(const Refusal&) = delete;
  ~Refusal() override;

  // What the program ends with for it.
  Exit code() const { return code_; }

  // Says so on standard error, with the command's line where these are its words and one of them
  // is to blame; returns the exit code for it. `with_values`: options behind which a value stands.
  Exit say(ErrorFormat format, std::span<const std::string> words = {},
           std::span<const std::string> with_values = {}) const;

  // The same for people, without colour; and without the command's line where no words are given.
  std::string text(std::span<const std::string> words = {}, std::span<const std::string> with_values = {}) const;

  const char* what() const noexcept override;

 private:
  Complaint complaint(std::span<const std::string> words, std::span<const std::string> with_values) const;

  Complaint complaint_;
  struct Meant {
    std::string option;
    std::optional<std::string> value;
  };
  std::optional<Meant> meant_;
  Exit code_;
  ColorChoice color_ = ColorChoice::automatic;
};

// A text as it may be shown where the locale is the one of plain ASCII, and everywhere else.
std::string in_letters_of_here(std::string text);

// Writes all of it; false, and errno says why, where that cannot be. Asks for no memory.
bool write_all(int descriptor, std::string_view text);

// Writes to standard error, in letters of this place; where that cannot be written, nothing is said.
void say(std::string_view text);

// Writes a text, or what `write` hands over piece by piece, to standard output; throws a Refusal
// where that cannot be written. Returns Exit::done.
Exit print(std::string_view text);
Exit print(const std::function<void(Sink&)>& write);

// Writes a file whole or not at all: under another name first, then renamed, once it is on the
// disk. A file that is write-protected is not replaced. Returns why it could not be written.
std::optional<std::string> write_file(const std::string& path, const std::function<void(Sink&)>& write);

// Many files of one folder, each written so, but put on the disk together: one by one that takes
// ten milliseconds each. What is not finished in the end does not appear.
class FilesTogether {
 public:
  FilesTogether();
  ~FilesTogether();
  FilesTogether(FilesTogether&&) noexcept;
  FilesTogether& operator=(FilesTogether&&) noexcept;

  // Throws what not_written() makes of it where one cannot be written.
  void write(const std::string& path, std::string_view text);
  void finish();

 private:
  struct Written;
  std::vector<std::unique_ptr<Written>> files_;
};

// Says of a file that it could not be written, and why.
Refusal not_written(const std::string& path, const std::string& why);

// Whether standard output (or standard error) gets colour: the flag decides,
// then NO_COLOR, then CLICOLOR_FORCE, then whether it is a terminal.
bool colored(ColorChoice choice, bool standard_error = false);

// Whether the locale is the one of plain ASCII: LC_ALL, else LC_CTYPE, else LANG is C or POSIX.
// Where none of them says anything, nobody has asked for that.
bool is_ascii_locale();

// Whether a file descriptor is a terminal, and whether a terminal can do no more than a printer.
bool is_terminal(int descriptor);
bool is_dumb();

struct TerminalSize {
  std::size_t columns = 80, rows = 24;
};

// Of the terminal that a file descriptor is; as above where it is none, or does not say.
TerminalSize terminal_size(int descriptor);

}  // namespace attn
