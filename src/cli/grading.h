#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/class_files.h"
#include "cli/console.h"
#include "cli/problem_file.h"
#include "mark/answers.h"
#include "mark/check.h"
#include "mark/graded_class.h"
#include "mark/scheme.h"
#include "reading/names/step_names.h"
#include "reading/roster.h"
#include "trace/trace.h"

namespace attn {

// A problem as it takes to mark hand-ins to it.
struct ReadyProblem {
  ReadyProblem(KnownSteps steps, Trace computed, MarkingRule rule)
      : known(std::move(steps)), trace(std::move(computed)), checker(trace, rule) {}

  KnownSteps known;
  Trace trace;
  Checker checker;
};

// The problems that a class may have worked on: one, or one a person. Of many it knows what
// they are called, and computes one when somebody has handed something in for it.
class ProblemsOfClass {
 public:
  // Opens a problem, or the .json files of a folder that are problems; what is wrong with one
  // of several is in `refused` afterwards. Refuses what has no problem.
  ProblemsOfClass(const std::string& word, const ComputeOptions& computing);

  struct Entry {
    std::string file, name;      // as the problem says, "x-for", else as its file is called
    bool is_for_person = false;  // it says so itself
    std::string statement = {};  // empty where it cannot be read
  };

  // The problem that a hand-in belongs to: of that statement, else the only one, else of the first
  // of these names that there is. Nothing where it belongs to none; `why` then says so.
  std::optional<std::size_t> find(const std::string& statement, const std::vector<std::string>& names,
                                  std::string& why) const;

  const Entry& entry(std::size_t at) const { return entries_[at]; }
  std::size_t count() const { return entries_.size(); }
  const std::vector<std::string>& steps() const { return steps_; }  // of all of them, each once
  const std::vector<Refusal>& refused() const { return refused_; }

  // Sees to it that the steps a scheme gives points to are computed, however large.
  void keep(std::vector<std::string> ids) {
    kept_ = std::move(ids);
    ready_.clear();
  }

  // Refuses one that takes too much to compute.
  std::shared_ptr<const ReadyProblem> ready(std::size_t at);

  // The names of the first one's steps, which files of answers and schemes are read by. One that is alone is computed.
  KnownSteps known();

  // Of whose problem the first steps are that are wrong for one's own; empty where they are of none.
  std::string whose_numbers(const Answers& answers, const ReadyProblem& own);

 private:
  void add(const std::string& file, bool is_only);
  std::size_t first() const;  // that can be read
  Problem opened(const std::string& file) const;

  const ComputeOptions& computing_;
  std::vector<Entry> entries_;
  std::multimap<std::string, std::size_t> by_statement_, by_name_;  // places of entries
  std::vector<std::string> steps_, kept_;
  std::vector<Refusal> refused_;
  std::map<std::size_t, std::shared_ptr<const ReadyProblem>> ready_;  // the last few
  std::string text_of_input_;                                         // where the problem is "-"
};

// A hand-in on its way through: read, marked, graded.
struct HandInOfClass {
  GradedHandIn graded;
  std::shared_ptr<const ReadyProblem> problem = nullptr;
  std::optional<Answers> answers = {};
  std::optional<Report> report = {};
};

// Grades a class, a few hand-ins at a time: what `tell` has heard of one is forgotten but for
// its grade.
class Grading {
 public:
  Grading(ProblemsOfClass& problems, const Scheme& scheme, const Roster* roster)
      : problems_(problems), scheme_(scheme), roster_(roster) {
    for (std::size_t i = 0; roster && i < roster->people.size(); ++i) {
      people_.emplace(person_key(roster->people[i].name), i);
      alike_people_.emplace(loose_person_key(roster->people[i].name), i);
    }
  }

  void grade(const std::vector<FilesOfPerson>& all, std::size_t threads,
             const std::function<void(const HandInOfClass&)>& tell);

  // Once all are graded: those of the list that handed in nothing, and who handed in twice.
  GradedClass finished();

  // What is wrong with files, to be said.
  const std::vector<Refusal>& refused() const { return refused_; }

 private:
  struct TextsOfPerson;
  static TextsOfPerson texts_of(const FilesOfPerson& files);
  std::shared_ptr<const ReadyProblem> problem_of(const TextsOfPerson& texts, std::string& file, std::string& owner,
                                                 std::string& why);
  std::vector<HandInOfClass> failed(GradedHandIn::What what, const std::string& why, const FilesOfPerson& files,
                                    const TextsOfPerson& texts) const;
  std::vector<HandInOfClass> read(const FilesOfPerson& files);
  void name(HandInOfClass& hand_in, const TextsOfPerson& texts) const;
  const Roster::Person* person_of(const std::vector<std::string>& names) const;
  std::shared_ptr<const ReadyProblem> ready(std::size_t at);
  GradedHandIn nothing_of(const std::string& name);
  void tell_of_several(const std::map<std::string, std::vector<std::size_t>>& places);
  void put_in_order();
  void keep(HandInOfClass hand_in, const std::function<void(const HandInOfClass&)>& tell);

  ProblemsOfClass& problems_;
  const Scheme& scheme_;
  const Roster* roster_;
  std::map<std::string, std::size_t> people_;             // of the list, by person_key()
  std::multimap<std::string, std::size_t> alike_people_;  // the same by loose_person_key()
  GradedClass class_;
  std::vector<Refusal> refused_;
  std::set<std::size_t> unready_;  // problems that this was said of
};

}  // namespace attn
