#pragma once

#include <string>
#include <vector>

#include "mark/follow.h"

namespace attn {

// "scaled scores": a step's id as words.
std::string in_words(const std::string& step);

// What speaks for a mistake, in numbers: that every number written for a step
// is √3 times what it should be, or how many numbers follow from the mistake and
// how many do without it. Never the right number of any cell.
//
// `right` is what the right computation makes of the person's numbers, `matched`
// which cells it explains, `explained` which the mistake does.
std::string evidence_for(const HandedStep& step, const Tensor<double>& right, const std::vector<bool>& matched,
                         const std::vector<bool>& explained, Habit habit, const MarkingRule& rule);

// What no attention weights can be: a number below zero, a row that adds up to
// something else than 1. Empty where nothing speaks against them.
std::string impossible_weights(const HandedStep& step);

// What no context can be: a number outside the column of values that it is a
// weighted mean of. `shape` is the context's, `values` what the person works with.
std::string impossible_context(const HandedStep& step, const Shape& shape, const Tensor<double>& values);

}  // namespace attn
