#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ops/op.h"
#include "tensor/shape.h"

namespace attn {

class Step;
struct Trace;

// Equally spaced cells of a tensor: first, first + stride, …, as places in its
// row-major data. None, where count is 0.
struct Slice {
  std::string tensor;  // id of the step or given tensor
  std::size_t first = 0;
  std::size_t stride = 0;
  std::size_t count = 1;

  std::size_t cell(std::size_t i) const { return first + i * stride; }
  bool operator==(const Slice&) const = default;
};

// What one cell was made from: for each operand, the cells of it that are read.
// Where an operand is summed (or searched) along an axis its slice runs along
// that axis; a rotation reads both numbers of a pair, the first of it first; all
// others are single cells. What was joined of several is read from one of them,
// and the others' slices are empty, as are those of a row that nobody picked and
// of the angles where nothing turns. Of blocks worked through one after another a
// slice has those that are read, and what the step says of the block before is its
// last operand, of which the first block reads nothing.
struct Provenance {
  std::vector<Slice> operands;

  // Which number of the first operand's slice is the cell's own: of a row whose
  // share it is, or of a pair.
  std::optional<std::size_t> own_term;

  // The cells of the mask that say which terms count: one, or as many as there
  // are terms. A term whose mask is 0 is not read.
  std::optional<Slice> open;
};

// How a step reads its operands: enough to say what made each of its cells.
struct Reading {
  struct Source {
    std::string id;
    Shape shape;  // as the step reads it: under the step's axis names
  };
  Op op;
  std::vector<Source> operands;
  std::optional<Source> open;
  Shape result;

  // Where the mask stands at a cell of the result. REQUIRES: open.
  std::size_t open_cell(std::size_t cell) const;
};

// Cells of one tensor, in the order in which they are read.
struct CellList {
  std::string tensor;  // id of the step or given tensor
  std::vector<std::size_t> places;

  bool operator==(const CellList&) const = default;
};

// The numbers that went into one cell: of each operand those that are read, and
// the cells of the mask that keep the others from being read.
struct Ingredients {
  std::vector<CellList> read;  // an entry an operand; one of which nothing is read is left out
  CellList closed;             // of the mask
};

// The axis that a step sums or searches along; empty where there is none.
Axis axis_over(const Op& op);

// Whether the numbers of a step stand in the problem.
bool is_given(const Step& step);

// Operands that are not in the trace are left out from the first such on.
Reading reading_of(const Trace& trace, const Step& step);

// What the cell at that place of the row-major result was made from.
// Derived from the axes: an operand without an axis is the same all along it.
Provenance provenance(const Reading& reading, std::size_t cell);

// The same without what the step does not read: what the mask closes, and in a
// row of softmax that has no open score all but what says so.
Ingredients ingredients(const Trace& trace, const Reading& reading, std::size_t cell);

// Whether neighbours of a step read cells that are equally far apart, all over it.
bool reads_evenly(const Op& op);

// The cells in runs of neighbours along one axis.
std::vector<Slice> cell_runs(const Shape& shape, const CellList& list);

// "scores[1,2]", or where there are several cells "inputs[1,1…4]". Calls the tensor by its id.
std::string cell_name(const Trace& trace, const Slice& cells);
// The same by another name.
std::string cell_name(const Trace& trace, const Slice& cells, const std::string& called);

// How many levels there can be below a number of that step: the longest way back
// to what is given.
std::size_t levels_below(const Trace& trace, const std::string& id);

// An operation as data, for who writes down its arithmetic without knowing ops:
// what it is called, and what there is to say of it.
struct Operation {
  using Fact = std::variant<std::string, double, std::size_t, bool>;

  std::string_view kind = "given";
  std::vector<std::pair<std::string_view, Fact>> facts = {};  // "function": "add"

  bool is_given() const { return kind == "given"; }
};

// Given is also what cannot be written down, since a factor, an angle or a
// summand of it is not in the trace.
Operation operation_of(const Reading& reading);

}  // namespace attn
