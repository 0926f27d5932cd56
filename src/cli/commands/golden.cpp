#include "compare/golden.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/hand_ins.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "exports/goldens.h"
#include "exports/json.h"
#include "files/input_file.h"
#include "reading/text_file.h"
#include "reading/trace.h"
#include "trace/trace.h"

namespace attn {
namespace {

using Kind = GoldenVerdict::Kind;

const std::vector<std::string> golden_formats = {"text", "json", "junit"};

struct GoldenOptions {
  std::vector<std::string> files;
  bool update = false;
  std::string format = "text";
  std::string rtol, atol;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

// What became of one problem, and what the program ends with for it.
struct Outcome {
  GoldenVerdict verdict;
  Exit code = Exit::done;
};

constexpr std::string_view json_ending = ".json", golden_ending = ".golden.json";

// name.json → name.golden.json, and so of a file without that ending.
std::string golden_beside(const std::string& file) {
  const bool json = file.ends_with(json_ending);
  return file.substr(0, file.size() - (json ? json_ending.size() : 0)) + std::string(golden_ending);
}

// The command that makes its golden, for a shell to read.
std::string update_of(const std::string& file) { return "attn golden --update " + shell_file(file); }

std::string spelled(const WorstCell& worst, Dtype dtype) {
  const std::string apart = worst.ulps == std::numeric_limits<std::uint64_t>::max()
                                ? "no number of ulps apart"
                                : counted(worst.ulps, "ulp") + " apart";
  std::string expected = shortest(worst.expected, dtype);
  std::string got = shortest(worst.got, dtype);
  if (expected == got) {  // the golden may be of a dtype with more digits
    expected = shortest(worst.expected);
    got = shortest(worst.got);
  }
  return fmt::format("worst at {}: expected {}, got {}, {}", spelled_index(worst.index), expected, got, apart);
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
  if (const std::string first = first_different(found); !first.empty()) {
    text = fmt::format("  first step that differs: {}\n", printable(first));
  }
  for (const Difference& difference : found) text += "  " + spelled(difference, dtype) + "\n";
  return text;
}

// One problem after the other, and its golden.
class GoldenComparison {
 public:
  GoldenComparison(const GoldenOptions& options, Tolerance closeness)
      : options_(options),
        closeness_(closeness),
        errors_(options.format == "json" ? ErrorFormat::json : ErrorFormat::text) {}

  Outcome outcome(const std::string& file) const try {
    const std::string other = file + std::string(json_ending);
    if (!file.ends_with(json_ending) && is_problem(other)) {
      return failed(
          file, "its golden would be that of another problem",
          Refusal("`" + golden_beside(file) + "` is the golden of " + other, "call one of the two problems otherwise"));
    }
    const Problem problem = open_problem(file, options_.computing);
    const Trace trace = compute(problem, options_.computing);
    return options_.update ? updated(file, trace) : compared(file, trace);
  } catch (const Refusal& refusal) {
    return failed(file, "the problem cannot be computed", refusal);
  }

 private:
  // Whether a file may be one: it is there, and no golden by its name.
  static bool is_problem(const std::string& file) {
    std::error_code unknown;
    return !file.ends_with(golden_ending) && std::filesystem::is_regular_file(file, unknown);
  }

  static Outcome told(const std::string& file, Kind kind, std::string message = "", Exit code = Exit::done) {
    return {{.file = file, .golden = golden_beside(file), .kind = kind, .message = std::move(message)}, code};
  }

  // What is wrong is said at once.
  Outcome failed(const std::string& file, std::string message, const Refusal& refusal) const {
    Outcome outcome = told(file, Kind::error, std::move(message), refusal.say(errors_));
    outcome.verdict.details = refusal.text();
    return outcome;
  }

  Outcome unreadable(const std::string& file, const Diagnostics& faults, std::string_view text) const {
    return failed(file, "its golden cannot be read", Refusal(faults, text, golden_beside(file)));
  }

