#pragma once

#include <concepts>

namespace attn {

// A type that is one of those: what treats several operations alike lists them,
// so that the compiler still says who forgot a new one.
template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

}  // namespace attn
