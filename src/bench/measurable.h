#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workload.h"

namespace attn {

// One of a backend's kernels for fused attention.
struct MeasurableKernel {
  std::string name;     // "packed"
  std::string summary;  // what it does that the one before did not
};

// A workload with its random inputs, ready to be computed again and again.
class MeasurableRun {
 public:
  virtual ~MeasurableRun() = default;

  // Computes it once and returns how long that took, in seconds.
  // REQUIRES: the kernel supports the workload.
  virtual double seconds(std::string_view kernel) = 0;

  // The largest difference of the last result from attention in double precision
  // on rows drawn from it, and that of plain single precision: a softmax of exact f32 operations.
  struct Error {
    double kernel = 0, plain = 0;
    // The kernel's, where it is largest in parts of what its rounding may come to;
    // nothing where nobody says how much that is.
    std::optional<double> of_bound = std::nullopt;

    // Counts in one number; NaN is infinitely far from the exact one.
    void take(double got, double in_plain, double exact) {
      kernel = farther(kernel, std::abs(got - exact));
      plain = farther(plain, std::abs(in_plain - exact));
    }

    // The same of a number that may be so far away. REQUIRES: allowed > 0.
    void take(double got, double in_plain, double exact, double allowed) {
      take(got, in_plain, exact);
      of_bound = farther(of_bound.value_or(0), std::abs(got - exact) / allowed);
    }

   private:
    static double farther(double worst, double away) {
      return away <= worst ? worst : std::isnan(away) ? std::numeric_limits<double>::infinity() : away;
    }
  };
  virtual Error error() = 0;
};

// What a backend lets be timed.
class Measurable {
 public:
  virtual ~Measurable() = default;

  virtual std::string device() const = 0;  // "AVX-512, 2 threads"

  // The ladder, slowest first; the last is what a run uses.
  virtual const std::vector<MeasurableKernel>& kernels() const = 0;
  virtual bool supports(std::string_view kernel, const Workload& workload) const = 0;

  // Operations a second that the device reaches just now where nothing but
  // arithmetic is asked of it, and bytes a second that it reads (a GPU: copies,
  // read and written). Each call measures anew.
  virtual double peak(Dtype dtype) = 0;
  virtual double bandwidth() = 0;

  virtual std::unique_ptr<MeasurableRun> prepare(const Workload& workload) = 0;
};

// This machine's processors, of which so many threads work: the ladder's kernels,
// multiplying and adding, and reading.
std::unique_ptr<Measurable> measurable_processors(std::size_t threads);

// The first GPU: the ladder of backend/cuda/fused, timed by the device's own clock.
// A call is timed as one of many that follow one another without a gap, and each
// reads another copy of the inputs where they would stay in a cache: so neither
// the start of a kernel nor that cache is part of what is measured. Null in a build
// without CUDA. REQUIRES: there is a device.
std::unique_ptr<Measurable> measurable_gpu();

}  // namespace attn
