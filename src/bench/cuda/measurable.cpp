#include "bench/measurable.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/device.h"
#include "backend/cuda/fused/fused.h"
#include "backend/cuda/samples.h"
#include "base/math.h"
#include "bench/cuda/peak.h"

namespace attn::cuda {
namespace {

SampleDtype sampled(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return SampleDtype::f64;
    case Dtype::f32:
      return SampleDtype::f32;
    case Dtype::bf16:
      return SampleDtype::bf16;
    case Dtype::f16:
      return SampleDtype::f16;
  }
  return {};
}

FusedDtype fused(Dtype dtype) {
  return dtype == Dtype::bf16 ? FusedDtype::bf16 : dtype == Dtype::f16 ? FusedDtype::f16 : FusedDtype::f32;
}

// How many numbers each tensor of a workload has.
struct Counts {
  explicit Counts(const Workload& w)
      : q(w.batch * w.heads * w.queries * w.key_width),
        k(w.batch * w.kv_heads * w.keys * w.key_width),
        v(w.batch * w.kv_heads * w.keys * w.value_width),
        context(w.batch * w.heads * w.queries * w.value_width) {}

  std::size_t q, k, v, context;
};

FusedStrides strides(std::size_t heads, std::size_t rows, std::size_t width) {
  return {static_cast<std::int64_t>(heads * rows * width), static_cast<std::int64_t>(rows * width),
          static_cast<std::int64_t>(width)};
}

// Whether the kernels' integers hold its sizes, sums of two of them as well.
bool fits(const Workload& w) {
  const auto sizes = {w.batch, w.heads, w.kv_heads, w.queries, w.keys, w.key_width, w.value_width};
  return std::ranges::max(sizes) <= std::numeric_limits<int>::max() / 2;
}

// The call, without its tensors. REQUIRES: fits(w).
FusedCall call_of(const Workload& w) {
  return {.dtype = fused(w.dtype),
          .batch = static_cast<int>(w.batch),
          .heads = static_cast<int>(w.heads),
          .kv_heads = static_cast<int>(w.kv_heads),
          .queries = static_cast<int>(w.queries),
          .keys = static_cast<int>(w.keys),
          .key_width = static_cast<int>(w.key_width),
          .value_width = static_cast<int>(w.value_width),
          .q_at = strides(w.heads, w.queries, w.key_width),
          .k_at = strides(w.kv_heads, w.keys, w.key_width),
          .v_at = strides(w.kv_heads, w.keys, w.value_width),
          .context_at = strides(w.heads, w.queries, w.value_width),
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(w.key_width))),
          .causal = w.causal,
          .offset = static_cast<std::int64_t>(w.keys) - static_cast<std::int64_t>(w.queries)};
}

