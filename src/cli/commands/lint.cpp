#include "mark/lint.h"

#include <string>

#include "base/rounding.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "explain/reports/lint.h"
#include "exports/json.h"
#include "mark/advice.h"
#include "model/computation.h"
#include "trace/numbers_in.h"

namespace attn {
namespace {

struct LintOptions {
  std::string file, digits;
  bool strict = false;
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

void LintOptions::declare(CommandLine& line) {
  line.add_option("FILE", file, "a problem, or - for standard input", {.is_required = true});
  line.begin_group("How it is looked at");
  line.add_option("--digits", digits, "decimals of what is handed in; else the problem's `digits`, else 2",
                  {.value = "N"});
  line.add_flag("--strict", strict, "exit with 1 if something is found");
  rendering.declare(line, RenderOptions::Shows::words, json_alone());
  computing.declare(line);
  line.remove_option("--hand-rounding");
}

// Every mistake is worked out, so that a problem takes many times what its steps do.
void refuse_too_large(const Recipe& recipe, std::size_t most) {
  // In a model of many layers there are mistakes in each, and each has all layers behind it.
  constexpr std::size_t most_lines = 500'000;
  const std::size_t own = numbers_in(recipe) * sizeof(double);
  // To find out what mistakes take takes time and room, too.
  const bool is_too_large = own > most;
  if (!is_too_large && Linter::lines(recipe, most_lines) > most_lines) {
    throw Refusal("to make every mistake in this problem takes more than " + counted(most_lines, "line") +
                      " of computation, and no more are worked out",
                  "fewer of its layers at a time");
  }
  const std::size_t needed = is_too_large ? own : Linter::bytes(recipe);
  if (needed <= most) return;
  throw Refusal(std::string("to make every mistake in this problem takes ") + (is_too_large ? "more than " : "") +
                    spelled_size(needed) + ", and --max-memory is " + spelled_size(most),
                std::string("a problem that people work by hand takes little") +
                    (is_too_large ? "" : "; or --max-memory " + std::to_string((needed >> 20) + 1) + "M"),
                Exit::wrong_environment)
      .at({"--max-memory"});
}

Exit LintOptions::run() const {
  const Rendering plan = understood(rendering, json_alone());
  Problem problem = open_problem(file, computing, rendering.color_of_errors());
  problem.take_hand_rounding();
  Computation computation(problem);
  LintReport report;
  report.title = problem.title;
  constexpr std::size_t most_digits = 12;
  report.digits = digits.empty()
                      ? problem.digits.value_or(digits_unless_said)
                      : static_cast<int>(whole_number("--digits", digits, "number of digits", 0, most_digits));
  refuse_too_large(computation.recipe(), computing.max_bytes());
  const Trace trace = compute(computation, computing);
  const Linter linter(trace.recipe);
  const Likeness likeness{.digits = report.digits};
  report.lint = linter.lint(trace.recipe, likeness);
  report.advice = advice_in_words(trace, advice_on(linter, trace.recipe, likeness, report.lint));
  const Exit written = write_out(
      plan, [&] { return told_lint(report); }, [&] { return lint_json(report); });
  return written == Exit::done && strict && !report.lint.is_silent() ? Exit::differs : written;
}

}  // namespace

Command lint_command() {
  return command<LintOptions>({.name = "lint",
                               .summary = "Say which mistakes a problem cannot show or tell apart",
                               .group = "Teach a class",
                               .examples = {"attn lint data/worked-example-scaled.json"}});
}

}  // namespace attn
