#include "exports/spelling.h"

#include <algorithm>
#include <bit>

#include "base/numbers.h"

namespace attn {

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

}  // namespace attn
