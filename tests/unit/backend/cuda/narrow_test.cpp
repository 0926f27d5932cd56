#include "backend/cuda/narrow.h"

#include <bit>
#include <cstdint>

#include "catch.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

TEST_CASE("numbers of 16 bits go to the device and come back as they are, each of them", "[cuda]") {
  for (const Dtype dtype : {Dtype::bf16, Dtype::f16}) {
    std::size_t wrong = 0;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto narrow = static_cast<std::uint16_t>(bits);
      const float number = cuda::widened_bits(narrow, dtype);
      const double wide = static_cast<double>(number);
      if (std::isnan(number)) {
        wrong += !std::isnan(cuda::widened_bits(cuda::narrow_bits(number, dtype), dtype));
      } else {
        wrong += cuda::narrow_bits(number, dtype) != narrow || stored(wide, dtype) != wide;
      }
    }
    CHECK(wrong == 0);
  }
  CHECK(cuda::widened_bits(0x3f80, Dtype::bf16) == 1);
  CHECK(cuda::widened_bits(0x3c00, Dtype::f16) == 1);
  CHECK(cuda::widened_bits(0x8001, Dtype::f16) == -0x1p-24F);
  CHECK(cuda::widened_bits(0x7bff, Dtype::f16) == 65504);
}
