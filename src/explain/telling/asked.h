#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace attn {

// One index as it was typed: a number from 1, or the label of a position.
struct IndexWord {
  std::string text;
  bool quoted = false;  // a label, whatever it looks like
};

// What somebody typed to ask about a step, or one number of it.
struct Question {
  std::string typed;
  std::string id;
  std::optional<std::vector<IndexWord>> indices;  // none: the whole step
};

// Reads "scores[1,2]", "scores[it,dog]", "scores['a, b',2]", "scores". A label
// may hold brackets that match, and anything in quotes; a backslash there stands
// before a quote or a backslash that is part of it.
Result<Question> read_question(std::string_view text);

// A step or a given tensor of a trace, and a place in its row-major numbers.
struct Asked {
  std::string id;
  std::optional<std::size_t> cell;  // none: all of it
};

// What of the trace the question is about, or the one reason why there is no such number.
Result<Asked> find_asked(const Trace& trace, const Question& question);

}  // namespace attn
