#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tensor/shape.h"
#include "trace/step_name.h"

namespace attn {

// A name of a step in small letters, without signs: "Q·Kᵀ" is "qk".
std::string plain_step_name(std::string_view name);

// The step that people and textbooks call by another name: "Q", "softmax";
// case and signs do not count. Nothing where none is called so.
std::optional<std::string> alias_of_step(std::string_view name);

// Names that mean the same, as plain_step_name() has them, a blank between each: "q query" is
// "queries". Both outlive what is made of them.
struct Synonyms {
  std::string_view names, meaning;
};

// What each name means: where several rows have it, what the first of them says.
using Meanings = std::unordered_map<std::string_view, std::string_view>;
Meanings meanings(std::span<const Synonyms> rows);

// The id of a step for each of the names that people and textbooks have for it.
const Meanings& step_aliases();

// The steps that answers and files of tensors may name.
class KnownSteps {
 public:
  using Ids = std::vector<std::string>;

  // `own` are those of the problem at hand, `possible` lists all that there can be:
  // it is asked only for a name that is none of the first. "result" stands for the
  // last of `own`.
  KnownSteps(Ids own, const Ids& (*possible)())
      : own_(std::move(own)), own_by_name_(own_.begin(), own_.end()), possible_(possible) {}

  // The same of a recipe, whose steps are known by their symbols and their shapes, too.
  static KnownSteps of(const Recipe& recipe, const Ids& (*possible)());

  bool has(std::string_view id) const;

  // The ids of the steps that a name means: an id, in any case and with blanks for
  // underscores, "result", or a symbol of the problem at hand. None where nothing is
  // called so, several where it could be each.
  Ids called(std::string_view name) const;

  // The same of ids and symbols as they are spelled, in their own case.
  Ids called_exactly(std::string_view name) const;

  // The shape of a step of the problem at hand; null of any other.
  const Shape* shape(std::string_view id) const;

  // How many numbers the steps of the problem at hand have in all; nothing where their shapes are not known.
  std::optional<std::size_t> numbers() const;

  // The one that somebody most likely means by another name: "Q", "softmax",
  // "attention-weight". Nothing where none is near.
  std::optional<std::string> meant_by(std::string_view name) const;

 private:
  Ids own_;
  std::set<std::string, std::less<>> own_by_name_;
  std::vector<StepName> names_ = {};  // of those, where their symbols are known
  std::map<std::string, Shape, std::less<>> shapes_ = {};
  Ids attentions_ = {};  // the prefixes of their ids, where it is a block
  const Ids& (*possible_)();
};

// What is wrong with a name that several steps have, and what to do about it.
std::string symbol_of_several(std::string_view name, const KnownSteps::Ids& ids);
constexpr const char* write_the_id = "write the id of one";

// What to do where answers name a step that is not known.
std::string help_for_step(std::string_view name, const KnownSteps& known);

// The fault of a table or a text that names one at a place.
Diagnostic unknown_step(std::string_view name, TextRange place, const KnownSteps& known);

// What the name of a file of answers says, without its ending: "anna_scores" is of
// anna, and of the scores. All of it is a person's where it names no step.
struct FileOfAnswers {
  std::string person;
  std::string step = {};  // id
};

// A table may name its step by the symbol as well, or as people call it: those need
// not say it themselves.
FileOfAnswers file_of_answers(std::string_view stem, bool is_table, const KnownSteps& known);

// The id of the step that an option names.
Result<std::string> named_step(std::string_view name, const KnownSteps& known);

}  // namespace attn
