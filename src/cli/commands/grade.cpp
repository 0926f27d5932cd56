#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/grading.h"
#include "cli/hand_ins.h"
#include "cli/options.h"
#include "cli/render.h"
#include "explain/reports/grades.h"
#include "exports/grades.h"
#include "files/input_file.h"
#include "problem/faults.h"
#include "reading/roster.h"
#include "reading/scheme.h"
#include "reading/text_file.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

const Format& text_format() { return *std::ranges::find(formats(), "text", &Format::name); }

// A way to tell of a class.
struct ClassReport {
  std::string name, ending;
  std::string (*write)(const GradedClass& graded);  // null: a document, as text; or a file a hand-in
};

const std::vector<ClassReport> class_reports = {
    {"text", ".txt", nullptr},       {"csv", ".csv", grades_csv},    {"json", ".json", grades_json},
    {"junit", ".xml", grades_junit}, {"html", ".html", grades_html}, {"gradescope", "", nullptr},
};

// Where a report goes, and which.
struct ReportTarget {
  std::string path;
  const ClassReport* report;
  bool is_gradescope() const { return report->name == "gradescope"; }
};

struct GradeOptions {
  std::string keys;
  std::vector<std::string> answers;
  std::string scheme, roster;
  std::string report, feedback, feedback_format = "text";
  std::vector<std::string> outputs;
  bool ascii = false;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;

 private:
  FormatOptions look_of_feedback(const Format& format) const;
};

const ClassReport* report_of_ending(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  const auto found = std::ranges::find_if(
      class_reports, [&](const ClassReport& one) { return !one.ending.empty() && one.ending == ending; });
  return found == class_reports.end() ? nullptr : &*found;
}

// What is written to a path: what its ending says, or --report where it says nothing.
ReportTarget target_of(const std::string& typed, const ClassReport* named) {
  const std::string path = path_of_output(typed);
  const ClassReport* report = report_of_ending(path);
  if (!report) report = named;
  if (!report && path.empty()) report = &class_reports.front();
  if (!report) {
    throw Refusal("the ending of `" + shown(typed) + "` names no report",
                  "give --report: " + listed(names_of(class_reports)))
        .at({"-o,--output", typed});
  }
  return {path, report};
}

// Gives the report of --report to a target; Gradescope's file is JSON of another kind, which its ending does not say.
void give_named(const ClassReport& named, std::vector<ReportTarget>& targets) {
  if (std::ranges::find(targets, &named, &ReportTarget::report) != targets.end()) return;
  std::vector<ReportTarget*> fitting;
  for (ReportTarget& target : targets) {
    if (named.name == "gradescope" && target.report->name == "json") fitting.push_back(&target);
  }
  if (fitting.size() == 1) {
    fitting.front()->report = &named;
    return;
  }
  std::vector<std::string> others;
  for (const ReportTarget& target : targets)
    others.push_back("`-o " + shown(target.path) + "` is a report in " + target.report->name);
  throw Refusal(listed(others) + " by its ending, and --report says " + named.name,
                fitting.empty() ? "leave --report out, or write to a name with another ending"
                                : "write Gradescope's to a folder, whose name has no ending")
      .at({"--report", named.name});
}

std::vector<ReportTarget> report_targets(const GradeOptions& options) {
  const ClassReport* named = nullptr;
  if (!options.report.empty()) named = &class_reports[choice("--report", options.report, names_of(class_reports))];
  if (options.outputs.empty()) return {{"", named ? named : &class_reports.front()}};
  std::vector<ReportTarget> targets;
  for (const std::string& typed : options.outputs) targets.push_back(target_of(typed, named));
  if (named) give_named(*named, targets);
  return targets;
}

// A folder for a file a person: what is written there is no hand-in, and never one that was read.
class FolderOfPeople {
 public:
  FolderOfPeople(std::string folder, std::string ending) : folder_(std::move(folder)), ending_(std::move(ending)) {}

  // Refuses a folder that is, or is in, one with hand-ins, and those of the problems and their keys.
  void make(const std::string& option, const std::vector<std::string>& answers, const std::string& keys) const {
    std::error_code error;
    const fs::path own = followed(folder_);
    for (const fs::path& read : {fs::path(keys), fs::path(keys) / folder_of_keys}) {
      if (keys == "-" || kind_of(read) != fs::file_type::directory || followed(read) != own) continue;
      throw Refusal("`" + shown(folder_) + "` has the problems or their answers, which would be replaced",
                    "give it a folder of its own")
          .at({option, folder_});
    }
    for (const std::string& word : answers) {
      if (word == "-" || kind_of(word) != fs::file_type::directory) continue;
      const fs::path read = followed(word);
      const auto [at, unused] = std::mismatch(read.begin(), read.end(), own.begin(), own.end());
      if (at != read.end()) continue;
      throw Refusal("`" + shown(folder_) + "` is in a folder of hand-ins, which are read from there",
                    "give it a folder of its own")
          .at({option, folder_});
    }
    fs::create_directories(folder_, error);
    if (error) throw not_written(folder_, error.message());
  }

