#include <algorithm>
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
#include "cli/console.h"

namespace attn {
namespace {

std::vector<std::string> kernel_names(const Measurable& device) {
  std::vector<std::string> names;
  for (const MeasurableKernel& kernel : device.kernels()) names.push_back(kernel.name);
  return names;
}

// The kernels to be timed on a shape: none where none can do it.
std::vector<std::string> kernels_for(const Measurable& device, const Workload& work, const BenchOptions& options) {
  std::vector<std::string> able;
  for (const std::string& name : kernel_names(device)) {
    if ((options.kernel.empty() || name == options.kernel) && device.supports(name, work)) able.push_back(name);
  }
  if (!options.ladder && able.size() > 1) able.erase(able.begin(), able.end() - 1);
  return able;
}

struct Planned {
  Workload work;
  std::vector<std::string> kernels;
};

Exit complain_of_shape(const Workload& work, const BenchOptions& options, const std::string& backend) {
  return complain(
      fmt::format("no kernel{} of the backend `{}` computes {} in {}",
                  options.kernel.empty() ? "" : " `" + options.kernel + "`", backend, spelled(work), name(work.dtype)),
      "attn bench --list lists the kernels");
}

// On a terminal, which shape is being measured; the line goes when that is done.
class ShapeCounter {
 public:
  ShapeCounter() : is_seen_(::isatty(STDERR_FILENO) == 1) {}
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
  return write_out(rendering, [&](const Target& target) {
    if (!target.format) return benchmark_json(report);
    return rendered(report.shapes.empty() ? told_kernels(report) : told_benchmark(report), target, rendering);
  });
}

Exit bench(const BenchOptions& options) {
  BenchRequest request;
  if (const auto code = understand(options, request)) return *code;
  HardwareOptions::Selected selected = options.hardware.select();
  if (!selected.backend) return selected.code;
  const std::string backend(selected.backend->name());
  selected.backend.reset();  // what is timed has threads of its own
  const std::unique_ptr<Measurable> device =
      backend == "cuda" ? measurable_gpu() : measurable_processors(options.hardware.thread_count());
  if (const auto names = kernel_names(*device);
      !options.kernel.empty() && std::ranges::find(names, options.kernel) == names.end()) {
    return complain_of_choice("--kernel", options.kernel, names);
  }

  BenchReport report{.backend = backend, .device = device->device(), .ladder = device->kernels()};
  if (options.list) return tell(report, request.rendering);

  std::vector<Planned> plan;
  for (const Workload& work : request.workloads) {
    std::vector<std::string> kernels = kernels_for(*device, work, options);
    if (!kernels.empty()) plan.push_back({work, std::move(kernels)});
    // A suite has what can be measured of it; what somebody asked for is not left out silently.
    else if (!options.suite)
      return complain_of_shape(work, options, report.backend);
  }
  if (plan.empty()) return complain_of_shape(request.workloads.front(), options, report.backend);

  Peers peers;
  std::vector<Peer*> ways;
  if (options.compare) {
    Result<Peers> started =
        start_peers(options.python.empty() ? "python3" : options.python, options.hardware.thread_count());
    if (!started) {
      const Diagnostic& fault = started.faults().front();
      return complain(fault.message, fault.help, Exit::wrong_environment);
    }
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

}  // namespace

Command bench_command() {
  return {.name = "bench",
          .summary = "Time the core on given sizes against this machine's measured peak",
          .declare = [](CommandLine& line) {
            const auto options = std::make_shared<BenchOptions>();
            options->declare(line);
            return [options] { return bench(*options); };
          }};
}

}  // namespace attn
