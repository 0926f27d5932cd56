#include "bench/measurable.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/backend.h"
#include "backend/cuda/samples.h"
#include "bench/cuda/graph.h"
#include "bench/cuda/peak.h"
#include "bench/drawn_rows.h"

namespace attn::cuda {
namespace {

constexpr std::uint64_t q_seed = 1, k_seed = 2, v_seed = 3;

// Whether the kernels' integers hold its sizes, sums of two of them as well.
bool fits(const Workload& w) {
  const auto largest = std::max({w.batch, w.heads, w.kv_heads, w.queries, w.keys, w.key_width, w.value_width});
  return largest <= std::numeric_limits<int>::max() / 2;
}

// The call, without its tensors. REQUIRES: fits(w).
FusedCall device_call(const Workload& w) {
  FusedCall call = without_tensors(call_of<float>(w));
  call.dtype = w.dtype;
  call.offset = static_cast<std::int64_t>(w.keys) - static_cast<std::int64_t>(w.queries);
  return call;
}

const FusedKernel* kernel_named(std::string_view name) {
  const std::vector<FusedKernel>& kernels = fused_kernels();
  const auto found = std::ranges::find(kernels, name, &FusedKernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

// One query of one head: how far from the exact context a kernel may be, number by
// number. It rounds to the dtype each weight, before that meets a value, and the
// result, and adds up in f32 (docs/cuda.md).
std::vector<double> allowed_of(const FusedAttention<double>& call, const std::vector<double>& exact, Dtype dtype) {
  std::vector<double> sizes(call.value_width), values(call.value_width);  // Σ w·|v| and Σ |v|
  const std::size_t seen = sight(call, 0, 0).last;
  std::vector<double> weights(seen);
  double maximum = -std::numeric_limits<double>::infinity(), total = 0, largest_terms = 0;
  for (std::size_t key = 0; key < seen; ++key) {
    double terms = 0;
    for (std::size_t i = 0; i < call.key_width; ++i) {
      const double product = call.scale * call.q[i] * call.k[key * call.k_at.row + i];
      weights[key] += product;
      terms += std::abs(product);
    }
    maximum = std::max(maximum, weights[key]);
    largest_terms = std::max(largest_terms, terms);
  }
  for (double& weight : weights) total += weight = exp(weight - maximum);
  for (std::size_t key = 0; key < seen; ++key) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double value = std::abs(call.v[key * call.v_at.row + i]);
      sizes[i] += weights[key] / total * value;
      values[i] += value;
    }
  }
  const double rounding = step_at_one(dtype) / (dtype == Dtype::bf16 || dtype == Dtype::f16 ? 1 : 2);
  const double sums = 0x1p-24 * (2 * (static_cast<double>(call.key_width) + 4) * (largest_terms + 1) +
                                 2 * static_cast<double>(seen) + 64);
  std::vector<double> allowed(sizes.size());
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed[i] = (rounding + sums) * sizes[i] + rounding * std::abs(exact[i]) + 0x1p-24;
    if (dtype == Dtype::f16) allowed[i] += 0x1p-25 * values[i];  // of weights that are subnormal
  }
  return allowed;
}

// The context of one query of one head, of numbers as the device has them.
struct RowOfContext {
  std::vector<double> exact;    // in double precision
  std::vector<float> plain;     // of single precision, each operation of which is rounded
  std::vector<double> allowed;  // how far a kernel may be from the exact one
};
RowOfContext row_of_context(const Workload& w, std::size_t batch, std::size_t head, std::size_t query) {
  const auto samples = [&](std::uint64_t seed, std::size_t first, std::size_t count) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = stored(sample(seed, first++), w.dtype);
    return numbers;
  };
  const std::size_t kv_head = batch * w.kv_heads + head / (w.heads / w.kv_heads);
  const auto q = samples(q_seed, ((batch * w.heads + head) * w.queries + query) * w.key_width, w.key_width);
  const auto k = samples(k_seed, kv_head * w.keys * w.key_width, w.keys * w.key_width);
  const auto v = samples(v_seed, kv_head * w.keys * w.value_width, w.keys * w.value_width);
  const auto position = static_cast<std::int64_t>(query + w.keys) - static_cast<std::int64_t>(w.queries);
  FusedAttention<double> call = call_of<double>(w);
  call.heads = call.kv_heads = 1;
  call.q = q.data();
  call.k = k.data();
  call.v = v.data();
  call.offsets = &position;
  RowOfContext row{
      context_of<double, DotPlain<double>>(call, 0, 0, 0), context_of<float, DotPlain<float>>(call, 0, 0, 0), {}};
  row.allowed = allowed_of(call, row.exact, w.dtype);
  return row;
}

