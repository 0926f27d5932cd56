#include "bench/measurable.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/instructions.h"
#include "backend/cpu/ladder/rung.h"
#include "bench/cpu/drawn_rows.h"
#include "bench/cpu/peak.h"
#include "bench/cpu/projected_run.h"
#include "bench/cpu/stopwatch.h"

namespace attn {
namespace {

// More than caches hold.
constexpr std::size_t beyond_caches = std::size_t{256} << 20;

const Rung& rung_named(std::string_view name) {
  const auto found = std::ranges::find(rungs(), name, &Rung::name);
  assert(found != rungs().end());
  return *found;
}

// How many inputs take turns so that none is still in a cache when its turn
// comes: one, but where all a call does is to read its keys once.
std::size_t copies_of(const Workload& work, std::size_t number_size) {
  const std::size_t bytes = work.batch * work.kv_heads * work.keys * (work.key_width + work.value_width) * number_size;
  const bool reads_once = work.queries * work.heads < 8 * work.kv_heads;
  return reads_once && bytes > (std::size_t{1} << 20) ? 1 + beyond_caches / bytes : 1;
}

template <class T>
class ProcessorRun final : public MeasurableRun {
 public:
  ProcessorRun(Threads& threads, const Workload& work)
      : threads_(threads),
        copies_(copies_of(work, sizeof(T))),
        q_size_(work.batch * work.heads * work.queries * work.key_width),
        k_size_(work.batch * work.kv_heads * work.keys * work.key_width),
        v_size_(work.batch * work.kv_heads * work.keys * work.value_width),
        q_(nearly_normal<T>(q_size_, 1)),
        k_(nearly_normal<T>(copies_ * k_size_, 2)),
        v_(nearly_normal<T>(copies_ * v_size_, 3)),
        context_(work.batch * work.heads * work.queries * work.value_width),
        offsets_(work.batch, static_cast<std::int64_t>(work.keys) - static_cast<std::int64_t>(work.queries)) {
    const auto strides = [](std::size_t heads, std::size_t rows, std::size_t width) {
      return Strides{.batch = heads * rows * width, .head = rows * width, .row = width};
    };
    call_.batch = work.batch;
    call_.heads = work.heads;
    call_.kv_heads = work.kv_heads;
    call_.queries = work.queries;
    call_.keys = work.keys;
    call_.key_width = work.key_width;
    call_.value_width = work.value_width;
    call_.q = q_.data();
    call_.context = context_.data();
    call_.q_at = strides(work.heads, work.queries, work.key_width);
    call_.k_at = strides(work.kv_heads, work.keys, work.key_width);
    call_.v_at = strides(work.kv_heads, work.keys, work.value_width);
    call_.context_at = strides(work.heads, work.queries, work.value_width);
    call_.scale = 1 / std::sqrt(static_cast<double>(work.key_width));
    if (work.causal) {
      call_.right = 0;
      call_.offsets = offsets_.data();
    }
    take(0);
  }

  double seconds(std::string_view kernel) override {
    const Rung& rung = rung_named(kernel);
    return stopwatches_[&rung].seconds([&] {
      if (copies_ > 1) take((copy_ + 1) % copies_);
      rung.attend(call_, threads_);
    });
  }

  Error error() override { return error_of_drawn_rows(call_); }

 private:
  void take(std::size_t copy) {
    copy_ = copy;
    call_.k = k_.data() + copy * k_size_;
    call_.v = v_.data() + copy * v_size_;
  }

  Threads& threads_;
  std::size_t copies_, copy_ = 0;
  std::size_t q_size_, k_size_, v_size_;
  std::vector<T> q_, k_, v_, context_;
  std::vector<std::int64_t> offsets_;
  FusedAttention<T> call_;
  std::map<const Rung*, Stopwatch> stopwatches_;
};

class Processors final : public Measurable {
 public:
  explicit Processors(std::size_t threads) : threads_(threads) {
    for (const Rung& rung : rungs()) kernels_.push_back({std::string(rung.name), std::string(rung.summary)});
  }

  std::string device() const override {
    const std::size_t count = threads_.count();
    return instruction_set() + ", " + std::to_string(count) + (count == 1 ? " thread" : " threads");
  }

  const std::vector<MeasurableKernel>& kernels() const override { return kernels_; }

  // Projections are not of the ladder: only what a run uses is timed with them.
  bool supports(std::string_view kernel, const Workload& work) const override {
    return (work.dtype == Dtype::f32 || work.dtype == Dtype::f64) &&
           (work.model_width == 0 || kernel == kernels_.back().name);
  }

  double peak(Dtype dtype) override { return arithmetic_peak(threads_, dtype); }

  double bandwidth() override {
    if (!memory_) memory_.emplace();
    return memory_->measured(threads_);
  }

  std::unique_ptr<MeasurableRun> prepare(const Workload& work) override {
    memory_.reset();  // not part of what a shape needs
    if (work.model_width > 0) return projected_run(threads_, work);
    if (work.dtype == Dtype::f64) return std::make_unique<ProcessorRun<double>>(threads_, work);
    return std::make_unique<ProcessorRun<float>>(threads_, work);
  }

 private:
  Threads threads_;
  std::vector<MeasurableKernel> kernels_;
  std::optional<ReadBandwidth> memory_;
};

}  // namespace

std::unique_ptr<Measurable> measurable_processors(std::size_t threads) { return std::make_unique<Processors>(threads); }

}  // namespace attn
