#include "cli/console.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/typed_line.h"
#include "cli/unfinished_file.h"
#include "exports/json.h"
#include "formats/spelling.h"
#include "reading/report.h"

namespace attn {
namespace {

// An open file; once it cannot be written, `error()` says why.
class DescriptorSink final : public Sink {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}

  void write(std::string_view piece) override {
    if (error_ == 0 && !write_all(descriptor_, piece)) error_ = errno != 0 ? errno : EIO;
  }
  int error() const { return error_; }

 private:
  int descriptor_;
  int error_ = 0;
};

// The permissions that a file created here would have.
mode_t usual_permissions() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

std::string reason() { return std::strerror(errno); }

// A file that is right may be too large for --max-memory, and one that nobody has read yet is not wrong.
Exit exit_for(const Diagnostics& faults) {
  const auto of_code = [&](std::string_view code) { return std::ranges::count(faults, code, &Diagnostic::code); };
  const bool is_environment = of_code("machine") > 0 || of_code("too-large") == std::ssize(faults);
  return is_environment ? Exit::wrong_environment : Exit::wrong_input;
}

// Where a file is written that is to have that path, and its permissions; or why it cannot be.
struct Replaced {
  std::string target = {};
  mode_t permissions = 0;
  std::string why_not = {};
};

Replaced replaced_by(const std::string& path) {
  // A link stays a link: the file it points to is replaced.
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
  const std::string target = error ? path : resolved.string();
  struct stat existing {};
  const bool is_there = ::stat(target.c_str(), &existing) == 0;
  // A rename asks the folder alone, and root may write everything.
  const bool is_protected = is_there && ((existing.st_mode & 0222) == 0 || ::access(target.c_str(), W_OK) != 0);
  if (is_protected) return {.why_not = "it is write-protected"};
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder, error))
    return {.why_not = "there is no folder " + folder.string()};
  return {target, is_there ? existing.st_mode & mode_t{07777} : usual_permissions()};
}

// A device or a pipe cannot be replaced by a file; it is written as it is.
std::optional<std::string> write_device(const std::string& path, const std::function<void(Sink&)>& write) {
  std::FILE* device = std::fopen(path.c_str(), "wb");
  if (!device) return reason();
  DescriptorSink sink(::fileno(device));
  write(sink);
  const bool closed = std::fclose(device) == 0;
  if (sink.error() == 0 && closed) return std::nullopt;
  return sink.error() != 0 ? std::strerror(sink.error()) : reason();
}

// What the words of a command line say, where nobody has read them yet.
ColorChoice color_asked_for(ColorChoice choice, std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const bool is_last = i + 1 == words.size();
    const bool is_option = words[i] == "--color" && !is_last;
    if (words[i] == "--color=never" || (is_option && words[i + 1] == "never")) choice = ColorChoice::never;
    if (words[i] == "--color=always" || (is_option && words[i + 1] == "always")) choice = ColorChoice::always;
  }
  return choice;
}

// The part of a text that takes so many columns.
std::string_view columns_of(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t width = 0; end < text.size() && width < columns;) {
    const Character one = character(text, end);
    width += one.width;
    end += one.bytes;
  }
  return text.substr(0, end);
}

// The lines that are quoted in letters of this place, and the carets where they were.
Complaint in_letters_of_here(Complaint complaint) {
  if (!is_ascii_locale()) return complaint;
  for (PlacedFault& one : complaint.faults) {
    if (one.carets.empty()) continue;
    const std::size_t blanks = one.carets.find('^');
    // Behind the end stands what is missing there.
    const std::size_t behind = blanks - std::min(blanks, display_width(one.source));
    const std::size_t begin = asciified(columns_of(one.source, blanks)).size() + behind;
    const std::size_t end = asciified(columns_of(one.source, one.carets.size())).size();
    one.carets = std::string(begin, ' ') + std::string(end > begin ? end - begin : 1, '^');
    one.source = asciified(one.source);
  }
  return complaint;
}

}  // namespace

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

ErrorFormat format_of_errors(std::span<char* const> words) {
  ErrorFormat format = ErrorFormat::text;
  std::string_view before;
  for (const std::string_view word : words) {
    if (word == "--") break;
    const bool is_of_option = before == "--format" || before == "--report";
    const bool says_json = word == "--format=json" || word == "--report=json" || (is_of_option && word == "json");
    if (says_json || word == "--json") format = ErrorFormat::json;
    before = word;
  }
  return format;
}

Refusal::Refusal(std::string_view message, Help help, Exit code)
    : Refusal(Diagnostic{.code = "refused", .message = std::string(message), .help = std::move(help)}, code) {}

Refusal::Refusal(const Diagnostic& fault, Exit code)
    : complaint_{"", {{fault}}}, code_(fault.code == "machine" ? Exit::wrong_environment : code) {}

Refusal::Refusal(const Diagnostics& faults, std::string_view text, std::string_view file, ColorChoice color)
    : complaint_(placed(faults, text, file)), code_(exit_for(faults)), color_(color) {}

Refusal::Refusal(const Refusal&) = default;
Refusal::Refusal(Refusal&&) noexcept = default;
Refusal::~Refusal() = default;