  // Nobody named what stands beside a problem: it is read, and replaced, if it is a file and lies there.
  Outcome not_its_own(const std::string& file) const {
    return failed(file, "its golden is no file of its own",
                  Refusal("`" + golden_beside(file) + "` is no file, or a link to one that is elsewhere",
                          "remove it; attn golden --update makes a file in its place"));
  }

  Outcome compared(const std::string& file, const Trace& trace) const {
    const std::string golden = golden_beside(file);
    std::error_code ignored;
    if (!std::filesystem::exists(golden, ignored)) {
      const std::string how = "make one with: " + update_of(file);
      // People read it in the file's line.
      if (errors_ == ErrorFormat::json) Refusal("no golden beside it", how).about(file).say(errors_);
      return told(file, Kind::error, "no golden beside it; " + how, Exit::wrong_input);
    }
    if (!is_own_file(std::filesystem::directory_entry(golden, ignored))) return not_its_own(file);
    const Result<std::string> text = read_text(golden);
    if (!text) return unreadable(file, text.faults(), "");
    const Result<StoredTrace> expected = read_trace(text.value());
    if (!expected) return unreadable(file, expected.faults(), text.value());
    if (expected.value().statement != trace.statement) {
      return told(file, Kind::differs,
                  "the golden is of another problem: its numbers or options are not these; if that is meant: " +
                      update_of(file),
                  Exit::differs);
    }
    std::vector<Difference> found = differences(expected.value(), trace, closeness_);
    if (found.empty()) return told(file, Kind::ok);
    Outcome outcome = told(file, Kind::differs, counted(found.size(), "difference"), Exit::differs);
    outcome.verdict.details = listed(found, trace.arithmetic.dtype);
    outcome.verdict.differences = std::move(found);
    return outcome;
  }

  // What an update changes.
  static Outcome changed(const std::string& file, const std::string& old_text, const Trace& trace) {
    const Result<StoredTrace> old = read_trace(old_text);
    if (!old) return told(file, Kind::updated, "was no trace");
    std::vector<Difference> found = differences(old.value(), trace, {});
    const bool is_same_problem = old.value().statement == trace.statement;
    Outcome outcome = told(file, Kind::updated,
                           !is_same_problem ? "the problem's statement changed"
                           : found.empty()  ? "wording only"
                                            : "the numbers changed");
    outcome.verdict.details = listed(found, trace.arithmetic.dtype);
    outcome.verdict.differences = std::move(found);
    return outcome;
  }

  Outcome updated(const std::string& file, const Trace& trace) const {
    const std::string golden = golden_beside(file);
    const std::string fresh = trace_json(trace);
    if (name_of_read(golden)) {
      return failed(file, "its golden would replace what is read",
                    Refusal("`" + golden + "` leads to a problem or to numbers of one, which are read here",
                            "remove the link; attn golden --update makes a file in its place"));
    }
    std::error_code ignored;
    Outcome outcome = told(file, Kind::created, golden);
    if (std::filesystem::exists(golden, ignored)) {
      if (!is_own_file(std::filesystem::directory_entry(golden, ignored))) return not_its_own(file);
      const Result<std::string> old = read_text(golden);
      if (!old) return unreadable(file, old.faults(), "");
      forget_read(golden);
      if (old.value() == fresh) return told(file, Kind::unchanged);
      outcome = changed(file, old.value(), trace);
    }
    if (const auto why = write_file(golden, [&](Sink& sink) { sink.write(fresh); })) {
      return failed(file, "its golden cannot be written", not_written(golden, *why));
    }
    return outcome;
  }

