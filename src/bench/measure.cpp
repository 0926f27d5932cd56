#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <string_view>
#include <sys/resource.h>

namespace attn {
namespace {

using Clock = std::chrono::steady_clock;

// REQUIRES: sorted, not empty, 0 <= part <= 1.
double quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One of those that take turns: a kernel of ours, or a peer.
struct Runner {
  std::function<std::optional<double>()> call;
  bool out = false;
  std::vector<double> seconds = {}, fractions = {}, ratios = {};
  double spent = 0;
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

// The turns of everyone on one shape. `roof` measures what the device reaches
// just now. Returns all it measured.
std::vector<double> take_turns(std::vector<Runner>& ours, std::vector<Runner>& theirs, const Effort& effort,
                               double amount, const std::function<double()>& roof) {
  const auto is_done = [&](const Runner& one) {
    return one.out || one.seconds.size() >= effort.most ||
           (one.seconds.size() >= effort.least && one.spent >= effort.seconds);
  };
  std::vector<double> roofs = {roof()};
  while (!std::ranges::all_of(ours, is_done) || !std::ranges::all_of(theirs, is_done)) {
    for (Runner& one : ours) {
      // The last kernel goes on as long as there are peers to be compared with it.
      const bool awaited = &one == &ours.back() && !std::ranges::all_of(theirs, is_done);
      if (is_done(one) && !awaited) continue;
      const auto start = Clock::now();
      one.seconds.push_back(*one.call());
      roofs.push_back(roof());
      one.spent += since(start);
      one.fractions.push_back(amount / one.seconds.back() / ((roofs[roofs.size() - 2] + roofs.back()) / 2));
    }
    if (std::ranges::all_of(theirs, is_done)) continue;
    for (Runner& peer : theirs) {
      if (is_done(peer)) continue;
      const auto start = Clock::now();
      const std::optional<double> took = peer.call();
      peer.spent += since(start);
      peer.out = !took;
      if (!took) continue;
      peer.seconds.push_back(*took);
      peer.ratios.push_back(*took / ours.back().seconds.back());
    }
    roofs.push_back(roof());  // peers take their time, and the clock may be another by now
  }
  return roofs;
}

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

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {values.size(),         values.front(),         quantile(values, 0.25),
          quantile(values, 0.5), quantile(values, 0.75), values.back()};
}

std::size_t peak_memory() {
  // A line of Linux' file, "VmHWM:     1234 kB".
  constexpr std::string_view key = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return static_cast<std::size_t>(std::stoull(line.substr(key.size()))) * 1024;
  }
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::size_t>(usage.ru_maxrss) * 1024 : 0;
}

bool restart_peak_memory() {
  // "5" resets the peak of the resident set: proc(5).
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

ShapeMeasured measured(Measurable& device, const Workload& workload, const std::vector<std::string>& kernels,
                       const std::vector<Peer*>& peers, const Effort& effort) {
  return measured(device, workload, *device.prepare(workload), kernels, peers, effort);
}

ShapeMeasured measured(Measurable& device, const Workload& workload, MeasurableRun& run,
                       const std::vector<std::string>& kernels, const std::vector<Peer*>& peers, const Effort& effort) {
  ShapeMeasured told{.workload = workload,
                     .limit = limit_of(workload),
                     .operations = operations(workload),
                     .bytes = least_bytes(workload)};
  for (const std::string& kernel : kernels) told.kernels.push_back({.kernel = kernel});
  call_first(run, told);

  std::vector<Runner> ours, theirs;
  for (const std::string& kernel : kernels) ours.push_back({[&run, kernel] { return run.seconds(kernel); }});
  for (Peer* peer : peers) {
    told.peers.push_back({.peer = peer->name(), .left_out = peer->prepare(workload)});
    theirs.push_back({[peer] { return peer->seconds(); }, !told.peers.back().left_out.empty()});
  }

  const bool of_memory = told.limit == Limit::memory;
  const double amount = of_memory ? told.bytes : told.operations;
  told.roof = spread_of(take_turns(ours, theirs, effort, amount,
                                   [&] { return of_memory ? device.bandwidth() : device.peak(workload.dtype); }));
  for (std::size_t i = 0; i < ours.size(); ++i) tell(ours[i], amount, told.roof.most, told.kernels[i]);
  for (std::size_t i = 0; i < theirs.size(); ++i) tell(theirs[i], told.kernels.back().seconds.least, told.peers[i]);
  return told;
}

}  // namespace attn
