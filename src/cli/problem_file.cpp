#include "cli/problem_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <limits>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/rounding.h"
#include "base/suggest.h"
#include "cli/progress.h"
#include "reading/problem/problem.h"
#include "reading/text_file.h"

namespace attn {
namespace {

// What reading may make up (random numbers, padding) however small --max-memory
// is: that option is about traces, and refuses those with numbers.
constexpr std::size_t least_for_reading = std::size_t{64} << 20;

// Fewer bytes are surely done with before anybody asks how it goes.
constexpr std::size_t worth_telling = std::size_t{1} << 20;

// "2GiB", "500M", "1000000": bytes; K, M, G, T are powers of 1024.
std::optional<std::size_t> parse_size(const std::string& text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  std::size_t count = 0;
  if (!parse_natural(std::string_view(text).substr(0, digits), count)) return std::nullopt;
  if (digits == std::string::npos) return count;

  std::string unit = text.substr(digits);
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::toupper(c); });
  constexpr std::array<std::string_view, 5> prefixes = {"", "K", "M", "G", "T"};
  for (std::size_t power = 0; power < prefixes.size(); ++power) {
    const std::string prefix(prefixes[power]);
    if (unit != prefix && unit != prefix + "B" && (prefix.empty() || unit != prefix + "IB")) continue;
    const std::size_t scale = std::size_t{1} << (10 * power);
    if (count > std::numeric_limits<std::size_t>::max() / scale) return std::nullopt;
    return count * scale;
  }
  return std::nullopt;
}

std::string spelled_size(std::size_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", size, units[unit]);
}

// What is wrong with the options, if anything.
std::optional<Exit> wrong_options(const ComputeOptions& options) {
  if (!options.dtype.empty() && !dtype_named(options.dtype)) {
    return complain("no dtype is called `" + options.dtype + "`" +
                        did_you_mean(options.dtype, std::vector<std::string>(dtype_names.begin(), dtype_names.end())),
                    "--dtype takes f64, f32, bf16 or f16");
  }
  if (!options.hand_rounding.empty() && !parse_hand_rounding(options.hand_rounding)) {
    return complain("`" + options.hand_rounding + "` is no way to round by hand",
                    "--hand-rounding takes decimals and a mode: 2, 2:half-up, 2:half-even, 2:truncate, 2:keep-sum");
  }
  if (const auto wrong = options.hardware.wrong()) return wrong;
  if (!parse_size(options.max_memory)) {
    return complain("`" + options.max_memory + "` is no amount of memory", "--max-memory takes 500M, 2GiB, …");
  }
  return std::nullopt;
}

// "scores, step 4 of 11"
std::string step_of(std::string_view id, const std::vector<std::string>& steps) {
  const auto found = std::ranges::find(steps, id);
  std::string text(id);
  if (found != steps.end()) text += fmt::format(", step {} of {}", found - steps.begin() + 1, steps.size());
  return text;
}

// Where the files are that a problem refers to.
std::string folder_of(const std::string& file) {
  const std::string folder = file == "-" ? "" : std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

void override_arithmetic(Problem& problem, const ComputeOptions& options) {
  if (const auto dtype = dtype_named(options.dtype)) problem.arithmetic.dtype = *dtype;
  if (const auto rounding = parse_hand_rounding(options.hand_rounding)) problem.arithmetic.hand_rounding = rounding;
}

}  // namespace

void ComputeOptions::declare(CommandLine& line) {
  line.add_option("--dtype", dtype, "compute in f64, f32, bf16 or f16").type_name("TYPE");
  line.add_option("--hand-rounding", hand_rounding, "round every step by hand: 2, or 2:half-even, :truncate, :keep-sum")
      .type_name("N[:MODE]");
  hardware.declare(line);
  line.add_option("--max-memory", max_memory, "refuse a larger trace before computing it")
      .type_name("SIZE")
      .shows_default();
}

std::optional<std::size_t> ComputeOptions::memory() const { return parse_size(max_memory); }

OpenedProblem open_problem(const std::string& file, const ComputeOptions& options, ColorChoice color) {
  if (const auto code = wrong_options(options)) return {std::nullopt, *code};
  const Result<std::string> text = read_text(file);
  if (!text) return {std::nullopt, complain(text.faults(), "", file, color)};
  return open_problem_text(text.value(), file, options, color);
}

OpenedProblem open_problem_text(std::string_view text, const std::string& file, const ComputeOptions& options,
                                ColorChoice color) {
  if (const auto code = wrong_options(options)) return {std::nullopt, *code};
  std::optional<Progress> progress(std::in_place, "reading " + file, text.size() > worth_telling);
  Result<Problem> problem =
      read_problem(text, catalog(), std::max(*parse_size(options.max_memory), least_for_reading), folder_of(file));
  progress.reset();
  if (!problem) return {std::nullopt, complain(problem.faults(), text, file, color)};
  override_arithmetic(problem.value(), options);
  return {std::move(problem.value()), Exit::done};
}

ComputedTrace compute(Computation& computation, const ComputeOptions& options, bool only_result) {
  HardwareOptions::Selected selected = options.hardware.select();
  if (!selected.backend) return {std::nullopt, selected.code};

  const std::size_t limit = *parse_size(options.max_memory);
  const std::vector<std::string> steps = computation.steps();
  const bool is_long = computation.recipe().bytes() > worth_telling;
  std::optional<Progress> progress;
  const auto now = [&](const std::string& what) {
    progress ? progress->now(what) : static_cast<void>(progress.emplace(what, is_long));
  };
  const Watcher watcher{.draws = [&] { now("drawing random numbers"); },
                        .computes_at_once = [&] { now("computing the result"); },
                        .computes_step = [&](std::string_view id) { now("computing " + step_of(id, steps)); }};
  auto made = computation.run(*selected.backend, only_result, limit, watcher);
  if (auto* trace = std::get_if<Trace>(&made)) return {std::move(*trace), Exit::done};

  const TooLarge& refused = std::get<TooLarge>(made);
  return {
      std::nullopt,
      complain(fmt::format("the {} of this problem take{} {}, and --max-memory is {}",
                           refused.is_result_alone ? "result" : "steps", refused.is_result_alone ? "s" : "",
                           spelled_size(refused.needed), spelled_size(limit)),
               "give --max-memory " + std::to_string(refused.needed / (1024 * 1024) + 1) + "M, or a smaller problem",
               Exit::wrong_environment)};
}

ComputedTrace compute(Problem& problem, const ComputeOptions& options) {
  Computation computation(problem);
  return compute(computation, options);
}

}  // namespace attn
