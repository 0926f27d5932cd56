#pragma once

#include <cstddef>

// ATTN_ADDRESS_SANITIZER is defined where it is built in: compilers say so each in their own way.
#ifdef __SANITIZE_ADDRESS__
#define ATTN_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ATTN_ADDRESS_SANITIZER
#endif
#endif

namespace attn {

// Of what is tried very often every so manieth is tried where each takes ten times as long.
#ifdef ATTN_ADDRESS_SANITIZER
constexpr std::size_t stride_where_slow = 19;
#else
constexpr std::size_t stride_where_slow = 1;
#endif

}  // namespace attn
