#include <algorithm>

#include "formats/format.h"

namespace attn {

const Format* format_named(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  return found == formats().end() ? nullptr : &*found;
}

}  // namespace attn
