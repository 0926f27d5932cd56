#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "compare/difference.h"
#include "explain/reports/differences.h"
#include "exports/json.h"
#include "files/tensor_file.h"
#include "model/attention.h"
#include "model/possible_steps.h"
#include "reading/names/dump.h"
#include "reading/problem/differing_keys.h"
#include "reading/text_file.h"
#include "trace/trace.h"

namespace attn {
namespace {

struct DiffOptions {
  std::string first, second;
  std::string rtol, atol;
  std::vector<std::string> only;
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

// One of the two files.
struct OpenedFile {
  ComparedFile file;
  std::string text = {};            // of a problem
  std::optional<Trace> trace = {};  // of a problem
  ComparedSide side = {};

  Subject subject() && { return {std::move(file), std::move(side), trace ? &*trace : nullptr}; }
};

OpenedFile open_file(const std::string& letter, const std::string& file, const DiffOptions& options) {
  using enum ComparedFile::Kind;
  const ColorChoice color = options.rendering.color_of_errors();
  const auto checked = [&](auto&& result, std::string_view text = "") {
    if (!result) throw Refusal(result.faults(), text, file, color);
    return std::move(result.value());
  };
  OpenedFile opened{.file = {letter, file, problem, ""}};
  if (names_tensor_file(file) || names_pickle(file)) {
    opened.side = checked(read_dump(file, options.computing.max_bytes(), KnownSteps({}, possible_steps)));
    opened.file.kind = opened.side.is_foreign ? dump : trace;
  } else {
    opened.text = checked(read_text(file));
    if (auto stored = read_side_if_stored(opened.text)) {
      opened.file.kind = trace;
      opened.side = checked(std::move(*stored), opened.text);
    } else {
      opened.trace = compute(open_problem_text(opened.text, file, options.computing, color), options.computing);
      opened.side = side_of(*opened.trace);
    }
  }
  return opened;
}

Refusal nothing_in_common(const DiffReport& report, const std::vector<std::string>& ids, const ComparedSide& second) {
  std::vector<std::string> names = names_of(second.steps);
  if (names.size() > 12) {
    names.resize(12);
    names.emplace_back("…");
  }
  for (std::string& name : names) name = shown(name);
  return Refusal(report.second.file + " has none of the steps of " + report.first.file,
                 "it has " + (names.empty() ? "no tensors" : listed(names)) + "; the steps are " + listed(ids) +
                     " (rename yours, or store only these)");
}

Refusal nothing_asked_in_common(const std::vector<std::string>& common) {
  return Refusal("no step that --only names is in both files", "both have " + listed(common));
}

// Whether the second one's steps and order are to be used: they are better known.
bool is_better_known(const OpenedFile& second, const OpenedFile& first) {
  return static_cast<int>(second.file.kind) < static_cast<int>(first.file.kind);
}

void DiffOptions::declare(CommandLine& line) {
  line.add_option("A", first, "a problem, a trace (.json), or tensors (.npz, .safetensors, .npy)",
                  {.is_required = true});
  line.add_option("B", second, "another", {.is_required = true});
  line.begin_group("What is compared");
  line.add_option("--only", only, "compare these steps alone; * and ? stand for any letters and one",
                  {.value = "STEP,STEP", .is_single = true, .splits_commas = true});
  line.add_option(
      "--rtol", rtol,
      "accept numbers this close, relative to those of A; of B, where B alone is a problem, or a trace beside a dump",
      {.value = "X"});
  line.add_option("--atol", atol, "accept numbers this close", {.value = "X"});
  rendering.declare(line, RenderOptions::Shows::words, json_alone());
  computing.declare(line);
  computing.declare_algorithm(line);
}

Exit DiffOptions::run() const {
  const Rendering plan = understood(rendering, json_alone());
  const Closeness typed = {.absolute = tolerance("--atol", atol, "1e-6"),
                           .relative = tolerance("--rtol", rtol, "1e-6")};
  if (first == "-" && second == "-") {
    throw Refusal("standard input cannot be both files", "give one of them by name").at({.value = "-"});
  }

  // What is wrong for both is said once.
  computing.check();
  computing.hardware.select();

  std::vector<OpenedFile> files;
  Exit worst = Exit::done;
  for (const auto& [letter, file] : {std::pair("A", &first), {"B", &second}}) {
    try {
      files.push_back(open_file(letter, *file, *this));
    } catch (const Refusal& refusal) {
      worst = std::max(worst, refusal.say(rendering.format_of_errors()));
    }
  }
  if (worst != Exit::done) return worst;

  // The one whose steps and order are used, and the other.
  if (is_better_known(files[1], files[0])) std::swap(files[0], files[1]);
  OpenedFile& ours = files[0];
  OpenedFile& theirs = files[1];
  const std::vector<std::string> ids = names_of(ours.side.steps, &SideStep::id);
  if (!ours.side.is_foreign) mean_steps_of(ids, theirs.side);
  std::vector<std::string> steps;
  if (!only.empty()) {
    const std::vector<StepName> names = names_of_both(ours.trace ? &*ours.trace : nullptr, ours.side, theirs.side);
    for (const std::string& word : only) {
      std::ranges::copy(step_ids(word, names, "no step is called"), std::back_inserter(steps));
    }
  }

  if (ours.side.attentions.empty()) ours.side.attentions = attentions_among(ids);
  const Subject other = std::move(theirs).subject();
  DiffReport report = compared(std::move(ours).subject(), other,
                               rtol.empty() && atol.empty() ? std::nullopt : std::optional(typed), steps);
  if (report.sides.common.empty()) throw nothing_in_common(report, ids, other.side);
  if (report.compares_nothing()) throw nothing_asked_in_common(report.sides.common);
  if (ours.trace && theirs.trace) report.keys = differing_keys(ours.text, theirs.text);

  write_out(
      plan, [&] { return told_difference(report); }, [&] { return difference_json(report); });
  return report.is_equal() ? Exit::done : Exit::differs;
}

}  // namespace

Command diff_command() {
  return command<DiffOptions>({.name = "diff",
                               .summary = "Compare two problems, or your own numbers with ours, step by step",
                               .group = "Compare",
                               .examples = {"attn diff data/worked-example.json data/worked-example-scaled.json",
                                            "attn diff data/worked-example-scaled.json data/another-program.npz"}});
}

}  // namespace attn
