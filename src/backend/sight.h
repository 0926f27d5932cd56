#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend/fused.h"

namespace attn {

// The keys that lengths and window let a query see: [first, last) of the
// sequence's own, and all that are appended.
struct Sight {
  std::size_t first = 0, last = 0;  // first ≤ last
};

// Where the appended keys begin.
template <class T>
std::size_t own_keys(const FusedAttention<T>& call) {
  return call.keys - std::min(call.appended, call.keys);
}

template <class T>
Sight sight(const FusedAttention<T>& call, std::size_t batch, std::size_t query) {
  const std::size_t own = own_keys(call);
  const std::size_t length = call.lengths != nullptr ? std::min(call.lengths[batch], own) : own;
  // Far beyond any position, and far from where adding two of them overflows.
  constexpr std::int64_t far = std::int64_t{1} << 60;
  const std::int64_t offset = call.offsets != nullptr ? std::clamp(call.offsets[batch], -far, far) : 0;
  const std::int64_t position = offset + static_cast<std::int64_t>(query);
  const auto key = [&](std::int64_t at) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(length)));
  };
  Sight seen;
  seen.first = call.left < 0 ? 0 : key(position - std::min(call.left, far));
  seen.last = call.right < 0 ? length : key(position + std::min(call.right, far) + 1);
  seen.last = std::max(seen.first, seen.last);
  return seen;
}

}  // namespace attn
