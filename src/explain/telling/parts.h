#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/telling/steps.h"
#include "explain/worked_cell.h"
#include "trace/trace.h"

// The parts of what explain() and why() tell.

namespace attn {

// Notes that become remarks of a document where what they are about is told: of each
// kind the first few, and then once how many more there are, unless all are asked for.
class Remarks {
 public:
  Remarks(std::vector<const Note*> notes, bool full);

  // Adds those of the notes not added yet that `is_told` says yes to.
  void add(Document& document, const std::function<bool(const Note&)>& is_told);
  void add_rest(Document& document);

  bool has_more() const { return !notes_.empty(); }

 private:
  bool full_;
  std::vector<const Note*> notes_;  // not added yet
  std::map<std::string_view, std::size_t> of_kind_, added_;
};

// What the problem states: inputs and weights as matrices, those of parts that have a
// title apart from them, and the rest in words: score, scale, mask, heads, arithmetic.
void tell_givens(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document);

// Which rules close cells of these steps; nothing where none of them has a mask.
void tell_mask(const Trace& trace, std::span<const Step* const> steps, Document& document);

// "rounded to 2 decimals after every step, …"
std::string words_of_rounding(const HandRounding& rounding);

// The matrices that one part of the computation is given.
void tell_givens_of_part(const Trace& trace, std::size_t part, const ExplainOptions& options, const Numerals& numerals,
                         Document& document);

// Whether that part is among what is told.
bool is_told(std::size_t part, const ExplainOptions& options);

// Tells these steps one after another, at that level, at the end of a document,
// and what is given where all are told. Returns the notes that nothing told has shown.
//
// A computed step by itself is told row by row. Consecutive steps of a part that carry
// the axis "query" are told query by query, as a person works them out, and their
// matrices follow. Both follow from the axes of the steps and their ops: a
// step that nobody here has heard of is told as well as any other.
void narrate(const Trace& trace, const ExplainOptions& options, Level level, std::span<const Step* const> steps,
             const Numerals& numerals, Remarks& remarks, Document& document);

// What must hold in any attention, and whether it does in each of these steps, worked out
// from the numbers of the trace: rows of weights sum to 1, closed cells are
// exactly 0, contexts lie within the values. Nothing where there are no weights.
std::optional<Table> checks(const Trace& trace, std::span<const Step* const> steps, const Numerals& numerals);

// Vectors as they can be drawn, and their numbers, under a headline of their own; nothing where there is no room or
// nothing to draw.
void tell_geometry(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document);

// Of the lines of one row, where not everything is asked for: so many.
inline constexpr std::size_t most_lines_of_a_row = 64;

// Of the terms of a sum: where nothing is left out, and how many where not everything is asked for.
inline constexpr std::size_t no_limit = static_cast<std::size_t>(-1), usual_terms = 16;

// The parts of the whole computation; empty where it has only one.
std::vector<OutlinePart> outline(const Trace& trace, const Numerals& numerals);

// What of a long sum is told.
TermLimit term_limit(const ExplainOptions& options);

// What a term of a line, with the numbers that it was made from, takes until it is written somewhere.
// A line takes as much as so many more.
inline constexpr std::size_t bytes_of_a_term = 1300, terms_a_line_is_worth = 2;

struct AncestryOptions {
  std::size_t depth = 0;              // levels below the number itself
  std::size_t most_lines = 0;         // of a terminal, about; where there would be more, it is given up
  std::size_t most_terms = 0;         // of a sum or a list, and numbers below one line
  std::size_t most_asked = 0;         // of the sum asked for, which is told whole up to so many
  std::size_t most_bytes = no_limit;  // that all of it takes, about; where it would be more, it is given up
  bool crosses_parts = false;         // else what another part of the computation made is told as if it were given
};

// A number, and below each line the numbers that went into it.
struct Ancestry {
  Tree tree;
  bool deeper = false;     // there is more below the last level
  bool at_edge = false;    // or behind the edge of a part
  bool cut = false;        // of some list a part is left out
  bool sums_cut = false;   // of some sum
  bool complete = true;    // false: it was given up at `most_lines`
  bool too_large = false;  // or at `most_bytes`
};

// How the number at that place came about: its arithmetic, below it the numbers
// that went into it, and so on, as deep as the options say, or to what is given.
// Given numbers that are read together share a line. What was told once is
// pointed back to.
//
// REQUIRES: the trace has a step or given tensor of that id, and it that many numbers.
Ancestry ancestry(const Trace& trace, const std::string& id, std::size_t cell, const Numerals& numerals,
                  const AncestryOptions& options);

}  // namespace attn
