#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include "bench/memory.h"

namespace attn {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One of those that take turns: a kernel of ours, or a peer.
struct Runner {
  std::function<std::optional<double>()> call;
  bool out = false;
  std::vector<double> seconds = {}, fractions = {}, ratios = {};
  double spent = 0;

  bool is_done(const Effort& effort) const {
    return out || seconds.size() >= effort.most || (seconds.size() >= effort.least && spent >= effort.seconds);
  }
};

// Calls every kernel once: pages are touched and threads started before
// anything is timed, and what memory that takes is seen.
void call_first(MeasurableRun& run, ShapeMeasured& told) {
  for (KernelMeasured& one : told.kernels) {
    restart_peak_memory();
    const std::size_t before = peak_memory();
    run.seconds(one.kernel);
    const std::size_t after = peak_memory();
    one.working_memory = after - std::min(before, after);
    one.error = run.error();
    told.peak_memory = std::max(told.peak_memory, after);
  }
}

// The turns of everyone on one shape.
class Turns {
 public:
  Turns(std::vector<Runner>& ours, std::vector<Runner>& theirs, const Effort& effort)
      : ours_(ours), theirs_(theirs), effort_(effort) {}

  // `roof` measures what the device reaches just now. Returns all it measured.
  std::vector<double> take(double amount, const std::function<double()>& roof) {
    std::vector<double> roofs = {roof()};
    while (!are_done(ours_) || !are_done(theirs_)) {
      for (Runner& one : ours_) {
        // The last kernel goes on as long as there are peers to be compared with it.
        const bool awaited = &one == &ours_.back() && !are_done(theirs_);
        if (one.is_done(effort_) && !awaited) continue;
        const auto start = Clock::now();
        one.seconds.push_back(*one.call());
        roofs.push_back(roof());
        one.spent += since(start);
        one.fractions.push_back(amount / one.seconds.back() / ((roofs[roofs.size() - 2] + roofs.back()) / 2));
      }
      if (are_done(theirs_)) continue;
      for (Runner& one : theirs_) {
        if (!one.is_done(effort_)) take_turn(one);
      }
      roofs.push_back(roof());  // peers take their time, and the clock may be another by now
    }
    return roofs;
  }

 private:
  bool are_done(const std::vector<Runner>& all) const {
    return std::ranges::all_of(all, [&](const Runner& one) { return one.is_done(effort_); });
  }

  void take_turn(Runner& peer) {
    const auto start = Clock::now();
    const std::optional<double> took = peer.call();
    peer.spent += since(start);
    peer.out = !took;
    if (!took) return;
    peer.seconds.push_back(*took);
    peer.ratios.push_back(*took / ours_.back().seconds.back());
  }

  std::vector<Runner>& ours_;
  std::vector<Runner>& theirs_;
  const Effort& effort_;
};

void tell(const Runner& kernel, double amount, double best_roof, KernelMeasured& told) {
  told.seconds = spread_of(kernel.seconds);
  told.fraction = spread_of(kernel.fractions);
  told.best_fraction = amount / told.seconds.least / best_roof;
}

void tell(const Runner& peer, double our_best, PeerMeasured& told) {
  if (told.left_out.empty() && peer.out) told.left_out = "it failed";
  if (!told.left_out.empty()) return;
  told.seconds = spread_of(peer.seconds);
  told.ratio = spread_of(peer.ratios);
  told.best_ratio = told.seconds.least / our_best;
}

}  // namespace

ShapeMeasured measured(Measurable& device, const Workload& workload, const std::vector<std::string>& kernels,
                       const std::vector<Peer*>& peers, const Effort& effort) {
  ShapeMeasured told{.workload = workload,
                     .limit = limit_of(workload),
                     .operations = operations(workload),
                     .bytes = least_bytes(workload)};
  const std::unique_ptr<MeasurableRun> run = device.prepare(workload);
  for (const std::string& kernel : kernels) told.kernels.push_back({.kernel = kernel});
  call_first(*run, told);

  std::vector<Runner> ours, theirs;
  for (const std::string& kernel : kernels) ours.push_back({[&run, kernel] { return run->seconds(kernel); }});
  for (Peer* peer : peers) {
    told.peers.push_back({.peer = peer->name(), .left_out = peer->prepare(workload)});
    theirs.push_back({[peer] { return peer->seconds(); }, !told.peers.back().left_out.empty()});
  }

  const bool of_memory = told.limit == Limit::memory;
  const double amount = of_memory ? told.bytes : told.operations;
  told.roof = spread_of(Turns(ours, theirs, effort).take(amount, [&] {
    return of_memory ? device.bandwidth() : device.peak(workload.dtype);
  }));
  for (std::size_t i = 0; i < ours.size(); ++i) tell(ours[i], amount, told.roof.most, told.kernels[i]);
  for (std::size_t i = 0; i < theirs.size(); ++i) tell(theirs[i], told.kernels.back().seconds.least, told.peers[i]);
  return told;
}

}  // namespace attn
