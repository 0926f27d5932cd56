#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace attn {

// Bytes as text (RFC 4648, section 4).
class Base64 {
 public:
  void add(std::uint8_t byte) {
    waiting_ |= static_cast<std::uint32_t>(byte) << (16 - 8 * bytes_);
    if (++bytes_ == 3) hand_over();
  }

  // The text of all that was added, filled up with "=". To be called once.
  std::string text() {
    if (bytes_ > 0) hand_over();
    return std::move(text_);
  }

 private:
  void hand_over();

  std::string text_;
  std::uint32_t waiting_ = 0;
  int bytes_ = 0;
};

}  // namespace attn
