#include "bench/measurable.h"

#include <algorithm>

namespace attn {
namespace {

// A size as a factor.
double of(std::size_t size) { return static_cast<double>(size); }

double bytes_a_number(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 8;
    case Dtype::f32:
      return 4;
    case Dtype::bf16:
    case Dtype::f16:
      return 2;
  }
  return 0;
}

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
  return of(work.heads) * of(work.key_width + work.value_width) +
         of(work.kv_heads) * of(work.key_width + work.value_width);
}

}  // namespace

double operations(const Workload& workload) {
  const double attention = 2 * of(workload.batch) * of(workload.heads) * open_cells(workload) *
                           of(workload.key_width + workload.value_width);
  const double projections =
      2 * of(workload.batch) * of(workload.queries) * of(workload.model_width) * projected_columns(workload);
  return attention + projections;
}

double least_bytes(const Workload& workload) {
  double numbers = 0;
  if (workload.model_width > 0) {
    numbers = of(workload.model_width) * (2 * of(workload.batch) * of(workload.queries) + projected_columns(workload));
  } else {
    const double rows = of(workload.heads) * of(workload.queries) + of(workload.kv_heads) * of(workload.keys);
    numbers = of(workload.batch) * rows * of(workload.key_width + workload.value_width);
  }
  return numbers * bytes_a_number(workload.dtype);
}

}  // namespace attn