Refusal Refusal::at(const Typed& typed) && {
  meant_ = Meant{std::string(typed.option), std::optional<std::string>(typed.value)};
  return std::move(*this);
}

Refusal Refusal::about(std::string_view file) && {
  meant_.reset();
  complaint_.file = file;
  return std::move(*this);
}

Complaint Refusal::complaint(std::span<const std::string> words, std::span<const std::string> with_values) const {
  const auto place =
      meant_ && !words.empty() ? find_typed(words, {meant_->option, meant_->value}, with_values) : std::nullopt;
  if (!place) return complaint_;
  const std::size_t width = terminal_size(STDERR_FILENO).columns;
  return placed_in_line(complaint_.faults.front().fault, place->line, place->range, width);
}

Exit Refusal::say(ErrorFormat format, std::span<const std::string> words,
                  std::span<const std::string> with_values) const {
  Complaint made = complaint(words, with_values);
  if (format == ErrorFormat::json) {
    write_all(STDERR_FILENO, errors_json(made));
  } else {
    attn::say(report(in_letters_of_here(std::move(made)), colored(color_asked_for(color_, words), true)));
  }
  return code_;
}

std::string Refusal::text(std::span<const std::string> words, std::span<const std::string> with_values) const {
  return report(complaint(words, with_values));
}

const char* Refusal::what() const noexcept {
  return complaint_.faults.empty() ? "" : complaint_.faults.front().fault.message.c_str();
}

std::string in_letters_of_here(std::string text) { return is_ascii_locale() ? asciified(text) : text; }

void say(std::string_view text) { write_all(STDERR_FILENO, in_letters_of_here(std::string(text))); }

Exit print(std::string_view text) {
  return print([text](Sink& sink) { sink.write(text); });
}

Exit print(const std::function<void(Sink&)>& write) {
  DescriptorSink sink(STDOUT_FILENO);
  write(sink);
  if (sink.error() == 0) return Exit::done;
  throw Refusal("standard output cannot be written", "is the disk full, or has the reader gone?",
                Exit::wrong_environment);
}

Refusal not_written(const std::string& path, const std::string& why) {
  return Refusal(path + " cannot be written: " + why, "write to another place, or free this one",
                 Exit::wrong_environment);
}

std::optional<std::string> write_file(const std::string& path, const std::function<void(Sink&)>& write) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::directory) return "it is a directory";

  const bool special = kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found;
  if (special) return write_device(path, write);

  const Replaced place = replaced_by(path);
  if (!place.why_not.empty()) return place.why_not;
  UnfinishedFile file(place.target, place.permissions);
  if (file.descriptor() < 0) return reason();
  DescriptorSink sink(file.descriptor());
  write(sink);
  const int why = sink.error() != 0 ? sink.error() : file.finish();
  return why == 0 ? std::nullopt : std::optional<std::string>(std::strerror(why));
}

struct FilesTogether::Written {
  Written(const std::string& asked, const Replaced& place) : path(asked), file(place.target, place.permissions) {}

  void refuse_failure(int why) const {
    if (why != 0) throw not_written(path, std::strerror(why));
  }

  std::string path;
  UnfinishedFile file;
};

FilesTogether::FilesTogether() = default;
FilesTogether::FilesTogether(FilesTogether&&) noexcept = default;
FilesTogether& FilesTogether::operator=(FilesTogether&&) noexcept = default;
FilesTogether::~FilesTogether() = default;

void FilesTogether::write(const std::string& path, std::string_view text) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw not_written(path, "it is a directory");
  const Replaced place = replaced_by(path);
  if (!place.why_not.empty()) throw not_written(path, place.why_not);
  if (!files_.empty()) files_.back()->refuse_failure(files_.back()->file.close());
  files_.push_back(std::make_unique<Written>(path, place));
  const Written& one = *files_.back();
  if (one.file.descriptor() < 0 || !write_all(one.file.descriptor(), text))
    one.refuse_failure(errno != 0 ? errno : EIO);
  if (files_.size() == UnfinishedFile::most_at_a_time / 2) finish();
}

void FilesTogether::finish() {
  if (files_.empty()) return;
  files_.back()->refuse_failure(files_.back()->file.flush_all());
  files_.back()->refuse_failure(files_.back()->file.close());
  for (const auto& one : files_) one->refuse_failure(one->file.take_name());
  files_.clear();
}

bool colored(ColorChoice choice, bool standard_error) {
  const auto value = [](const char* variable) {
    const char* const set = std::getenv(variable);
    return std::string_view(set ? set : "");
  };
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  if (!value("NO_COLOR").empty()) return false;
  if (const auto force = value("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return !is_dumb() && is_terminal(standard_error ? STDERR_FILENO : STDOUT_FILENO);
}

bool is_ascii_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value && *value) return std::string_view(value) == "C" || std::string_view(value) == "POSIX";
  }
  return false;
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

bool is_dumb() {
  const char* const terminal = std::getenv("TERM");
  return terminal && std::string_view(terminal) == "dumb";
}

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  ::ioctl(descriptor, TIOCGWINSZ, &size);
  return {size.ws_col == 0 ? 80u : size.ws_col, size.ws_row == 0 ? 24u : size.ws_row};
}

}  // namespace attn
