#include "compare/golden.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "exports/json.h"
#include "files/input_file.h"
#include "reading/text_file.h"
#include "reading/trace.h"
#include "trace/trace.h"

namespace attn {
namespace {

struct GoldenOptions {
  std::vector<std::string> files;
  bool update = false;
  std::string rtol, atol;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

constexpr std::string_view golden_ending = ".golden.json";

// name.json → name.golden.json
std::string golden_beside(const std::string& file) {
  const std::string_view ending = ".json";
  const bool json = file.ends_with(ending);
  return file.substr(0, file.size() - (json ? ending.size() : 0)) + std::string(golden_ending);
}

std::string spelled(const WorstCell& worst, Dtype dtype) {
  const std::string apart = worst.ulps == std::numeric_limits<std::uint64_t>::max()
                                ? "no number of ulps apart"
                                : counted(worst.ulps, "ulp") + " apart";
  return fmt::format("worst at {}: expected {}, got {}, {}", spelled_index(worst.index),
                     shortest(worst.expected, dtype), shortest(worst.got, dtype), apart);
}

std::string spelled(const Difference& difference, Dtype dtype) {
  std::string text = difference.step.empty() ? "the trace" : difference.step;
  text += ": " + difference.message;
  if (difference.worst) text += "; " + spelled(*difference.worst, dtype);
  return printable(text);
}

// The first step that differs, then every difference on a line of its own.
std::string listed(const std::vector<Difference>& found, Dtype dtype) {
  std::string text;
  for (const Difference& difference : found) {
    if (difference.step.empty()) continue;
    text += fmt::format("  first step that differs: {}\n", printable(difference.step));
    break;
  }
  for (const Difference& difference : found) text += "  " + spelled(difference, dtype) + "\n";
  return text;
}

constexpr std::string_view other_statement = "the golden is of another problem: its numbers or options are not these";

Exit tell(std::string_view verdict, const std::string& file, std::string_view more, Exit code) {
  return std::max(code, print(fmt::format("{:<9} {}{}{}\n", verdict, printable(file), more.empty() ? "" : ": ", more)));
}

Exit unreadable_golden(const std::string& file, const std::string& golden, const Diagnostics& faults,
                       std::string_view text) {
  Refusal(faults, text, golden).say(ErrorFormat::text);
  return tell("FAILED", file, "its golden cannot be read", Exit::wrong_input);
}

Exit compare_file(const std::string& file, const Trace& trace, Tolerance tolerance) {
  const std::string golden = golden_beside(file);
  std::error_code ignored;
  if (!std::filesystem::exists(golden, ignored)) {
    return tell("FAILED", file,
                fmt::format("no golden beside it; make one with: attn golden --update {}", printable(file)),
                Exit::wrong_input);
  }
  const Result<std::string> text = read_text(golden);
  if (!text) return unreadable_golden(file, golden, text.faults(), "");
  const Result<StoredTrace> expected = read_trace(text.value());
  if (!expected) return unreadable_golden(file, golden, expected.faults(), text.value());
  if (expected.value().statement != trace.statement) {
    return tell("FAILED", file,
                fmt::format("{}; if that is meant: attn golden --update {}", other_statement, printable(file)),
                Exit::differs);
  }
  const std::vector<Difference> found = differences(expected.value(), trace, tolerance);
  if (found.empty()) return tell("ok", file, "", Exit::done);
  const Exit code = tell("FAILED", file, counted(found.size(), "difference"), Exit::differs);
  return std::max(code, print(listed(found, trace.arithmetic.dtype)));
}

// What an update changes, in words.
std::string changes(const std::string& old_text, const Trace& trace) {
  const Result<StoredTrace> old = read_trace(old_text);
  if (!old) return "was no trace\n";
  const std::vector<Difference> found = differences(old.value(), trace, {});
  if (old.value().statement != trace.statement)
    return "the problem's statement changed\n" + listed(found, trace.arithmetic.dtype);
  return found.empty() ? "wording only\n" : "the numbers changed\n" + listed(found, trace.arithmetic.dtype);
}

Exit update_file(const std::string& file, const Trace& trace) {
  const std::string golden = golden_beside(file);
  const std::string fresh = trace_json(trace);
  if (name_of_read(golden)) {
    Refusal("`" + golden + "` leads to a problem or to numbers of one, which are read here",
            "remove the link; attn golden --update makes a file in its place")
        .say(ErrorFormat::text);
    return tell("FAILED", file, "its golden would replace what is read", Exit::wrong_input);
  }
  std::error_code ignored;
  std::string verdict = "created";
  std::string more = printable(golden) + "\n";
  if (std::filesystem::exists(golden, ignored)) {
    const Result<std::string> old = read_text(golden);
    if (!old) return unreadable_golden(file, golden, old.faults(), "");
    forget_read(golden);
    if (old.value() == fresh) return tell("unchanged", file, "", Exit::done);
    verdict = "updated";
    more = changes(old.value(), trace);
  }
  if (const auto why = write_file(golden, [&](Sink& sink) { sink.write(fresh); })) {
    Refusal(golden + " cannot be written: " + *why).say(ErrorFormat::text);
    return tell("FAILED", file, "its golden cannot be written", Exit::wrong_environment);
  }
  more.pop_back();
  return tell(verdict, file, more, Exit::done);
}

Exit one_file(const std::string& file, const GoldenOptions& options, Tolerance closeness) try {
  const Problem problem = open_problem(file, options.computing);
  const Trace trace = compute(problem, options.computing);
  return options.update ? update_file(file, trace) : compare_file(file, trace, closeness);
} catch (const Refusal& refusal) {
  return tell("FAILED", file, "the problem cannot be computed", refusal.say(ErrorFormat::text));
}

void GoldenOptions::declare(CommandLine& line) {
  line.add_option("FILE", files, "problems; the golden of name.json is name.golden.json", {.is_required = true});
  line.add_flag("--update", update, "rewrite the goldens that changed, and say what changed");
  line.add_option("--rtol", rtol, "accept numbers this close, relative to the expected", {"X"});
  line.add_option("--atol", atol, "accept numbers this close", {"X"});
  computing.declare(line);
}

Exit GoldenOptions::run() const {
  Tolerance closeness;
  closeness.relative = tolerance("--rtol", rtol, "1e-12");
  closeness.absolute = tolerance("--atol", atol, "1e-12");
  if (std::ranges::find(files, "-") != files.end()) {
    throw Refusal("standard input has no golden beside it", "give the problem as a file");
  }
  std::size_t passed = 0;
  std::size_t failed = 0;
  Exit worst = Exit::done;
  for (const std::string& file : files) {
    // So that a shell's *.json can be given: goldens are no problems.
    if (file.ends_with(golden_ending)) continue;
    const Exit code = one_file(file, *this, closeness);
    ++(code == Exit::done ? passed : failed);
    worst = std::max(worst, code);
  }
  if (passed + failed == 0) throw Refusal("only goldens were given", "give the problems they belong to");
  return std::max(worst, print(fmt::format("{} passed, {} failed\n", passed, failed)));
}

}  // namespace

Command golden_command() { return command<GoldenOptions>("golden", "Compare problems with the goldens beside them"); }

}  // namespace attn
