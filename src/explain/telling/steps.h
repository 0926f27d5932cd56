#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explain/document.h"
#include "trace/trace.h"

namespace attn {

// How much of the work is shown.
enum class Level {
  result,  // the last matrix
  steps,   // the matrix of every step
  rows,    // and a line a row
  cells,   // and every product
};

// Whether vectors are drawn.
enum class GeometryWanted {
  none,
  where_small,  // of every head, as a page has it beside all else
  asked,        // of one query of one head
};

// What of a trace is told, and how closely. Numbers count from 1.
struct ExplainOptions {
  std::optional<Level> level;           // by default what fits the size
  std::vector<std::string> only;        // ids; empty is all
  std::vector<std::size_t> parts = {};  // of the recipe, as RecipeBuilder numbers them; empty is all
  std::optional<std::size_t> batch = {}, head = {}, query = {};
  std::optional<int> precision;  // decimals; by default 4, fewer where all numbers need fewer
  bool full = false;             // nothing elided
  bool behind = false;           // the document has the matrices behind those told, too
  bool brief = false;            // as a lecture needs it: one query and one row written out, no weighted values
  bool head_alone = false;       // what all heads share is not told; explain() sees where it would be too much
  GeometryWanted geometry = GeometryWanted::none;
  std::optional<std::size_t> top = {};  // of each longer sum its largest terms, so many, and what the others come to
};

// The whole work, in the order in which a person does it: what is given; keys,
// queries and values; for each query its scores, weights and context; what
// comes after; what must hold, and whether it does.
//
// REQUIRES: what the options name is there: the steps, and that many
// sequences, heads and queries.
Document explain(const Trace& trace, const ExplainOptions& options = {});

// Why no vectors can be drawn where they are asked for; nothing where they can.
std::optional<std::string> no_geometry(const Trace& trace, const ExplainOptions& options);

// About how many bytes the lines of arithmetic and the matrices in that document take,
// and where nothing is left out what is written of them.
std::size_t bytes_told(const Trace& trace, const ExplainOptions& options);

}  // namespace attn
