#include "cli/terminal.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>

#include "cli/console.h"

namespace attn {
namespace {

// Lines that are too long end at the edge, and the cursor is not seen.
constexpr std::string_view own_screen = "\x1b[?1049h\x1b[?7l\x1b[?25l";
constexpr std::string_view main_screen = "\x1b[0m\x1b[?25h\x1b[?7h\x1b[?1049l";

// How long the rest of what an arrow sends may take, in milliseconds.
constexpr int patience = 60;

constexpr auto signals = std::to_array<int>({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT});

// A handler may do next to nothing: it writes the signal's number into a pipe,
// which is read where keys are.
std::array<int, 2> signal_pipe = {-1, -1};

extern "C" void note_signal(int number) {
  const int error = errno;
  const auto byte = static_cast<char>(number);
  [[maybe_unused]] const ssize_t written = ::write(signal_pipe[1], &byte, 1);
  errno = error;
}

// What was done about each of the signals before; what was ignored stays so.
std::array<struct sigaction, signals.size()> actions_before;

void note_signals() {
  struct sigaction noting {};
  noting.sa_handler = note_signal;
  sigemptyset(&noting.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &actions_before[i]);
    if (actions_before[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &noting, nullptr);
  }
}

// Where the terminal is gone, what it would be shown is lost.
bool send(std::string_view text) { return write_all(STDOUT_FILENO, text); }

// How the terminal was; null while it is as it was.
std::atomic<const termios*> terminal_before = nullptr;

void do_as_before() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &actions_before[i], nullptr);
}

}  // namespace

std::string Terminal::missing() {
  if (!is_terminal(STDIN_FILENO)) return "standard input is no terminal";
  if (!is_terminal(STDOUT_FILENO)) return "standard output is no terminal";
  return is_dumb() ? "the terminal cannot be cleared: TERM is dumb" : "";
}

Terminal::Terminal(bool color) : color_(color) {
  if (::pipe(signal_pipe.data()) == 0) {
    for (const int end : signal_pipe) {
      ::fcntl(end, F_SETFL, O_NONBLOCK);
      ::fcntl(end, F_SETFD, FD_CLOEXEC);
    }
  }
  ::tcgetattr(STDIN_FILENO, &before_);
  note_signals();
  enter();
}

Terminal::~Terminal() {
  leave_terminal();
  do_as_before();
  for (int& end : signal_pipe) {
    ::close(end);
    end = -1;
  }
}

void Terminal::enter() {
  make_raw();
  send(own_screen);
  terminal_before = &before_;
}

void Terminal::make_raw() const {
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

// As Ctrl-Z does elsewhere: back to the shell, and here again when it says so.
void Terminal::suspend() {
  leave_terminal();
  do_as_before();
  ::raise(SIGTSTP);
  note_signals();
  ::tcgetattr(STDIN_FILENO, &before_);
  enter();
}

bool Terminal::show(const Screen& screen) {
  std::string text = "\x1b[?25l\x1b[0m\x1b[H\x1b[2J";
  for (std::size_t i = 0; i < screen.lines.size(); ++i) {
    text += "\x1b[" + std::to_string(i + 1) + ";1H" + screen.lines[i];
  }
  text += "\x1b[" + std::to_string(terminal_size(STDOUT_FILENO).rows) + ";1H";
  text += color_ && !screen.is_typing ? "\x1b[7m" + screen.status + "\x1b[0m" : screen.status;
  if (screen.is_typing) text += "\x1b[?25h";
  return send(text);
}

Terminal::Event Terminal::next() {
  for (bool has_waited = false;;) {
    if (auto key = keys_.next(has_waited)) {
      if (key->kind != Key::Kind::suspend) return {std::move(key)};
      suspend();
      return {};
    }
    std::array<pollfd, 2> sources = {{{STDIN_FILENO, POLLIN, 0}, {signal_pipe[0], POLLIN, 0}}};
    const int ready = ::poll(sources.data(), sources.size(), keys_.is_unsure() ? patience : -1);
    if (ready < 0 && errno != EINTR) return {std::nullopt, true};
    has_waited = ready == 0;
    if (ready <= 0) continue;
    if (sources[1].revents != 0) return after_signal();
    std::array<char, 512> bytes;
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {std::nullopt, true};
    keys_.read({bytes.data(), static_cast<std::size_t>(count)});
  }
}

Terminal::Event Terminal::after_signal() {
  char number = 0;
  while (::read(signal_pipe[0], &number, 1) == 1) {
    if (number == SIGTSTP) {
      suspend();
    } else if (number == SIGCONT) {
      // Stopped otherwise, it was not asked, and the shell had the terminal in between.
      make_raw();
    } else if (number != SIGWINCH) {
      signal_ = number;
      return {std::nullopt, true};
    }
  }
  return {};
}

void leave_terminal() {
  const termios* const before = terminal_before.exchange(nullptr);
  if (!before) return;
  send(main_screen);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, before);
}

}  // namespace attn
