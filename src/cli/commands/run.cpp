#include <memory>

#include "cli/command.h"
#include "cli/problem_file.h"
#include "cli/view.h"

namespace attn {

Command run_command() {
  return {.name = "run", .summary = "Compute a problem and show every step", .declare = [](CommandLine& line) {
            struct Options {
              std::string file;
              ComputeOptions computing;
              ViewOptions viewing;
            };
            const auto options = std::make_shared<Options>();
            line.add_option("FILE", options->file, "a problem, or - for standard input").required();
            options->viewing.declare(line);
            options->computing.declare(line);
            return [options] {
              return show(open_problem(options->file, options->computing, options->viewing.rendering.color_of_errors()),
                          options->computing, options->viewing);
            };
          }};
}

}  // namespace attn
