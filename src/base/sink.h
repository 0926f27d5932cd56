#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace attn {

// Where text goes that is too long to be held in one piece.
class Sink {
 public:
  virtual ~Sink() = default;

  // Takes the next piece. A sink that cannot take it remembers that, and takes
  // no more.
  virtual void write(std::string_view piece) = 0;
};

class StringSink final : public Sink {
 public:
  void write(std::string_view piece) override { text_ += piece; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Text on its way to a sink, which gets it in pieces of some size.
class Outgoing {
 public:
  explicit Outgoing(Sink& sink) : sink_(sink) { text_.reserve(2 * enough); }

  // What is yet to be handed over; more is added at its end.
  std::string& text() { return text_; }

  // To be called every so often.
  void hand_over_if_enough() {
    if (text_.size() >= enough) hand_over();
  }
  void hand_over() {
    sink_.write(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t enough = std::size_t{1} << 16;

  Sink& sink_;
  std::string text_;
};

}  // namespace attn
