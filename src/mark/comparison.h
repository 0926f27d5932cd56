#pragma once

#include <vector>

#include "base/rounding.h"
#include "mark/allowance.h"
#include "mark/sheet.h"
#include "trace/recipe.h"

namespace attn {

// Whether a person may stop before −∞: e^x is nothing either way.
inline bool stands_for_closed(double written) { return written <= -1e4; }

// One step that was handed in beside what a computation makes of it.
template <class Number>
struct Comparand {
  const HandedStep& step;
  const Tensor<Number>& computed;
  const Tensor<double>* open;              // the mask, or null
  Axis sums;                               // the axis along which weights keep their sum
  const Tensor<Number>* maxima = nullptr;  // of exponentials: what was subtracted, a row a number
  bool any_factor = true;                  // or only those of people who subtract nothing, or the largest of all scores
};

// Of each cell whether what was written could stand for what was computed; true
// where nothing was. A row of exponentials may stand multiplied by one positive
// number, where factors are allowed: people do not subtract the maximum, or another number.
template <class Number>
std::vector<bool> matched_cells(const Comparand<Number>& compared, RoundingMode writing, const MarkingRule& rule,
                                bool with_factors = true);

// Whether the step was handed in in that shape.
bool fits(const HandedStep& step, const Shape& shape);

// Whether only the numbers 0, or an identity, were written: nothing that follows
// from them can fail to follow.
bool makes_the_rest_free(const HandedStep& step);

// What is carried on of a written number: a large negative one stands for −∞.
double carried_number(const HandedCell& cell, double computed);

// The axis along which what the instruction makes should add up to 1: the keys,
// unless a softmax was taken along something else.
Axis sum_axis(const Instruction& instruction, const Shape& shape);

}  // namespace attn
