#include "bench/measurable.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "backend/cpu/attend.h"
#include "backend/cpu/instructions.h"
#include "backend/cpu/ladder/rung.h"
#include "backend/cpu/product.h"
#include "base/text.h"
#include "bench/cpu/peak.h"
#include "bench/drawn_rows.h"
#include "bench/stopwatch.h"

namespace attn {
namespace {

// Numbers of mean 0 and standard deviation 1, nearly normal, made fast: sums of
// four uniform ones.
template <class T>
std::vector<T> nearly_normal(std::size_t count, std::uint64_t seed, double deviation = 1) {
  Random random(seed);
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    const std::uint64_t bits = random.bits();
    double sum = 0;
    for (int part = 0; part < 4; ++part) sum += static_cast<double>((bits >> (16 * part)) & 0xffff) / 0xffff;
    number = static_cast<T>((sum - 2) * 1.7320508 * deviation);
  }
  return numbers;
}

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
        k_size_(work.batch * work.kv_heads * work.keys * work.key_width),
        v_size_(work.batch * work.kv_heads * work.keys * work.value_width),
        q_(nearly_normal<T>(work.batch * work.heads * work.queries * work.key_width, 1)),
        k_(nearly_normal<T>(copies_ * k_size_, 2)),
        v_(nearly_normal<T>(copies_ * v_size_, 3)),
        context_(work.batch * work.heads * work.queries * work.value_width),
        offsets_(work.batch, static_cast<std::int64_t>(work.keys) - static_cast<std::int64_t>(work.queries)),
        call_(call_of<T>(work)) {
    call_.q = q_.data();
    call_.context = context_.data();
    call_.offsets = work.causal ? offsets_.data() : nullptr;
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
  std::size_t k_size_, v_size_;
  std::vector<T> q_, k_, v_, context_;
  std::vector<std::int64_t> offsets_;
  FusedAttention<T> call_;
  std::map<const Rung*, Stopwatch> stopwatches_;
};

// Multi-head attention with its projections: inputs by one matrix to queries, keys
// and values of all heads, attention, and the heads' contexts by another to
// outputs. Whatever kernel is named, it is the one that a run uses.
template <class T>
class ProjectedRun final : public MeasurableRun {
 public:
  ProjectedRun(Threads& threads, const Workload& work)
      : threads_(threads),
        work_(work),
        rows_(work.batch * work.queries),
        columns_(work.heads * work.key_width + work.kv_heads * (work.key_width + work.value_width)),
        context_columns_(work.heads * work.value_width),
        inputs_(nearly_normal<T>(rows_ * work.model_width, 1)),
        w_in_(nearly_normal<T>(work.model_width * columns_, 2, 1 / std::sqrt(static_cast<double>(work.model_width)))),
        w_out_(nearly_normal<T>(context_columns_ * work.model_width, 3,
                                1 / std::sqrt(static_cast<double>(context_columns_)))),
        projected_(rows_ * columns_),
        context_(rows_ * context_columns_),
        outputs_(rows_ * work.model_width) {}

  double seconds(std::string_view) override {
    return stopwatch_.seconds([&] {
      const auto packed = [&](const std::vector<T>& w, std::size_t columns) {
        return PackedMatrix<T>(LyingMatrix<T>{w.data(), w.size() / columns, columns, columns}, threads_);
      };
      multiply_on({rows_, inputs_.data(), projected_.data(), work_.model_width, columns_}, packed(w_in_, columns_),
                  threads_);
      attend_on(call(projected_, context_, work_.batch), threads_);
      multiply_on({rows_, context_.data(), outputs_.data(), context_columns_, work_.model_width},
                  packed(w_out_, work_.model_width), threads_);
    });
  }

