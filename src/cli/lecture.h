#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/keyboard.h"
#include "cli/terminal.h"
#include "explain/document.h"

namespace attn {

// A document stop by stop, as somebody steps through it in front of a class:
// what each key does, and what the terminal shows then. It knows no terminal.
class Lecture {
 public:
  struct Talk {
    Document document;
    std::function<std::string(const Document&)> write;  // as the terminal shows it
    std::function<Document(const std::string&)> why;    // what is to be said about "scores[1,2]", or why nothing
    std::string example;                                // of what can be asked
    bool ascii = false;
  };

  explicit Lecture(Talk talk);

  void resize(TerminalSize size);
  void press(const Key& key);

  Screen screen() const;
  bool is_over() const { return is_over_; }

 private:
  enum class Mode { stop, asking, answer };

  void press_at_stop(const Key& key);
  void press_while_asking(const Key& key);
  void press_at_answer(const Key& key);

  void on();
  void back();
  void go_to(std::size_t stop);
  void jump();
  void ask();

  void look();
  Document shown() const;
  std::size_t lines_shown() const;
  std::size_t lines_below() const;
  bool scroll(bool down, std::size_t by);
  std::size_t page() const;
  std::string status() const;
  std::string spelled(const std::string& text) const;

  Talk talk_;
  std::vector<Stop> stops_;
  TerminalSize size_;
  Mode mode_ = Mode::stop;
  bool is_over_ = false;

  std::size_t at_ = 0;    // the stop
  std::size_t top_ = 0;   // the first line of it that is seen
  std::string number_;    // typed so far, to go to that stop
  std::string notice_;    // what has to be said about the last key
  std::string question_;  // typed so far
  Document answer_;
  std::size_t top_before_ = 0;      // of the stop, while something else is shown
  std::vector<std::string> lines_;  // of what is shown
};

}  // namespace attn
