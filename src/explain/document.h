#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "explain/geometry/geometry.h"
#include "explain/numerals.h"
#include "explain/provenance.h"
#include "explain/shared_labels.h"
#include "formula/formula.h"
#include "trace/role.h"
#include "words/said.h"

// What people are shown, before it is known where: words, arithmetic, matrices.
// Every format writes all of it and adds nothing.
//
// Titles, labels and notes are other people's text and may hold anything; a
// format sees to it that they stay text.

namespace attn {

// A piece of running text. Where it names a tensor, or a number of one, it has
// that tensor's role, so that a format can colour it. A formula or a symbol has
// its pieces, which are all of the text.
struct Span {
  Span(const char* words) : text(words) {}             // NOLINT(google-explicit-constructor)
  Span(const Said& said) : text(said.text()) {}        // NOLINT(google-explicit-constructor)
  Span(std::string words) : text(std::move(words)) {}  // NOLINT(google-explicit-constructor)
  Span(std::string words, Role whose) : text(std::move(words)), role(whose) {}
  Span(const Formula& formula, std::optional<Role> whose)
      : text(formula.text()), role(whose), pieces(formula.pieces()) {}

  std::string text;
  std::optional<Role> role = std::nullopt;
  std::vector<FormulaPiece> pieces = {};

  bool operator==(const Span&) const = default;
};

using Inline = std::vector<Span>;

std::string plain(const Inline& text);

Inline joined(Inline text, const Inline& more);
Inline in_parentheses(const Inline& text);

// "Scores · head 2 of 8", or the one of both that is not empty.
inline std::string dotted(const std::string& a, const std::string& b) {
  return a + (a.empty() || b.empty() ? "" : " · ") + b;
}

// 1 is the title of the document, 2 a part of it, 3 a part of that.
struct Headline {
  int level = 1;
  Inline text;
};

struct Prose {
  Inline text;
  bool by_author = false;  // a line of the problem's notes, under its title
};

// What a person should know and might overlook.
struct Remark {
  Inline text;
};

// One side of an equation. It may be broken between two terms; terms are
// joined by a space.
struct Expression {
  std::string relation;  // "=" or "≈" before it; empty for the first
  std::vector<Inline> terms;

  Inline term(std::size_t at) const;  // the first one with the relation before it
  Inline whole() const;               // relation and terms on one line
};

// One line of arithmetic: left = middle = … = right.
struct Equation {
  Inline label;  // whose line it is ("the"); often empty
  std::vector<Expression> sides;
  Inline remark = {};  // why it is so, where the numbers do not say

  // Where the line ends in attention weights: their numbers, of 1.
  std::vector<double> shares = {};
};

// Lines that belong together, their sides aligned.
struct Derivation {
  Inline formula;     // "s₁ = q₁·Kᵀ"; may be empty
  std::string title;  // "Scores: each query times each key"; may be empty
  std::vector<Equation> lines;
};

// Lines to write on, a name, a date; and what stands there already.
struct Field {
  std::string name, written = {};
};
struct Fields {
  std::vector<Field> all;
};

// The box that a number of a sheet stands in: an open one is to be written into, and the
// document does not have its number; a filled one is the same on the key.
enum class Box { none, open, filled };

// What became of a number that somebody handed in; none of any other.
enum class Mark { none, right, wrong, follows, unsure, blank, not_asked };

// Whether a row or a column of that name stands for no token.
bool is_padding(const std::string& label);

// A matrix, or what one head of one sequence has of a step.
struct Matrix {
  std::string step;  // id of the step or given tensor
  Role role = Role::score;
  Formula symbol, formula;  // a formula may be empty
  std::string title;
  std::string place;  // "head 2 of 8"; empty where there is only one
  std::string part;   // "Layer 1 · self-attention"; empty where the computation has only one
  std::string sizes;  // "[3 × 4]·[4 × 3] → [3 × 3]"
  std::string words;  // "rows: queries, columns: keys; each row sums to 1"

  Axis row_axis, column_axis;  // empty for the one row or column of a vector
  SharedLabels row_labels, column_labels;

  std::vector<double> cells;                // row by row
  std::vector<bool> closed;                 // as many, or empty where the step has no mask
  std::vector<std::string> closed_by = {};  // the rules that close cells: "causal"
  NumberFormat format;
  int decimals_in_lines = 0;  // how many its numbers have at least in lines of arithmetic, and in filled boxes

  // Of a matrix that somebody handed in: what was written, with a sign before it,
  // and what became of it. Then `cells` says nothing.
  std::vector<std::string> handed_in;
  std::vector<Mark> marks;

  // Of a sheet to be filled in: the box of each cell. Then every number has as many decimals
  // as `format` says, or none where it is whole, so that none depends on any other. In a filled box a whole one may
  // have decimals, too.
  std::vector<Box> boxes;

  // Whether it stands well beside the matrix before it, where there is room.
  bool beside = false;

  // Cell (row, column) is the step's cell first + row · row_stride + column · column_stride.
  std::size_t first = 0, row_stride = 0, column_stride = 0;
  Reading reading;

  // "K = X·W_K", or the symbol alone; what it is called, and of which place.
  Inline name() const { return {Span(formula.empty() ? symbol : formula, role)}; }
  std::string caption() const { return dotted(title, place); }
  std::string meaning() const { return sizes + (sizes.empty() || words.empty() ? "" : ", ") + words; }

