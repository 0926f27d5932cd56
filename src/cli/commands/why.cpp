#include "explain/telling/why.h"

#include <filesystem>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "base/shell_word.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/render.h"

namespace attn {
namespace {

struct WhyCommandOptions {
  std::string file, what, depth, top;
  bool full = false;
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

std::optional<std::size_t> find_depth(const std::string& typed, const Question& question) {
  if (typed.empty()) return std::nullopt;
  const std::size_t depth = whole_number("--depth", typed, "number of levels", 0);
  if (question.indices) return depth;
  throw Refusal("--depth is about one number, and `" + question.typed + "` is a whole step",
                "give the number's indices too, as in scores[1,2]")
      .at({"--depth"});
}

void WhyCommandOptions::declare(CommandLine& line) {
  line.add_option("FILE", file, "a problem, or - for standard input", {.is_required = true});
  line.add_option("STEP", what,
                  "one number: scores[1,2], or by labels scores[it,dog]; or a whole step. With --top the result, where "
                  "nothing is said");
  line.begin_group("What is shown");
  line.add_option("--depth", depth, "levels below the number; as many as fit", {.value = "N"});
  line.add_option("--top", top, "of each longer sum the N largest terms, and what the others come to", {.value = "N"});
  line.add_flag("--full", full, "leave nothing out, however long");
  rendering.declare(line, RenderOptions::Shows::steps);
  computing.declare(line);
  computing.declare_algorithm(line);
}

Exit WhyCommandOptions::run() const {
  if (what.empty() && top.empty()) {
    throw Refusal("`attn why` needs STEP: one number, scores[1,2], or a whole step",
                  "usage: attn why [OPTIONS] FILE STEP")
        .at({});
  }
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown) && std::filesystem::is_regular_file(what, unknown)) {
    throw Refusal("`" + printable(file) + "` is no file, and the problem comes first",
                  "attn why " + shell_file(what) + " " + shell_word(file))
        .at({.value = file});
  }
  const Result<Question> read = read_question(what.empty() ? "result" : what);
  if (!read) throw Refusal(read.faults().front()).at({.value = what});
  const Question& question = read.value();
  Rendering plan = understood(rendering);
  WhyOptions explaining{.depth = find_depth(depth, question), .precision = plan.precision, .full = full, .top = {}};
  if (!top.empty()) explaining.top = whole_number("--top", top, "number of terms", 1);

  const Problem problem = open_problem(file, computing, rendering.color_of_errors());
  Computation computation(problem);
  computation.keep(steps_called(question.id, step_names(computation.whole())));
  // Rounded by hand, the context is the sum of the weighted values, however many.
  if (problem.arithmetic.hand_rounding) computation.keep_all();
  const Trace trace = compute(computation, computing);
  const Result<Asked> asked = find_asked(trace, question);
  if (!asked) throw Refusal(asked.faults().front()).at({.value = what});
  if (explaining.top && !has_terms(trace, asked.value())) {
    throw Refusal("--top is about the terms of sums, and `" + asked.value().id + "` is given", "leave --top out")
        .at({"--top"});
  }
  plan.look.full = full || is_told_whole(trace, asked.value());
  const auto document = why_within(computing.max_bytes(), trace, asked.value(), explaining);
  if (!document) {
    throw Refusal(
        fmt::format("what there is to say takes more than --max-memory, {}", spelled_size(computing.max_bytes())),
        !asked.value().cell
            ? std::string(full ? "leave --full out, " : "") + "ask for one number of it, or give a larger --max-memory"
        : full ? "leave --full out: then the largest terms of each sum are written, or --top N of them"
               : "ask for less by --depth or --top, or give a larger --max-memory",
        Exit::wrong_environment)
        .at({full ? "--full" : "--max-memory"});
  }
  return write_out(plan, [&] { return *document; });
}

}  // namespace

Command why_command() {
  return command<WhyCommandOptions>(
      {.name = "why",
       .summary = "Follow one number back to the inputs",
       .group = "See every number",
       .examples = {"attn why data/worked-example.json 'context[1,2]'", "attn why data/worked-example.json S",
                    "attn why data/tired-or-narrow.json 'C[1,9,1]' --top 3"}});
}

}  // namespace attn
