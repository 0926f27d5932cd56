#pragma once

#include <optional>
#include <string>
#include <termios.h>
#include <vector>

#include "cli/keyboard.h"

namespace attn {

// What a terminal is to show, and where: lines from the top, one at the bottom.
struct Screen {
  std::vector<std::string> lines;
  std::string status;
  bool is_typing = false;  // the cursor stands behind the status
};

// The terminal that standard input and output are, key by key, on a screen of
// its own. Whatever happens, the terminal is afterwards as it was.
class Terminal {
 public:
  // Why there is none to be had; empty where there is one.
  static std::string missing();

  // REQUIRES: missing() is empty; there is no other one.
  explicit Terminal(bool color);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // False where the terminal is gone.
  bool show(const Screen& screen);

  // What happens next: a key, or nothing but that the screen has to be drawn again.
  // Over once the input has ended or the program was told to end.
  struct Event {
    std::optional<Key> key = std::nullopt;
    bool is_over = false;
  };
  Event next();

  // The signal that ended the program, to be sent again once the terminal is as it was; 0 for none.
  int signal() const { return signal_; }

 private:
  void enter();
  void make_raw() const;
  void suspend();
  Event after_signal();

  bool color_;
  termios before_{};
  KeyReader keys_;
  int signal_ = 0;
};

// For a program that ends at once, whatever is going on: the terminal is as it was, if there is one.
void leave_terminal();

}  // namespace attn
