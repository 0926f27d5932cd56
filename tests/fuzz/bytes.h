#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace attn {

// What a harness makes of the fuzzer's bytes where it wants choices and numbers, not a text: each is taken from
// the next bytes, so that one changed byte changes one choice. Behind the end everything is 0.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  bool any() const { return !left_.empty(); }
  std::string_view rest() const { return left_; }

  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const auto taken = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return taken;
  }
  std::size_t between(std::size_t least, std::size_t most) { return least + byte() % (most - least + 1); }
  bool one_in(std::size_t many) { return byte() % many == 1; }

  template <class Number>
  Number bits() {
    Number number{};
    const std::size_t size = left_.size() < sizeof number ? left_.size() : sizeof number;
    std::memcpy(&number, left_.data(), size);
    left_.remove_prefix(size);
    return number;
  }

  // A number as problems have them, one byte long, or now and then any number there is.
  double number() {
    const std::uint8_t kind = byte();
    if (kind == 0xFF) return bits<double>();
    return (static_cast<int>(kind) - 100) / 16.0;
  }

 private:
  std::string_view left_;
};

}  // namespace attn
