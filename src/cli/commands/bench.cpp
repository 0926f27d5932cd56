#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"
#include "bench/measure.h"
#include "bench/peers.h"
#include "bench/results.h"
#include "cli/command.h"
#include "cli/hardware.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/progress.h"
#include "cli/render.h"
#include "cli/timed_model.h"
#include "problem/faults.h"

namespace attn {
namespace {

// The options, as typed.
struct BenchOptions {
  std::vector<std::string> shapes;
  std::string model, root;
  std::vector<std::string> sizes;  // one a row of size_options
  bool causal = false, suite = false;
  std::string dtype = "f32";

  std::string kernel;
  bool ladder = false, list = false;
  bool compare = false;
  std::string python;

  std::string seconds, repeat;
  HardwareOptions hardware;
  bool json = false;
  RenderOptions rendering;

  void declare(CommandLine& line);
  Exit run() const;
  Exit time_model(TimedModel& timed, const Effort& effort, const Rendering& plan) const;
  Peers find_peers() const;
};

// Past that, sizes and their products would not fit the counts of a machine.
constexpr double most_numbers = 1e15;

constexpr std::size_t most_of_a_size = std::size_t{1} << 40;

// An option that says sizes of every shape.
struct SizeOption {
  std::string name, help;
  std::vector<std::size_t Workload::*> sizes;
};

// A later one says more than an earlier one.
const std::vector<SizeOption>& size_options() {
  static const std::vector<SizeOption> all = {
      {"--batch", "sequences", {&Workload::batch}},
      {"--heads", "heads of the queries", {&Workload::heads, &Workload::kv_heads}},
      {"--kv-heads", "heads of the keys and values (default: as many)", {&Workload::kv_heads}},
      {"--queries", "queries; as many keys, unless --keys says otherwise", {&Workload::queries, &Workload::keys}},
      {"--keys", "keys; a causal mask lets the last query see them all", {&Workload::keys}},
      {"--width",
       "columns of a query and a key; of a value as well, unless --value-width says so",
       {&Workload::key_width, &Workload::value_width}},
      {"--value-width", "columns of a value", {&Workload::value_width}},
      {"--model-width", "with projections, from and to inputs of so many columns", {&Workload::model_width}},
  };
  return all;
}

bool parse_size(std::string_view typed, std::size_t& size) {
  return parse_natural(typed, size) && size > 0 && size <= most_of_a_size;
}

std::size_t size_of(std::string_view option, const std::string& typed) {
  std::size_t size = 0;
  if (parse_size(typed, size)) return size;
  throw Refusal("`" + shown(typed) + "` is no size",
                std::string(option) + " takes a whole number from 1 to " + std::to_string(most_of_a_size))
      .at({option, typed});
}

// "1,8,2048,64", or as shapes are shown, "1×8×2048×64", or "1x8x2048x64".
bool parse_shape(std::string typed, Workload& work) {
  constexpr std::string_view times = "×";
  for (std::size_t at; (at = typed.find(times)) != std::string::npos;) typed.replace(at, times.size(), ",");
  std::ranges::replace(typed, 'x', ',');
  const std::vector<std::string> words = split(typed + ",", ',');
  std::array<std::size_t, 4> sizes{};
  if (words.size() != sizes.size()) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!parse_size(words[i], sizes[i])) return false;
  }
  work.batch = sizes[0];
  work.heads = work.kv_heads = sizes[1];
  work.queries = work.keys = sizes[2];
  work.key_width = work.value_width = sizes[3];
  return true;
}

void check(const Workload& work) {
  if (work.heads % work.kv_heads != 0) {
    throw Refusal(fmt::format("{} heads of queries cannot share {} heads of keys evenly", work.heads, work.kv_heads),
                  "--kv-heads takes a number that divides --heads")
        .at({"--kv-heads"});
  }
  if (work.model_width > 0 && work.queries != work.keys) {
    throw Refusal(fmt::format("with --model-width queries and keys come from the same inputs, and there are {} and {}",
                              work.queries, work.keys),
                  "leave --keys out")
        .at({"--keys"});
  }
  double bytes = least_bytes(work);
  if (work.model_width > 0) {  // what lies between the projections
    const std::size_t of_token = (work.heads + work.kv_heads) * (work.key_width + work.value_width);
    bytes += static_cast<double>(work.batch * work.queries) * static_cast<double>(of_token * sizeof(double));
  }
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes > most_numbers || bytes > 0.7 * memory) {
    throw Refusal(fmt::format("the inputs and outputs of {} take {:.3g} GiB, and this machine has {:.3g} GiB",
                              spelled(work), bytes / 0x1p30, memory / 0x1p30),
                  "a smaller shape, or a machine with more memory", Exit::wrong_environment)
        .at({"--shape"});
  }
}

