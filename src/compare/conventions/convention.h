#pragma once

#include <string>
#include <vector>

#include "mistakes/mistake.h"

namespace attn {

// A way to do attention that some programs have in place of what the problem
// says: no slip of a person, but what numbers of two programs may differ by.
// The catalogue of mistakes holds those that are both.
struct Convention {
  std::string id;    // "softcap.order"
  std::string what;  // as of a mistake: "the scores were capped before they were scaled", for "It is as if …"
  RewriteRule rewrites;
};

// Every one: the rows that compare/conventions/CMakeLists.txt names.
const std::vector<Convention>& conventions();

}  // namespace attn
