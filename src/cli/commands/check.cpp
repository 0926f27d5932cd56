#include "mark/check.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/core.h>

#include "base/numbers.h"
#include "cli/command.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "explain/reports/verdict.h"
#include "exports/marking.h"
#include "model/computation.h"
#include "model/possible_steps.h"
#include "reading/answers/answers.h"
#include "reading/text_file.h"

namespace attn {
namespace {

struct CheckOptions {
  std::string file;
  std::vector<std::string> answers;
  std::string step, reveal = "hint", compare, digits, rtol, atol;
  bool full = false;
  RenderOptions rendering;
  ComputeOptions computing;
};

// What the options mean, once they are known to mean something.
struct CheckPlan {
  Rendering rendering;
  VerdictOptions telling;
  MarkingRule rule;
};

// One file of answers, or the exit code after its faults were reported.
struct ReadAnswers {
  std::optional<Answers> answers;
  std::string error;  // then: the first fault, in a line
  Exit code = Exit::done;
};

std::optional<Exit> find_reveal(const std::string& typed, Reveal& reveal) {
  static const std::vector<std::string> names = {"none", "cell", "hint", "value"};
  const auto found = std::ranges::find(names, typed);
  if (found == names.end()) return complain_of_choice("--reveal", typed, names);
  reveal = static_cast<Reveal>(found - names.begin());
  return std::nullopt;
}

std::optional<Exit> find_digits(const CheckOptions& options, const Problem& problem, MarkingRule& rule) {
  const bool significant = rule.kind == MarkingRule::Kind::significant;
  const bool counts_digits = significant || rule.kind == MarkingRule::Kind::decimal_digits;
  if (options.digits.empty()) {
    if (counts_digits && !significant && problem.digits) rule.digits = *problem.digits;
    return std::nullopt;
  }
  if (!counts_digits) {
    return complain("--digits goes with --compare decdig or --compare sigfig",
                    "say which: decimals behind the point, or significant digits");
  }
  std::size_t digits = 0;
  const std::size_t fewest = significant ? 1 : 0;
  if (!parse_natural(options.digits, digits) || digits < fewest || digits > 15) {
    return complain("`" + options.digits + "` is no number of digits",
                    fmt::format("--digits takes a whole number from {} to 15", fewest));
  }
  rule.digits = static_cast<int>(digits);
  return std::nullopt;
}

std::optional<Exit> find_tolerance(const CheckOptions& options, MarkingRule& rule) {
  if (options.rtol.empty() && options.atol.empty()) return std::nullopt;
  if (rule.kind != MarkingRule::Kind::relative_absolute) {
    return complain(std::string(options.rtol.empty() ? "--atol" : "--rtol") + " goes with --compare relabs",
                    "without --compare, a number is right where honest rounding can give it");
  }
  // Whoever names one of the two means that one.
  rule.relative = rule.absolute = 0;
  for (const auto& [option, typed, value] :
       {std::tuple<const char*, const std::string&, double&>{"--rtol", options.rtol, rule.relative},
        {"--atol", options.atol, rule.absolute}}) {
    if (!typed.empty() && (!parse_number(typed, value) || value < 0)) {
      return complain("`" + typed + "` is no tolerance", std::string(option) + " takes a number from 0, such as 0.01");
    }
  }
  return std::nullopt;
}

std::optional<Exit> find_rule(const CheckOptions& options, const Problem& problem, MarkingRule& rule) {
  using enum MarkingRule::Kind;
  static const std::vector<std::string> names = {"decdig", "sigfig", "relabs"};
  static constexpr std::array kinds = {decimal_digits, significant, relative_absolute};
  if (!options.compare.empty()) {
    const auto found = std::ranges::find(names, options.compare);
    if (found == names.end()) return complain_of_choice("--compare", options.compare, names);
    rule.kind = kinds[static_cast<std::size_t>(found - names.begin())];
  }
  if (const auto wrong = find_digits(options, problem, rule)) return wrong;
  return find_tolerance(options, rule);
}

std::optional<Exit> refuse_standard_input_twice(const CheckOptions& options) {
  const auto dashes = std::ranges::count(options.answers, "-") + (options.file == "-" ? 1 : 0);
  if (dashes < 2) return std::nullopt;
  return complain("standard input can be one file only", "give the others by name");
}

// Whether it is one step, as a table of numbers.
bool is_table(const std::string& file, const CheckOptions& options) {
  return file == "-" ? !options.step.empty() : std::filesystem::path(file).extension() == ".csv";
}

Result<Answers> read_table(const std::string& file, std::string_view text, const CheckOptions& options,
                           const KnownSteps& known) {
  const std::string name = options.step.empty() ? std::filesystem::path(file).stem().string() : options.step;
  Result<std::string> step = named_step(name, known);
  if (step) return read_answers_csv(text, std::move(step.value()));
  Diagnostics faults = step.faults();
  if (options.step.empty()) {
    faults.front().help =
        "a file of one step is called like the step, such as scores.csv; or give --step: " + faults.front().help;
  }
  return faults;
}

ReadAnswers read_one(const std::string& file, const CheckOptions& options, const KnownSteps& known) {
  const ColorChoice color = options.rendering.color_of_errors();
  const auto failed = [&](const Diagnostics& faults, std::string_view text) {
    return ReadAnswers{std::nullopt, faults.front().message, complain(faults, text, file, color)};
  };
  const Result<std::string> text = read_text(file);
  if (!text) return failed(text.faults(), "");
  Result<Answers> answers =
      is_table(file, options) ? read_table(file, text.value(), options, known) : read_answers(text.value(), known);
  if (!answers) return failed(answers.faults(), text.value());
  return {std::move(answers.value()), "", Exit::done};
}

// Every step that answers may name: those of the trace format, and what else the problem has.
std::vector<std::string> known_ids(const std::vector<std::string>& steps) {
  std::vector<std::string> ids = possible_steps();
  for (const std::string& id : steps) {
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

std::vector<std::string> named_steps(const std::vector<ReadAnswers>& all) {
  std::vector<std::string> ids;
  for (const ReadAnswers& one : all) {
    if (!one.answers) continue;
    for (const AnsweredStep& step : one.answers->steps) ids.push_back(step.id);
  }
  return ids;
}

// Marks all that could be read, on as many threads; in order.
std::vector<MarkedFile> marked(const Checker& checker, const CheckOptions& options,
                               const std::vector<ReadAnswers>& read) {
  std::vector<MarkedFile> files(read.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < read.size(); i = next++) {
      files[i] = {options.answers[i], std::nullopt, read[i].error};
      if (read[i].answers) files[i].report = checker.mark(*read[i].answers);
    }
  };
  const std::size_t threads = std::min(options.computing.hardware.thread_count(), read.size());
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();  // waits for them
  return files;
}

Exit verdict_code(const std::vector<MarkedFile>& files) {
  const bool wrong = std::ranges::any_of(
      files, [](const MarkedFile& file) { return file.report && file.report->verdict == Verdict::wrong; });
  return wrong ? Exit::differs : Exit::done;
}

std::string written(const Target& target, const std::vector<MarkedFile>& files, const Trace& trace,
                    const CheckPlan& plan) {
  const Reveal reveal = plan.telling.reveal;
  const bool one = files.size() == 1;
  if (!target.format) return one ? report_json(*files[0].report, reveal) : reports_json(files, reveal);
  const Document document = one ? verdict(*files[0].report, trace, plan.telling) : verdicts(files, trace, plan.telling);
  return rendered(document, target, plan.rendering);
}

Exit run_check(const CheckOptions& options) {
  CheckPlan plan;
  if (const auto wrong = understand(options.rendering, json_alone(), plan.rendering)) return *wrong;
  if (const auto wrong = find_reveal(options.reveal, plan.telling.reveal)) return *wrong;
  if (const auto wrong = refuse_standard_input_twice(options)) return *wrong;
  const auto is_one_step = [&](const std::string& file) { return is_table(file, options); };
  if (!options.step.empty() && std::ranges::none_of(options.answers, is_one_step)) {
    return complain("--step is about answers in .csv, and none are given", "a .json file names its steps itself");
  }
  plan.telling.precision = plan.rendering.precision;
  plan.telling.full = plan.rendering.full = options.full;

  OpenedProblem opened = open_problem(options.file, options.computing, options.rendering.color_of_errors());
  if (!opened.problem) return opened.code;
  if (const auto wrong = find_rule(options, *opened.problem, plan.rule)) return *wrong;
  // People round in ways of their own; they are marked against exact numbers.
  opened.problem->arithmetic.hand_rounding.reset();

  Computation computation(*opened.problem);
  const std::vector<std::string> steps = computation.all_steps();
  const std::vector<std::string> ids = known_ids(steps);
  const KnownSteps known{ids, steps.back()};
  std::vector<ReadAnswers> read;
  Exit worst = Exit::done;
  for (const std::string& file : options.answers) {
    read.push_back(read_one(file, options, known));
    worst = std::max(worst, read.back().code);
  }
  if (read.size() == 1 && !read[0].answers) return read[0].code;

  if (const auto wrong = refuse_to_overwrite(plan.rendering)) return *wrong;
  computation.keep(named_steps(read));
  const ComputedTrace computed = compute(computation, options.computing);
  if (!computed.trace) return computed.code;
  const Checker checker(*computed.trace, plan.rule);
  const std::vector<MarkedFile> files = marked(checker, options, read);
  const Exit out =
      write_out(plan.rendering, [&](const Target& target) { return written(target, files, *computed.trace, plan); });
  return std::max({worst, out, verdict_code(files)});
}

}  // namespace

Command check_command() {
  return {
      .name = "check", .summary = "Mark what somebody worked out by hand", .declare = [](CommandLine& line) {
        const auto options = std::make_shared<CheckOptions>();
        line.add_option("FILE", options->file, "a problem, or - for standard input").required();
        line.add_option("ANSWERS", options->answers, "what people wrote: .json, or one step as .csv; or -").required();
        line.add_option("--step", options->step, "the step that a .csv holds; else its name says it").type_name("STEP");
        line.add_option("--reveal", options->reveal, "how much is given away: none, cell, hint, value")
            .type_name("WHAT")
            .shows_default();
        line.add_option("--compare", options->compare,
                        "a fixed rule in place of honest rounding: decdig, sigfig, relabs")
            .type_name("RULE");
        line.add_option("--digits", options->digits, "of decdig and sigfig").type_name("N");
        line.add_option("--rtol", options->rtol, "of relabs: relative to the right number").type_name("X");
        line.add_option("--atol", options->atol, "of relabs").type_name("X");
        line.add_flag("--full", options->full, "leave nothing out, however long");
        options->rendering.declare(line, json_alone());
        options->computing.declare(line);
        line.remove_option("--hand-rounding");
        return [options] { return run_check(*options); };
      }};
}

}  // namespace attn
