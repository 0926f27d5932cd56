#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "backend/cuda/backend.h"
#include "backend/cuda/narrow.h"
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

// Copies numbers to the device, in its dtype, which they are of.
void send(std::byte* there, std::span<const float> numbers, Dtype dtype) {
  std::vector<std::byte> narrow;
  std::span<const std::byte> sent = std::as_bytes(numbers);
  if (dtype != Dtype::f32) {
    narrow.resize(numbers.size() * sizeof(std::uint16_t));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint16_t bits = cuda::narrow_bits(numbers[i], dtype);
      std::memcpy(&narrow[i * sizeof bits], &bits, sizeof bits);
    }
    sent = narrow;
  }
  check(cudaMemcpy(there, sent.data(), sent.size(), cudaMemcpyHostToDevice), "copying numbers to it");
}

// Copies the context from the device to where the call wants it.
void bring_back(const void* context, const FusedAttention<float>& call, Dtype dtype) {
  const std::size_t rows = call.batch * call.heads * call.queries;
  std::vector<float> made(rows * call.value_width);
  std::vector<std::uint16_t> narrow(dtype == Dtype::f32 ? 0 : made.size());
  void* const here = dtype == Dtype::f32 ? static_cast<void*>(made.data()) : narrow.data();
  check(cudaMemcpy(here, context, made.size() * bytes_of(dtype), cudaMemcpyDeviceToHost),
        "copying the context from it");
  std::ranges::transform(narrow, made.begin(), [dtype](std::uint16_t bits) { return cuda::widened_bits(bits, dtype); });
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

bool CudaBackend::attend_in(const FusedAttention<float>& call, Dtype dtype) {
  if (!is_plain(call)) return false;
  const std::span q(call.q, extent(call.batch, call.heads, call.queries, call.key_width, call.q_at));
  const std::span k(call.k, extent(call.batch, call.kv_heads, call.keys, call.key_width, call.k_at));
  const std::span v(call.v, extent(call.batch, call.kv_heads, call.keys, call.value_width, call.v_at));

  const std::span offsets(call.offsets, call.offsets ? call.batch : 0);
  const std::span lengths(call.lengths, call.lengths ? call.batch : 0);

  cuda::DeviceLayout layout;
  const auto of_numbers = [&](std::size_t count) { return layout.add(count * bytes_of(dtype)); };
  const std::size_t q_begin = of_numbers(q.size()), k_begin = of_numbers(k.size()), v_begin = of_numbers(v.size());
  const std::size_t context = of_numbers(call.batch * call.heads * call.queries * call.value_width);
  const std::size_t offsets_begin = layout.add(offsets.size_bytes()), lengths_begin = layout.add(lengths.size_bytes());

  FusedCall there = without_tensors(call);
  there.dtype = dtype;
  std::byte* memory = memory_.at_least(layout.bytes());
  there.q = memory + q_begin;
  there.k = memory + k_begin;
  there.v = memory + v_begin;
  there.context = memory + context;
  if (call.offsets) there.offsets = reinterpret_cast<const std::int64_t*>(memory + offsets_begin);
  if (call.lengths) there.lengths = reinterpret_cast<const std::size_t*>(memory + lengths_begin);

  const FusedKernel* kernel = kernel_for(there, v, compute_capability_);
  if (!kernel) return false;
  send(memory + q_begin, q, dtype);
  send(memory + k_begin, k, dtype);
  send(memory + v_begin, v, dtype);
  const auto send_as_is = [&](std::size_t begin, const auto& numbers) {
    if (numbers.empty()) return;
    check(cudaMemcpy(memory + begin, numbers.data(), numbers.size_bytes(), cudaMemcpyHostToDevice),
          "copying numbers to it");
  };
  send_as_is(offsets_begin, offsets);
  send_as_is(lengths_begin, lengths);
  if (const std::size_t bytes = kernel->workspace(there)) {
    there.workspace = workspace_.at_least(bytes);
    check(cudaMemset(there.workspace, 0, bytes), "clearing memory");
  }
  check(kernel->launch(there, nullptr), "starting attention");

  bring_back(there.context, call, dtype);
  mark_closed_rows(call);
  return true;
}

}  // namespace attn
