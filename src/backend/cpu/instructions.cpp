#include "backend/cpu/instructions.h"

#include <algorithm>
#include <atomic>

#include "backend/cpu/vectors/targets.h"

namespace attn {
namespace {

struct InstructionSet {
  std::int64_t target;
  const char* name;
};

// The best first.
constexpr InstructionSet known[] = {
    {HWY_AVX3, "AVX-512"}, {HWY_AVX2, "AVX2"}, {HWY_SSE4, "SSE4"}, {HWY_NEON, "NEON"}, {HWY_STATIC_TARGET, "baseline"},
};

// Whether this processor, and its system, have all that Highway's target of that
// name may use.
bool is_here(std::int64_t target) {
#if HWY_ARCH_X86_64
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                    __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") &&
                    __builtin_cpu_supports("pclmul");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (target == HWY_SSE4 && sse4) return true;
  if (target == HWY_AVX2 && avx2) return true;
  if (target == HWY_AVX3 && avx512) return true;
#endif
  return target == HWY_STATIC_TARGET;
}

bool is_usable(const InstructionSet& set) { return (set.target & (HWY_TARGETS)) != 0 && is_here(set.target); }

std::vector<InstructionSet> usable() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet& set : known) {
    const bool twice = !sets.empty() && sets.back().target == set.target;
    if (is_usable(set) && !twice) sets.push_back(set);
  }
  return sets;
}

std::atomic<std::int64_t>& in_use() {
  static std::atomic<std::int64_t> target = std::ranges::find_if(known, is_usable)->target;
  return target;
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& set : usable()) names.push_back(set.name);
  return names;
}

std::string instruction_set() {
  const std::vector<InstructionSet> sets = usable();
  return std::ranges::find(sets, instruction_target(), &InstructionSet::target)->name;
}

std::int64_t instruction_target() { return in_use().load(std::memory_order_relaxed); }

bool use_instruction_set(std::string_view name) {
  for (const InstructionSet& set : usable()) {
    if (!name.empty() && name != set.name) continue;
    in_use() = set.target;
    return true;
  }
  return false;
}

}  // namespace attn
