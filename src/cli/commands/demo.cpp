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

Command demo_command() { return command<DemoOptions>("demo", "Show every step of the built-in worked example"); }

}  // namespace attn
