#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace attn {

// A name of a step in small letters, without signs: "Q·Kᵀ" is "qk".
std::string plain_step_name(std::string_view name);

// The step that people and textbooks call by another name: "Q", "softmax";
// case and signs do not count. Nothing where none is called so.
std::optional<std::string> alias_of_step(std::string_view name);

// The one of the known ids that somebody most likely means by another name:
// "Q", "softmax", "attention-weight". Nothing where none is near.
std::optional<std::string> meant_step(std::string_view name, std::span<const std::string> known);

// The steps that answers may name.
struct KnownSteps {
  std::span<const std::string> ids;
  std::string result = {};  // the id that "result" stands for; empty where it stands for none
};

// What to do where answers name a step that is not known.
std::string help_for_step(std::string_view name, const KnownSteps& known);

// The id of the step that a file's name or an option names.
Result<std::string> named_step(std::string_view name, const KnownSteps& known);

}  // namespace attn
