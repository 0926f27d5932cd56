#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace attn {

// What a step, or a given tensor, is called: by its id, or as formulas name it.
struct StepName {
  std::string id;      // "scaled_scores"
  std::string symbol;  // "S′"
};

// The names of the steps that people are shown, in order.
std::vector<StepName> step_names(const Recipe& recipe);
std::vector<StepName> step_names(const Trace& trace);

// The same of what a trace has that is no step.
std::vector<StepName> given_names(const Trace& trace);

// The ids of those that have this symbol; a prime may be typed as an apostrophe.
std::vector<std::string> with_symbol(std::string_view typed, std::span<const StepName> names);

// A name as ids are spelled: "Attention weights" is attention_weights.
std::string as_step_id(std::string_view name);

// The ids of those that somebody means by a name: the one with this id; else
// those with this symbol; else those with it in other letters; else the one whose
// id it is but for case and blanks. None where nothing
// is called so, several where it could be each of them.
std::vector<std::string> steps_called(std::string_view typed, std::span<const StepName> names);

// Whether a pattern is like the whole text: * stands for any characters, ? for one.
bool is_like(std::string_view text, std::string_view pattern);

// Whether somebody may mean several by it: "*weights" and "score?".
bool is_step_pattern(std::string_view typed);

// The ids of those whose id or symbol is like the pattern, in order.
std::vector<std::string> steps_like(std::string_view pattern, std::span<const StepName> names);

}  // namespace attn
