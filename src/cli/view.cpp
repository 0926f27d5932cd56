#include "cli/view.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/pause.h"
#include "cli/progress.h"
#include "explain/telling/steps.h"
#include "exports/export.h"
#include "model/computation.h"

namespace attn {
namespace {

// What the options mean, once they are known to mean something.
struct ViewPlan {
  Rendering rendering;
  ExplainOptions explaining;
};

// Every export, as the options know it.
std::vector<ProgramFormat> for_programs() {
  std::vector<ProgramFormat> all;
  for (const Export& one : exports()) all.push_back({one.name, one.ending});
  return all;
}

const Export& export_named(const std::string& name) { return *std::ranges::find(exports(), name, &Export::name); }

// "--query 4" against how many there are.
std::optional<Exit> find_index(const std::string& option, const std::string& typed, std::size_t count,
                               std::optional<std::size_t>& index) {
  if (typed.empty()) return std::nullopt;
  std::size_t value = 0;
  if (!parse_natural(typed, value) || value < 1 || value > count) {
    return complain("`" + option + " " + typed + "` picks none of the problem's",
                    option + (count == 1 ? " can be 1 only" : fmt::format(" goes from 1 to {}", count)));
  }
  index = value;
  return std::nullopt;
}

std::optional<Exit> find_level(const std::string& typed, std::optional<Level>& level) {
  if (typed.empty()) return std::nullopt;
  level = level_named(typed);
  if (level) return std::nullopt;
  return complain_of_choice("--explain", typed, {"result", "steps", "rows", "cells"});
}

std::optional<Exit> find_steps(const std::vector<std::string>& asked, Computation& computation,
                               std::vector<std::string>& only) {
  computation.keep(asked);
  const std::vector<std::string> steps = computation.steps();
  for (const std::string& id : asked) {
    const std::string meant_id = id == "result" ? steps.back() : id;
    if (std::ranges::find(steps, meant_id) == steps.end()) {
      return complain("this problem has no step `" + id + "`" + did_you_mean(id, steps),
                      "its steps are " + listed(steps));
    }
    only.push_back(meant_id);
  }
  return std::nullopt;
}

// A person is shown part of a problem; a program gets whole steps.
std::optional<Exit> refuse_parts_for_programs(const ViewOptions& options, const ViewPlan& view) {
  const bool part = !options.batch.empty() || !options.head.empty() || !options.query.empty();
  const std::vector<Target>& targets = view.rendering.targets;
  const bool people = std::ranges::any_of(targets, [](const Target& one) { return one.format != nullptr; });
  if (!part || people) return std::nullopt;
  return complain("--batch, --head and --query narrow what people are shown",
                  targets[0].name + " holds whole steps: --only picks them");
}

std::optional<Exit> refuse_bytes_on_terminal(const ViewPlan& view) {
  for (const Target& target : view.rendering.targets) {
    if (target.format || !target.path.empty() || export_named(target.name).is_text || !is_terminal()) continue;
    return complain("the format " + target.name + " is not text, and standard output is a terminal",
                    "write a file: -o trace" + export_named(target.name).ending);
  }
  return std::nullopt;
}

// --at-once asks for the result and nothing else.
std::optional<Exit> ask_for_result(const ViewOptions& options, const Computation& computation, ViewPlan& view) {
  if (!options.at_once) return std::nullopt;
  const std::string result = computation.steps().back();
  std::vector<std::string>& only = view.explaining.only;
  const bool others = std::ranges::any_of(only, [&](const std::string& id) { return id != result; });
  if (others || view.explaining.level.value_or(Level::result) != Level::result || options.pause) {
    return complain("--at-once computes the result alone, and other steps are asked for",
                    "leave out the one or the other");
  }
  view.explaining.level = Level::result;
  const bool programs = std::ranges::any_of(view.rendering.targets, [](const Target& one) { return !one.format; });
  if (programs) only = {result};
  return std::nullopt;
}

std::optional<Exit> understand(const ViewOptions& options, const Problem& problem, Computation& computation,
                               ViewPlan& view) {
  view.explaining.full = view.rendering.full = options.full;
  if (const auto wrong = understand(options.rendering, for_programs(), view.rendering)) return wrong;
  if (const auto wrong = refuse_bytes_on_terminal(view)) return wrong;
  view.explaining.precision = view.rendering.precision;
  view.explaining.behind = view.rendering.wants_behind();
  if (const auto wrong = find_level(options.level, view.explaining.level)) return wrong;
  if (const auto wrong = find_steps(options.only, computation, view.explaining.only)) return wrong;
  if (const auto wrong = find_index("--batch", options.batch, problem.attention().batch, view.explaining.batch))
    return wrong;
  if (const auto wrong =
          find_index("--head", options.head, problem.attention().heads.value_or(1), view.explaining.head))
    return wrong;
  if (const auto wrong = find_index("--query", options.query, problem.attention().query_count, view.explaining.query))
    return wrong;
  if (const auto wrong = ask_for_result(options, computation, view)) return wrong;
  return refuse_parts_for_programs(options, view);
}

// Steps of so many bytes are made in passing: their result has the same bits on
// every machine, and people see with it what must hold.
constexpr std::size_t made_in_passing = std::size_t{16} << 20;

// Whether the result is all that is asked for, and worth computing by itself.
bool wants_only_result(const Computation& computation, const ViewOptions& options, const ViewPlan& view) {
  const std::vector<std::string>& only = view.explaining.only;
  const bool is_small = computation.recipe().bytes() <= made_in_passing;
  if (options.pause || (is_small && !options.at_once)) return false;
  const std::string result = computation.steps().back();
  const bool names_result = !only.empty() && std::ranges::count(only, result) == std::ssize(only);
  const auto needs_result_only = [&](const Target& target) {
    if (!target.format) return names_result;
    return view.explaining.level == Level::result && (only.empty() || names_result);
  };
  return std::ranges::all_of(view.rendering.targets, needs_result_only);
}

// The trace with no steps but these, and nothing that is given.
Trace only_steps(Trace trace, const std::vector<std::string>& only) {
  const std::vector<Step> all = std::move(trace.steps);
  trace.steps.clear();
  trace.givens.clear();
  for (const Step& step : all) {
    if (std::ranges::find(only, step.heading.id) != only.end()) trace.steps.push_back(step);
  }
  return trace;
}

void write(const Target& target, const Trace& trace, const ViewPlan& view, Sink& sink) {
  if (target.format) return sink.write(rendered(explain(trace, view.explaining), target, view.rendering));
  const std::vector<std::string>& only = view.explaining.only;
  const Export& exported = export_named(target.name);
  only.empty() ? exported.write(trace, sink) : exported.write(only_steps(trace, only), sink);
}

// Says so where --at-once was asked for and the steps were computed all the same.
void tell_if_not_at_once(const ViewOptions& options, const Trace& trace) {
  if (!options.at_once || std::ranges::find(trace.notes, "at_once", &Note::kind) != trace.notes.end()) return;
  const Arithmetic& arithmetic = trace.arithmetic;
  say("attn: note: --at-once: the result was computed step by step; " +
      (arithmetic.hand_rounding               ? "every step is rounded by hand"
       : rounds_once_a_step(arithmetic.dtype) ? "in " + std::string(name(arithmetic.dtype)) + " every step is rounded"
                                              : "at once go finite scores that are dot products, with a softmax of "
                                                "exponentials and no relative positions, where the backend has it") +
      "\n");
}

// Whether it takes a while to write.
bool is_long(const Trace& trace) {
  std::size_t numbers = 0;
  for (const Step& step : trace.steps) numbers += step.result.size();
  return numbers > 100'000;
}

}  // namespace

void ViewOptions::declare(CommandLine& line) {
  rendering.declare(line, for_programs());
  line.add_option("--explain", level, "how much is shown: result, steps, rows, cells").type_name("LEVEL");
  line.add_option("--only", only, "only these steps").delimiter(',').one_at_a_time().type_name("STEP,STEP");
  line.add_option("--batch", batch, "only this sequence, counted from 1").type_name("I");
  line.add_option("--head", head, "only this head").type_name("I");
  line.add_option("--query", query, "only this query").type_name("I");
  line.add_flag("--at-once", at_once, "only the result, computed without the steps, however small");
  line.add_flag("--full", full, "leave nothing out, however long");
  line.add_flag("--pause", pause, "step through it in the terminal, key by key, as a lecture");
}

Exit show(OpenedProblem opened, const ComputeOptions& computing, const ViewOptions& viewing) {
  if (!opened.problem) return opened.code;
  ViewPlan view;
  Computation computation(*opened.problem);
  if (const auto wrong = understand(viewing, *opened.problem, computation, view)) return *wrong;
  if (viewing.pause) {
    if (const auto wrong = refuse_pause(view.rendering)) return *wrong;
  }

  const ComputedTrace computed = compute(computation, computing, wants_only_result(computation, viewing, view));
  if (!computed.trace) return computed.code;
  tell_if_not_at_once(viewing, *computed.trace);

  if (viewing.pause) {
    return pause(*computed.trace, explain(*computed.trace, view.explaining), view.explaining, view.rendering);
  }
  return hand_out(view.rendering, [&](const Target& target, Sink& sink) {
    const bool seen = target.path.empty() && is_terminal();
    const std::string what = target.path.empty() ? target.name : target.path;
    const Progress progress("writing " + what, !seen && is_long(*computed.trace));
    write(target, *computed.trace, view, sink);
  });
}

}  // namespace attn
