#include "cli/grading.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/core.h>

#include "backend/cpu/threads.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/hand_ins.h"
#include "cli/progress.h"
#include "model/computation.h"
#include "model/possible_steps.h"
#include "problem/digest.h"
#include "problem/faults.h"
#include "reading/answers/file.h"
#include "reading/json/json.h"
#include "reading/problem/problem.h"
#include "reading/report.h"
#include "reading/text_file.h"
#include "words/language.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

// Problems that are kept ready, and hand-ins that are marked at a time.
constexpr std::size_t most_ready = 16, hand_ins_at_a_time = 32;

// Other hand-ins of the same person that are named.
constexpr std::size_t most_told = 3;

// Of the .json files of a folder.
bool may_be_problem(const fs::path& path) {
  const std::string name = path.filename().string();
  return !name.ends_with(".golden.json") && !name.starts_with('.');
}

// Traces, answers and schemes stand beside problems, and are none.
bool is_of_another_kind(const JsonValue& root) {
  if (root.kind() != JsonValue::Kind::object) return false;
  const auto [schema, steps, points] = members_called(root, {"schema", "steps", "points"});
  return (schema && schema->text().value_or("").starts_with("attn/")) || steps || points;
}

// "line 3: …"
std::string told_fault(const Diagnostics& faults, std::string_view text, const std::string& file) {
  const Complaint complaint = placed(faults, text, file);
  const PlacedFault& first = complaint.faults.front();
  const std::size_t more = complaint.faults.size() - 1 + complaint.unkept;
  return (first.line > 0 ? "line " + std::to_string(first.line) + ": " : "") + first.fault.message +
         (more > 0 ? " (and " + counted(more, "more fault") + ")" : "");
}

// "line 3: "wieghts" is not a step that is known; did you mean attention_weights?", of each name.
std::string told_unknown_steps(const Diagnostics& unknown, std::string_view text, const std::string& file) {
  std::vector<std::string> told;
  std::set<std::string> names;
  for (const Diagnostic& step : unknown) {
    if (names.insert(step.message).second) told.push_back(told_fault({step}, text, file) + "; " + step.help.text());
  }
  return listed(told);
}

// So many show whether somebody works on other numbers.
constexpr std::ptrdiff_t first_steps = 3;

// Whether of each of the first steps that were handed in more is wrong than right.
bool begins_mostly_wrong(const Report& report) {
  const auto is_mostly_wrong = [](const MarkedStep& step) {
    return 2 * step.count(CellState::wrong) > step.cells.size();
  };
  return std::ssize(report.steps) >= first_steps &&
         std::all_of(report.steps.begin(), report.steps.begin() + first_steps, is_mostly_wrong);
}

// Whom somebody most likely means who is called so. Among very many nobody is looked for, for each that is unknown.
template <class Named>
std::optional<std::string> closest_of_class(const std::string& name, const std::vector<Named>& all) {
  constexpr std::size_t most = 5000;
  if (all.size() > most) return std::nullopt;
  std::vector<std::string> known;
  for (const Named& one : all) known.push_back(one.name);
  return closest(name, known);
}

// Adds the answers of a file to the last hand-in; a step once more is another hand-in.
void add_answers(Answers answers, const std::string& file, std::vector<HandInOfClass>& hand_ins) {
  const auto is_there = [&](const AnsweredStep& step) {
    const auto& steps = hand_ins.back().answers->steps;
    return std::ranges::find(steps, step.id, &AnsweredStep::id) != steps.end();
  };
  if (hand_ins.empty() || std::ranges::any_of(answers.steps, is_there)) hand_ins.emplace_back().answers.emplace();
  HandInOfClass& last = hand_ins.back();
  for (AnsweredStep& step : answers.steps) last.answers->steps.push_back(std::move(step));
  last.graded.files.push_back(file);
}

}  // namespace

ProblemsOfClass::ProblemsOfClass(const std::string& word, const ComputeOptions& computing) : computing_(computing) {
  computing.check();
  if (word == "-" || kind_of(word) != fs::file_type::directory) {
    add(word, true);
    return;
  }
  std::vector<std::string> files;
  for (const fs::path& file : json_files_of(word)) {
    if (may_be_problem(file)) files.push_back(file.lexically_normal().string());
  }
  Progress progress("reading " + counted(files.size(), "problem"), files.size() > hand_ins_at_a_time);
  for (const std::string& file : files) add(file, false);
  const bool has_any = first() < entries_.size();
  if (!has_any && !refused_.empty()) throw refused_.front();
  if (!has_any)
    throw Refusal("the folder `" + word + "` has no problems", "its .json files are read, but for traces and answers")
        .at({.value = word});
}