  std::size_t rows() const { return row_labels.size(); }
  std::size_t columns() const { return column_labels.size(); }
  bool is_closed(std::size_t row, std::size_t column) const {
    return !closed.empty() && closed[row * columns() + column];
  }
  Mark mark(std::size_t row, std::size_t column) const {
    return marks.empty() ? Mark::none : marks[row * columns() + column];
  }
  Box box(std::size_t row, std::size_t column) const {
    return boxes.empty() ? Box::none : boxes[row * columns() + column];
  }
  double number(std::size_t row, std::size_t column) const { return cells[row * columns() + column]; }
  std::string cell(std::size_t row, std::size_t column) const {
    if (!boxes.empty()) return in_box(row, column);
    return handed_in.empty() ? written(number(row, column), format, is_closed(row, column))
                             : handed_in[row * columns() + column];
  }
  std::string in_box(std::size_t row, std::size_t column) const;
  // How many characters the point of its numbers and the digits behind it are.
  std::size_t fraction() const {
    return format.scientific || format.decimals == 0 ? 0 : static_cast<std::size_t>(format.decimals) + 1;
  }
  std::size_t place_of(std::size_t row, std::size_t column) const {
    return first + row * row_stride + column * column_stride;
  }

  // Whether the row, or the column, stands for no token.
  bool is_padding_row(std::size_t row) const { return is_position(row_axis) && is_padding(row_labels[row]); }
  bool is_padding_column(std::size_t column) const {
    return is_position(column_axis) && is_padding(column_labels[column]);
  }
};

struct Table {
  Inline caption;
  std::vector<Inline> header;
  std::vector<std::vector<Inline>> rows;
  bool numbers = false;  // in every column but the first: they end below one another
};

// Numbers that one number was made from, as they stand in their tensor: a row of
// Q, a column of W_K, or one number.
struct NumbersRead {
  Span name;  // "queries[1,1…3]"
  std::vector<std::string> numbers;
};

// A line of a tree.
struct Branch {
  std::size_t depth = 0;     // 0 is a root
  std::vector<Slice> cells;  // what it is about
  Equation line;
  std::vector<NumbersRead> made_of = {};  // of one computed number, for formats that draw
};

// How numbers came about, each above those that went into it, in the order in
// which the lines are read.
struct Tree {
  std::vector<Branch> branches;
};

// A picture of what one query does, and what there is to see.
struct GeometryPicture {
  enum class Kind { arrows, points, turning, sharpening };
  Kind kind = Kind::arrows;
  std::string title;
  std::vector<std::string> how_drawn;  // only where there is the picture
  std::vector<std::string> facts;      // anywhere
};

// What one query does as pictures, for formats that draw, and the numbers in them as tables.
struct GeometryTold {
  std::string title;  // "Head 2 of 8 · Query 2 · it"
  Geometry drawn;
  std::vector<GeometryPicture> pictures;
  std::vector<Table> tables;
};

using Block = std::variant<Headline, Prose, Remark, Derivation, Matrix, Table, Tree, Fields, GeometryTold>;

// What one query does for formats that do not draw: what holds, and the tables.
std::vector<Block> without_pictures(const GeometryTold& told);

// A part of a computation as one box of a figure of the whole.
struct OutlinePart {
  std::string id;     // "layer1.self"; empty of what belongs to no part
  std::string title;  // "Layer 1 · self-attention"
  Role role = Role::score;
  Inline name;                          // of its result
  std::string sizes;                    // "[7 × 8]"
  std::vector<std::size_t> reads = {};  // parts above it
  bool of_encoder = false;              // which a decoder reads
  std::vector<Matrix> weights = {};     // of an attention, one a head; empty where they are not at hand, or many
};

// What a page to be filled in says in the answers that it saves.
struct FillIn {
  std::string problem;  // the statement of what is asked; empty where that is not known
  bool is_key = false;  // then there is nothing to fill in
};

struct Document {
  std::vector<Block> blocks;
  void add(Block block) { blocks.push_back(std::move(block)); }

  // The matrices that no block shows and that those of the blocks may have been
  // made from: for formats in which a reader can ask a number where it comes
  // from. Empty unless they were asked for.
  std::vector<Matrix> behind = {};

  // The whole computation, where it has several parts and all of them are told.
  std::vector<OutlinePart> outline = {};

  // Whether it tells only steps that were asked for by name.
  bool is_selection = false;

  // Of a document to be filled in.
  std::optional<FillIn> sheet = {};

  // What whoever runs the program may ask it for to see more: said to them, and in no format.
  std::vector<std::string> hints = {};
  void hint(const std::string& words);  // once

  // How numbers are spelled in lines of arithmetic: Numerals of so many decimals.
  int precision = 4;
  double tolerance = 1e-12;  // numbers are the same up to it, relatively
};

// A document with nothing but its title, where it has one.
Document titled(const std::string& title);

// One thing to look at before going on to the next: blocks of a document, with
// the headlines and the words that lead up to them.
struct Stop {
  std::size_t first = 0, count = 0;  // its blocks
  Inline part;                       // the headline of the part of the document it belongs to; may be empty
};

// A document as a lecture goes through it: every block belongs to one stop. A
// derivation, a table, a tree, a matrix with those beside it is a stop; remarks
// belong to what they follow.
std::vector<Stop> stops(const Document& document);

}  // namespace attn
