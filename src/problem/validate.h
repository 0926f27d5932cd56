#pragma once

#include "base/result.h"
#include "problem/problem.h"
#include "problem/statement.h"

namespace attn {

// The problem that a statement asks for, every shape of it known to fit; or all
// that keeps its parts from fitting together. Parts that are faulty in
// themselves are passed over: with one of them there may be no problem and no
// fault either, and the list is empty.
//
// Numbers that are only described, random ones, those of other files, and
// padding, may take no more than `max_bytes`. Those of other files are read once
// all fits; random ones are drawn later still, when they are asked for.
Result<Problem> validated(Statement statement, const Catalog& catalog, std::size_t max_bytes,
                          TensorLoader load = nullptr);

}  // namespace attn