std::vector<Workload> find_workloads(const BenchOptions& options, Dtype dtype) {
  std::vector<Workload> workloads;
  if (options.suite) {
    if (options.causal || !options.shapes.empty() ||
        std::ranges::any_of(options.sizes, std::not_fn(&std::string::empty))) {
      throw Refusal("--suite has its own shapes", "leave it out, or --shape, --causal and the sizes").at({"--suite"});
    }
    workloads = bench_suite(dtype);
  } else if (options.shapes.empty()) {
    parse_shape("1,8,2048,64", workloads.emplace_back());
  }
  for (const std::string& typed : options.shapes) {
    if (!parse_shape(typed, workloads.emplace_back())) {
      throw Refusal("`" + shown(typed) + "` is no shape", "--shape takes batch, heads, queries and width: 1,8,2048,64")
          .at({"--shape", typed});
    }
  }
  for (Workload& work : workloads) {
    for (std::size_t i = 0; i < size_options().size(); ++i) {
      if (options.sizes[i].empty()) continue;
      const std::size_t size = size_of(size_options()[i].name, options.sizes[i]);
      for (const auto of_work : size_options()[i].sizes) work.*of_work = size;
    }
    work.dtype = dtype;
    work.causal = work.causal || options.causal;
    check(work);
  }
  return workloads;
}

Effort find_effort(const BenchOptions& options) {
  if (!options.seconds.empty() && !options.repeat.empty()) {
    throw Refusal("--seconds and --repeat both say how long to measure", "give one of them").at({"--repeat"});
  }
  Effort effort;
  constexpr double an_hour = 3600;
  if (!options.seconds.empty() &&
      (!parse_number(options.seconds, effort.seconds) || effort.seconds <= 0 || effort.seconds > an_hour)) {
    throw Refusal("`" + shown(options.seconds) + "` is no time to measure",
                  "--seconds takes a number above 0, at most an hour")
        .at({"--seconds", options.seconds});
  }
  if (!options.repeat.empty()) {
    effort.least = effort.most = size_of("--repeat", options.repeat);
    effort.seconds = 0;
  }
  return effort;
}

// --json is --format json.
Rendering find_rendering(const BenchOptions& options) {
  RenderOptions rendering = options.rendering;
  if (options.json) {
    if (!rendering.format.empty() && rendering.format != "json") {
      throw Refusal("--json and --format " + rendering.format + " are two formats", "give one of them").at({"--json"});
    }
    if (rendering.format.empty()) rendering.format_option = "--json";
    rendering.format = "json";
  }
  return understood(rendering, json_alone());
}

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
  return Refusal(fmt::format("no kernel{} of the backend `{}` computes {} in {}",
                             options.kernel.empty() ? "" : " `" + options.kernel + "`", backend, spelled(work),
                             name(work.dtype)),
                 "attn bench --list lists the kernels")
      .at(options.kernel.empty() ? Typed{"--dtype"} : Typed{"--kernel", options.kernel});
}

Exit tell(const BenchReport& report, const Rendering& rendering) {
  return write_out(
      rendering, [&] { return report.shapes.empty() ? told_kernels(report) : told_benchmark(report); },
      [&] { return benchmark_json(report); });
}

constexpr std::size_t name_columns = 24;  // as long as shapes get

