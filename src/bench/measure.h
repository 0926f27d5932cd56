#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/measurable.h"

namespace attn {

// How repeated measurements of one thing are spread.
struct Spread {
  std::size_t count = 0;
  double least = 0, lower = 0, median = 0, upper = 0, most = 0;  // lower and upper: the quartiles

  bool operator==(const Spread&) const = default;
};

// Between two numbers of the list quantiles are interpolated linearly (Hyndman
// and Fan 1996, definition 7). Of no number all are 0.
Spread spread_of(std::vector<double> values);

// The most bytes of memory that this process ever occupied; 0 where the system
// does not say.
std::size_t peak_memory();

// From here on peak_memory() is about what comes. Returns false, and changes
// nothing, where the system has no such thing.
bool restart_peak_memory();

// How long each kernel and peer is measured on a shape: for so many seconds, the
// measurements of the peak among them, and so many times.
struct Effort {
  double seconds = 1;
  std::size_t least = 3, most = 1000;
};

// Somebody else's attention, timed beside ours.
class Peer {
 public:
  virtual ~Peer() = default;

  // "torch SDPA"
  virtual std::string name() const = 0;

  // Makes random inputs of these sizes. Returns why it cannot: "" where it can.
  virtual std::string prepare(const Workload& workload) = 0;

  // Computes it once and returns how long that took, in seconds; nothing where
  // it failed after all. REQUIRES: the last prepare() returned "".
  virtual std::optional<double> seconds() = 0;
};

// What was measured of one kernel on one shape.
struct KernelMeasured {
  std::string kernel;
  Spread seconds = {};             // of a call
  Spread fraction = {};            // reached of the mean of the roofs measured just before and just after the call
  double best_fraction = 0;        // the best call, of the best peak measured on the shape
  std::size_t working_memory = 0;  // bytes that the first call added to those of inputs and outputs
  MeasurableRun::Error error = {};
};

// And of a peer.
struct PeerMeasured {
  std::string peer;
  std::string left_out;  // why it was not timed; "" where it was
  Spread seconds = {};
  Spread ratio = {};      // its time over that of our last kernel, repetition by repetition
  double best_ratio = 0;  // its best over our best
};

// One shape.
struct ShapeMeasured {
  Workload workload;
  Limit limit = Limit::arithmetic;
  double operations = 0, bytes = 0;
  Spread roof = {};             // operations a second; bytes a second where memory is the limit
  std::size_t peak_memory = 0;  // bytes that the process occupied at most in the first calls
  std::vector<KernelMeasured> kernels = {};
  std::vector<PeerMeasured> peers = {};
};

// Times the kernels on the shape, slowest first, each call between two
// measurements of the peak that the device reaches just then: clocks of
// processors change from one second to the next, and what else runs on the
// machine takes its share. Peers take their turns in the same repetitions.
// Each of them is called once before anything is timed.
//
// REQUIRES: the kernels support the workload, and there is at least one.
ShapeMeasured measured(Measurable& device, const Workload& workload, const std::vector<std::string>& kernels,
                       const std::vector<Peer*>& peers, const Effort& effort);

// The same where the run is at hand. REQUIRES: it is of the workload and runs the kernels.
ShapeMeasured measured(Measurable& device, const Workload& workload, MeasurableRun& run,
                       const std::vector<std::string>& kernels, const std::vector<Peer*>& peers, const Effort& effort);

}  // namespace attn
