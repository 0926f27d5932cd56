#include "cli/view.h"

namespace attn {
namespace {

struct RunOptions {
  std::string file;
  ComputeOptions computing;
  ViewOptions viewing;

  void declare(CommandLine& line) {
    line.add_option("FILE", file, "a problem, or - for standard input", {.is_required = true});
    viewing.declare(line);
    computing.declare(line);
    computing.declare_algorithm(line);
  }
  Exit run() const {
    return show(open_problem(file, computing, viewing.rendering.color_of_errors()), computing, viewing);
  }
};

}  // namespace

Command run_command() {
  return command<RunOptions>({.name = "run",
                              .summary = "Compute a problem and show every step",
                              .group = "See every number",
                              .examples = {"attn run data/worked-example.json --explain cells",
                                           "attn run data/causal-two-of-five.json -o causal.html --query 2"}});
}

}  // namespace attn
