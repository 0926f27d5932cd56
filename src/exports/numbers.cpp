#include "exports/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/numbers.h"
#include "trace/trace.h"

namespace attn {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are in memory");

template <class Convert>
void append_each(std::span<const double> numbers, std::string& out, Convert convert) {
  const std::size_t at = out.size();
  out.resize(at + numbers.size() * sizeof(convert(0.0)));
  char* to = out.data() + at;
  for (double number : numbers) {
    if (std::isnan(number)) number = std::numeric_limits<double>::quiet_NaN();
    const auto bits = convert(number == 0 ? 0.0 : number);
    std::memcpy(to, &bits, sizeof bits);
    to += sizeof bits;
  }
}

std::uint32_t single_bits(double number) { return std::bit_cast<std::uint32_t>(static_cast<float>(number)); }

std::uint16_t brain_bits(double number) {
  return static_cast<std::uint16_t>(single_bits(stored(number, Dtype::bf16)) >> 16);
}

std::uint16_t half_bits(double number) {
  number = stored(number, Dtype::f16);
  const std::uint32_t sign = single_bits(number) >> 16 & 0x8000U;
  const double size = std::abs(number);
  if (std::isnan(size)) return 0x7E00U;
  if (std::isinf(size)) return static_cast<std::uint16_t>(sign | 0x7C00U);
  // 2^112 times smaller, its bits as a float are those of the half, further up; subnormals too.
  return static_cast<std::uint16_t>(sign | single_bits(size * 0x1p-112) >> 13);
}

void append_stored(std::span<const double> numbers, Dtype dtype, std::string& out) {
  switch (dtype) {
    case Dtype::f64:
      return append_each(numbers, out, [](double number) { return number; });
    case Dtype::f32:
      return append_each(numbers, out, single_bits);
    case Dtype::bf16:
      return append_each(numbers, out, brain_bits);
    case Dtype::f16:
      return append_each(numbers, out, half_bits);
  }
}

}  // namespace

void NumberSpelling::append(double number, std::string& text) {
  if (dtype_ == Dtype::f64) return append_shortest(number, text);
  if (dtype_ == Dtype::f32) return append_shortest(static_cast<float>(number), text);

  const auto bits = std::bit_cast<std::uint64_t>(number);
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
  Remembered& one = remembered_[bits * golden >> (64 - index_bits)];
  if (one.size == 0 || one.bits != bits) {
    const std::string spelled = shortest(number, dtype_);
    if (spelled.size() > one.text.size()) {
      text += spelled;
      return;
    }
    one.bits = bits;
    one.size = static_cast<std::uint8_t>(spelled.size());
    std::ranges::copy(spelled, one.text.begin());
  }
  text.append(one.text.data(), one.size);
}

std::string in_bytes(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xFF);
  return text;
}

std::size_t count_of_numbers(const Trace& trace) {
  std::size_t count = 0;
  for (const GivenTensor& given : trace.givens) count += given.value.size();
  for (const Step& step : trace.steps) count += step.result.size();
  return count;
}

std::size_t bytes_stored(const Trace& trace, Dtype dtype) {
  std::size_t count = 0;
  for (const Step& step : trace.steps) count += step.result.size();
  return count * bytes_of(dtype);
}

void write_stored(std::span<const double> numbers, Dtype dtype, Outgoing& out) {
  constexpr std::size_t at_once = 4096;
  while (!numbers.empty()) {
    const std::size_t count = std::min(at_once, numbers.size());
    append_stored(numbers.first(count), dtype, out.text());
    out.hand_over_if_enough();
    numbers = numbers.subspan(count);
  }
}

}  // namespace attn
