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

struct Trace;

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

// How many characters `append` adds to a text for a number, on average over some of them.
template <class Append>
double usual_length(std::span<const double> numbers, Append append) {
  constexpr std::size_t looked_at = 4096;
  const std::size_t apart = numbers.size() / looked_at + 1;
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < numbers.size(); i += apart, ++count) append(numbers[i], text);
  return count == 0 ? 0 : static_cast<double>(text.size()) / static_cast<double>(count);
}

// A natural number in so many bytes, the lowest first.
std::string in_bytes(std::uint64_t value, std::size_t bytes);

// How many numbers a trace has, what is given among them.
std::size_t count_of_numbers(const Trace& trace);

// How many bytes the numbers of its steps take, stored in that dtype.
std::size_t bytes_stored(const Trace& trace, Dtype dtype);

// Writes the numbers as the dtype stores them, the lowest byte first. As in
// every trace there is one zero and one NaN.
void write_stored(std::span<const double> numbers, Dtype dtype, Outgoing& out);

}  // namespace attn