class CudaRun final : public MeasurableRun {
 public:
  CudaRun(const Workload& workload, int compute_capability)
      : workload_(workload), compute_capability_(compute_capability) {
    const FusedAttention<float> sizes = call_of<float>(workload);
    const auto count = [&](const Strides& of) { return workload.batch * of.batch; };
    DeviceLayout layout;
    const auto add = [&](const Strides& of) { return layout.add(count(of) * bytes_of(workload.dtype)); };
    const std::size_t q = add(sizes.q_at), k = add(sizes.k_at), v = add(sizes.v_at), context = add(sizes.context_at);
    // So many copies that no cache of a GPU holds them.
    constexpr std::size_t beyond_caches = std::size_t{256} << 20;
    const std::size_t copies = std::clamp<std::size_t>(beyond_caches / layout.bytes(), 1, 64);
    std::byte* begin = memory_.at_least(copies * layout.bytes());
    for (std::size_t copy = 0; copy < copies; ++copy, begin += layout.bytes()) {
      const auto filled = [&](std::size_t at, const Strides& of, std::uint64_t seed) {
        check(fill_with_samples(workload.dtype, begin + at, count(of), seed), "making random numbers");
        return begin + at;
      };
      FusedCall& call = calls_.emplace_back(device_call(workload));
      call.q = filled(q, sizes.q_at, q_seed);
      call.k = filled(k, sizes.k_at, k_seed);
      call.v = filled(v, sizes.v_at, v_seed);
      call.context = begin + context;
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
      graph_.reset();
      if (limit_of(workload_) == Limit::memory) record(kernel);
    }
    return graph_ ? time_graph(kernel) : time(kernel, launches_);
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
      const RowOfContext row = row_of_context(workload_, drawn / workload_.queries / workload_.heads, head, query);
      for (std::size_t j = 0; j < row.exact.size(); ++j) {
        worst.take(made[drawn * workload_.value_width + j], stored(row.plain[j], workload_.dtype), row.exact[j],
                   row.allowed[j]);
      }
    }
    return worst;
  }

 private:
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

  // Decoding is as short as what the host does to start it: all calls are recorded
  // once, and started by one of the host's.
  void record(const FusedKernel& kernel) {
    graph_ = std::make_unique<Graph>([&](cudaStream_t stream) {
      for (int i = 0; i < launches_; ++i) launch(kernel, stream);
    });
  }

  double time_graph(const FusedKernel& kernel) {
    launch(kernel);
    clock_.start();
    graph_->launch();
    return clock_.seconds() / launches_;
  }

  void launch(const FusedKernel& kernel, cudaStream_t stream = nullptr) {
    check(kernel.launch(calls_[next_], stream), "starting attention");
    last_call_ = next_;
    next_ = (next_ + 1) % calls_.size();
  }

  // What the last call made.
  std::vector<double> context_made() {
    std::vector<double> made(workload_.batch * call_of<float>(workload_).context_at.batch);
    auto* wide = reinterpret_cast<double*>(wide_.at_least(made.size() * sizeof(double)));
    check(widen(workload_.dtype, calls_[last_call_].context, made.size(), wide), "widening numbers");
    check(cudaMemcpy(made.data(), wide, made.size() * sizeof(double), cudaMemcpyDeviceToHost), "copying the context");
    return made;
  }

  Workload workload_;
  int compute_capability_;
  DeviceMemory memory_, workspace_, wide_;
  std::vector<FusedCall> calls_;
  std::size_t next_ = 0, last_call_ = 0;
  std::string_view last_;
  int launches_ = 1;
  std::unique_ptr<Graph> graph_;  // of so many launches, where that is how they are timed
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
    return kernel && kernel->supports(device_call(workload), device_.compute_capability());
  }

  double peak(Dtype dtype) override { return peak_.operations(dtype); }
  double bandwidth() override { return peak_.bandwidth(); }

  std::unique_ptr<MeasurableRun> prepare(const Workload& workload) override {
    return std::make_unique<CudaRun>(workload, device_.compute_capability());
  }

 private:
  DeviceInfo device_;
  std::vector<MeasurableKernel> kernels_;
  Peak peak_;
};

}  // namespace
}  // namespace attn::cuda

namespace attn {

std::unique_ptr<Measurable> measurable_gpu() { return std::make_unique<cuda::CudaMeasurable>(); }

}  // namespace attn
