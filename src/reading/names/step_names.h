#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace attn {

// A name of a step in small letters, without signs: "Q·Kᵀ" is "qk".
std::string plain_step_name(std::string_view name);

// The step that people and textbooks call by another name: "Q", "softmax";
// case and signs do not count. Nothing where none is called so.
std::optional<std::string> alias_of_step(std::string_view name);

// The steps that answers and files of tensors may name.
class KnownSteps {
 public:
  using Ids = std::vector<std::string>;

  // `own` are those of the problem at hand, `possible` lists all that there can be:
  // it is asked only for a name that is none of the first. "result" stands for the
  // last of `own`.
  KnownSteps(Ids own, const Ids& (*possible)()) : own_(std::move(own)), possible_(possible) {}

  bool has(std::string_view id) const;

  // Empty where "result" stands for no step.
  std::string result() const { return own_.empty() ? std::string() : own_.back(); }

  // The one that somebody most likely means by another name: "Q", "softmax",
  // "attention-weight". Nothing where none is near.
  std::optional<std::string> meant_by(std::string_view name) const;

 private:
  Ids own_;
  const Ids& (*possible_)();
};

// What to do where answers name a step that is not known.
std::string help_for_step(std::string_view name, const KnownSteps& known);

// The id of the step that a file's name or an option names.
Result<std::string> named_step(std::string_view name, const KnownSteps& known);

}  // namespace attn
