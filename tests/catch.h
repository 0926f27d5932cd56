#pragma once

#include <string>

// Debian 12 has Catch2 v2, newer systems v3.
#ifndef ATTN_CATCH
#error "attn_use_catch() of tests/CMakeLists.txt says which"
#elif ATTN_CATCH >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
using namespace Catch::Generators;  // NOLINT(google-build-using-namespace)
#else
#include <catch2/catch.hpp>
#endif

namespace attn {

// Matches a text that has this part. What v2 calls Contains is in v3 of ranges.
inline auto contains(const std::string& part) {
#if ATTN_CATCH >= 3
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace attn
