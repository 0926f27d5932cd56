#include "cli/view.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/suggest.h"
#include "cli/console.h"
#include "explain/steps.h"
#include "exports/export.h"
#include "formats/format.h"
#include "model/attention.h"

namespace attn {
namespace {

// Where a view goes and what writes it: a format for people or an export for programs.
struct Target {
  std::string path;  // empty: standard output
  const Format* format = nullptr;
  const Export* exported = nullptr;
};

// What the options mean, once they are known to mean something.
struct ViewPlan {
  std::vector<Target> targets;
  ExplainOptions explaining;
  ColorChoice color = ColorChoice::automatic;
  bool ascii = false;
};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Exit complain_of_choice(const std::string& option, const std::string& typed, const std::vector<std::string>& known) {
  return complain(option + " cannot be `" + typed + "`" + did_you_mean(typed, known),
                  option + " takes " + listed(known));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  for (const Export& one : exports()) names.push_back(one.name);
  return names;
}

// The first target that `matches` says yes to, of formats and exports alike.
template <class Matches>
std::optional<Target> target(Matches matches) {
  for (const Format& format : formats()) {
    if (matches(format.name, format.ending)) return Target{"", &format, nullptr};
  }
  for (const Export& one : exports()) {
    if (matches(one.name, one.ending)) return Target{"", nullptr, &one};
  }
  return std::nullopt;
}

std::optional<Exit> find_targets(const ViewOptions& options, ViewPlan& view) {
  const auto named = [&](const std::string& format) {
    return target([&](std::string_view name, std::string_view) { return name == format; });
  };
  if (!options.format.empty() && !named(options.format)) {
    return complain_of_choice("--format", options.format, format_names());
  }
  for (const std::string& path : options.outputs) {
    const std::string ending = std::filesystem::path(path).extension().string();
    std::optional<Target> found =
        target([&](std::string_view, std::string_view of_format) { return of_format == ending; });
    if (!found && !options.format.empty()) found = named(options.format);
    if (!found) {
      return complain("the ending of `" + path + "` names no format", "give --format: " + listed(format_names()));
    }
    found->path = path;
    view.targets.push_back(*found);
  }
  if (options.outputs.empty()) view.targets.push_back(*named(options.format.empty() ? "text" : options.format));
  return std::nullopt;
}

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

std::optional<Exit> find_precision(const std::string& typed, std::optional<int>& precision) {
  if (typed.empty()) return std::nullopt;
  std::size_t value = 0;
  if (!parse_natural(typed, value) || value > 17) {
    return complain("`" + typed + "` is no number of decimals", "--precision takes a whole number from 0 to 17");
  }
  precision = static_cast<int>(value);
  return std::nullopt;
}

std::optional<ColorChoice> color_named(std::string_view name) {
  if (name == "auto") return ColorChoice::automatic;
  if (name == "always") return ColorChoice::always;
  if (name == "never") return ColorChoice::never;
  return std::nullopt;
}

std::optional<Exit> find_color(const std::string& typed, ColorChoice& color) {
  if (!color_named(typed)) return complain_of_choice("--color", typed, {"auto", "always", "never"});
  color = *color_named(typed);
  return std::nullopt;
}

// A person is shown part of a problem; a program gets whole steps.
std::optional<Exit> refuse_parts_for_programs(const ViewOptions& options, const ViewPlan& view) {
  const bool part = !options.batch.empty() || !options.head.empty() || !options.query.empty();
  const bool people = std::ranges::any_of(view.targets, [](const Target& one) { return one.format != nullptr; });
  if (!part || people) return std::nullopt;
  return complain("--batch, --head and --query narrow what people are shown",
                  view.targets[0].exported->name + " holds whole steps: --only picks them");
}

std::optional<Exit> understand(const ViewOptions& options, const Problem& problem, ViewPlan& view) {
  view.explaining.full = options.full;
  view.ascii = options.ascii;
  if (const auto wrong = find_targets(options, view)) return wrong;
  if (const auto wrong = find_level(options.level, view.explaining.level)) return wrong;
  if (const auto wrong = find_steps(options.only, problem, view.explaining.only)) return wrong;
  if (const auto wrong = find_precision(options.precision, view.explaining.precision)) return wrong;
  if (const auto wrong = find_color(options.color, view.color)) return wrong;
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
             .labels = trace.labels,
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
  const std::vector<std::string>& only = view.explaining.only;
  if (target.exported && only.empty()) return target.exported->write(trace);
  if (target.exported) return target.exported->write(only_steps(trace, only));
  const bool to_screen = target.path.empty();
  FormatOptions format;
  format.width = to_screen ? terminal_width() : 80;
  format.color = to_screen ? colored(view.color) : view.color == ColorChoice::always;
  format.ascii = view.ascii;
  format.full = view.explaining.full;
  return target.format->write(explain(trace, view.explaining), format);
}

}  // namespace

void ViewOptions::declare(CLI::App& app) {
  app.add_option("--format", format, "text, for people; json, for programs")->type_name("NAME");
  app.add_option("-o,--output", outputs, "write to a file, in the format of its ending; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--explain", level, "how much is shown: result, steps, rows, cells")->type_name("LEVEL");
  app.add_option("--only", only, "only these steps")->delimiter(',')->allow_extra_args(false)->type_name("STEP,STEP");
  app.add_option("--batch", batch, "only this sequence, counted from 1")->type_name("I");
  app.add_option("--head", head, "only this head")->type_name("I");
  app.add_option("--query", query, "only this query")->type_name("I");
  app.add_option("--precision", precision, "decimals shown")->type_name("N");
  app.add_flag("--full", full, "leave nothing out, however long");
  app.add_option("--color", color, "auto, always, never")->type_name("WHEN")->capture_default_str();
  app.add_flag("--ascii", ascii, "nothing but ASCII characters");
}

ColorChoice ViewOptions::color_of_errors() const { return color_named(color).value_or(ColorChoice::automatic); }

Exit show(const OpenedProblem& opened, const ComputeOptions& computing, const ViewOptions& viewing) {
  if (!opened.problem) return opened.code;
  ViewPlan view;
  if (const auto wrong = understand(viewing, *opened.problem, view)) return *wrong;

  const bool weighted = std::ranges::find(view.explaining.only, "weighted_values") != view.explaining.only.end();
  const ComputedTrace computed = compute(*opened.problem, computing, weighted);
  if (!computed.trace) return computed.code;

  for (const Target& target : view.targets) {
    const std::string text = written(target, *computed.trace, view);
    if (target.path.empty()) {
      if (!print(text)) return complain("standard output cannot be written", "", Exit::wrong_environment);
    } else if (const auto why = write_file(target.path, text)) {
      return complain(target.path + " cannot be written: " + *why, "", Exit::wrong_environment);
    }
  }
  return Exit::done;
}

}  // namespace attn