const FusedKernel* kernel_named(std::string_view name) {
  const std::vector<FusedKernel>& kernels = fused_kernels();
  const auto found = std::ranges::find_if(kernels, [&](const FusedKernel& one) { return one.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

// One row of the context, in double precision and in single, each operation of
// which is rounded.
class Row {
 public:
  Row(const Workload& workload, std::size_t batch, std::size_t head, std::size_t query)
      : w_(workload), query_row_((batch * w_.heads + head) * w_.queries + query) {
    const std::size_t kv_head = head / (w_.heads / w_.kv_heads);
    first_key_ = (batch * w_.kv_heads + kv_head) * w_.keys;
    open_ = w_.keys;
    if (w_.causal) {
      const std::size_t end = query + 1 + w_.keys;
      open_ = end <= w_.queries ? 0 : std::min(w_.keys, end - w_.queries);
    }
  }

  std::size_t at() const { return query_row_; }

  template <class T>
  std::vector<T> context() const {
    const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(w_.key_width)));
    std::vector<T> weights(open_);
    T maximum = -std::numeric_limits<T>::infinity();
    for (std::size_t key = 0; key < open_; ++key) {
      T sum = 0;
      for (std::size_t i = 0; i < w_.key_width; ++i) {
        sum += static_cast<T>(number(q_seed, query_row_ * w_.key_width + i)) *
               static_cast<T>(number(k_seed, (first_key_ + key) * w_.key_width + i));
      }
      weights[key] = sum * scale;
      maximum = std::max(maximum, weights[key]);
    }
    T total = 0;
    for (T& weight : weights) total += weight = attn::exp(weight - maximum);
    std::vector<T> sums(w_.value_width, T{0});
    for (std::size_t key = 0; key < open_; ++key) {
      const T weight = weights[key] / total;
      for (std::size_t i = 0; i < w_.value_width; ++i) {
        sums[i] += weight * static_cast<T>(number(v_seed, (first_key_ + key) * w_.value_width + i));
      }
    }
    return sums;
  }

  static constexpr std::uint64_t q_seed = 1, k_seed = 2, v_seed = 3;

 private:
  double number(std::uint64_t seed, std::size_t at) const { return stored(sample(seed, at), w_.dtype); }

  const Workload& w_;
  std::size_t query_row_, first_key_ = 0, open_ = 0;
};

class CudaRun final : public MeasurableRun {
 public:
  CudaRun(const Workload& workload, int compute_capability)
      : workload_(workload), dtype_(sampled(workload.dtype)), compute_capability_(compute_capability) {
    const Counts counts(workload);
    const std::size_t each = bytes_of(dtype_);
    DeviceLayout layout;
    const std::size_t q = layout.add(counts.q * each);
    const std::size_t k = layout.add(counts.k * each);
    const std::size_t v = layout.add(counts.v * each);
    const std::size_t context = layout.add(counts.context * each);
    // So many copies that no cache of a GPU holds them.
    constexpr std::size_t beyond_caches = std::size_t{256} << 20;
    const std::size_t copies = std::clamp<std::size_t>(beyond_caches / layout.bytes(), 1, 64);
    std::byte* memory = memory_.at_least(copies * layout.bytes());
    for (std::size_t copy = 0; copy < copies; ++copy) {
      std::byte* begin = memory + copy * layout.bytes();
      check(fill_with_samples(dtype_, begin + q, counts.q, Row::q_seed), "making random numbers");
      check(fill_with_samples(dtype_, begin + k, counts.k, Row::k_seed), "making random numbers");
      check(fill_with_samples(dtype_, begin + v, counts.v, Row::v_seed), "making random numbers");
      FusedCall call = call_of(workload);
      call.q = begin + q;
      call.k = begin + k;
      call.v = begin + v;
      call.context = begin + context;
      calls_.push_back(call);
    }
  }

  double seconds(std::string_view name) override {
    const FusedKernel& kernel = *kernel_named(name);
    assert(kernel.supports(calls_[0], compute_capability_));
    if (kernel.name != last_) {
      make_workspace(kernel);
      time(kernel, 1);  // the first time a kernel is also brought to the device
      last_ = kernel.name;
      const double once = time(kernel, 1);
      constexpr double enough = 2e-3;
      launches_ = std::clamp(static_cast<int>(enough / std::max(once, 1e-9)), 1, 200);
    }
    return time(kernel, launches_);
  }

  Error error() override {
    const std::vector<double> made = context_made();
    Error worst;
    constexpr std::size_t rows = 6;
    const std::size_t all = workload_.batch * workload_.heads * workload_.queries;
    for (std::size_t i = 0; i < std::min(rows, all); ++i) {
      // The first row, the last, and some between.
      const std::size_t drawn = i == 0 ? 0 : i == 1 ? all - 1 : static_cast<std::size_t>(i * 0x9e3779b97f4a7c15u % all);
      const std::size_t query = drawn % workload_.queries;
      const std::size_t head = drawn / workload_.queries % workload_.heads;
      const Row row(workload_, drawn / workload_.queries / workload_.heads, head, query);
      const std::vector<double> exact = row.context<double>();
      const std::vector<float> plain = row.context<float>();
      for (std::size_t j = 0; j < exact.size(); ++j) {
        const double got = made[row.at() * workload_.value_width + j];
        worst.kernel = larger_error(worst.kernel, got - exact[j]);
        worst.plain = larger_error(worst.plain, stored(static_cast<double>(plain[j]), workload_.dtype) - exact[j]);
      }
    }
    return worst;
  }

 private:
  static double larger_error(double worst, double difference) {
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, std::abs(difference));
  }

  void make_workspace(const FusedKernel& kernel) {
    const std::size_t bytes = kernel.workspace(calls_[0]);
    void* workspace = bytes == 0 ? nullptr : workspace_.at_least(bytes);
    if (bytes > 0) check(cudaMemset(workspace, 0, bytes), "clearing memory");
    for (FusedCall& call : calls_) call.workspace = workspace;
  }

  // Of one call, on average over so many. Another goes before them, so that the
  // device has work while the host starts what is timed.
  double time(const FusedKernel& kernel, int launches) {
    launch(kernel);
    clock_.start();
    for (int i = 0; i < launches; ++i) launch(kernel);
    return clock_.seconds() / launches;
  }

  void launch(const FusedKernel& kernel) {
    check(kernel.launch(calls_[next_], nullptr), "starting attention");
    last_call_ = next_;
    next_ = (next_ + 1) % calls_.size();
  }

  // What the last call made.
  std::vector<double> context_made() {
    std::vector<double> made(Counts(workload_).context);
    auto* wide = reinterpret_cast<double*>(wide_.at_least(made.size() * sizeof(double)));
    check(widen(dtype_, calls_[last_call_].context, made.size(), wide), "widening numbers");
    check(cudaMemcpy(made.data(), wide, made.size() * sizeof(double), cudaMemcpyDeviceToHost), "copying the context");
    return made;
  }

  Workload workload_;
  SampleDtype dtype_;
  int compute_capability_;
  DeviceMemory memory_, workspace_, wide_;
  std::vector<FusedCall> calls_;
  std::size_t next_ = 0, last_call_ = 0;
  std::string_view last_;
  int launches_ = 1;
  DeviceClock clock_;
};

class CudaMeasurable final : public Measurable {
 public:
  CudaMeasurable() : device_(device_list().at(0)) {
    for (const FusedKernel& kernel : fused_kernels()) kernels_.push_back({kernel.name, kernel.summary});
  }

  std::string device() const override { return to_string(device_) + (peak_.by_cublas() ? "" : ", no cuBLAS"); }

  const std::vector<MeasurableKernel>& kernels() const override { return kernels_; }

  bool supports(std::string_view name, const Workload& workload) const override {
    if (workload.dtype == Dtype::f64 || workload.model_width > 0 || !fits(workload)) return false;
    const FusedKernel* kernel = kernel_named(name);
    return kernel && kernel->supports(call_of(workload), compute_capability());
  }

  double peak(Dtype dtype) override { return peak_.operations(sampled(dtype)); }
  double bandwidth() override { return peak_.bandwidth(); }

  std::unique_ptr<MeasurableRun> prepare(const Workload& workload) override {
    return std::make_unique<CudaRun>(workload, compute_capability());
  }

 private:
  int compute_capability() const { return 10 * device_.major + device_.minor; }

  DeviceInfo device_;
  std::vector<MeasurableKernel> kernels_;
  Peak peak_;
};

}  // namespace
}  // namespace attn::cuda

namespace attn {

std::unique_ptr<Measurable> measurable_gpu() { return std::make_unique<cuda::CudaMeasurable>(); }

}  // namespace attn