void ProblemsOfClass::add(const std::string& file, bool is_only) {
  const Result<std::string> text = read_text(file);
  if (!text && is_only) throw Refusal(text.faults(), "", file);
  const Result<ParsedJson> parsed = text ? parse_json(text.value()) : Result<ParsedJson>(text.faults());
  if (!is_only && parsed && is_of_another_kind(parsed.value().root)) return;
  Entry entry{.file = file, .name = parsed ? owner_of_problem(parsed.value().root) : ""};
  entry.is_for_person = !entry.name.empty();
  if (!entry.is_for_person) entry.name = fs::path(file).stem().string();
  try {
    if (!text) throw Refusal(text.faults(), "", file);
    if (file == "-") text_of_input_ = text.value();
    const Problem problem = open_problem_text(text.value(), file, computing_);
    entry.statement = statement_digest(problem);
    for (const std::string& id : Computation(problem).whole().steps()) {
      if (std::ranges::count(steps_, id) == 0) steps_.push_back(id);
    }
    by_statement_.emplace(entry.statement, entries_.size());
  } catch (const Refusal& refusal) {
    if (is_only) throw;
    refused_.push_back(refusal);
  }
  const std::string stem = fs::path(file).stem().string();
  for (const std::string& key : std::set{person_key(entry.name), person_key(stem), loose_person_key(entry.name)})
    by_name_.emplace(key, entries_.size());
  entries_.push_back(std::move(entry));
}

std::optional<std::size_t> ProblemsOfClass::find(const std::string& statement, const std::vector<std::string>& names,
                                                 std::string& why) const {
  const GradeWords& said = language().grades;
  const auto of_name = [&](auto matches) -> std::optional<std::size_t> {
    for (const auto& key_of : {person_key, loose_person_key}) {
      for (const std::string& name : names) {
        const auto [begin, end] = by_name_.equal_range(key_of(name));
        for (auto one = begin; one != end; ++one) {
          if (matches(one->second)) return one->second;
        }
      }
    }
    return std::nullopt;
  };
  if (!statement.empty()) {
    // Of several that are the same the one of that name.
    const auto own = of_name([&](std::size_t at) { return entries_[at].statement == statement; });
    if (own) return own;
    if (const auto first = by_statement_.find(statement); first != by_statement_.end()) return first->second;
    why = said.other_problem(shown(statement.substr(0, 19)));
    return std::nullopt;
  }
  if (entries_.size() == 1) return 0;
  const auto found = of_name([](std::size_t) { return true; });
  if (found) return found;
  const std::string name = names.empty() ? "" : names.front();
  if (name.empty()) {
    why = said.problem_not_named;
    return std::nullopt;
  }
  const auto near = closest_of_class(name, entries_);
  why = said.no_problem_of_name(shown(name)) + (near ? said.is_it(*near) : "");
  return std::nullopt;
}

std::string ProblemsOfClass::whose_numbers(const Answers& answers, const ReadyProblem& own) {
  constexpr std::size_t most_tried = 200;
  for (std::size_t at = 0; at < std::min(entries_.size(), most_tried); ++at) {
    if (entries_[at].statement.empty()) continue;
    std::shared_ptr<const ReadyProblem> other;
    try {
      other = ready(at);
    } catch (const Refusal&) {
      continue;  // said where somebody has it
    }
    if (other->trace.statement == own.trace.statement) continue;
    const Report report = other->checker.mark(answers);
    const auto is_right = [](const MarkedStep& step) {
      return !step.cells.empty() && step.count(CellState::right) == step.cells.size();
    };
    const auto first = report.steps.begin();
    if (std::ssize(report.steps) >= first_steps && std::all_of(first, first + first_steps, is_right))
      return entries_[at].name;
  }
  return "";
}

std::size_t ProblemsOfClass::first() const {
  const auto found = std::ranges::find_if(entries_, [](const Entry& entry) { return !entry.statement.empty(); });
  return static_cast<std::size_t>(found - entries_.begin());
}

