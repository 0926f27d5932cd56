#include "explain/telling/why.h"

#include <memory>

#include "base/numbers.h"
#include "cli/command.h"
#include "cli/problem_file.h"
#include "cli/render.h"

namespace attn {
namespace {

struct WhyCommandOptions {
  std::string file, what, depth;
  bool full = false;
  RenderOptions rendering;
  ComputeOptions computing;
};

Exit complain_of(const Diagnostics& faults) { return complain(faults.front().message, faults.front().help); }

std::optional<Exit> find_depth(const WhyCommandOptions& options, const Question& question, WhyOptions& explaining) {
  if (options.depth.empty()) return std::nullopt;
  std::size_t depth = 0;
  if (!parse_natural(options.depth, depth)) {
    return complain("`" + options.depth + "` is no number of levels", "--depth takes a whole number from 0");
  }
  if (!question.indices) {
    return complain("--depth is about one number, and `" + question.typed + "` is a whole step",
                    "give the number's indices too, as in scores[1,2]");
  }
  explaining.depth = depth;
  return std::nullopt;
}

Exit run_why(const WhyCommandOptions& options) {
  const Result<Question> question = read_question(options.what);
  if (!question) return complain_of(question.faults());
  WhyOptions explaining;
  Rendering rendering;
  if (const auto wrong = understand(options.rendering, {}, rendering)) return *wrong;
  if (const auto wrong = find_depth(options, question.value(), explaining)) return *wrong;
  explaining.precision = rendering.precision;
  explaining.full = options.full;

  OpenedProblem opened = open_problem(options.file, options.computing, options.rendering.color_of_errors());
  if (!opened.problem) return opened.code;
  // Rounded by hand, the context is the sum of the weighted values, however many.
  Computation computation(*opened.problem);
  computation.keep({question.value().id});
  if (opened.problem->arithmetic.hand_rounding) computation.keep_all();
  const ComputedTrace computed = compute(computation, options.computing);
  if (!computed.trace) return computed.code;
  const Result<Asked> asked = find_asked(*computed.trace, question.value());
  if (!asked) return complain_of(asked.faults());
  rendering.full = options.full || is_told_whole(*computed.trace, asked.value());
  return render(why(*computed.trace, asked.value(), explaining), rendering);
}

}  // namespace

Command why_command() {
  return {.name = "why", .summary = "Follow one number back to the inputs", .declare = [](CommandLine& line) {
            const auto options = std::make_shared<WhyCommandOptions>();
            line.add_option("FILE", options->file, "a problem, or - for standard input").required();
            line.add_option("STEP", options->what,
                            "one number: scores[1,2], or by labels scores[it,dog]; or a whole step")
                .required();
            line.add_option("--depth", options->depth, "levels below the number; as many as fit").type_name("N");
            line.add_flag("--full", options->full, "leave nothing out, however long");
            options->rendering.declare(line);
            options->computing.declare(line);
            return [options] { return run_why(*options); };
          }};
}

}  // namespace attn
