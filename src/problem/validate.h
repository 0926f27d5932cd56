#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "problem/problem.h"
#include "problem/statement.h"

namespace attn {

// Whether numbers of other files are read only when somebody asks for them: where
// there are many, that they have room is not yet all that can be refused.
struct LateReading {
  // Of those numbers; fewer are read at once.
  std::size_t least_bytes = 0;

  // Throws what a file is at fault for then. Without it all are read at once.
  std::function<void(const Diagnostics&)> refuse = nullptr;
};

// The problem that a statement asks for, every shape of it known to fit; or all
// that keeps its parts from fitting together. Parts that are faulty in
// themselves are passed over: with one of them there may be no problem and no
// fault either, and the list is empty.
//
// Numbers that are only described, random ones, those of other files, and
// padding, may take no more than `max_bytes`. Those of other files are read once
// all fits, or as `late` says; random ones are drawn when they are asked for.
Result<Problem> validated(Statement statement, const Catalog& catalog, std::size_t max_bytes,
                          TensorLoader load = nullptr, const LateReading& late = {});

}  // namespace attn
