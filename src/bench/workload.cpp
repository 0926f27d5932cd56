#include "bench/workload.h"

#include <algorithm>

#include <fmt/core.h>

namespace attn {
namespace {

// A machine reads a byte in the time of 10 to 20 operations (a GPU: 200), and a
// call takes as long as some thousands. No shape of interest is near either.
constexpr double few_operations_a_byte = 12;
constexpr double few_operations = 4000;

// A size as a factor.
double of(std::size_t size) { return static_cast<double>(size); }

// Cells of one head's scores that are open.
double open_cells(const Workload& work) {
  const double all = of(work.queries) * of(work.keys);
  if (!work.causal) return all;
  // The last query sees every key; queries before the first key see none.
  const double seeing = of(std::min(work.queries, work.keys));
  return seeing * of(work.keys) - seeing * seeing / 2;
}

// Columns of all heads' queries, keys, values and contexts together.
double projected_columns(const Workload& work) {
  return of(work.heads + work.kv_heads) * of(work.key_width + work.value_width);
}

Workload square(std::size_t batch, std::size_t heads, std::size_t size, std::size_t width, Dtype dtype) {
  return {.batch = batch,
          .heads = heads,
          .kv_heads = heads,
          .queries = size,
          .keys = size,
          .key_width = width,
          .value_width = width,
          .dtype = dtype};
}

}  // namespace

double operations(const Workload& workload) {
  if (workload.model) return workload.model->operations;
  const double attention = 2 * of(workload.batch) * of(workload.heads) * open_cells(workload) *
                           of(workload.key_width + workload.value_width);
  const double projections =
      2 * of(workload.batch) * of(workload.queries) * of(workload.model_width) * projected_columns(workload);
  return attention + projections;
}

double least_bytes(const Workload& workload) {
  double numbers = 0;
  if (workload.model) {
    numbers = workload.model->numbers;
  } else if (workload.model_width > 0) {
    numbers = of(workload.model_width) * (2 * of(workload.batch) * of(workload.queries) + projected_columns(workload));
  } else {
    const double rows = of(workload.heads) * of(workload.queries) + of(workload.kv_heads) * of(workload.keys);
    numbers = of(workload.batch) * rows * of(workload.key_width + workload.value_width);
  }
  return numbers * of(bytes_of(workload.dtype));
}

std::string spelled(const Workload& workload) {
  if (workload.model) return workload.model->name;
  std::string text = fmt::format("{}×{}×{}×{}", workload.batch, workload.heads, workload.queries, workload.key_width);
  if (workload.causal) text += " causal";
  if (workload.keys != workload.queries) text += fmt::format(", {} keys", workload.keys);
  if (workload.kv_heads != workload.heads) text += fmt::format(", {} kv heads", workload.kv_heads);
  if (workload.value_width != workload.key_width) text += fmt::format(", values {}", workload.value_width);
  if (workload.model_width != 0) text += ", projected";
  return text;
}

std::vector<Workload> bench_suite(Dtype dtype) {
  std::vector<Workload> suite = {square(1, 1, 3, 3, dtype), square(1, 8, 128, 64, dtype)};
  for (const Workload& each : {square(8, 8, 512, 64, dtype), square(1, 8, 2048, 64, dtype),
                               square(1, 16, 4096, 128, dtype), square(1, 8, 16384, 64, dtype)}) {
    suite.insert(suite.end(), 2, each);
    suite.back().causal = true;
  }
  suite.push_back(square(8, 8, 512, 64, dtype));
  suite.back().model_width = 512;
  suite.push_back(square(1, 16, 1, 128, dtype));
  suite.back().keys = 4096;
  return suite;
}

Limit limit_of(const Workload& workload) {
  if (operations(workload) < few_operations) return Limit::calling;
  return operations(workload) < few_operations_a_byte * least_bytes(workload) ? Limit::memory : Limit::arithmetic;
}

}  // namespace attn
