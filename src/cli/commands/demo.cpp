#include <memory>

#include "cli/command.h"
#include "cli/problem_file.h"
#include "cli/view.h"
#include "cli/worked_example.h"

namespace attn {

Command demo_command() {
  return {
      .name = "demo", .summary = "Show every step of the built-in worked example", .declare = [](CommandLine& line) {
        struct Options {
          ComputeOptions computing;
          ViewOptions viewing;
        };
        const auto options = std::make_shared<Options>();
        options->viewing.declare(line);
        options->computing.declare(line);
        return [options] {
          return show(open_problem_text(worked_example, "worked-example.json", options->computing), options->computing,
                      options->viewing);
        };
      }};
}

}  // namespace attn
