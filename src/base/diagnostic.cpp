#include "base/diagnostic.h"

#include <cassert>
#include <utility>

namespace attn {

Help::Help(std::string_view text) : text_(text) { assert(!text.empty()); }

Diagnostics only(Diagnostic fault) {
  Diagnostics faults;
  faults.push_back(std::move(fault));
  return faults;
}

}  // namespace attn
