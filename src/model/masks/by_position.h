#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/masks/mask.h"

namespace attn {

// A rule that closes cells by where query and key stand: `open` says of a
// query's position, which is i + offset for the i-th, and of a key's whether the
// one sees the other.
MaskRule closing_where(const Attention& attention, Heading heading,
                       const std::function<bool(std::int64_t query, std::int64_t key)>& open);

// A rule that closes cells by where query and key stand: open for the keys that
// a query sees around its own position, which is i + offset for the i-th.
MaskRule closing_by_position(const Attention& attention, Heading heading, Window sees);

// "i", or "i + offset".
std::string written_position(const Attention& attention);

}  // namespace attn
