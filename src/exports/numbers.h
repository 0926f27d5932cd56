#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/sink.h"
#include "tensor/dtype.h"

// Numbers as exports write them: in digits, and in bytes.

namespace attn {

// Spells numbers of one dtype as shortest() does, many of them: those of 16
// bits take several attempts each, and there are few, so they are remembered.
class NumberSpelling {
 public:
  explicit NumberSpelling(Dtype dtype) : dtype_(dtype) {
    if (rounds_once_a_step(dtype)) remembered_.resize(std::size_t{1} << index_bits);
  }

  void append(double number, std::string& text);

 private:
  static constexpr int index_bits = 13;

  struct Remembered {
    std::uint64_t bits = 0;
    std::uint8_t size = 0;  // 0: nothing yet
    std::array<char, 15> text = {};
  };

  Dtype dtype_;
  std::vector<Remembered> remembered_;  // where the number's bits, mixed, point to
};

// A natural number in so many bytes, the lowest first.
std::string in_bytes(std::uint64_t value, std::size_t bytes);

// Writes the numbers as the dtype stores them, the lowest byte first. As in
// every trace there is one zero and one NaN.
void write_stored(std::span<const double> numbers, Dtype dtype, Outgoing& out);

}  // namespace attn
