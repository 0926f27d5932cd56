#include "cli/bench_options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unistd.h>

#include <fmt/core.h>

#include "base/numbers.h"
#include "bench/workload.h"
#include "cli/options.h"

namespace attn {
namespace {

// Past that, sizes and their products would not fit the counts of a machine.
constexpr double most_numbers = 1e15;

constexpr std::size_t most_of_a_size = std::size_t{1} << 40;

// An option that says sizes of every shape.
struct SizeOption {
  std::string_view name;
  std::string BenchOptions::*typed;
  std::string_view help;
  std::vector<std::size_t Workload::*> sizes;
};

// A later one says more than an earlier one.
const std::vector<SizeOption>& size_options() {
  using Typed = BenchOptions;
  using Size = Workload;
  static const std::vector<SizeOption> all = {
      {"--batch", &Typed::batch, "sequences", {&Size::batch}},
      {"--heads", &Typed::heads, "heads of the queries", {&Size::heads, &Size::kv_heads}},
      {"--kv-heads", &Typed::kv_heads, "heads of the keys and values (default: as many)", {&Size::kv_heads}},
      {"--queries",
       &Typed::queries,
       "queries; as many keys, unless --keys says otherwise",
       {&Size::queries, &Size::keys}},
      {"--keys", &Typed::keys, "keys; a causal mask lets the last query see them all", {&Size::keys}},
      {"--width",
       &Typed::width,
       "columns of a query and a key; of a value as well, unless --value-width says so",
       {&Size::key_width, &Size::value_width}},
      {"--value-width", &Typed::value_width, "columns of a value", {&Size::value_width}},
      {"--model-width",
       &Typed::model_width,
       "with projections, from and to inputs of so many columns",
       {&Size::model_width}},
  };
  return all;
}

bool parse_size(std::string_view typed, std::size_t& size) {
  return parse_natural(typed, size) && size > 0 && size <= most_of_a_size;
}

std::size_t size_of(std::string_view option, const std::string& typed) {
  std::size_t size = 0;
  if (parse_size(typed, size)) return size;
  throw Refusal("`" + typed + "` is no size", std::string(option) + " takes a whole number from 1");
}

// "1,8,2048,64", or as shapes are shown, "1×8×2048×64", or "1x8x2048x64".
bool parse_shape(std::string typed, Workload& work) {
  constexpr std::string_view times = "×";
  for (std::size_t at; (at = typed.find(times)) != std::string::npos;) typed.replace(at, times.size(), "x");
  std::array<std::size_t, 4> sizes{};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t end = i + 1 < sizes.size() ? typed.find_first_of(",x", begin) : typed.size();
    if (end == std::string::npos || !parse_size(std::string_view(typed).substr(begin, end - begin), sizes[i]))
      return false;
    begin = end + 1;
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
                  "--kv-heads takes a number that divides --heads");
  }
  if (work.model_width > 0 && work.queries != work.keys) {
    throw Refusal(fmt::format("with --model-width queries and keys come from the same inputs, and there are {} and {}",
                              work.queries, work.keys),
                  "leave --keys out");
  }
  double bytes = least_bytes(work);
  if (work.model_width > 0) {  // what lies between the projections
    const std::size_t of_token =
        work.heads * (work.key_width + work.value_width) + work.kv_heads * (work.key_width + work.value_width);
    bytes += static_cast<double>(work.batch * work.queries) * static_cast<double>(of_token * sizeof(double));
  }
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes > most_numbers || bytes > 0.7 * memory) {
    throw Refusal(fmt::format("the inputs and outputs of {} take {:.3g} GiB, and this machine has {:.3g} GiB",
                              spelled(work), bytes / 0x1p30, memory / 0x1p30),
                  "a smaller shape, or a machine with more memory", Exit::wrong_environment);
  }
}