  const GoldenOptions& options_;
  Tolerance closeness_;
  ErrorFormat errors_;
};

// Files as they are named, and of folders the .json files in them. So that a shell's
// *.json can be given, goldens are left out: they are no problems.
std::vector<std::string> problems_in(const std::vector<std::string>& words) {
  std::vector<std::string> problems;
  for (const std::string& word : words) {
    std::error_code unknown;
    if (!std::filesystem::is_directory(word, unknown)) {
      problems.push_back(word);
      continue;
    }
    const std::vector<std::filesystem::path> found = json_files_of(word);
    if (found.empty())
      throw Refusal("the folder `" + word + "` has no problems", "its .json files are read").at({.value = word});
    for (const std::filesystem::path& file : found) problems.push_back(file.string());
  }
  std::erase_if(problems, [](const std::string& file) { return file.ends_with(golden_ending); });
  return problems;
}

// For people: a line a file, and below it what differs. Of errors that was said already.
std::string told_line(const GoldenVerdict& verdict) {
  const std::string word = verdict.has_failed() ? "FAILED" : std::string(name(verdict.kind));
  const std::string why = verdict.message.empty() ? "" : ": " + printable(verdict.message);
  return fmt::format("{:<9} {}{}\n", word, printable(verdict.file), why) +
         (verdict.kind == Kind::error ? "" : verdict.details);
}

// What is written at the end: of text the sum.
std::string told_end(const std::string& format, const std::vector<GoldenVerdict>& verdicts) {
  if (format == "json") return goldens_json(verdicts);
  if (format == "junit") return goldens_junit(verdicts);
  const auto failed = std::ranges::count_if(verdicts, &GoldenVerdict::has_failed);
  return fmt::format("{} passed, {} failed\n", std::ssize(verdicts) - failed, failed);
}

void GoldenOptions::declare(CommandLine& line) {
  line.add_option("FILE", files, "problems, or folders of them; the golden of name.json is name.golden.json",
                  {.is_required = true});
  line.begin_group("What is compared");
  line.add_flag("--update", update, "rewrite the goldens that changed, and say what changed");
  line.add_option("--format", format, "how it is told",
                  {.value = "NAME", .choices = golden_formats, .shows_default = true});
  line.add_option("--rtol", rtol, "accept numbers this close, relative to the expected", {.value = "X"});
  line.add_option("--atol", atol, "accept numbers this close", {.value = "X"});
  line.add_flag("--bounds", computing.bounds,
                "accept numbers that the roundings of both may hold apart: twice the bound of ours");
  computing.declare(line);
  computing.declare_algorithm(line);
}

Exit GoldenOptions::run() const {
  choice("--format", format, golden_formats);
  Tolerance closeness;
  closeness.relative = tolerance("--rtol", rtol, "1e-12");
  closeness.absolute = tolerance("--atol", atol, "1e-12");
  const std::string closeness_option = !rtol.empty()      ? "--rtol"
                                       : !atol.empty()    ? "--atol"
                                       : computing.bounds ? "--bounds"
                                                          : "";
  if (update && !closeness_option.empty()) {
    throw Refusal(closeness_option + " says how goldens are compared, and --update rewrites them",
                  "leave " + closeness_option + " out, or compare without --update")
        .at({closeness_option});
  }
  if (std::ranges::find(files, "-") != files.end()) {
    throw Refusal("standard input has no golden beside it", "give the problem as a file").at({.value = "-"});
  }
  // What is wrong for every file is said once.
  computing.check();
  computing.hardware.select();

  const GoldenComparison comparison(*this, closeness);
  std::vector<GoldenVerdict> verdicts;
  Exit worst = Exit::done;
  for (const std::string& file : problems_in(files)) {
    Outcome outcome = comparison.outcome(file);
    worst = std::max(worst, outcome.code);
    if (format == "text") worst = std::max(worst, print(in_letters_of_here(told_line(outcome.verdict))));
    verdicts.push_back(std::move(outcome.verdict));
  }
  if (verdicts.empty())
    throw Refusal("only goldens were given", "give the problems they belong to").at({.value = files.back()});
  return std::max(worst, print(told_end(format, verdicts)));
}

}  // namespace

Command golden_command() {
  return command<GoldenOptions>(
      {.name = "golden",
       .summary = "Compare problems with the goldens beside them",
       .group = "Compare",
       .examples = {"attn golden data", "attn golden --update data/causal-two-of-five.json"}});
}

}  // namespace attn
