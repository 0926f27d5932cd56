#pragma once

#include <string>

#include "problem/problem.h"

namespace attn {

// "sha256:…" of what the problem computes with: its numbers and options. Words
// (title, notes, labels) do not count, nor how something was spelled: a default
// written out gives the same digest as one left out. The arithmetic is that of
// the file, whatever it is computed in.
std::string statement_digest(const Problem& problem);

}  // namespace attn
