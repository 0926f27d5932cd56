#include "bench/cpu/projected_run.h"

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "backend/cpu/attend.h"
#include "backend/cpu/product.h"
#include "base/random.h"
#include "bench/cpu/drawn_rows.h"
#include "bench/cpu/row_context.h"
#include "bench/cpu/stopwatch.h"

namespace attn {
namespace {

constexpr std::size_t rows_drawn = 8;

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
      multiply_on({rows_, work_.model_width, columns_, inputs_.data(), w_in_.data(), projected_.data(),
                   work_.model_width, columns_, columns_},
                  threads_);
      attend_on(call(projected_, context_, work_.batch), threads_);
      multiply_on({rows_, context_columns_, work_.model_width, context_.data(), w_out_.data(), outputs_.data(),
                   context_columns_, work_.model_width, work_.model_width},
                  threads_);
    });
  }

  // Of rows of the last sequence.
  Error error() override {
    using Exact = std::conditional_t<std::is_same_v<T, double>, DotTwice, DotPlain<double>>;
    Random random(20170612);
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < rows_drawn; ++i) {
      drawn.push_back(static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(work_.queries) - 1)));
    }
    const std::vector<double> exact = outputs_of<double, Exact>(drawn);
    const std::vector<T> plain = outputs_of<T, DotPlain<T>>(drawn);
    Error worst;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const std::size_t row = (work_.batch - 1) * work_.queries + drawn[i / work_.model_width];
      const T got = outputs_[row * work_.model_width + i % work_.model_width];
      worst.kernel = farther(worst.kernel, static_cast<double>(got), exact[i]);
      worst.plain = farther(worst.plain, static_cast<double>(plain[i]), exact[i]);
    }
    return worst;
  }

 private:
  // Attention of some sequences whose queries, keys and values stand side by side.
  template <class U>
  FusedAttention<U> call(const std::vector<U>& projected, std::vector<U>& context, std::size_t batch) const {
    FusedAttention<U> call;
    call.batch = batch;
    call.heads = work_.heads;
    call.kv_heads = work_.kv_heads;
    call.queries = call.keys = work_.queries;
    call.key_width = work_.key_width;
    call.value_width = work_.value_width;
    call.q = projected.data();
    call.k = call.q + work_.heads * work_.key_width;
    call.v = call.k + work_.kv_heads * work_.key_width;
    call.context = context.data();
    call.q_at = call.k_at = {.batch = work_.queries * columns_, .head = work_.key_width, .row = columns_};
    call.v_at = {.batch = work_.queries * columns_, .head = work_.value_width, .row = columns_};
    call.context_at = {.batch = work_.queries * context_columns_, .head = work_.value_width, .row = context_columns_};
    call.scale = 1 / std::sqrt(static_cast<double>(work_.key_width));
    call.right = work_.causal ? 0 : -1;
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

}  // namespace

std::unique_ptr<MeasurableRun> projected_run(Threads& threads, const Workload& work) {
  if (work.dtype == Dtype::f64) return std::make_unique<ProjectedRun<double>>(threads, work);
  return std::make_unique<ProjectedRun<float>>(threads, work);
}

}  // namespace attn
