#pragma once

#include <string>

#include "problem/problem.h"
#include "trace/anatomy.h"

namespace attn {

// What is what in an attention whose part has that prefix: the one place where
// the ids under which model/ records are put together for others.
Anatomy attention_anatomy(const std::string& prefix, const Inputs& inputs);

}  // namespace attn
