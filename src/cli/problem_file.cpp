#include "cli/problem_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/rounding.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "model/online.h"
#include "problem/faults.h"
#include "reading/problem/problem.h"
#include "reading/problem/tensor_files.h"
#include "reading/text_file.h"

namespace attn {
namespace {

// What reading may make up (random numbers, padding) however small --max-memory
// is: that option is about traces, and refuses those with numbers.
constexpr std::size_t least_for_reading = std::size_t{64} << 20;

// Fewer bytes are surely done with before anybody asks how it goes.
constexpr std::size_t worth_telling = std::size_t{1} << 20;

// Numbers of other files, in bytes, that are not read before it is known that the steps have room, too: packed, they
// may come from a small file. Their faults point into the problem's text, which is kept for them where it is small.
constexpr std::size_t worth_putting_off = std::size_t{32} << 20;
constexpr std::size_t worth_keeping = std::size_t{1} << 20;

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

// "scores, step 4 of 11"
std::string step_of(std::string_view id, const std::unordered_map<std::string_view, std::size_t>& numbers) {
  const auto found = numbers.find(id);
  std::string text(id);
  if (found != numbers.end()) text += fmt::format(", step {} of {}", found->second, numbers.size());
  return text;
}

// How many keys that algorithm takes at a time; nothing where there is no such.
std::optional<std::size_t> keys_a_block(std::string_view algorithm) {
  constexpr std::string_view online = "online";
  if (algorithm == online) return 2;
  std::size_t keys = 0;
  const bool names_block = algorithm.starts_with("online:") && parse_natural(algorithm.substr(online.size() + 1), keys);
  return names_block && keys > 0 ? std::optional(keys) : std::nullopt;
}

// Sees to it that the problem is computed by that algorithm.
void choose_algorithm(const ComputeOptions& options, Problem& problem) {
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw Refusal(what, help).at({"--algorithm", options.algorithm});
  };
  if (options.algorithm.empty()) return;
  if (problem.arithmetic.hand_rounding) {
    refuse("--algorithm online carries numbers on from block to block, and rounding by hand comes in between",
           "leave out --algorithm, or --hand-rounding and what the problem says of it");
  }
  if (options.hardware.backend != "cpu") {
    refuse("no kernel for a GPU goes through the keys step by step", "--backend cpu does");
  }
  if (const auto misfit = misfit_of_online(problem)) {
    refuse("--algorithm online does not fit this problem: " + *misfit, "leave out --algorithm");
  }
  problem.keys_a_block = keys_a_block(options.algorithm);
}

// Where the files are that a problem refers to.
std::string folder_of(const std::string& file) {
  const std::string folder = file == "-" ? "" : std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

void ComputeOptions::declare(CommandLine& line) {
  line.begin_group("How it is computed");
  line.add_option("--dtype", dtype, "the numbers it is computed in",
                  {.value = "TYPE", .choices = {dtype_names.begin(), dtype_names.end()}});
  line.add_option("--hand-rounding", hand_rounding, "round every step by hand: 2, or 2:half-even, :truncate, :keep-sum",
                  {.value = "N[:MODE]"});
  hardware.declare(line);
  line.add_option("--root", root, "read tensors from files in this folder, too, and not beside the problem alone",
                  {.value = "DIR"});
  line.add_option("--max-memory", max_memory, "refuse a larger trace before computing it, and what takes more to tell",
                  {.value = "SIZE", .shows_default = true});
}

void ComputeOptions::declare_algorithm(CommandLine& line) {
  line.add_option("--algorithm", algorithm,
                  "how softmax goes through the keys: all at once, or online, some at a time (2, or online:BLOCK)",
                  {.value = "online[:BLOCK]"});
}

void ComputeOptions::check() const {
  std::error_code unknown;
  if (!root.empty() && !std::filesystem::is_directory(root, unknown)) {
    throw Refusal("there is no folder `" + shown(root) + "`", "--root names the folder that tensors are read from")
        .at({"--root", root});
  }
  if (!dtype.empty()) dtype_of("--dtype", dtype);
  if (!hand_rounding.empty() && !parse_hand_rounding(hand_rounding)) {
    throw Refusal(
        "`" + shown(hand_rounding) + "` is no way to round by hand",
        fmt::format("--hand-rounding takes decimals, at most {}, and a mode: 2, 2:half-up, 2:half-even, 2:truncate, "
                    "2:keep-sum",
                    most_rounded_decimals))
        .at({"--hand-rounding", hand_rounding});
  }
  if (!algorithm.empty() && !keys_a_block(algorithm)) {
    throw Refusal("there is no algorithm `" + shown(algorithm) + "`",
                  "--algorithm takes online, or online:4 for 4 keys at a time")
        .at({"--algorithm", algorithm});
  }
  hardware.check();
  max_bytes();
}

std::size_t ComputeOptions::max_bytes() const {
  if (const auto bytes = parse_size(max_memory)) return *bytes;
  throw Refusal("`" + shown(max_memory) + "` is no amount of memory", "--max-memory takes 500M, 2GiB, …")
      .at({"--max-memory", max_memory});
}

std::string text_of(const std::string& file, ColorChoice color) {
  Result<std::string> text = read_text(file);
  if (!text) throw Refusal(text.faults(), "", file, color);
  return std::move(text.value());
}

std::string writing_of(const std::string& file) {
  Result<std::string> text = read_writing(file);
  if (!text) throw Refusal(text.faults(), "", file);
  return std::move(text.value());
}

Problem open_problem(const std::string& file, const ComputeOptions& options, ColorChoice color) {
  options.check();
  return open_problem_text(text_of(file, color), file, options, color);
}

Result<Problem> read_sketched(std::string_view text) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  return read_problem(text, catalog(), most_bytes);
}

Problem open_problem_text(std::string_view text, const std::string& file, const ComputeOptions& options,
                          ColorChoice color) {
  options.check();
  std::optional<Progress> progress(std::in_place, "reading " + file, text.size() > worth_telling);
  LateReading late{.least_bytes = worth_putting_off};
  if (text.size() <= worth_keeping) {
    late.refuse = [text = std::string(text), file, color](const Diagnostics& faults) {
      throw Refusal(faults, text, file, color);
    };
  }
  Result<Problem> read = read_problem(text, catalog(), std::max(options.max_bytes(), least_for_reading),
                                      tensors_in(folder_of(file), options.root), late);
  progress.reset();
  if (!read) throw Refusal(read.faults(), text, file, color);
  Problem& problem = read.value();
  if (!options.dtype.empty()) problem.arithmetic.dtype = dtype_of("--dtype", options.dtype);
  if (const auto rounding = parse_hand_rounding(options.hand_rounding)) problem.arithmetic.hand_rounding = rounding;
  choose_algorithm(options, problem);
  return std::move(problem);
}

Trace compute(Computation& computation, const ComputeOptions& options, bool only_result) {
  const std::unique_ptr<Backend> backend = options.hardware.select();
  const std::size_t limit = options.max_bytes();
  const std::vector<std::string> steps = computation.steps();
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (const std::string& id : steps) numbers.emplace(id, numbers.size() + 1);
  const bool is_long = computation.recipe().bytes() > worth_telling;
  if (options.bounds) computation.bound_numbers();
  std::optional<Progress> progress;
  const auto now = [&](const std::string& what) {
    progress ? progress->now(what) : static_cast<void>(progress.emplace(what, is_long));
  };
  const Watcher watcher{.draws = [&] { now("drawing random numbers"); },
                        .computes_at_once = [&] { now("computing the result"); },
                        .computes_step = [&](std::string_view id) { now("computing " + step_of(id, numbers)); }};
  auto made = computation.run(*backend, only_result, limit, watcher);
  if (auto* trace = std::get_if<Trace>(&made)) return std::move(*trace);

  const auto& [needed, is_result_alone] = std::get<TooLarge>(made);
  throw Refusal(
      fmt::format("the {} of this problem take{} {}, and --max-memory is {}", is_result_alone ? "result" : "steps",
                  is_result_alone ? "s" : "", spelled_size(needed), spelled_size(limit)),
      fmt::format("give --max-memory {}M, or a smaller problem", needed / (1024 * 1024) + 1), Exit::wrong_environment)
      .at({"--max-memory"});
}

Trace compute(const Problem& problem, const ComputeOptions& options) {
  Computation computation(problem);
  return compute(computation, options);
}

}  // namespace attn