Problem ProblemsOfClass::opened(const std::string& file) const {
  return file == "-" ? open_problem_text(text_of_input_, file, computing_) : open_problem(file, computing_);
}

KnownSteps ProblemsOfClass::known() {
  if (count() == 1) return ready(0)->known;
  return KnownSteps::of(Computation(opened(entries_[first()].file)).whole(), possible_steps);
}

std::shared_ptr<const ReadyProblem> ProblemsOfClass::ready(std::size_t at) {
  if (const auto found = ready_.find(at); found != ready_.end()) return found->second;
  Problem problem = opened(entries_[at].file);
  MarkingRule rule;
  rule.problem_rounding = problem.take_hand_rounding();
  Computation computation(problem);
  KnownSteps known = KnownSteps::of(computation.whole(), possible_steps);
  computation.keep(kept_);
  if (ready_.size() >= most_ready) ready_.clear();
  try {
    auto made = std::make_shared<const ReadyProblem>(std::move(known), compute(computation, computing_), rule);
    ready_.emplace(at, made);
    return made;
  } catch (Refusal& refusal) {
    if (count() == 1) throw;
    throw std::move(refusal).about(entries_[at].file);
  }
}

// The texts of a person's files, and what they say of themselves.
struct Grading::TextsOfPerson {
  struct Text {
    std::string file, text;
    Diagnostics faults = {};
  };
  std::vector<Text> texts = {};
  std::string problem = {};             // the statement, where one says it
  std::string name = {};                // the same of whose they are
  std::vector<std::string> names = {};  // whose it may be, the likeliest first
};

// Of the list; spellings that are only alike count where none is the same, and one alone is.
const Roster::Person* Grading::person_of(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (const auto found = people_.find(person_key(name)); found != people_.end())
      return &roster_->people[found->second];
  }
  for (const std::string& name : names) {
    const auto [begin, end] = alike_people_.equal_range(loose_person_key(name));
    if (begin != end && std::next(begin) == end) return &roster_->people[begin->second];
  }
  return nullptr;
}

void Grading::name(HandInOfClass& hand_in, const TextsOfPerson& texts) const {
  const GradeWords& said = language().grades;
  GradedHandIn& graded = hand_in.graded;
  graded.name = texts.names.empty() ? "" : texts.names.front();
  if (!roster_) return;
  if (const Roster::Person* person = person_of(texts.names)) {
    const bool says_other = !texts.name.empty() && loose_person_key(texts.name) != loose_person_key(person->name);
    if (says_other) graded.remarks.push_back(said.says_other_name(shown(texts.name)));
    std::vector<std::string> called = texts.names;  // as the file and the folder are
    std::erase(called, texts.name);
    const Roster::Person* other = person_of(called);
    if (other && other != person) graded.remarks.push_back(said.called_like_other(shown(other->name)));
    graded.name = person->name;
    return;
  }
  const auto near = closest_of_class(graded.name, roster_->people);
  graded.remarks.push_back(said.not_in_roster(shown(graded.name)) + (near ? said.is_it(*near) : ""));
}

Grading::TextsOfPerson Grading::texts_of(const FilesOfPerson& files) {
  TextsOfPerson all;
  for (const std::string& file : files.files) {
    if (!files.problem.empty()) break;
    Result<std::string> text = read_writing(file);
    all.texts.push_back({file, text ? std::move(text.value()) : "", text ? Diagnostics() : text.faults()});
    const OriginOfAnswers own = origin_of_answers(file, all.texts.back().text);
    if (all.name.empty()) all.name = own.name;
    if (all.problem.empty()) all.problem = own.problem;
  }
  for (const std::string& one : {all.name, files.name, files.whole_name, files.folder}) {
    if (!person_key(one).empty()) all.names.push_back(one);
  }
  return all;
}

