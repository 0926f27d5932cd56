#include "cli/view.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/suggest.h"
#include "cli/console.h"
#include "cli/pause.h"
#include "explain/steps.h"
#include "exports/export.h"
#include "model/attention.h"

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

std::optional<Exit> find_steps(const std::vector<std::string>& asked, const Problem& problem,
                               std::vector<std::string>& only) {
  const bool weighted = std::ranges::find(asked, "weighted_values") != asked.end();
  const std::vector<std::string> steps = planned(problem, {.all_weighted_values = weighted}).steps;
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

std::optional<Exit> understand(const ViewOptions& options, const Problem& problem, ViewPlan& view) {
  view.explaining.full = view.rendering.full = options.full;
  if (const auto wrong = understand(options.rendering, for_programs(), view.rendering)) return wrong;
  if (const auto wrong = refuse_bytes_on_terminal(view)) return wrong;
  view.explaining.precision = view.rendering.precision;
  view.explaining.behind = view.rendering.wants_behind();
  if (const auto wrong = find_level(options.level, view.explaining.level)) return wrong;
  if (const auto wrong = find_steps(options.only, problem, view.explaining.only)) return wrong;
  if (const auto wrong = find_index("--batch", options.batch, problem.batch, view.explaining.batch)) return wrong;
  if (const auto wrong = find_index("--head", options.head, problem.heads.value_or(1), view.explaining.head))
    return wrong;
  if (const auto wrong = find_index("--query", options.query, problem.query_count, view.explaining.query)) return wrong;
  return refuse_parts_for_programs(options, view);
}

// The trace with no steps but these.
Trace only_steps(const Trace& trace, const std::vector<std::string>& only) {
  Trace part{.title = trace.title,
             .statement = trace.statement,
             .arithmetic = trace.arithmetic,
             .backend = trace.backend,
             .batched = trace.batched,
             .vectors = trace.vectors,
             .own_queries = trace.own_queries,
             .past_keys = trace.past_keys,
             .labels = trace.labels,
             .particulars = trace.particulars,
             .result = trace.result,
             .notes = trace.notes,
             .givens = {},
             .steps = {}};
  for (const Step& step : trace.steps) {
    if (std::ranges::find(only, step.heading.id) != only.end()) part.steps.push_back(step);
  }
  return part;
}

std::string written(const Target& target, const Trace& trace, const ViewPlan& view) {
  if (target.format) return rendered(explain(trace, view.explaining), target, view.rendering);
  const std::vector<std::string>& only = view.explaining.only;
  return export_named(target.name).write(only.empty() ? trace : only_steps(trace, only));
}

}  // namespace

void ViewOptions::declare(CLI::App& app) {
  rendering.declare(app, for_programs());
  app.add_option("--explain", level, "how much is shown: result, steps, rows, cells")->type_name("LEVEL");
  app.add_option("--only", only, "only these steps")->delimiter(',')->allow_extra_args(false)->type_name("STEP,STEP");
  app.add_option("--batch", batch, "only this sequence, counted from 1")->type_name("I");
  app.add_option("--head", head, "only this head")->type_name("I");
  app.add_option("--query", query, "only this query")->type_name("I");
  app.add_flag("--full", full, "leave nothing out, however long");
  app.add_flag("--pause", pause, "step through it in the terminal, key by key, as a lecture");
}

Exit show(const OpenedProblem& opened, const ComputeOptions& computing, const ViewOptions& viewing) {
  if (!opened.problem) return opened.code;
  ViewPlan view;
  if (const auto wrong = understand(viewing, *opened.problem, view)) return *wrong;
  if (viewing.pause) {
    if (const auto wrong = refuse_pause(view.rendering)) return *wrong;
  }

  const bool weighted = std::ranges::find(view.explaining.only, "weighted_values") != view.explaining.only.end();
  const ComputedTrace computed = compute(*opened.problem, computing, weighted);
  if (!computed.trace) return computed.code;

  if (viewing.pause) {
    return pause(*computed.trace, explain(*computed.trace, view.explaining), view.explaining, view.rendering);
  }
  return write_out(view.rendering, [&](const Target& target) { return written(target, *computed.trace, view); });
}

}  // namespace attn
