#pragma once

#include <optional>

#include "explain/document.h"
#include "trace/heads.h"

namespace attn {

struct HeadsTold {
  std::size_t top = 5;  // so many heads of each kind of look
  std::size_t sequence = 0;
  std::optional<Look> by = {};  // only this kind
};

// A table a kind of look, and a small map of the head that looks so the most.
Document told_heads(const Trace& trace, const HeadsReport& report, const HeadsTold& told);

}  // namespace attn
