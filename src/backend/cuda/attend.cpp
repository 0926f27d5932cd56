#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backend/cuda/backend.h"
#include "backend/sight.h"

namespace attn {
namespace {

using cuda::check;
using cuda::FusedCall;
using cuda::FusedKernel;
using cuda::FusedStrides;

// What of a call the kernels know, dots, scales and a block of keys for a query
// from the first on; and whether their integers hold its sizes.
bool is_plain(const FusedAttention<float>& call) {
  const auto fits = [](std::size_t size) { return size > 0 && size <= std::numeric_limits<int>::max(); };
  return call.softcap == 0 && call.log_base == 1 && !call.sinks && call.left < 0 && call.right <= 0 &&
         call.appended == 0 && !call.open && !call.bias && fits(call.batch) && fits(call.heads) && fits(call.queries) &&
         fits(call.keys) && fits(call.key_width) && fits(call.value_width);
}

// How many numbers there are from the first to the last.
std::size_t extent(std::size_t batch, std::size_t heads, std::size_t rows, std::size_t width, const Strides& at) {
  return at.to(batch - 1, heads - 1, rows - 1) + width;
}

FusedStrides on_device(const Strides& at) {
  return {static_cast<std::int64_t>(at.batch), static_cast<std::int64_t>(at.head), static_cast<std::int64_t>(at.row)};
}

void mark_closed_rows(const FusedAttention<float>& call) {
  if (!call.closed_rows) return;
  for (std::size_t batch = 0; batch < call.batch; ++batch) {
    for (std::size_t head = 0; head < call.heads; ++head) {
      for (std::size_t query = 0; query < call.queries; ++query) {
        if (sight(call, batch, query).last == 0) {
          call.closed_rows[(batch * call.heads + head) * call.queries + query] = 1;
        }
      }
    }
  }
}

// Copies the context from the device to where the call wants it.
void bring_back(const void* context, const FusedAttention<float>& call) {
  const std::size_t rows = call.batch * call.heads * call.queries;
  std::vector<float> made(rows * call.value_width);
  check(cudaMemcpy(made.data(), context, made.size() * sizeof(float), cudaMemcpyDeviceToHost),
        "copying the context from it");
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t query = row % call.queries;
    const std::size_t head = row / call.queries % call.heads;
    const std::size_t batch = row / call.queries / call.heads;
    std::copy_n(&made[row * call.value_width], call.value_width, call.context + call.context_at.to(batch, head, query));
  }
}

// The fastest kernel that keeps what stands behind closed cells out of the
// result: where that is an infinity or a NaN, only the first of the ladder does.
const FusedKernel* kernel_for(const FusedCall& call, std::span<const float> values, int compute_capability) {
  const bool closes = call.causal || call.lengths != nullptr;
  const auto finite = [](float number) { return std::isfinite(number); };
  if (!closes || std::ranges::all_of(values, finite)) return best_fused_kernel(call, compute_capability);
  const FusedKernel& clear = cuda::fused_kernels().front();
  return clear.supports(call, compute_capability) ? &clear : nullptr;
}

}  // namespace

FusedCall without_tensors(const FusedAttention<float>& call) {
  return {.dtype = Dtype::f32,
          .batch = static_cast<int>(call.batch),
          .heads = static_cast<int>(call.heads),
          .kv_heads = static_cast<int>(call.kv_heads),
          .queries = static_cast<int>(call.queries),
          .keys = static_cast<int>(call.keys),
          .key_width = static_cast<int>(call.key_width),
          .value_width = static_cast<int>(call.value_width),
          .q_at = on_device(call.q_at),
          .k_at = on_device(call.k_at),
          .v_at = on_device(call.v_at),
          .context_at = {static_cast<std::int64_t>(call.heads * call.queries * call.value_width),
                         static_cast<std::int64_t>(call.queries * call.value_width),
                         static_cast<std::int64_t>(call.value_width)},
          .scale = static_cast<float>(call.scale),
          .causal = call.right == 0};
}

bool CudaBackend::attend(const FusedAttention<float>& call) {
  if (!is_plain(call)) return false;
  const std::span q(call.q, extent(call.batch, call.heads, call.queries, call.key_width, call.q_at));
  const std::span k(call.k, extent(call.batch, call.kv_heads, call.keys, call.key_width, call.k_at));
  const std::span v(call.v, extent(call.batch, call.kv_heads, call.keys, call.value_width, call.v_at));

  const std::span offsets(call.offsets, call.offsets ? call.batch : 0);
  const std::span lengths(call.lengths, call.lengths ? call.batch : 0);
  const std::array sent = {std::as_bytes(q), std::as_bytes(k), std::as_bytes(v), std::as_bytes(offsets),
                           std::as_bytes(lengths)};

  cuda::DeviceLayout layout;
  std::array<std::size_t, sent.size()> begins;
  std::ranges::transform(sent, begins.begin(), [&](const auto& bytes) { return layout.add(bytes.size()); });
  const std::size_t context = layout.add(call.batch * call.heads * call.queries * call.value_width * sizeof(float));

  FusedCall there = without_tensors(call);
  std::byte* memory = memory_.at_least(layout.bytes());
  there.q = memory + begins[0];
  there.k = memory + begins[1];
  there.v = memory + begins[2];
  there.context = memory + context;
  if (call.offsets) there.offsets = reinterpret_cast<const std::int64_t*>(memory + begins[3]);
  if (call.lengths) there.lengths = reinterpret_cast<const std::size_t*>(memory + begins[4]);

  const FusedKernel* kernel = kernel_for(there, v, compute_capability_);
  if (!kernel) return false;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (sent[i].empty()) continue;
    check(cudaMemcpy(memory + begins[i], sent[i].data(), sent[i].size(), cudaMemcpyHostToDevice),
          "copying numbers to it");
  }
  if (const std::size_t bytes = kernel->workspace(there)) {
    there.workspace = workspace_.at_least(bytes);
    check(cudaMemset(there.workspace, 0, bytes), "clearing memory");
  }
  check(kernel->launch(there, nullptr), "starting attention");

  bring_back(there.context, call);
  mark_closed_rows(call);
  return true;
}

}  // namespace attn