  void write(const GradedHandIn& one, const std::string& text) {
    const std::string whose = !one.name.empty() ? one.name : fs::path(one.files[0]).stem().string();
    const std::string name = file_name_for(whose);
    std::string free = name;
    for (std::size_t more = 2; !taken_.insert(person_key(free)).second; ++more)
      free = name + "-" + std::to_string(more);
    const std::string path = (fs::path(folder_) / (free + ending_)).string();
    if (name_of_read(path)) throw Refusal("`" + path + "` is read here, and would be replaced", "give another folder");
    files_.write(path, text);
  }

  // What was written appears.
  void finish() { files_.finish(); }

 private:
  std::string folder_, ending_;
  FilesTogether files_;
  std::set<std::string> taken_;  // as person_key() has them: some systems know no case
};

void say_what_is_left_out(const std::vector<std::string>& left_out) {
  constexpr std::size_t most = 8;
  if (left_out.empty()) return;
  std::vector<std::string> told = first_of(left_out, most);
  for (std::size_t i = 0; i < std::min(left_out.size(), most); ++i) {
    std::error_code unknown;
    told[i] += why_left_out(fs::directory_entry(left_out[i], unknown));
  }
  say("attn: note: left out, for it is no .json, .csv or .txt file: " + printable(listed(told)) + "\n");
}

// What is left out and called like somebody of the class is what that person handed in.
void give_to_people(const Roster& roster, std::vector<std::string>& left_out, std::vector<FilesOfPerson>& all) {
  std::set<std::string> people;
  for (const Roster::Person& person : roster.people) people.insert(person_key(person.name));
  std::erase_if(left_out, [&](const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    const std::string whose = name.substr(0, name.find('.'));
    if (!people.contains(person_key(whose))) return false;
    all.push_back({.name = whose, .files = {path}, .problem = "it is no .json, .csv or .txt file"});
    return true;
  });
}

void GradeOptions::declare(CommandLine& line) {
  line.add_option("KEYS", keys, "a problem, or a folder of them: one a person", {.is_required = true});
  line.add_option("ANSWERS", answers, "what people wrote: files, or folders of files or of a folder a person",
                  {.is_required = true});
  line.begin_group("How points are given");
  line.add_option("--scheme", scheme, "how many points for which step; else 1 a step", {.value = "FILE"});
  line.add_option("--roster", roster, "the list of the class, a table with a column `name`", {.value = "FILE.csv"});
  line.begin_group("How it is told");
  line.add_option("--report", report, "of the class", {.value = "NAME", .choices = names_of(class_reports)});
  line.add_option("-o,--output", outputs,
                  "write the report to a file, as its ending says, or to -; may be given several times",
                  {.value = "FILE", .is_single = true});
  line.add_option("--feedback", feedback, "write a file for each person into this folder", {.value = "DIR"});
  line.add_option("--feedback-format", feedback_format, "of these files",
                  {.value = "NAME", .choices = names_of(formats()), .shows_default = true});
  line.add_flag("--ascii", ascii, "nothing but ASCII characters, as text");
  computing.declare(line);
  for (const char* name : {"--hand-rounding", "--dtype", "--backend", "--instructions"}) line.remove_option(name);
}

// Where reports for people go, and files for programs: what is refused to be replaced, and written in the end.
Rendering rendering_of(const std::vector<ReportTarget>& targets, const GradeOptions& options, bool has_gradescope) {
  Rendering plan;
  for (const ReportTarget& target : targets) {
    if (!target.is_gradescope() || has_gradescope)
      plan.targets.push_back({.path = target.path, .format = &text_format()});
  }
  plan.look.ascii = options.ascii;
  refuse_to_overwrite(plan);
  return plan;
}

Refusal several_for_gradescope(std::size_t count, const GradeOptions& options) {
  return Refusal("Gradescope's results.json is of one hand-in, and here are " + std::to_string(count),
                 "-o DIR writes a file for each into a folder")
      .at({"--report", options.report});
}

// Gradescope's folder, where there are several hand-ins for it.
std::optional<FolderOfPeople> gradescope_folder(const std::vector<ReportTarget>& targets, std::size_t count,
                                                const GradeOptions& options) {
  const auto target = std::ranges::find_if(targets, &ReportTarget::is_gradescope);
  if (target == targets.end()) return std::nullopt;
  const fs::path path(target->path);
  const bool is_folder = !path.empty() && (kind_of(path) == fs::file_type::directory || path.extension().empty());
  if (count == 1 && !is_folder) return std::nullopt;
  if (!is_folder) throw several_for_gradescope(count, options);
  FolderOfPeople folder(target->path, ".json");
  folder.make("-o,--output", options.answers, options.keys);
  return folder;
}

