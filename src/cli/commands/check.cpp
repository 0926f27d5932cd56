#include "mark/check.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <optional>

#include <fmt/core.h>

#include "backend/cpu/threads.h"
#include "base/text.h"
#include "cli/hand_ins.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/progress.h"
#include "cli/render.h"
#include "explain/reports/verdict.h"
#include "exports/blank_answers.h"
#include "exports/json.h"
#include "files/tensor_file.h"
#include "model/computation.h"
#include "model/possible_steps.h"
#include "problem/faults.h"
#include "reading/answers/file.h"

namespace attn {
namespace {

const std::vector<std::string> rule_names = {"decdig", "sigfig", "relabs"};
const std::vector<std::string> reveal_names = {"none", "cell", "hint", "value"};  // as Reveal has them

struct CheckOptions {
  std::string file;
  std::vector<std::string> answers;
  std::string step, blanks, reveal = "hint", compare, digits, rtol, atol;
  std::vector<std::string> steps;
  bool full = false;
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

void find_digits(const CheckOptions& options, const Problem& problem, MarkingRule& rule) {
  const bool significant = rule.kind == MarkingRule::Kind::significant;
  const bool counts_digits = significant || rule.kind == MarkingRule::Kind::decimal_digits;
  if (options.digits.empty()) {
    if (counts_digits && !significant && problem.digits) rule.digits = *problem.digits;
    return;
  }
  if (!counts_digits) {
    throw Refusal("--digits goes with --compare decdig or --compare sigfig",
                  "say which: decimals behind the point, or significant digits")
        .at({"--digits"});
  }
  rule.digits = static_cast<int>(whole_number("--digits", options.digits, "number of digits", significant ? 1 : 0, 15));
}

void find_tolerance(const CheckOptions& options, MarkingRule& rule) {
  if (options.rtol.empty() && options.atol.empty()) return;
  if (rule.kind != MarkingRule::Kind::relative_absolute) {
    throw Refusal(std::string(options.rtol.empty() ? "--atol" : "--rtol") + " goes with --compare relabs",
                  "without --compare, a number is right where honest rounding can give it")
        .at({options.rtol.empty() ? "--atol" : "--rtol"});
  }
  // Whoever names one of the two means that one.
  rule.relative = tolerance("--rtol", options.rtol, "0.01");
  if (rule.relative > 1) {
    throw Refusal(fmt::format("--rtol {} takes numbers of the other sign for right", shown(options.rtol)),
                  "write 1 or less, such as --rtol 0.01")
        .at({"--rtol"});
  }
  rule.absolute = tolerance("--atol", options.atol, "0.01");
}

MarkingRule find_rule(const CheckOptions& options, const Problem& problem) {
  using enum MarkingRule::Kind;
  static constexpr std::array kinds = {decimal_digits, significant, relative_absolute};
  MarkingRule rule;
  if (!options.compare.empty()) {
    rule.kind = kinds[choice("--compare", options.compare, rule_names)];
  }
  find_digits(options, problem, rule);
  find_tolerance(options, rule);
  return rule;
}

std::vector<std::string> named_steps(const std::vector<HandIn>& all) {
  std::vector<std::string> ids;
  for (const HandIn& one : all) {
    if (!one.answers) continue;
    for (const AnsweredStep& step : one.answers->steps) ids.push_back(step.id);
  }
  return ids;
}

// Marks all that could be read, on as many threads; in order. Says how far it is
// where that takes time.
std::vector<MarkedFile> marked(const Checker& checker, const CheckOptions& options, const std::vector<HandIn>& read) {
  std::vector<MarkedFile> files(read.size());
  constexpr std::size_t many_files = 20, many_bytes = std::size_t{1} << 20;
  const auto being_marked = [&](std::size_t done) {
    if (read.size() == 1) return "checking " + listed(read.front().files);
    return fmt::format("checking, {} of {} done", done, read.size());
  };
  Progress progress(being_marked(0), read.size() > many_files || checker.bytes() > many_bytes);
  std::atomic<std::size_t> done = 0;
  Threads threads(std::min(options.computing.hardware.thread_count(), read.size()));
  threads.each(read.size(), [&](std::size_t i) {
    files[i] = {read[i].files, std::nullopt, read[i].error};
    if (!read[i].answers) return;
    files[i].name = read[i].answers->name;
    files[i].report = checker.mark(*read[i].answers);
    progress.now(being_marked(++done));
  });
  return files;
}

bool names_folder(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word != "-" && kind_of(word) == std::filesystem::file_type::directory;
  });
}

Exit verdict_code(const std::vector<MarkedFile>& files) {
  const bool wrong = std::ranges::any_of(
      files, [](const MarkedFile& file) { return file.report && file.report->verdict == Verdict::wrong; });
  return wrong ? Exit::differs : Exit::done;
}

void refuse_files(const CheckOptions& options) {
  if (options.file.ends_with(".txt") || is_table_file(options.file)) {
    throw Refusal("`" + shown(options.file) + "` is a file of answers by its ending, and the problem comes first",
                  "attn check PROBLEM ANSWERS")
        .at({.value = options.file});
  }
  for (const std::string& file : options.answers) {
    if (!names_tensor_file(file)) continue;
    throw Refusal("`" + shown(file) + "` is no file of answers: those are .json, .txt and .csv",
                  "attn diff PROBLEM FILE compares numbers of a program")
        .at({.value = file});
  }
  if (std::ranges::count(options.answers, "-") + (options.file == "-" ? 1 : 0) > 1) {
    throw Refusal("standard input can be one file only", "give the others by name").at({.value = "-"});
  }
}

void refuse_step(const CheckOptions& options, const std::vector<std::string>& files) {
  const auto is_one_step = [](const std::string& file) { return file == "-" || is_table_file(file); };
  if (!options.step.empty() && std::ranges::none_of(files, is_one_step)) {
    throw Refusal("--step is about answers in .csv, and none are given", "a .json file names its steps itself")
        .at({"--step"});
  }
}

// The options about marking and what is said of it: a template has no use for them.
void refuse_beside_template(const CheckOptions& options) {
  const RenderOptions& rendering = options.rendering;
  const std::pair<std::string, bool> others[] = {
      {"--step", !options.step.empty()},
      {"--reveal", options.reveal != CheckOptions().reveal},
      {"--compare", !options.compare.empty()},
      {"--digits", !options.digits.empty()},
      {"--rtol", !options.rtol.empty()},
      {"--atol", !options.atol.empty()},
      {"--full", options.full},
      {"--format", !rendering.format.empty()},
      {"--precision", !rendering.precision.empty()},
      {"--ascii", rendering.ascii},
      {"--" + (rendering.settings.empty() ? "" : rendering.settings.begin()->first), !rendering.settings.empty()},
  };
  for (const auto& [name, is_given] : others) {
    if (is_given)
      throw Refusal(name + " means nothing beside --template", "leave it out: it is about answers that are marked")
          .at({name});
  }
  RenderOptions of_errors;
  of_errors.color = rendering.color;
  understood(of_errors);  // refuses a word that means nothing
}

// Answers to fill in, in place of answers that are marked.
const AnswersTemplate& find_template(const CheckOptions& options) {
  const auto all = answers_templates();
  const AnswersTemplate& found = all[choice("--template", options.blanks, names_of(all))];
  if (!options.answers.empty()) {
    throw Refusal("--template writes answers to fill in, and answers are given", "leave out the one or the other")
        .at({"--template"});
  }
  refuse_beside_template(options);
  for (const std::string& path : options.rendering.outputs) {
    if (path_of_output(path).empty() || path.ends_with(found.ending)) continue;
    throw Refusal("`-o " + path + "` would not be read back as " + std::string(found.name),
                  "call it *" + std::string(found.ending))
        .at({.value = path});
  }
  return found;
}

Exit write_template(const CheckOptions& options, const AnswersTemplate& wanted, Computation& computation) {
  const std::vector<StepName> names = step_names(computation.whole());
  std::vector<std::string> ids;
  for (const std::string& typed : options.steps) {
    const std::string id = typed == "result" ? names.back().id : step_id(typed, names);
    const std::vector<std::string> known = names_of(names, &StepName::id);
    if (std::ranges::count(known, id) == 0) {
      throw unknown("this problem has no step", id, known, "its steps are " + listed(known)).at({"--steps", typed});
    }
    if (std::ranges::count(ids, id) == 0) ids.push_back(id);
  }
  computation.keep(ids);
  const Trace trace = compute(computation, options.computing);
  const std::string text = wanted.write(trace, ids.empty() ? steps_to_work_out(trace) : ids);
  Rendering plan;
  for (const std::string& path : options.rendering.outputs) plan.targets.push_back({.path = path_of_output(path)});
  if (plan.targets.empty()) plan.targets.emplace_back();
  return hand_out(plan, [&](const Target&, Sink& sink) { sink.write(text); });
}

void CheckOptions::declare(CommandLine& line) {
  line.add_option("FILE", file, "a problem, or - for standard input", {.is_required = true});
  line.add_option("ANSWERS", answers, "what people wrote: .json, .txt, or tables in .csv; folders of these; or -");
  line.begin_group("Before marking");
  line.add_option("--template", blanks, "write answers to fill in instead",
                  {.value = "FORMAT", .choices = names_of(answers_templates())});
  line.add_option("--steps", steps, "of a template: only these steps, by their ids or symbols",
                  {.value = "STEP,STEP", .is_single = true, .splits_commas = true});
  line.begin_group("How it is marked");
  line.add_option("--step", step, "the step that a .csv holds; else its name says it", {.value = "STEP"});
  line.add_option("--reveal", reveal, "how much is given away",
                  {.value = "WHAT", .choices = reveal_names, .shows_default = true});
  line.add_option("--compare", compare, "a fixed rule in place of honest rounding",
                  {.value = "RULE", .choices = rule_names});
  line.add_option("--digits", digits, "of decdig and sigfig", {.value = "N"});
  line.add_option("--rtol", rtol, "of relabs: relative to the right number", {.value = "X"});
  line.add_option("--atol", atol, "of relabs", {.value = "X"});
  line.add_flag("--full", full, "leave nothing out, however long");
  rendering.declare(line, RenderOptions::Shows::numbers, json_alone());
  computing.declare(line);
  computing.declare_algorithm(line);
  line.remove_option("--hand-rounding");
}

Exit CheckOptions::run() const {
  if (!blanks.empty()) {
    const AnswersTemplate& wanted = find_template(*this);
    Problem problem = open_problem(file, computing, rendering.color_of_errors());
    problem.take_hand_rounding();
    Computation computation(problem);
    return write_template(*this, wanted, computation);
  }
  if (!steps.empty())
    throw Refusal("--steps goes with --template", "answers say themselves which steps they are of").at({"--steps"});
  if (answers.empty()) {
    throw Refusal("no answers are given", "name what was handed in, or write a file to fill in: --template text")
        .at({});
  }
  Rendering plan = understood(rendering, json_alone());
  plan.look.full = full;
  const Reveal revealed = Reveal(choice("--reveal", reveal, reveal_names));
  VerdictOptions telling{.reveal = revealed, .precision = plan.precision, .full = full, .problem = file};
  refuse_files(*this);
  const std::vector<std::string> files_of_answers = answer_files(answers, file);
  refuse_step(*this, files_of_answers);

  Problem problem = open_problem(file, computing, rendering.color_of_errors());
  MarkingRule rule = find_rule(*this, problem);
  rule.problem_rounding = problem.take_hand_rounding();
  telling.by_fixed_rule = rule.kind != MarkingRule::Kind::honest_rounding;

  Computation computation(problem);
  const KnownSteps known = KnownSteps::of(computation.whole(), possible_steps);
  const std::vector<HandIn> read = read_hand_ins(files_of_answers, step, known, rendering);
  Exit worst = Exit::done;
  for (const HandIn& one : read) worst = std::max(worst, one.code);
  // A folder is a class, however small.
  const bool is_one = read.size() == 1 && !names_folder(answers);
  if (is_one && !read[0].answers) return worst;

  refuse_to_overwrite(plan);
  computation.keep(named_steps(read));
  const Trace trace = compute(computation, computing);
  const Checker checker(trace, rule);
  const std::vector<MarkedFile> files = marked(checker, *this, read);
  if (is_one) telling.name = files[0].name;
  write_out(
      plan, [&] { return is_one ? verdict(*files[0].report, trace, telling) : verdicts(files, trace, telling); },
      [&] { return is_one ? report_json(*files[0].report, revealed, files[0].name) : reports_json(files, revealed); });
  return std::max(worst, verdict_code(files));
}

}  // namespace

Command check_command() {
  return command<CheckOptions>({.name = "check",
                                .summary = "Mark what somebody worked out by hand",
                                .group = "Mark",
                                .examples = {"attn check data/worked-example.json --template text -o mine.txt",
                                             "attn check data/worked-example.json mine.txt"}});
}

}  // namespace attn
