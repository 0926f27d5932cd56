#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "bench/measurable.h"
#include "bench/stopwatch.h"
#include "model/forward.h"
#include "problem/problem.h"

namespace attn {

// A problem's block as something to be timed: from its inputs to its logits, or to
// the last layer's result where it has none. Weights are at hand.
class TimedModel final : public MeasurableRun {
 public:
  // How it can be computed, slowest first.
  static const std::vector<MeasurableKernel>& kernels();

  // Makes its products ready. REQUIRES: there is a block; the dtype is f32 or f64; the
  // name is one word or several.
  TimedModel(Problem problem, std::string name, std::size_t threads, const std::vector<std::string>& kernels);

  // What is computed refers to the problem here.
  TimedModel(const TimedModel&) = delete;
  TimedModel& operator=(const TimedModel&) = delete;

  const Workload& workload() const { return workload_; }

  // Those that it was made with.
  std::vector<std::string> kernels_ready() const;

  // Of the numbers that a call has at one time beside those that are given. REQUIRES: it was made with the kernel.
  std::size_t working_bytes(std::string_view kernel) const;

  double seconds(std::string_view kernel) override;

  // Of the largest number of the result: of the steps in double precision, with weights not rounded.
  Error error() override;

 private:
  struct Way {
    std::unique_ptr<Forward> forward;
    Stopwatch stopwatch;
  };

  Problem problem_;
  std::string result_;  // its id
  std::unique_ptr<Backend> backend_;
  std::map<std::string, Way, std::less<>> ways_;
  Workload workload_;
  SharedTensor<double> made_, exact_, plain_;  // by the last call; by steps in double precision; in the dtype
};

}  // namespace attn