// The problem of a hand-in, ready, and whose it is, if it is another person's; null where it has
// none, and `why` says so.
std::shared_ptr<const ReadyProblem> Grading::problem_of(const TextsOfPerson& texts, std::string& file,
                                                        std::string& owner, std::string& why) {
  const auto at = problems_.find(texts.problem, texts.names, why);
  if (!at) return nullptr;
  const ProblemsOfClass::Entry& entry = problems_.entry(*at);
  file = entry.file;
  const auto is_own = [&](const std::string& name) {
    const std::string key = loose_person_key(name);
    return key == loose_person_key(entry.name) || key == loose_person_key(fs::path(entry.file).stem().string());
  };
  if (entry.is_for_person && std::ranges::none_of(texts.names, is_own)) owner = entry.name;
  why = language().grades.problem_not_read(entry.file);
  return ready(*at);
}

// Null where it cannot be read or computed, and that is said once.
std::shared_ptr<const ReadyProblem> Grading::ready(std::size_t at) {
  if (problems_.entry(at).statement.empty()) return nullptr;
  try {
    return problems_.ready(at);
  } catch (const Refusal& refusal) {
    if (unready_.insert(at).second) refused_.push_back(refusal);
    return nullptr;
  }
}

std::vector<HandInOfClass> Grading::failed(GradedHandIn::What what, const std::string& why, const FilesOfPerson& files,
                                           const TextsOfPerson& texts) const {
  std::vector<HandInOfClass> one(1);
  one[0].graded.what = what;
  one[0].graded.files = files.files;
  one[0].graded.error = why;
  name(one[0], texts);
  return one;
}

std::vector<HandInOfClass> Grading::read(const FilesOfPerson& files) {
  const TextsOfPerson texts = texts_of(files);
  const auto refuse = [&](const std::string& why, Help help) {
    refused_.push_back(Refusal(Diagnostic{"no-answers", "", why, std::move(help)}).about(files.files.front()));
  };
  if (!files.problem.empty()) {
    refuse(files.problem, "a hand-in is a .json, .csv or .txt file, or a folder of such files");
    return failed(GradedHandIn::What::unreadable, files.problem, files, texts);
  }
  std::string file, owner, why;
  const std::shared_ptr<const ReadyProblem> problem = problem_of(texts, file, owner, why);
  if (!problem) {
    // What is wrong with a problem itself was said.
    if (file.empty()) refuse(why, "a hand-in is of the problem that it names, or that is called like it");
    return failed(GradedHandIn::What::no_problem, why, files, texts);
  }

  std::vector<HandInOfClass> hand_ins;
  std::vector<std::string> faults;
  std::string help;
  for (const TextsOfPerson::Text& one : texts.texts) {
    Diagnostics found = one.faults;
    bool is_read = false;
    if (found.empty()) {
      Faults unknown;
      Result<Answers> answers = read_answers_of(one.file, one.text, "", problem->known, &unknown);
      found = answers ? unknown.take() : answers.faults();
      is_read = bool(answers);
      if (answers) add_answers(std::move(answers.value()), one.file, hand_ins);
      if (found.empty()) continue;
    }
    refused_.emplace_back(found, one.text, one.file);
    const std::string told =
        is_read ? told_unknown_steps(found, one.text, one.file) : told_fault(found, one.text, one.file);
    const std::string called = fs::path(one.file).filename().string();
    faults.push_back(files.files.size() == 1 ? told : called + ": " + told);
    if (help.empty() && !is_read) help = found.front().help.text();
  }
  if (hand_ins.empty()) {
    auto failure = failed(GradedHandIn::What::unreadable, listed(faults), files, texts);
    failure.front().graded.help = help;
    return failure;
  }
  for (HandInOfClass& one : hand_ins) {
    one.problem = problem;
    one.graded.problem = file;
    name(one, texts);
    if (!owner.empty()) one.graded.remarks.push_back(language().grades.of_anothers_problem(shown(owner)));
    one.graded.unread = faults;
    for (const std::string& fault : faults) one.graded.remarks.push_back(language().grades.part_not_read(fault));
  }
  return hand_ins;
}

