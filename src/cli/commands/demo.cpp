#include <memory>

#include "cli/command.h"
#include "cli/problem_file.h"
#include "cli/view.h"
#include "cli/worked_example.h"

namespace attn {

Command demo_command() {
  return {.name = "demo", .summary = "Show every step of the built-in worked example", .declare = [](CLI::App& app) {
            struct Options {
              ComputeOptions computing;
              ViewOptions viewing;
            };
            const auto options = std::make_shared<Options>();
            options->viewing.declare(app);
            options->computing.declare(app);
            return [options] {
              return show(open_problem_text(worked_example, "worked-example.json", options->computing),
                          options->computing, options->viewing);
            };
          }};
}

}  // namespace attn
