#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// The instruction sets that the kernels are compiled for and this machine has,
// the best first: "AVX-512", "AVX2", "SSE4", "NEON", "baseline".
std::vector<std::string> instruction_sets();

// The one that the kernels use now.
std::string instruction_set();

// The same as a number: Highway's name for it (HWY_AVX2).
std::int64_t instruction_target();

// Makes the kernels use another, as tests and measurements do; the best again
// where `name` is empty. Returns false, and changes nothing, where this machine
// has none of that name. Not to be called while a kernel runs.
bool use_instruction_set(std::string_view name);

}  // namespace attn
