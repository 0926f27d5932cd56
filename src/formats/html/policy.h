#pragma once

#include <string>

#include "base/packed.h"

namespace attn {

// The element that tells a browser what a page of ours may do (Content Security Policy, level 3): show itself, and run
// that one script where there is one. Nothing is loaded, sent anywhere, or run that came in with somebody's text.
std::string policy_element(const Packed* script);

// The script as the policy wants it: not a byte more or less.
std::string script_element(const Packed& script);

}  // namespace attn
