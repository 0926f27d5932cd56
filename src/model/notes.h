#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace attn {

// What a person should know about the numbers of a trace: rows with nothing to
// attend to, and the first number from the scores on that is not finite although
// it is open.
std::vector<Note> notes_on_numbers(const Trace& trace);

// Bytes that these take, about, of rows and vectors however many.
std::size_t bytes_of_notes(const Trace& trace);

// Ids of what rows without open keys and vectors of length 0 are told from, where it is in the trace.
std::vector<StepId> read_by_notes(const Recipe& recipe);

// What is said of a row with every key closed, [batch?, head?, query], at that step.
Note closed_row_note(std::string step, std::vector<std::size_t> row);

}  // namespace attn