// The scheme of points; its steps are then computed, however large.
Scheme scheme_of(const std::string& file, ProblemsOfClass& problems) {
  if (file.empty()) return {};
  const KnownSteps known = problems.known();
  Scheme scheme = read_of(file, [&](std::string_view text) { return read_scheme(text, known, problems.steps()); });
  std::vector<std::string> ids;
  for (const Scheme::StepPoints& one : scheme.points) ids.push_back(one.step);
  problems.keep(std::move(ids));
  return scheme;
}

// A file for a person is a whole document, where the format could also write a part of one.
FormatOptions GradeOptions::look_of_feedback(const Format& format) const {
  FormatOptions look{.ascii = ascii};
  const bool has_parts =
      std::ranges::find(format.settings, "standalone", &FormatSetting::name) != format.settings.end();
  if (has_parts) look.settings.emplace("standalone", "");
  return look;
}

// Says what was refused: to people, of very many the first.
Exit say_first(const std::vector<const Refusal*>& refused, ErrorFormat format) {
  const std::size_t most = format == ErrorFormat::text ? 200 : refused.size();
  Exit worst = Exit::done;
  for (std::size_t i = 0; i < refused.size(); ++i)
    worst = std::max(worst, i < most ? refused[i]->say(format) : refused[i]->code());
  if (refused.size() > most) say("attn: note: " + counted(refused.size() - most, "more file") + " with errors\n");
  return worst;
}

Exit GradeOptions::run() const {
  const std::vector<ReportTarget> targets = report_targets(*this);
  const Format& format = formats()[choice("--feedback-format", feedback_format, names_of(formats()))];
  if (feedback.empty() && format.name != text_format().name)
    throw Refusal("--feedback-format means nothing without --feedback", "say --feedback DIR too")
        .at({"--feedback-format"});
  if (std::ranges::count(answers, "-") + (keys == "-" ? 1 : 0) > 1)
    throw Refusal("standard input can be one file only", "give the others by name").at({.value = "-"});
  rendering_of(targets, *this, false);  // what is read later is found when something is written

  std::optional<Roster> people;
  if (!roster.empty()) people = read_of(roster, read_roster, writing_of(roster));
  ProblemsOfClass problems(keys, computing);
  const Scheme points = scheme_of(scheme, problems);
  std::vector<std::string> left_out;
  std::vector<FilesOfPerson> all = files_of_class(answers, problems.known(), left_out);
  if (people) give_to_people(*people, left_out, all);
  say_what_is_left_out(left_out);

  std::optional<FolderOfPeople> for_people, for_gradescope = gradescope_folder(targets, all.size(), *this);
  const bool wants_gradescope = std::ranges::any_of(targets, &ReportTarget::is_gradescope);
  if (!feedback.empty()) for_people.emplace(feedback, std::string(format.ending)).make("--feedback", answers, keys);

  Exit worst = Exit::done;
  std::string one_result;  // of Gradescope, where there is one hand-in
  std::size_t hand_ins = 0;
  Grading grading(problems, points, people ? &*people : nullptr);
  grading.grade(all, computing.hardware.thread_count(), [&](const HandInOfClass& one) {
    ++hand_ins;
    if (one.graded.is_failed()) worst = Exit::wrong_input;
    if (!for_people && !wants_gradescope) return;
    const Document told = one.report ? attn::feedback(one.graded, *one.report, one.problem->trace, points)
                                     : feedback_without_grade(one.graded);
    if (for_people) for_people->write(one.graded, written(format, told, look_of_feedback(format)));
    if (wants_gradescope) one_result = gradescope_json(one.graded, written(text_format(), told, {.ascii = ascii}));
    if (for_gradescope) for_gradescope->write(one.graded, one_result);
  });
  // A person's folder may have several.
  if (wants_gradescope && !for_gradescope && hand_ins > 1) throw several_for_gradescope(hand_ins, *this);
  if (for_people) for_people->finish();
  if (for_gradescope) for_gradescope->finish();
  const GradedClass graded = grading.finished();
  const ErrorFormat errors = report == "json" ? ErrorFormat::json : ErrorFormat::text;
  std::vector<const Refusal*> refused;
  for (const auto* some : {&problems.refused(), &grading.refused()}) {
    for (const Refusal& refusal : *some) refused.push_back(&refusal);
  }
  worst = std::max(worst, say_first(refused, errors));
  const Rendering plan = rendering_of(targets, *this, !for_gradescope);
  const Exit written = hand_out(plan, [&](const Target& target, Sink& sink) {
    const ReportTarget& wanted = *std::ranges::find(targets, target.path, &ReportTarget::path);
    if (wanted.is_gradescope()) return sink.write(one_result);
    sink.write(wanted.report->write ? wanted.report->write(graded) : rendered(told_class(graded), target, plan));
  });
  return std::max(worst, written);
}

}  // namespace

Command grade_command() {
  return command<GradeOptions>({.name = "grade",
                                .summary = "Give points for what a class handed in",
                                .group = "Teach a class",
                                .examples = {"attn check data/worked-example.json --template json -o anna.json",
                                             "attn grade data/worked-example.json anna.json"}});
}

}  // namespace attn
