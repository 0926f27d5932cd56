#pragma once

#include <cstddef>

#include "base/rounding.h"
#include "ops/op.h"
#include "tensor/tensor.h"

namespace attn {

// Whether a person who rounds every step rounds what this operation makes.
bool is_rounded_by_hand(const Op& op, std::size_t operands);

// Rounds weights so that every row along `over` keeps its sum; `open`, where not null,
// is their mask.
void round_keeping_sums(Tensor<double>& weights, const Axis& over, const Tensor<double>* open, HandRounding rounding);

// Rounds the result of a step as a person does who writes every step with so
// many decimals and carries on with what is written.
//
// What only regroups or closes numbers is not computed, and so not rounded; nor
// are the inner lines of softmax, which is one step. With keep_sum a row of
// attention weights keeps its sum. `open`, where not null, is the mask in the
// shape of `result`; `operands` is how many the operation had.
void round_by_hand(const Op& op, std::size_t operands, HandRounding rounding, const Tensor<double>* open,
                   Tensor<double>& result);

}  // namespace attn