// The model that is timed, and nothing else.
TimedModel find_model(const BenchOptions& options, Dtype dtype) {
  const bool has_sizes = std::ranges::any_of(options.sizes, std::not_fn(&std::string::empty));
  if (options.suite || options.causal || options.list || has_sizes || !options.shapes.empty()) {
    throw Refusal("--model has its own sizes", "leave it out, or --shape, --suite, --causal, --list and the sizes")
        .at({"--model"});
  }
  if (options.hardware.backend != "cpu") {
    throw Refusal("a whole model is timed on processors only", "leave out --backend").at({"--backend"});
  }
  if (dtype != Dtype::f32 && dtype != Dtype::f64) {
    throw Refusal(fmt::format("a whole model is timed in f32 or f64, and not in {}", name(dtype)), "leave out --dtype")
        .at({"--dtype", options.dtype});
  }
  std::vector<std::string> kernels = names_of(TimedModel::kernels());
  if (!options.kernel.empty()) kernels = {kernels[choice("--kernel", options.kernel, kernels)]};
  ComputeOptions reading;
  reading.root = options.root;
  Problem problem = open_problem(options.model, reading);
  if (!problem.block) {
    throw Refusal("there is no block around the attention of `" + printable(options.model) + "`",
                  "--shape times an attention alone")
        .at({"--model", options.model});
  }
  problem.arithmetic = Arithmetic{};
  problem.arithmetic.dtype = dtype;
  const std::string file = std::filesystem::path(options.model).filename().string();
  return {std::move(problem), shortened(printable(file), name_columns), options.hardware.thread_count(), kernels};
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

void BenchOptions::declare(CommandLine& line) {
  line.begin_group("What is timed");
  line.add_option("--shape", shapes, "batch, heads, queries and width: 1,8,2048,64; may be given several times",
                  {.value = "B,H,N,D", .is_single = true});
  line.add_flag("--suite", suite, "the shapes of docs/performance.md");
  line.add_option("--model", model, "the block of this problem, from its inputs to its logits", {.value = "FILE"});
  line.add_option("--root", root, "read its tensors from files in this folder, too", {.value = "DIR"});
  sizes.resize(size_options().size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    line.add_option(size_options()[i].name, sizes[i], size_options()[i].help, {.value = "N"});
  }
  line.add_flag("--causal", causal, "queries see no later keys");
  line.add_option("--dtype", dtype, "f32 or f64; bf16 and f16 on GPUs", {.value = "TYPE", .shows_default = true});
  line.add_option("--kernel", kernel, "this one instead of the one that a run uses", {.value = "NAME"});
  line.add_flag("--ladder", ladder, "every kernel, from the plain loop on");
  line.add_flag("--list", list, "list the kernels, and time nothing");
  line.add_flag("--compare", compare, "beside numpy, torch and onnxruntime, as far as they are installed");
  line.add_option("--python", python, "which Python has them (default: python3)", {.value = "FILE"});
  line.begin_group("How it is timed");
  line.add_option("--seconds", seconds, "how long each kernel is measured on each shape (default: 1)", {.value = "X"});
  line.add_option("--repeat", repeat, "how often, instead", {.value = "N"});
  hardware.declare(line);
  line.add_flag("--json", json, "the same as --format json");
  rendering.declare(line, RenderOptions::Shows::words, json_alone());
}

// None where nobody is to be compared with.
Peers BenchOptions::find_peers() const {
  if (!compare) return {};
  Result<Peers> started = start_peers(python.empty() ? "python3" : python, hardware.thread_count(), !model.empty());
  if (!started) throw Refusal(started.faults().front(), Exit::wrong_environment);
  return std::move(started.value());
}

std::vector<Peer*> all_of(const std::vector<std::unique_ptr<Peer>>& peers) {
  std::vector<Peer*> all;
  for (const auto& peer : peers) all.push_back(peer.get());
  return all;
}

Exit BenchOptions::time_model(TimedModel& timed, const Effort& effort, const Rendering& plan) const {
  const std::unique_ptr<Measurable> device = measurable_processors(hardware.thread_count());
  const Peers peers = find_peers();
  BenchReport report{.backend = "cpu", .device = device->device(), .ladder = TimedModel::kernels()};
  report.libraries = peers.libraries;
  const StatusLine status;
  status.tell(spelled(timed.workload()));
  ShapeMeasured told =
      measured(*device, timed.workload(), timed, timed.kernels_ready(), all_of(peers.model_ways), effort);
  // What an earlier call left to the process is none of what a later one adds.
  for (KernelMeasured& one : told.kernels) {
    one.working_memory = std::max(one.working_memory, timed.working_bytes(one.kernel));
  }
  report.shapes.push_back(std::move(told));
  status.tell("");
  return tell(report, plan);
}

Exit BenchOptions::run() const {
  const Rendering plan = find_rendering(*this);
  hardware.check();
  const Dtype of_dtype = dtype_of("--dtype", dtype);
  if (ladder && !kernel.empty())
    throw Refusal("--ladder measures every kernel, and --kernel one", "give one of them").at({"--kernel"});
  if (!python.empty() && !compare)
    throw Refusal("--python is for --compare", "give --compare as well").at({"--python"});
  if (!root.empty() && model.empty()) throw Refusal("--root is for --model", "give --model as well").at({"--root"});
  const Effort effort = find_effort(*this);
  if (!model.empty()) {
    TimedModel timed = find_model(*this, of_dtype);
    return time_model(timed, effort, plan);
  }
  const std::vector<Workload> workloads = find_workloads(*this, of_dtype);

  const std::string backend(hardware.select()->name());  // which goes: what is timed has threads of its own
  const std::unique_ptr<Measurable> device =
      backend == "cuda" ? measurable_gpu() : measurable_processors(hardware.thread_count());
  if (!kernel.empty()) choice("--kernel", kernel, names_of(device->kernels()));

  BenchReport report{.backend = backend, .device = device->device(), .ladder = device->kernels()};
  if (list) return tell(report, plan);

  const std::vector<Planned> all = planned(*device, workloads, *this, backend);
  const Peers peers = find_peers();
  const std::vector<Peer*> ways = all_of(peers.ways);
  report.libraries = peers.libraries;
  const StatusLine status;
  for (const auto& [work, kernels] : all) {
    status.tell(fmt::format("{} of {}: {}", report.shapes.size() + 1, all.size(), spelled(work)));
    report.shapes.push_back(measured(*device, work, kernels, ways, effort));
  }
  status.tell("");
  return tell(report, plan);
}

}  // namespace

Command bench_command() {
  return command<BenchOptions>({.name = "bench",
                                .summary = "Time the core on given sizes against this machine's measured peak",
                                .group = "Compare",
                                .examples = {"attn bench --shape 1,8,2048,64 --causal"}});
}

}  // namespace attn