void Grading::keep(HandInOfClass hand_in, const std::function<void(const HandInOfClass&)>& tell) {
  GradedHandIn& graded = hand_in.graded;
  if (hand_in.report) {
    const Report& report = *hand_in.report;
    graded.verdict = report.verdict;
    graded.first_wrong = report.first_wrong;
    graded.findings = findings_of(report);
    graded.grade = Grader(scheme_, hand_in.problem->trace).grade(report);
    const auto lacks_some = [](const StepGrade& step) { return step.missing > 0; };
    if (graded.verdict == Verdict::right && std::ranges::any_of(graded.grade.steps, lacks_some))
      graded.verdict = Verdict::incomplete;
    const auto has_other_shape = [](const MarkedStep& step) { return !step.given_shape.empty(); };
    if (!report.steps.empty() && std::ranges::all_of(report.steps, has_other_shape))
      graded.remarks.push_back(language().grades.of_other_shape);
    if (begins_mostly_wrong(report)) {
      const std::string whose = problems_.whose_numbers(*hand_in.answers, *hand_in.problem);
      graded.remarks.push_back(whose.empty() ? language().grades.mostly_wrong.text()
                                             : language().grades.numbers_of(shown(whose)));
    }
    class_.summary.add(report, graded.grade, hand_in.problem->trace);
  }
  tell(hand_in);
  class_.hand_ins.push_back(std::move(graded));
}

void Grading::grade(const std::vector<FilesOfPerson>& all, std::size_t threads,
                    const std::function<void(const HandInOfClass&)>& tell) {
  Threads workers(std::min(threads, all.size()));
  Progress progress("grading", all.size() > hand_ins_at_a_time);
  for (std::size_t next = 0; next < all.size();) {
    std::vector<HandInOfClass> some;
    for (; next < all.size() && some.size() < hand_ins_at_a_time; ++next)
      std::ranges::move(read(all[next]), std::back_inserter(some));
    workers.each(some.size(), [&](std::size_t i) {
      if (some[i].answers) some[i].report = some[i].problem->checker.mark(*some[i].answers);
    });
    for (HandInOfClass& one : some) keep(std::move(one), tell);
    progress.now(fmt::format("grading, {} of {} done", next, all.size()));
  }
}

// As in the list; who is not in it comes last.
void Grading::put_in_order() {
  if (!roster_) return;
  std::vector<std::vector<GradedHandIn>> by_rank(roster_->people.size() + 1);
  for (GradedHandIn& one : class_.hand_ins) {
    const auto found = people_.find(person_key(one.name));
    by_rank[found == people_.end() ? roster_->people.size() : found->second].push_back(std::move(one));
  }
  class_.hand_ins.clear();
  for (std::vector<GradedHandIn>& of_rank : by_rank) std::ranges::move(of_rank, std::back_inserter(class_.hand_ins));
}

// Says of each hand-in which others there are of the same person.
void Grading::tell_of_several(const std::map<std::string, std::vector<std::size_t>>& places) {
  for (const auto& [person, own] : places) {
    if (person.empty() || own.size() < 2) continue;
    for (const std::size_t i : own) {
      std::vector<std::string> files;
      for (std::size_t at = 0; at < own.size() && files.size() <= most_told; ++at) {
        if (own[at] != i) files.push_back(listed(class_.hand_ins[own[at]].files));
      }
      if (files.size() > most_told) files.back() = "…";
      class_.hand_ins[i].remarks.push_back(language().grades.also_handed_in(listed(files)));
    }
  }
}

GradedHandIn Grading::nothing_of(const std::string& name) {
  GradedHandIn none{.what = GradedHandIn::What::nothing, .name = name};
  std::string why;
  const auto at = problems_.find("", {name}, why);
  if (!at || problems_.entry(*at).statement.empty()) return none;
  none.problem = problems_.entry(*at).file;
  if (const auto problem = ready(*at)) {
    none.grade = Grader(scheme_, problem->trace).nothing();
  } else {
    none.remarks.push_back(language().grades.problem_not_read(none.problem));
  }
  return none;
}

GradedClass Grading::finished() {
  class_.scheme = scheme_;
  if (problems_.count() == 1) class_.title = problems_.ready(0)->trace.title;
  std::map<std::string, std::vector<std::size_t>> places;  // of each person's hand-ins
  for (std::size_t i = 0; i < class_.hand_ins.size(); ++i) places[person_key(class_.hand_ins[i].name)].push_back(i);
  tell_of_several(places);
  for (std::size_t i = 0; roster_ && i < roster_->people.size(); ++i) {
    const std::string& name = roster_->people[i].name;
    if (!places.contains(person_key(name))) class_.hand_ins.push_back(nothing_of(name));
  }
  put_in_order();
  return std::move(class_);
}

}  // namespace attn
