#include "cli/view.h"
#include "cli/worked_example.h"

namespace attn {
namespace {

struct DemoOptions {
  ComputeOptions computing;
  ViewOptions viewing;

  void declare(CommandLine& line) {
    viewing.declare(line);
    computing.declare(line);
  }
  Exit run() const {
    return show(open_problem_text(worked_example, "worked-example.json", computing), computing, viewing);
  }
};

}  // namespace

Command demo_command() {
  return command<DemoOptions>({.name = "demo",
                               .summary = "Show every step of the built-in worked example",
                               .group = "See every number",
                               .examples = {"attn demo", "attn demo --only A,C --explain cells"}});
}

}  // namespace attn
