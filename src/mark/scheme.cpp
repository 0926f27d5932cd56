#include "mark/scheme.h"

#include "trace/step_name.h"

namespace attn {

const Scheme::Deduction* deduction_for(std::string_view mistake, const Scheme& scheme) {
  const Scheme::Deduction* best = nullptr;
  for (const Scheme::Deduction& one : scheme.deduct) {
    if (one.mistake == mistake) return &one;
    const bool is_closer = !best || one.mistake.size() > best->mistake.size();
    if (is_closer && is_like(mistake, one.mistake)) best = &one;
  }
  return best;
}

}  // namespace attn
