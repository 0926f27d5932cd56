#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/measure.h"
#include "bench/peers.h"
#include "bench/results.h"
#include "cli/bench_options.h"
#include "cli/command.h"
#include "cli/options.h"

namespace attn {
namespace {

// The kernels to be timed on a shape: none where none can do it.
std::vector<std::string> kernels_for(const Measurable& device, const Workload& work, const BenchOptions& options) {
  std::vector<std::string> able;
  for (const std::string& name : names_of(device.kernels())) {
    if ((options.kernel.empty() || name == options.kernel) && device.supports(name, work)) able.push_back(name);
  }
  if (!options.ladder && able.size() > 1) able.erase(able.begin(), able.end() - 1);
  return able;
}

struct Planned {
  Workload work;
  std::vector<std::string> kernels;
};

Refusal no_kernel(const Workload& work, const BenchOptions& options, const std::string& backend) {
  return Refusal(
      fmt::format("no kernel{} of the backend `{}` computes {} in {}",
                  options.kernel.empty() ? "" : " `" + options.kernel + "`", backend, spelled(work), name(work.dtype)),
      "attn bench --list lists the kernels");
}

// On a terminal, which shape is being measured; the line goes when that is done.
class ShapeCounter {
 public:
  ShapeCounter() : is_seen_(is_terminal(STDERR_FILENO)) {}
  ~ShapeCounter() { tell(""); }
  ShapeCounter(const ShapeCounter&) = delete;
  ShapeCounter& operator=(const ShapeCounter&) = delete;

  void tell(const std::string& text) const {
    if (is_seen_) say("\r\x1b[K" + text);
  }

 private:
  bool is_seen_;
};

Exit tell(const BenchReport& report, const Rendering& rendering) {
  return write_out(
      rendering, [&] { return report.shapes.empty() ? told_kernels(report) : told_benchmark(report); },
      [&] { return benchmark_json(report); });
}

// What is measured of each shape. A suite has what can be measured of it; what
// somebody asked for is not left out silently.
std::vector<Planned> planned(const Measurable& device, const std::vector<Workload>& workloads,
                             const BenchOptions& options, const std::string& backend) {
  std::vector<Planned> plan;
  for (const Workload& work : workloads) {
    std::vector<std::string> kernels = kernels_for(device, work, options);
    if (!kernels.empty()) {
      plan.push_back({work, std::move(kernels)});
    } else if (!options.suite) {
      throw no_kernel(work, options, backend);
    }
  }
  if (plan.empty()) throw no_kernel(workloads.front(), options, backend);
  return plan;
}

}  // namespace

Exit BenchOptions::run() const {
  const BenchRequest request = understood(*this);
  const std::string backend(hardware.select()->name());  // which goes: what is timed has threads of its own
  const std::unique_ptr<Measurable> device =
      backend == "cuda" ? measurable_gpu() : measurable_processors(hardware.thread_count());
  if (!kernel.empty()) choice("--kernel", kernel, names_of(device->kernels()));

  BenchReport report{.backend = backend, .device = device->device(), .ladder = device->kernels()};
  if (list) return tell(report, request.rendering);

  const std::vector<Planned> plan = planned(*device, request.workloads, *this, backend);
  Peers peers;
  std::vector<Peer*> ways;
  if (compare) {
    Result<Peers> started = start_peers(python.empty() ? "python3" : python, hardware.thread_count());
    if (!started) throw Refusal(started.faults().front(), Exit::wrong_environment);
    peers = std::move(started.value());
    for (const auto& way : peers.ways) ways.push_back(way.get());
    report.libraries = peers.libraries;
  }
  const ShapeCounter counter;
  for (const auto& [work, kernels] : plan) {
    counter.tell(fmt::format("{} of {}: {}", report.shapes.size() + 1, plan.size(), spelled(work)));
    report.shapes.push_back(measured(*device, work, kernels, ways, request.effort));
  }
  counter.tell("");
  return tell(report, request.rendering);
}

Command bench_command() {
  return command<BenchOptions>("bench", "Time the core on given sizes against this machine's measured peak");
}

}  // namespace attn
