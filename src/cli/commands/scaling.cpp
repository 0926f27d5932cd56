#include "trace/scaling.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "explain/reports/scaling.h"
#include "exports/json.h"
#include "model/computation.h"
#include "problem/faults.h"

namespace attn {
namespace {

struct ScalingOptions {
  std::string widths = "1,4,16,64,256,1024", seed = "1", queries = "128", keys = "64";
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

// Scores of unit normal queries and keys: "dot", or "scaled_dot".
Problem drawn_problem(std::size_t width, const ScalingReport& of, const char* score, const ComputeOptions& computing) {
  const auto tensor = [&](std::size_t rows, std::uint64_t seed) {
    return R"({"random": "normal", "shape": [)" + std::to_string(rows) + ", " + std::to_string(width) +
           R"(], "seed": )" + std::to_string(seed) + "}";
  };
  const std::string text = R"({"queries": )" + tensor(of.queries, 2 * of.seed) + R"(, "keys": )" +
                           tensor(of.keys, 2 * of.seed + 1) + R"(, "score": ")" + score + "\"}";
  return open_problem_text(text, "attn scaling", computing);
}

ScalingOfWidth scaling_of(std::size_t width, const ScalingReport& of, const ComputeOptions& computing) {
  ScalingOfWidth made;
  made.width = width;
  for (const bool divides : {false, true}) {
    const Problem problem = drawn_problem(width, of, divides ? "scaled_dot" : "dot", computing);
    Computation computation(problem);
    computation.leave_out_weighted_values();
    const Trace trace = compute(computation, computing);
    if (!divides) made.drawn = spread_of(trace.value(trace.attention()->scores));
    (divides ? made.divided : made.plain) = peak_of(trace.value(trace.attention()->weights));
  }
  return made;
}

void ScalingOptions::declare(CommandLine& line) {
  line.begin_group("What is drawn");
  line.add_option("--widths", widths, "how many numbers a query and a key have, each in turn",
                  {.value = "D,D,…", .shows_default = true});
  line.add_option("--queries", queries, "how many queries", {.value = "N", .shows_default = true});
  line.add_option("--keys", keys, "how many keys", {.value = "N", .shows_default = true});
  line.add_option("--seed", seed, "what the numbers are drawn from", {.value = "N", .shows_default = true});
  rendering.declare(line, RenderOptions::Shows::words, json_and_csv());
  computing.declare(line);
}

Exit ScalingOptions::run() const {
  const Rendering plan = understood(rendering, json_and_csv());
  constexpr std::size_t most_vectors = 100'000, most_width = 1'000'000, most_widths = 64;
  constexpr std::size_t most_seed = std::size_t{1} << 52;
  ScalingReport report{.queries = whole_number("--queries", queries, "number of queries", 1, most_vectors),
                       .keys = whole_number("--keys", keys, "number of keys", 2, most_vectors),
                       .seed = whole_number("--seed", seed, "seed", 0, most_seed),
                       .widths = {}};
  const std::vector<std::string> typed = split(widths, ',');
  const auto commas = static_cast<std::size_t>(std::ranges::count(widths, ','));
  if (typed.size() != commas + 1 || typed.size() > most_widths) {
    throw Refusal("`--widths " + shown(widths) + "` is no list of widths", "1,4,16,64,256,1024; 64 widths are the most")
        .at({"--widths", widths});
  }
  std::vector<std::size_t> all;
  for (const std::string& one : typed) all.push_back(whole_number("--widths", one, "width", 1, most_width));
  for (const std::size_t width : all) report.widths.push_back(scaling_of(width, report, computing));
  return hand_out(plan, [&](const Target& target, Sink& sink) {
    sink.write(target.format            ? rendered(told_scaling(report), target, plan)
               : target.name() == "csv" ? scaling_csv(report)
                                        : scaling_json(report));
  });
}

}  // namespace

Command scaling_command() {
  return command<ScalingOptions>({.name = "scaling",
                                  .summary = "Show why scores are divided by √d_k",
                                  .group = "Look up",
                                  .examples = {"attn scaling", "attn scaling --widths 2,8,32 --seed 7 --format csv"}});
}

}  // namespace attn
