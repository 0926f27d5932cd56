#include "trace/cost.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "exports/json.h"
#include "model/computation.h"
#include "problem/faults.h"

namespace attn {
namespace {

struct CostOptions {
  std::string file, shape, kernel = "3", neighbours = "64";
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

// Queries, keys and values of that shape: "1,8,2048,64".
std::string problem_of_shape(const std::string& typed) {
  constexpr std::size_t axes = 4;
  std::vector<std::string> sizes;
  for (std::size_t at = 0; at <= typed.size();) {
    const std::size_t end = std::min(typed.find_first_of(",x", at), typed.size());
    sizes.push_back(typed.substr(at, end - at));
    at = end + 1;
  }
  const auto is_size = [](const std::string& text) {
    return !text.empty() && text.size() <= 9 && std::ranges::all_of(text, is_ascii_digit) &&
           text.find_first_not_of('0') != std::string::npos;
  };
  if (sizes.size() != axes || !std::ranges::all_of(sizes, is_size)) {
    throw Refusal("`" + shown(typed) + "` is no shape", "--shape takes batch, heads, tokens and width: 1,8,2048,64")
        .at({"--shape", typed});
  }
  const auto size = [&](std::size_t axis) { return std::stod(sizes[axis]); };
  constexpr double most_counted = 0x1p53;
  if (size(0) * size(1) * size(2) * size(2) * size(3) > most_counted) {
    throw Refusal("`" + shown(typed) + "` has more products than can be counted exactly", "a smaller --shape")
        .at({"--shape", typed});
  }
  const std::string tensor = R"({"random": "normal", "shape": [)" + listed(sizes) + "]}";
  return R"({"queries": )" + tensor + R"(, "keys": )" + tensor + R"(, "values": )" + tensor + "}";
}

// How many numbers a token is: as it comes in, or all its heads side by side.
double width_of(const Attention& attention, const Recipe& recipe) {
  if (const auto inputs = recipe.line("inputs")) return static_cast<double>(recipe.shape(*inputs).size("d_model"));
  return static_cast<double>(attention.heads.value_or(1) * attention.key_width);
}

void CostOptions::declare(CommandLine& line) {
  line.add_option("FILE", file, "a problem, or - for standard input; or none, and --shape");
  line.begin_group("What is counted");
  line.add_option("--shape", shape, "batch, heads, tokens and width of queries, keys and values: 1,8,2048,64",
                  {.value = "B,H,N,D"});
  line.add_option("--kernel", kernel, "tokens that a convolution sees at once, in the table of layers",
                  {.value = "K", .shows_default = true});
  line.add_option("--neighbours", neighbours, "tokens that restricted attention sees, in the table of layers",
                  {.value = "R", .shows_default = true});
  rendering.declare(line, RenderOptions::Shows::words, json_and_csv());
  computing.declare(line);
  computing.declare_algorithm(line);
}

Exit CostOptions::run() const {
  const Rendering plan = understood(rendering, json_and_csv());
  if (file.empty() == shape.empty()) {
    throw Refusal(file.empty() ? "`attn cost` needs FILE: a problem; or --shape"
                               : "--shape is in place of a problem, and `" + shown(file) + "` is one",
                  "usage: attn cost [OPTIONS] FILE")
        .at(file.empty() ? Typed{} : Typed{"--shape"});
  }
  constexpr std::size_t most = 1'000'000'000;
  CostReport report;
  report.kernel = static_cast<double>(whole_number("--kernel", kernel, "number of tokens", 2, most));
  report.neighbours = static_cast<double>(whole_number("--neighbours", neighbours, "number of tokens", 1, most));

  ComputeOptions of_shape = computing;
  of_shape.max_memory = "1000000T";  // its numbers are never drawn
  const Problem problem = shape.empty() ? open_problem(file, computing, rendering.color_of_errors())
                                        : open_problem_text(problem_of_shape(shape), "--shape", of_shape);
  const Computation computation(problem);
  const Recipe& recipe = computation.recipe();
  const std::vector<StepCost> steps = costs_of(recipe);
  for (const StepCost& step : steps) {
    const Instruction& instruction = recipe.instruction(step.line);
    report.steps.push_back({instruction.id(), step.cost, step.all_open, recipe.parts()[instruction.part].prefix});
  }
  report.title = shape.empty() ? problem.title : shape;
  report.dtype = problem.arithmetic.dtype;
  report.next = next_token(recipe, steps);
  report.tokens = static_cast<double>(problem.attention().query_count);
  report.width = width_of(problem.attention(), recipe);
  return hand_out(plan, [&](const Target& target, Sink& sink) {
    sink.write(target.format            ? rendered(told_costs(report), target, plan)
               : target.name() == "csv" ? costs_csv(report)
                                        : costs_json(report));
  });
}

}  // namespace

Command cost_command() {
  return command<CostOptions>({.name = "cost",
                               .summary = "Count the operations and bytes of every step",
                               .group = "Look up",
                               .examples = {"attn cost data/causal-two-of-five.json", "attn cost --shape 1,8,2048,64",
                                            "attn cost data/worked-example.json --format csv"}});
}

}  // namespace attn
