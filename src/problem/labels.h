#pragma once

#include <cstddef>
#include <vector>

#include "problem/projections.h"
#include "problem/sources.h"

namespace attn {

// What marks a row of padding.
inline constexpr const char* padding_label = "·";

// Reports tokens that do not match the vectors they name, one by one.
void check_tokens(const Statement& statement, const Sources& sources, Faults& faults);

// The bytes of the tokens that name queries, and of those that name keys: their labels are copies.
std::size_t bytes_of_tokens(const Statement& statement);

// Fills the labels of queries and keys: tokens where they are given, else
// "Input 1", or "Query 1" and "Key 1" where the two are not the same. Cut to
// `limit`, padded to query_count and key_count, with "Past 1" before and
// "Appended 1" after the keys. REQUIRES: tokens were checked.
void set_labels(const Statement& statement, const Sources& sources, std::size_t limit, Attention& attention);

// What a person should know of how the sequences were read: cut to `limit`,
// padded, or read as a batch where something else may have been meant.
std::vector<Note> notes_on(const Sources& sources, const Setting& setting, std::size_t limit);

}  // namespace attn
