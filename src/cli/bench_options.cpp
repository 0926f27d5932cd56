#include "cli/bench_options.h"

#include <array>
#include <string_view>
#include <unistd.h>

#include <fmt/core.h>

#include "base/numbers.h"
#include "bench/workload.h"
#include "cli/console.h"

namespace attn {
namespace {

// Past that, sizes and their products would not fit the counts of a machine.
constexpr double most_numbers = 1e15;

constexpr std::size_t most_of_a_size = std::size_t{1} << 40;

// An option that says one size of a shape.
struct SizeOption {
  std::string_view name;
  std::string BenchOptions::*typed;
  std::string_view help;
};

constexpr std::array<SizeOption, 8> size_options = {{
    {"--batch", &BenchOptions::batch, "sequences"},
    {"--heads", &BenchOptions::heads, "heads of the queries"},
    {"--kv-heads", &BenchOptions::kv_heads, "heads of the keys and values (default: as many)"},
    {"--queries", &BenchOptions::queries, "queries; as many keys, unless --keys says otherwise"},
    {"--keys", &BenchOptions::keys, "keys; a causal mask lets the last query see them all"},
    {"--width", &BenchOptions::width, "columns of a query and a key; of a value as well, unless --value-width says so"},
    {"--value-width", &BenchOptions::value_width, "columns of a value"},
    {"--model-width", &BenchOptions::model_width, "with projections, from and to inputs of so many columns"},
}};

std::optional<Exit> complain_of_size(std::string_view typed, std::string_view option) {
  return complain("`" + std::string(typed) + "` is no size", std::string(option) + " takes a whole number from 1");
}

bool parse_one(std::string_view typed, std::size_t& size) {
  return parse_natural(typed, size) && size > 0 && size <= most_of_a_size;
}

// "1,8,2048,64", or as shapes are shown, "1×8×2048×64", or "1x8x2048x64".
bool parse_shape(std::string typed, Workload& work) {
  constexpr std::string_view times = "×";
  for (std::size_t at; (at = typed.find(times)) != std::string::npos;) typed.replace(at, times.size(), "x");
  std::array<std::size_t, 4> sizes{};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t end = i + 1 < sizes.size() ? typed.find_first_of(",x", begin) : typed.size();
    if (end == std::string::npos || !parse_one(std::string_view(typed).substr(begin, end - begin), sizes[i]))
      return false;
    begin = end + 1;
  }
  work.batch = sizes[0];
  work.heads = work.kv_heads = sizes[1];
  work.queries = work.keys = sizes[2];
  work.key_width = work.value_width = sizes[3];
  return true;
}

// Where an option says a size, it holds for every shape.
std::optional<Exit> apply_sizes(const BenchOptions& options, Workload& work) {
  std::array<std::size_t, size_options.size()> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string& typed = options.*size_options[i].typed;
    if (!typed.empty() && !parse_one(typed, sizes[i])) return complain_of_size(typed, size_options[i].name);
  }
  const auto [batch, heads, kv_heads, queries, keys, width, value_width, model_width] = sizes;
  const auto set = [](std::size_t size, std::initializer_list<std::size_t*> of) {
    for (std::size_t* one : of) *one = size > 0 ? size : *one;
  };
  set(batch, {&work.batch});
  set(heads, {&work.heads, &work.kv_heads});
  set(kv_heads, {&work.kv_heads});
  set(queries, {&work.queries, &work.keys});
  set(keys, {&work.keys});
  set(width, {&work.key_width, &work.value_width});
  set(value_width, {&work.value_width});
  set(model_width, {&work.model_width});
  return std::nullopt;
}

