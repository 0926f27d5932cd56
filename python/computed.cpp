#include "computed.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "backend/backends.h"
#include "base/sink.h"
#include "base/suggest.h"
#include "base/text.h"
#include "compare/difference.h"
#include "explain/reports/differences.h"
#include "explain/reports/verdict.h"
#include "explain/telling/asked.h"
#include "exports/export.h"
#include "exports/json.h"
#include "formats/format.h"
#include "mark/check.h"
#include "model/attention.h"
#include "model/computation.h"
#include "model/possible_steps.h"
#include "reading/answers/file.h"
#include "reading/names/dump.h"
#include "reading/problem/differing_keys.h"
#include "reading/trace.h"
#include "trace/step_name.h"

namespace attn::python {
namespace {

template <class Rows>
std::vector<std::string> names_in(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

std::invalid_argument unknown_name(const std::string& what, const std::string& typed,
                                   const std::vector<std::string>& known) {
  return std::invalid_argument("no " + what + " is called `" + printable(typed) + "`" + did_you_mean(typed, known) +
                               "\n  help: there are " + listed(known));
}

std::unique_ptr<Backend> backend_for(const Computing& computing) {
  const auto row = std::ranges::find(backends(), computing.backend, &BackendRow::name);
  if (row == backends().end()) throw unknown_name("backend", computing.backend, names_in(backends()));
  Result<std::unique_ptr<Backend>> made = row->make(computing.threads);
  if (!made) throw std::runtime_error(sentence(made.faults().front()));
  return std::move(made.value());
}

Trace worked_out(Computation& computation, const Computing& computing) {
  const std::unique_ptr<Backend> backend = backend_for(computing);
  const Watcher watcher{.computes_step = [&](std::string_view) { computing.before_step(); }};
  auto made = computation.run(*backend, false, computing.max_bytes, watcher);
  if (auto* trace = std::get_if<Trace>(&made)) return std::move(*trace);
  throw NoRoom("the steps of this problem take " + std::to_string(std::get<TooLarge>(made).needed) +
               " bytes, and max_memory is " + std::to_string(computing.max_bytes));
}

// The ids that names mean; what means no step stays as it is.
std::vector<std::string> ids_of(const std::vector<std::string>& names, const std::vector<StepName>& known) {
  std::vector<std::string> ids;
  for (const std::string& name : names) {
    const std::vector<std::string> called = steps_called(name, known);
    ids.insert(ids.end(), called.begin(), called.end());
  }
  return ids;
}

Reveal reveal_named(const std::string& name) {
  constexpr std::array<std::string_view, 4> names = {"none", "cell", "hint", "value"};
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw unknown_name("reveal", name, {names.begin(), names.end()});
  return Reveal(found - names.begin());
}

ComparedSide checked(Result<ComparedSide> side, std::string_view text, const std::string& file) {
  if (!side) throw Faulty(side.faults(), text, file);
  return std::move(side.value());
}

// The other side, read as what it is.
struct ReadOther {
  const GivenProblem& ours;
  std::size_t max_bytes;

  Subject operator()(const std::vector<FileTensor>& arrays) const {
    return {{"B", "a dict", ComparedFile::Kind::dump, ""}, foreign_side(arrays, known())};
  }
  Subject operator()(const TensorPath& file) const {
    ComparedSide side = checked(read_dump(file.path, max_bytes, known()), "", file.path);
    const auto kind = side.is_foreign ? ComparedFile::Kind::dump : ComparedFile::Kind::trace;
    return {{"B", file.path, kind, ""}, std::move(side)};
  }
  Subject operator()(const TraceText& file) const {
    return {{"B", file.name, ComparedFile::Kind::trace, ""},
            checked(read_stored_side(file.text), file.text, file.name)};
  }
  // What two problems differ in is known where both have a text.
  Subject operator()(const std::shared_ptr<const Computed>& other) const {
    const bool have_texts = !ours.text.empty() && !other->given->text.empty();
    const auto kind = have_texts ? ComparedFile::Kind::problem : ComparedFile::Kind::trace;
    return {{"B", other->given->name, kind, ""}, side_of(other->trace), &other->trace};
  }

  static KnownSteps known() { return KnownSteps({}, possible_steps); }
};

}  // namespace

std::string Computed::id_of(const std::string& name) const {
  if (name == "result") return trace.result;
  const std::vector<StepName> names = step_names(trace);
  const std::vector<std::string> called = steps_called(name, names);
  if (called.size() == 1) return called.front();
  if (!called.empty()) {
    throw NoSuchStep("`" + printable(name) + "` is the symbol of several steps: " + listed(called));
  }
  std::vector<std::string> ids;
  for (const StepName& one : names) ids.push_back(one.id);
  throw NoSuchStep("this problem has no step `" + printable(name) + "`" + did_you_mean(name, ids) + "; its steps are " +
                   listed(ids));
}

bool Computed::holds(const std::vector<std::string>& kept, bool whole) const {
  const Recipe all = Computation(given->problem).whole();
  return std::ranges::all_of(whole ? all.steps() : ids_of(kept, step_names(all)),
                             [&](const std::string& id) { return trace.find(id); });
}

std::shared_ptr<const Computed> computed(std::shared_ptr<const GivenProblem> given, const Computing& computing,
                                         const std::vector<std::string>& kept, bool whole) {
  Computation computation(given->problem);
  if (whole) {
    computation.keep_all();
  } else if (!kept.empty()) {
    computation.keep(ids_of(kept, step_names(computation.whole())));
  }
  Trace trace = worked_out(computation, computing);
  return std::make_shared<const Computed>(Computed{std::move(given), std::move(trace)});
}

bool is_for_people(const std::string& format) {
  if (std::ranges::find(formats(), format, &Format::name) != formats().end()) return true;
  if (std::ranges::find(exports(), format, &Export::name) != exports().end()) return false;
  std::vector<std::string> names = names_in(formats());
  for (const Export& one : exports()) names.push_back(one.name);
  throw unknown_name("format", format, names);
}

std::string told_in(const Document& document, const std::string& format, const Looks& looks) {
  const auto found = std::ranges::find(formats(), format, &Format::name);
  if (found == formats().end()) throw unknown_name("format", format, names_in(formats()));
  FormatOptions options;
  options.width = looks.width;
  options.ascii = looks.ascii;
  options.full = looks.full;
  return written(*found, document, options);
}

Exported exported(const Trace& trace, const std::string& format) {
  const auto found = std::ranges::find(exports(), format, &Export::name);
  if (found == exports().end()) throw unknown_name("format", format, names_in(exports()));
  StringSink sink;
  found->write(trace, sink);
  return {sink.take(), found->is_text};
}

Document reason(const Computed& computed, const std::string& question, const WhyOptions& options,
                std::size_t max_bytes) {
  const Result<Question> read = read_question(question);
  if (!read) throw std::invalid_argument(sentence(read.faults().front()));
  const Result<Asked> asked = find_asked(computed.trace, read.value());
  if (!asked) throw std::invalid_argument(sentence(asked.faults().front()));
  if (options.top && !has_terms(computed.trace, asked.value())) {
    throw std::invalid_argument("top is about the terms of sums, and " + asked.value().id + " is given");
  }
  auto document = why_within(max_bytes, computed.trace, asked.value(), options);
  if (!document) {
    throw NoRoom("what there is to say takes more than max_memory, " + spelled_size(max_bytes) +
                 "; ask for one number, for less by depth or top, or give a larger one");
  }
  return std::move(*document);
}

Told marked(const GivenProblem& given, const Computing& computing, const HandedAnswers& answers,
            const std::string& reveal, bool full) {
  const Reveal revealed = reveal_named(reveal);
  Problem problem = given.problem;
  MarkingRule rule;
  rule.problem_rounding = problem.take_hand_rounding();

  Computation computation(problem);
  const KnownSteps known = KnownSteps::of(computation.whole(), possible_steps);
  const Result<Answers> read = read_answers_of(answers.file, answers.text, answers.step, known);
  if (!read) {
    throw answers.is_file ? Faulty(read.faults(), answers.text, answers.file) : Faulty(read.faults());
  }
  std::vector<std::string> ids;
  for (const AnsweredStep& step : read.value().steps) ids.push_back(step.id);
  computation.keep(ids);
  const Trace trace = worked_out(computation, computing);
  const Report report = Checker(trace, rule).mark(read.value());
  const std::string& name = read.value().name;
  VerdictOptions telling;
  telling.reveal = revealed;
  telling.full = full;
  telling.name = name;
  telling.problem = "-";
  return {verdict(report, trace, telling), report_json(report, revealed, name)};
}

Told difference(const Computed& ours, const Other& theirs, std::optional<double> relative,
                std::optional<double> absolute, const std::vector<std::string>& only, std::size_t max_bytes) {
  Subject first{{"A", ours.given->name, ComparedFile::Kind::problem, ""}, side_of(ours.trace), &ours.trace};
  if (first.side.attentions.empty()) first.side.attentions = {attention_anatomy("")};
  Subject second = std::visit(ReadOther{*ours.given, max_bytes}, theirs);
  std::vector<std::string> ids;
  for (const Step& one : ours.trace.steps) ids.push_back(one.heading.id);
  mean_steps_of(ids, second.side);
  const std::vector<StepName> known = names_of_both(&ours.trace, first.side, second.side);
  std::vector<std::string> steps;
  for (const std::string& word : only) {
    const std::vector<std::string> like = is_step_pattern(word) ? steps_like(word, known) : steps_called(word, known);
    const bool is_certain = is_step_pattern(word) ? !like.empty() : like.size() == 1;
    if (is_certain) {
      steps.insert(steps.end(), like.begin(), like.end());
    } else {
      steps.push_back(ours.id_of(word));
    }
  }

  std::optional<Closeness> asked;
  if (relative || absolute) asked = Closeness{.absolute = absolute.value_or(0), .relative = relative.value_or(0)};
  DiffReport report = compared(std::move(first), second, asked, steps);
  if (report.sides.common.empty()) {
    const std::vector<std::string> names = names_in(second.side.steps);
    throw std::invalid_argument(second.file.file + " has none of the steps of " + ours.given->name +
                                "\n  help: it has " + (names.empty() ? "no tensors" : printable(listed(names))) +
                                "; the steps are " + listed(ids));
  }
  if (report.compares_nothing()) {
    throw std::invalid_argument("no step that only names is in both\n  help: both have " +
                                printable(listed(report.sides.common)));
  }
  if (report.second.kind == ComparedFile::Kind::problem) {
    report.keys = differing_keys(ours.given->text, std::get<std::shared_ptr<const Computed>>(theirs)->given->text);
  }
  return {told_difference(report), difference_json(report)};
}

}  // namespace attn::python
