#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/document.h"
#include "trace/trace.h"

namespace attn {

// Axes that stand still while something is told, with their index from 0:
// this sequence, this head, this query.
using Place = std::vector<std::pair<Axis, std::size_t>>;

// The labels along an axis: tokens where it counts positions, else 1, 2, ….
// `place` says which sequence, where the tensor has a batch.
std::vector<std::string> axis_labels(const Trace& trace, const Heading& heading, const Dim& dim, const Place& place);

// The label at one position along it. REQUIRES: index < dim.size.
std::string axis_label(const Trace& trace, const Heading& heading, const Dim& dim, const Place& place,
                       std::size_t index);

// Whether a label only repeats the number of its position: "Input 2", "Key 2", "2".
bool is_numbered(const std::string& label, std::size_t index);

// "Sequence 1 of 2 · Head 2 of 8"; empty where there is neither.
std::string place_words(const Shape& shape, const Place& place);

// The same place with one more axis standing still.
Place with(Place place, const Axis& axis, std::size_t index);

// Unless all is asked for, so many sequences and heads are told.
constexpr std::size_t most_places = 8;

// And so many queries, where each is told by itself.
constexpr std::size_t most_queries = 12;

// Every sequence and head of a tensor, in order. `batch` and `head`, counted
// from 1, narrow them; 0 is all.
std::vector<Place> outer_places(const Shape& shape, std::size_t batch, std::size_t head);

// The axes that a place leaves: those of the matrix that is told there.
std::vector<Dim> inner_axes(const Shape& shape, const Place& place);

// Where the tensor's cells begin at that place.
std::size_t offset_at(const Shape& shape, const Place& place);

// Which of a tensor's heads, counted from 1, that query head reads, where fewer have keys and values; 0 stands for all.
std::size_t head_of(const Trace& trace, std::string_view id, std::size_t head);

// Where the place stands along that axis, if it says so.
std::optional<std::size_t> index_along(const Place& place, std::string_view axis);

// The index of the place's sequence; 0 where there is no batch.
std::size_t sequence_of(const Place& place);

// Names numbers as people ask for them, sequence and head included: "S[1,2]", of
// several side by side "X[1,1…4]"; by the id of the step or given tensor where the
// symbol is not its alone.
class CellNames {
 public:
  explicit CellNames(const Trace& trace) : trace_(trace) {}

  Span of(const Slice& cells) const;

 private:
  bool is_of_one_tensor(const std::string& symbol) const;

  const Trace& trace_;
  mutable std::map<std::string, bool, std::less<>> found_;  // of the symbols that were asked for
};

// Writes the parts of tensors as formulas do: k₁ is row 1 of K, S[1,2] a cell
// of S. The sequence and the head are not written: the text around says which.
class Symbols {
 public:
  explicit Symbols(const Trace& trace);

  // The part of a tensor that is left where those of its axes that `place`
  // names stand still: K, k₁, K[1,2].
  Span part(const Heading& heading, const Shape& shape, const Place& place) const;

  // The formula of a step for one query, say: "s₁ = q₁·Kᵀ". As it stands where
  // no symbol of it changes.
  Inline formula(const Step& step, const Place& place) const;

 private:
  std::string row(const Formula& symbol, std::size_t index) const;

  const Trace& trace_;
  std::set<std::string, std::less<>> taken_;  // every symbol of the trace
};

}  // namespace attn