std::vector<Workload> find_workloads(const BenchOptions& options, Dtype dtype) {
  const auto is_given = [&](const SizeOption& option) { return !(options.*option.typed).empty(); };
  std::vector<Workload> workloads;
  if (options.suite) {
    if (options.causal || !options.shapes.empty() || std::ranges::any_of(size_options(), is_given)) {
      throw Refusal("--suite has its own shapes", "leave it out, or --shape, --causal and the sizes");
    }
    workloads = bench_suite(dtype);
  } else if (options.shapes.empty()) {
    parse_shape("1,8,2048,64", workloads.emplace_back());
  }
  for (const std::string& typed : options.shapes) {
    if (!parse_shape(typed, workloads.emplace_back())) {
      throw Refusal("`" + typed + "` is no shape", "--shape takes batch, heads, queries and width: 1,8,2048,64");
    }
  }
  for (Workload& work : workloads) {
    for (const SizeOption& option : size_options()) {
      if (!is_given(option)) continue;
      const std::size_t size = size_of(option.name, options.*option.typed);
      for (const auto of_work : option.sizes) work.*of_work = size;
    }
    work.dtype = dtype;
    work.causal = work.causal || options.causal;
    check(work);
  }
  return workloads;
}

Effort find_effort(const BenchOptions& options) {
  if (!options.seconds.empty() && !options.repeat.empty()) {
    throw Refusal("--seconds and --repeat both say how long to measure", "give one of them");
  }
  Effort effort;
  constexpr double an_hour = 3600;
  if (!options.seconds.empty() &&
      (!parse_number(options.seconds, effort.seconds) || effort.seconds <= 0 || effort.seconds > an_hour)) {
    throw Refusal("`" + options.seconds + "` is no time to measure",
                  "--seconds takes a number above 0, at most an hour");
  }
  if (!options.repeat.empty()) {
    effort.least = effort.most = size_of("--repeat", options.repeat);
    effort.seconds = 0;
  }
  return effort;
}

}  // namespace

void BenchOptions::declare(CommandLine& line) {
  line.add_option("--shape", shapes, "batch, heads, queries and width: 1,8,2048,64; may be given several times",
                  {.value = "B,H,N,D", .is_single = true});
  line.add_flag("--suite", suite, "the shapes of docs/performance.md");
  for (const SizeOption& option : size_options()) {
    line.add_option(std::string(option.name), this->*option.typed, std::string(option.help), {"N"});
  }
  line.add_flag("--causal", causal, "queries see no later keys");
  line.add_option("--dtype", dtype, "f32 or f64; bf16 and f16 on GPUs", {.value = "TYPE", .shows_default = true});
  line.add_option("--kernel", kernel, "this one instead of the one that a run uses", {"NAME"});
  line.add_flag("--ladder", ladder, "every kernel, from the plain loop on");
  line.add_flag("--list", list, "list the kernels, and time nothing");
  line.add_flag("--compare", compare, "beside numpy, torch and onnxruntime, as far as they are installed");
  line.add_option("--python", python, "which Python has them (default: python3)", {"FILE"});
  line.add_option("--seconds", seconds, "how long each kernel is measured on each shape (default: 1)", {"X"});
  line.add_option("--repeat", repeat, "how often, instead", {"N"});
  hardware.declare(line);
  line.add_flag("--json", json, "the same as --format json");
  rendering.declare_formats(line, json_alone());
}

BenchRequest understood(const BenchOptions& options) {
  RenderOptions rendering = options.rendering;
  if (options.json) {
    if (!rendering.format.empty() && rendering.format != "json") {
      throw Refusal("--json and --format " + rendering.format + " are two formats", "give one of them");
    }
    rendering.format = "json";
  }
  BenchRequest request{.workloads = {}, .effort = {}, .rendering = understood(rendering, json_alone())};
  options.hardware.check();
  const auto dtype = choice("--dtype", options.dtype, {dtype_names.begin(), dtype_names.end()});
  if (options.ladder && !options.kernel.empty()) {
    throw Refusal("--ladder measures every kernel, and --kernel one", "give one of them");
  }
  if (!options.python.empty() && !options.compare) {
    throw Refusal("--python is for --compare", "give --compare as well");
  }
  request.effort = find_effort(options);
  request.workloads = find_workloads(options, static_cast<Dtype>(dtype));
  return request;
}

}  // namespace attn
