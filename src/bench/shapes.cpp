#include "bench/shapes.h"

namespace attn {
namespace {

// A machine reads a byte in the time of 10 to 20 operations (a GPU: 200), and a
// call takes as long as some thousands. No shape of interest is near either.
constexpr double few_operations_a_byte = 12;
constexpr double few_operations = 4000;

Workload square(std::size_t batch, std::size_t heads, std::size_t size, std::size_t width, bool causal, Dtype dtype) {
  return {.batch = batch,
          .heads = heads,
          .kv_heads = heads,
          .queries = size,
          .keys = size,
          .key_width = width,
          .value_width = width,
          .causal = causal,
          .dtype = dtype};
}

}  // namespace

std::string spelled(const Workload& workload) {
  std::string text;
  for (const std::size_t size : {workload.batch, workload.heads, workload.queries, workload.key_width}) {
    text += (text.empty() ? "" : "×") + std::to_string(size);
  }
  if (workload.causal) text += " causal";
  if (workload.keys != workload.queries) text += ", " + std::to_string(workload.keys) + " keys";
  if (workload.kv_heads != workload.heads) text += ", " + std::to_string(workload.kv_heads) + " kv heads";
  if (workload.value_width != workload.key_width) text += ", values " + std::to_string(workload.value_width);
  if (workload.model_width != 0) text += ", projected";
  return text;
}

std::vector<Workload> bench_suite(Dtype dtype) {
  std::vector<Workload> suite = {square(1, 1, 3, 3, false, dtype), square(1, 8, 128, 64, false, dtype)};
  for (const bool causal : {false, true}) suite.push_back(square(8, 8, 512, 64, causal, dtype));
  for (const bool causal : {false, true}) suite.push_back(square(1, 8, 2048, 64, causal, dtype));
  for (const bool causal : {false, true}) suite.push_back(square(1, 16, 4096, 128, causal, dtype));
  for (const bool causal : {false, true}) suite.push_back(square(1, 8, 16384, 64, causal, dtype));
  suite.push_back(square(8, 8, 512, 64, false, dtype));
  suite.back().model_width = 512;
  suite.push_back(square(1, 16, 1, 128, false, dtype));
  suite.back().keys = 4096;
  return suite;
}

Limit limit_of(const Workload& workload) {
  if (operations(workload) < few_operations) return Limit::calling;
  return operations(workload) < few_operations_a_byte * least_bytes(workload) ? Limit::memory : Limit::arithmetic;
}

}  // namespace attn