  // Of rows of the last sequence.
  Error error() override {
    constexpr std::size_t rows_drawn = 8;
    using Exact = std::conditional_t<std::is_same_v<T, double>, DotTwice, DotPlain<double>>;
    Random random(20170612);
    std::vector<std::size_t> drawn(rows_drawn);
    for (std::size_t& row : drawn) row = drawn_below(work_.queries, random);
    const std::vector<double> exact = outputs_of<double, Exact>(drawn);
    const std::vector<T> plain = outputs_of<T, DotPlain<T>>(drawn);
    Error worst;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const std::size_t row = (work_.batch - 1) * work_.queries + drawn[i / work_.model_width];
      worst.take(outputs_[row * work_.model_width + i % work_.model_width], plain[i], exact[i]);
    }
    return worst;
  }

 private:
  // Attention of some sequences whose queries, keys and values stand side by side.
  template <class U>
  FusedAttention<U> call(const std::vector<U>& projected, std::vector<U>& context, std::size_t batch) const {
    FusedAttention<U> call = call_of<U>(work_);
    call.batch = batch;
    call.q = projected.data();
    call.k = call.q + work_.heads * work_.key_width;
    call.v = call.k + work_.kv_heads * work_.key_width;
    call.context = context.data();
    call.q_at = call.k_at = {.batch = work_.queries * columns_, .head = work_.key_width, .row = columns_};
    call.v_at = {.batch = work_.queries * columns_, .head = work_.value_width, .row = columns_};
    call.context_at = {.batch = work_.queries * context_columns_, .head = work_.value_width, .row = context_columns_};
    return call;
  }

  // Outputs of the last sequence's rows that were drawn, with sums by Dot.
  template <class U, class Dot>
  std::vector<U> outputs_of(const std::vector<std::size_t>& drawn) const {
    const T* const inputs = inputs_.data() + (work_.batch - 1) * work_.queries * work_.model_width;
    std::vector<U> projected(work_.queries * columns_);
    for (std::size_t at = 0; at < projected.size(); ++at) {
      Dot sum;
      for (std::size_t i = 0; i < work_.model_width; ++i) {
        sum.add(inputs[at / columns_ * work_.model_width + i], w_in_[i * columns_ + at % columns_]);
      }
      projected[at] = sum.value();
    }
    std::vector<U> nowhere, outputs;
    const FusedAttention<U> attention = call(projected, nowhere, 1);
    for (const std::size_t row : drawn) {
      std::vector<U> context;
      for (std::size_t head = 0; head < work_.heads; ++head) {
        const std::vector<U> of_head = context_of<U, Dot>(attention, 0, head, row);
        context.insert(context.end(), of_head.begin(), of_head.end());
      }
      for (std::size_t column = 0; column < work_.model_width; ++column) {
        Dot sum;
        for (std::size_t i = 0; i < context_columns_; ++i) sum.add(context[i], w_out_[i * work_.model_width + column]);
        outputs.push_back(sum.value());
      }
    }
    return outputs;
  }

  Threads& threads_;
  Workload work_;
  std::size_t rows_, columns_, context_columns_;
  std::vector<T> inputs_, w_in_, w_out_;
  std::vector<T> projected_, context_, outputs_;
  Stopwatch stopwatch_;
};

class Processors final : public Measurable {
 public:
  explicit Processors(std::size_t threads) : threads_(threads) {
    for (const Rung& rung : rungs()) kernels_.push_back({std::string(rung.name), std::string(rung.summary)});
  }

  std::string device() const override { return instruction_set() + ", " + counted(threads_.count(), "thread"); }

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
    return work.dtype == Dtype::f64 ? prepared<double>(work) : prepared<float>(work);
  }

 private:
  template <class T>
  std::unique_ptr<MeasurableRun> prepared(const Workload& work) {
    if (work.model_width > 0) return std::make_unique<ProjectedRun<T>>(threads_, work);
    return std::make_unique<ProcessorRun<T>>(threads_, work);
  }

  Threads threads_;
  std::vector<MeasurableKernel> kernels_;
  std::optional<ReadBandwidth> memory_;
};

}  // namespace

std::unique_ptr<Measurable> measurable_processors(std::size_t threads) { return std::make_unique<Processors>(threads); }

}  // namespace attn
