#include "cli/progress.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

#include "catch.h"

using namespace attn;  // NOLINT(google-build-using-namespace)
using namespace std::chrono_literals;

namespace {

// Standard error is a terminal meanwhile, if there are any here.
class ErrorsInTerminal {
 public:
  ErrorsInTerminal() : before_(::dup(STDERR_FILENO)), reader_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (reader_ < 0 || ::grantpt(reader_) != 0 || ::unlockpt(reader_) != 0) return;
    const int side = ::open(::ptsname(reader_), O_RDWR | O_NOCTTY);
    if (side < 0) return;
    is_there_ = ::dup2(side, STDERR_FILENO) == STDERR_FILENO;
    ::close(side);
  }
  ~ErrorsInTerminal() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    if (reader_ >= 0) ::close(reader_);
  }
  ErrorsInTerminal(const ErrorsInTerminal&) = delete;
  ErrorsInTerminal& operator=(const ErrorsInTerminal&) = delete;

  bool is_there() const { return is_there_; }

  // What was written to it since this was last asked; it waits for no more.
  std::string written() const {
    ::fcntl(reader_, F_SETFL, O_NONBLOCK);
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(reader_, bytes.data(), bytes.size());
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : "";
  }

 private:
  int before_, reader_;
  bool is_there_ = false;
};

bool tells(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("of the first second nothing is told, wherever it goes", "[cli]") {
  ProgressText terminal(80), file(0);
  CHECK(terminal.at(0ms, "reading x.json").empty());
  CHECK(terminal.at(999ms, "reading x.json").empty());
  CHECK(terminal.end().empty());
  CHECK(file.at(999ms, "reading x.json").empty());
  CHECK(file.end().empty());
}

TEST_CASE("a terminal gets one line, rewritten as it changes and taken away at the end", "[cli]") {
  ProgressText text(80);
  CHECK(text.at(1000ms, "computing scores, step 4 of 11") == "\rattn: computing scores, step 4 of 11 (1 s)\x1b[K");
  CHECK(text.at(1100ms, "computing scores, step 4 of 11").empty());
  CHECK(text.at(2050ms, "computing scores, step 4 of 11") == "\rattn: computing scores, step 4 of 11 (2 s)\x1b[K");
  CHECK(text.at(2100ms, "computing context, step 11 of 11") == "\rattn: computing context, step 11 of 11 (2 s)\x1b[K");
  CHECK(text.end() == "\r\x1b[K");
}

TEST_CASE("no line is wider than its terminal, and nothing in it steers that", "[cli]") {
  ProgressText text(20);
  CHECK(text.at(1000ms, "reading a-very-long-name.json") == "\rattn: reading a-ve…\x1b[K");
  const std::string said = text.at(1100ms, "reading \x1b[31m");
  CHECK(said.find("\x1b[31m") == std::string::npos);
}

TEST_CASE("what is no terminal gets a plain line now and then", "[cli]") {
  ProgressText text(0);
  CHECK(text.at(1000ms, "reading x.json") == "attn: reading x.json\n");
  CHECK(text.at(10900ms, "computing scores").empty());
  CHECK(text.at(11000ms, "computing scores") == "attn: computing scores\n");
  CHECK(text.at(20000ms, "computing scores").empty());
  CHECK(text.end().empty());
}

TEST_CASE("what takes longer than a second is told, as far as the terminal can rewrite a line", "[cli]") {
  const ErrorsInTerminal terminal;
  if (!terminal.is_there()) return;
  const char* const before = std::getenv("TERM");
  const std::string kept = before ? before : "";
  std::string said;
  {
    // Each looks at its terminal as it begins.
    std::optional<Progress> of_none, of_dumb, of_usual;
    ::unsetenv("TERM");
    of_none.emplace("without", true);
    ::setenv("TERM", "dumb", 1);
    of_dumb.emplace("plainly", true);
    ::setenv("TERM", "xterm", 1);
    of_usual.emplace("usually", true);
    const Progress of_short("shortly", false);
    // On a busy machine they speak late.
    const auto enough = std::chrono::steady_clock::now() + 30s;
    const auto are_told = [&] {
      return tells(said, "without\r\n") && tells(said, "plainly\r\n") && tells(said, "usually (1 s)");
    };
    while (!are_told() && std::chrono::steady_clock::now() < enough) {
      std::this_thread::sleep_for(10ms);
      said += terminal.written();
    }
  }
  said += terminal.written();
  if (before) {
    ::setenv("TERM", kept.c_str(), 1);
  } else {
    ::unsetenv("TERM");
  }
  CHECK(tells(said, "attn: without\r\n"));
  CHECK(tells(said, "attn: plainly\r\n"));
  CHECK(tells(said, "\rattn: usually (1 s)\x1b[K"));
  CHECK(said.ends_with("\r\x1b[K"));
  CHECK_FALSE(tells(said, "shortly"));
}
