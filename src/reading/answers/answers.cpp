#include "reading/answers/answers.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "reading/answers/cells.h"
#include "reading/problem/known_keys.h"

namespace attn {
namespace {

constexpr std::string_view schema = "attn/answers/1";

constexpr const char* known_here =
    "known here: schema, title, name, problem, notes, steps; a key of your own begins with x-";
constexpr const char* how_to_write_steps = R"(write {"steps": {"scores": [[2, 4], [4, null]]}})";

class AnswersReader {
 public:
  // `unknown` takes the steps that nobody knows; the same as `faults` where those are faults.
  AnswersReader(std::string_view text, const KnownSteps& known, Faults& faults, Faults& unknown)
      : text_(text), known_(known), faults_(faults), unknown_(unknown), cells_(text, faults) {}

  Answers read(const JsonValue& root) {
    const auto object = root.object();
    if (!object) {
      faults_.add("wrong-kind", "", at(root.spelling()),
                  "answers are an object, { … }; this is " + answer_in_words(root), how_to_write_steps);
      return {};
    }
    bool has_steps = false;
    for (const JsonMember& member : object->members) {
      if (member.key() == "steps" && !not_answers_) {
        has_steps = true;
        read_steps(member.value);
      } else if (member.key() == "schema") {
        check_schema(member.value);
      } else if (member.key() == "name") {
        answers_.name = member.value.text().value_or("");
      } else if (member.key() == "problem") {
        answers_.problem = member.value.text().value_or("");
      } else if (!is_free(member.key()) && member.key() != "steps") {
        unknown_key(member);
      }
    }
    if (!has_steps && !faults_.any()) {
      faults_.add("missing-member", "", at(root.spelling()), "there is no \"steps\"", how_to_write_steps);
    }
    return std::move(answers_);
  }

 private:
  static bool is_free(std::string_view key) {
    return is_free_key(key) || key == "$schema" || key == "title" || key == "notes";
  }

  TextRange at(std::string_view piece) const { return place_in(text_, piece); }

  void check_schema(const JsonValue& value) {
    const std::string name = value.text().value_or("");
    if (name == schema) return;
    const auto refuse = [&](std::string message, Help help) {
      faults_.add("not-answers", "/schema", at(value.spelling()), std::move(message), std::move(help));
    };
    not_answers_ = name.starts_with("attn/trace/") || name.starts_with("attn/report/");
    if (name.starts_with("attn/trace/")) {
      refuse("this is a trace: what the program computed, not what a person wrote",
             "attn schema answers says what answers look like");
    } else if (name.starts_with("attn/report/")) {
      refuse("this is a report on answers, not the answers", "give the file that was marked");
    } else {
      refuse("the schema is not \"" + std::string(schema) + "\"", "leave it out, or write it so");
    }
  }

  void unknown_key(const JsonMember& member) {
    if (not_answers_) return;
    if (faults_.are_enough()) return static_cast<void>(faults_.count_one_more());
    const std::string key = member.key();
    const std::string where = pointer("", key);
    const bool of_problem = key == "inputs" || key == "weights" || key == "tokens" || key == "embeddings";
    const bool of_trace = key == "statement" || key == "arithmetic" || key == "labels" || key == "backend";
    not_answers_ = of_problem || of_trace;
    if (not_answers_) {
      faults_.add(
          "not-answers", where, at(member.key_spelling),
          shown(where) + " is a key of a " + (of_problem ? "problem" : "trace") + ", and this is read as answers",
          of_problem ? "the problem comes first: attn check PROBLEM ANSWERS"
                     : "attn schema answers says what answers look like");
      return;
    }
    const std::vector<std::string> keys = {"schema", "title", "name", "problem", "notes", "steps"};
    const auto near = closest(key, keys);
    const bool is_step = !known_.called(key).empty();
    const auto step = is_step ? std::optional(key) : near ? std::nullopt : known_.meant_by(key);
    faults_.add("unknown-key", where, at(member.key_spelling), shown(where) + " is not a key that answers have",
                step   ? "did you mean /steps/" + *step + "?"
                : near ? "did you mean /" + *near + "?"
                       : known_here);
  }

  void read_steps(const JsonValue& value) {
    const auto object = value.object();
    if (!object) {
      faults_.add("wrong-kind", "/steps", at(value.spelling()),
                  "/steps is " + answer_in_words(value) + "; an object is wanted", how_to_write_steps);
      return;
    }
    for (const JsonMember& member : object->members) read_step(member);
    if (object->members.empty()) {
      faults_.add("no-steps", "/steps", at(value.spelling()), "/steps is empty: there is nothing to check",
                  how_to_write_steps);
    }
  }

  void read_step(const JsonMember& member) {
    const std::string where = pointer("/steps", member.key());
    AnsweredStep step;
    const KnownSteps::Ids ids = known_.called(member.key());
    step.id = ids.size() == 1 ? ids.front() : member.key();
    const bool given_already = !given_.insert(step.id).second;
    if (ids.size() > 1) {
      faults_.add("ambiguous-step", where, at(member.key_spelling), symbol_of_several(member.key(), ids), write_the_id);
    } else if (ids.empty()) {
      unknown_.add([&] {
        return Diagnostic{.code = "unknown-step",
                          .where = where,
                          .message = shown(where) + " is not a step that is known",
                          .help = help_for_step(member.key(), known_),
                          .range = at(member.key_spelling)};
      });
      if (&unknown_ != &faults_) return;
    } else if (given_already) {
      faults_.add("duplicate-step", where, at(member.key_spelling),
                  shown(where) + " is " + step.id + ", which is given already", "keep one of the two");
    }
    cells_.read(step, member.value, where);
    answers_.steps.push_back(std::move(step));
  }

  std::string_view text_;
  const KnownSteps& known_;
  Faults& faults_;
  Faults& unknown_;
  CellsReader cells_;
  Answers answers_;
  std::set<std::string> given_;  // ids of steps
  bool not_answers_ = false;     // but another kind of file: one fault says it all
};

// The faults of a JSON text, whose words stand for other things elsewhere.
Diagnostics said_of_answers(Diagnostics faults, std::string_view text) {
  for (Diagnostic& fault : faults) {
    const std::string_view word = fault.range ? spelled(text, *fault.range) : "";  // an empty file has no place
    if (is_nan(word)) fault.help = how_to_answer_nan;
    if (word == "None") fault.help = "write null for a blank";
  }
  return faults;
}

}  // namespace

Result<Answers> read_answers(std::string_view text, const KnownSteps& known, Faults* unknown) {
  const Result<ParsedJson> parsed = parse_json(text);
  if (!parsed) return said_of_answers(parsed.faults(), text);

  Faults faults;
  Answers answers = AnswersReader(text, known, faults, unknown ? *unknown : faults).read(parsed.value().root);
  Diagnostics all = said_of_answers(parsed.value().faults, text);
  std::ranges::move(faults.take(), std::back_inserter(all));
  if (!all.empty()) return all;
  return answers;
}

}  // namespace attn
