#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "compare/difference.h"
#include "explain/reports/differences.h"
#include "exports/difference.h"
#include "files/tensor_file.h"
#include "model/anatomy.h"
#include "model/possible_steps.h"
#include "reading/json/json.h"
#include "reading/names/dump.h"
#include "reading/problem/differing_keys.h"
#include "reading/text_file.h"

namespace attn {
namespace {

struct DiffOptions {
  std::string first, second;
  std::string rtol, atol;
  std::string only;
  RenderOptions rendering;
  ComputeOptions computing;
};

// One of the two files, or the exit code after its faults were reported.
struct OpenedFile {
  ComparedFile file;
  std::string text;            // of a problem
  std::optional<Trace> trace;  // of a problem
  std::optional<ComparedSide> side;
  Exit code = Exit::done;
};

bool is_stored_trace(const std::string& text) {
  const Result<ParsedJson> parsed = parse_json(text);
  const auto root = parsed ? parsed.value().root.object() : std::nullopt;
  const auto schema = root ? root->find("schema") : std::nullopt;
  return schema && schema->text().value_or("").starts_with("attn/trace/");
}

void open_dump(OpenedFile& opened, std::size_t max_bytes, ColorChoice color) {
  opened.file.kind = ComparedFile::Kind::dump;
  Result<ComparedSide> read = read_dump(opened.file.file, max_bytes, possible_steps());
  if (!read) {
    opened.code = complain(read.faults(), "", opened.file.file, color);
    return;
  }
  if (!read.value().is_foreign) opened.file.kind = ComparedFile::Kind::trace;
  opened.side = std::move(read.value());
}

void open_trace(OpenedFile& opened, ColorChoice color) {
  opened.file.kind = ComparedFile::Kind::trace;
  Result<ComparedSide> read = read_stored_side(opened.text);
  if (read) {
    opened.side = std::move(read.value());
  } else {
    opened.code = complain(read.faults(), opened.text, opened.file.file, color);
  }
}

void open_computed(OpenedFile& opened, const DiffOptions& options, ColorChoice color) {
  OpenedProblem problem = open_problem_text(opened.text, opened.file.file, options.computing, color);
  opened.code = problem.code;
  if (!problem.problem) return;
  ComputedTrace computed = compute(*problem.problem, options.computing);
  opened.code = computed.code;
  if (!computed.trace) return;
  opened.trace = std::move(computed.trace);
  opened.side = side_of(*opened.trace);
}

OpenedFile open_file(const std::string& letter, const std::string& file, const DiffOptions& options) {
  const ColorChoice color = options.rendering.color_of_errors();
  OpenedFile opened{.file = {letter, file, ComparedFile::Kind::problem, ""}, .text = {}, .trace = {}, .side = {}};
  if (names_tensor_file(file)) {
    const auto most = options.computing.memory();
    if (!most) {
      opened.code =
          complain("`" + options.computing.max_memory + "` is no amount of memory", "--max-memory takes 500M, 2GiB, …");
      return opened;
    }
    open_dump(opened, *most, color);
  } else {
    Result<std::string> text = read_text(file);
    if (!text) {
      opened.code = complain(text.faults(), "", file, color);
      return opened;
    }
    opened.text = std::move(text.value());
    if (is_stored_trace(opened.text)) {
      open_trace(opened, color);
    } else {
      open_computed(opened, options, color);
    }
  }
  if (opened.side) opened.file.dtype = opened.side->dtype;
  return opened;
}

std::optional<Exit> wrong_tolerance(const std::string& option, const std::string& typed, double& value) {
  if (typed.empty() || (parse_number(typed, value) && value >= 0)) return std::nullopt;
  return complain("`" + typed + "` is no tolerance", option + " takes a number from 0, such as 1e-6");
}

std::vector<std::string> ids_of(const ComparedSide& side) {
  std::vector<std::string> ids;
  for (const SideStep& step : side.steps) ids.push_back(step.id());
  return ids;
}

std::optional<Exit> wrong_step(const std::string& only, const ComparedSide& first) {
  const std::vector<std::string> ids = ids_of(first);
  if (only.empty() || std::ranges::find(ids, only) != ids.end()) return std::nullopt;
  return complain("no step is called `" + only + "`" + did_you_mean(only, ids), "the steps are " + listed(ids));
}

Exit nothing_in_common(const DiffReport& report, const std::vector<std::string>& ids, const ComparedSide& second) {
  std::vector<std::string> names;
  for (const SideStep& step : second.steps) names.push_back(step.name);
  if (names.size() > 12) {
    names.resize(12);
    names.emplace_back("…");
  }
  return complain(report.second.file + " has none of the steps of " + report.first.file,
                  "it has " + (names.empty() ? "no tensors" : listed(names)) + "; the steps are " + listed(ids) +
                      " (rename yours, or store only these)");
}

// Whether the second one's steps and order are to be used: they are better known.
bool is_better_known(const OpenedFile& second, const OpenedFile& first) {
  return static_cast<int>(second.file.kind) < static_cast<int>(first.file.kind);
}

Exit diff(const DiffOptions& options) {
  Rendering rendering;
  if (const auto wrong = understand(options.rendering, json_alone(), rendering)) return *wrong;
  DiffReport report;
  if (const auto wrong = wrong_tolerance("--rtol", options.rtol, report.closeness.relative)) return *wrong;
  if (const auto wrong = wrong_tolerance("--atol", options.atol, report.closeness.absolute)) return *wrong;
  report.is_usual = options.rtol.empty() && options.atol.empty();
  if (options.first == "-" && options.second == "-") {
    return complain("standard input cannot be both files", "give one of them by name");
  }

  OpenedFile first = open_file("A", options.first, options);
  OpenedFile second = open_file("B", options.second, options);
  if (!first.side || !second.side) return std::max(first.code, second.code);
  if (is_better_known(second, first)) std::swap(first, second);
  if (const auto wrong = wrong_step(options.only, *first.side)) return *wrong;

  const bool are_ours = !first.side->is_foreign && !second.side->is_foreign;
  if (report.is_usual && !(are_ours && first.side->dtype == second.side->dtype)) {
    report.closeness = usual_closeness(first.side->dtype, second.side->dtype);
  }
  report.first = first.file;
  report.second = second.file;
  const std::vector<std::string> ids = ids_of(*first.side);
  if (first.side->attentions.empty()) first.side->attentions = {attention_anatomy("", {})};
  report.sides = side_by_side(std::move(*first.side), *second.side, report.closeness, options.only);
  if (!report.sides.has_common()) return nothing_in_common(report, ids, *second.side);
  if (first.trace && second.trace) report.keys = differing_keys(first.text, second.text);
  explain_difference(report, first.trace ? &*first.trace : nullptr);

  const Exit written = write_out(rendering, [&](const Target& target) {
    return target.format ? rendered(told_difference(report), target, rendering) : difference_json(report);
  });
  return written == Exit::done && !report.is_equal() ? Exit::differs : written;
}

}  // namespace

Command diff_command() {
  return {.name = "diff",
          .summary = "Compare two problems, or your own numbers with ours, step by step",
          .declare = [](CommandLine& line) {
            const auto options = std::make_shared<DiffOptions>();
            line.add_option("A", options->first, "a problem, a trace (.json), or tensors (.npz, .safetensors, .npy)")
                .required();
            line.add_option("B", options->second, "another").required();
            line.add_option("--only", options->only, "compare this step alone").type_name("STEP");
            line.add_option("--rtol", options->rtol, "accept numbers this close, relative to the first").type_name("X");
            line.add_option("--atol", options->atol, "accept numbers this close").type_name("X");
            options->rendering.declare_formats(line, json_alone());
            options->computing.declare(line);
            return [options] { return diff(*options); };
          }};
}

}  // namespace attn