std::optional<Exit> wrong(const Workload& work) {
  if (work.heads % work.kv_heads != 0) {
    return complain(fmt::format("{} heads of queries cannot share {} heads of keys evenly", work.heads, work.kv_heads),
                    "--kv-heads takes a number that divides --heads");
  }
  if (work.model_width > 0 && work.queries != work.keys) {
    return complain(
        fmt::format("with --model-width queries and keys come from the same inputs, and there are {} and {}",
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
    return complain(fmt::format("the inputs and outputs of {} take {:.3g} GiB, and this machine has {:.3g} GiB",
                                spelled(work), bytes / 0x1p30, memory / 0x1p30),
                    "a smaller shape, or a machine with more memory", Exit::wrong_environment);
  }
  return std::nullopt;
}

std::optional<Exit> find_workloads(const BenchOptions& options, Dtype dtype, std::vector<Workload>& workloads) {
  if (options.suite) {
    bool others = options.causal || !options.shapes.empty();
    for (const SizeOption& one : size_options) others = others || !(options.*one.typed).empty();
    if (others) return complain("--suite has its own shapes", "leave it out, or --shape, --causal and the sizes");
    workloads = bench_suite(dtype);
  } else if (options.shapes.empty()) {
    workloads.emplace_back();
    parse_shape("1,8,2048,64", workloads.back());
  }
  for (const std::string& typed : options.shapes) {
    workloads.emplace_back();
    if (!parse_shape(typed, workloads.back())) {
      return complain("`" + typed + "` is no shape", "--shape takes batch, heads, queries and width: 1,8,2048,64");
    }
  }
  for (Workload& work : workloads) {
    if (const auto code = apply_sizes(options, work)) return code;
    work.dtype = dtype;
    work.causal = work.causal || options.causal;
    if (const auto code = wrong(work)) return code;
  }
  return std::nullopt;
}

std::optional<Exit> find_effort(const BenchOptions& options, Effort& effort) {
  if (!options.seconds.empty() && !options.repeat.empty()) {
    return complain("--seconds and --repeat both say how long to measure", "give one of them");
  }
  constexpr double an_hour = 3600;
  if (!options.seconds.empty() &&
      (!parse_number(options.seconds, effort.seconds) || effort.seconds <= 0 || effort.seconds > an_hour)) {
    return complain("`" + options.seconds + "` is no time to measure",
                    "--seconds takes a number above 0, at most an hour");
  }
  if (options.repeat.empty()) return std::nullopt;
  if (!parse_one(options.repeat, effort.least)) return complain_of_size(options.repeat, "--repeat");
  effort.most = effort.least;
  effort.seconds = 0;
  return std::nullopt;
}

}  // namespace

void BenchOptions::declare(CommandLine& line) {
  line.add_option("--shape", shapes, "batch, heads, queries and width: 1,8,2048,64; may be given several times")
      .type_name("B,H,N,D")
      .one_at_a_time();
  line.add_flag("--suite", suite, "the shapes of docs/performance.md");
  for (const SizeOption& one : size_options) {
    line.add_option(std::string(one.name), this->*one.typed, std::string(one.help)).type_name("N");
  }
  line.add_flag("--causal", causal, "queries see no later keys");
  line.add_option("--dtype", dtype, "f32 or f64; bf16 and f16 on GPUs").type_name("TYPE").shows_default();
  line.add_option("--kernel", kernel, "this one instead of the one that a run uses").type_name("NAME");
  line.add_flag("--ladder", ladder, "every kernel, from the plain loop on");
  line.add_flag("--list", list, "list the kernels, and time nothing");
  line.add_flag("--compare", compare, "beside numpy, torch and onnxruntime, as far as they are installed");
  line.add_option("--python", python, "which Python has them (default: python3)").type_name("FILE");
  line.add_option("--seconds", seconds, "how long each kernel is measured on each shape (default: 1)").type_name("X");
  line.add_option("--repeat", repeat, "how often, instead").type_name("N");
  hardware.declare(line);
  line.add_flag("--json", json, "the same as --format json");
  rendering.declare_formats(line, json_alone());
}

std::optional<Exit> understand(const BenchOptions& options, BenchRequest& request) {
  RenderOptions rendering = options.rendering;
  if (options.json) {
    if (!rendering.format.empty() && rendering.format != "json") {
      return complain("--json and --format " + rendering.format + " are two formats", "give one of them");
    }
    rendering.format = "json";
  }
  if (const auto code = understand(rendering, json_alone(), request.rendering)) return code;
  if (const auto code = options.hardware.wrong()) return code;
  const auto dtype = dtype_named(options.dtype);
  if (!dtype) {
    return complain_of_choice("--dtype", options.dtype,
                              std::vector<std::string>(dtype_names.begin(), dtype_names.end()));
  }
  if (options.ladder && !options.kernel.empty()) {
    return complain("--ladder measures every kernel, and --kernel one", "give one of them");
  }
  if (!options.python.empty() && !options.compare) {
    return complain("--python is for --compare", "give --compare as well");
  }
  if (const auto code = find_effort(options, request.effort)) return code;
  return find_workloads(options, *dtype, request.workloads);
}

}  // namespace attn
