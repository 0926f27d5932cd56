#pragma once

#include <string>
#include <vector>

#include "explain/document.h"
#include "formats/format.h"
#include "formats/places.h"
#include "formats/svg/pen.h"

// What a figure may show.

namespace attn {

// How much of a computation is drawn: all of it; not the steps within a softmax, nor what is given
// but the inputs; of that only what queries, keys and values come to, the weights, and the context.
enum class Detail { all, gist, core };

// What a figure is drawn for, unless it may be as large as it likes.
struct Room {
  double width = 1060;        // of what is made of boxes and cards, about
  double paper = 820;         // of lines
  bool flows_across = false;  // from left to right, not down
  bool one_a_layer = false;   // boxes one below the other
  Detail detail = Detail::all;
  double letters = 13;      // of the numbers in boxes
  bool has_numbers = true;  // of matrices; else maps of them
  bool one_place = false;   // of several heads and sequences the first alone
  bool is_tight = false;    // small maps, short arrows; rows of queries, keys and values without names
  bool has_notes = true;    // of the problem
  std::size_t levels = 99;  // of what a number was made from

  bool is_brief() const { return detail != Detail::all; }
};

// Whether the step has an axis more than a matrix, so that this is what one query has of it.
bool is_matrix_a_query(const Matrix& matrix);

// A computation as a figure, and what there is to say of it.
struct FlowDrawing {
  Drawing drawing;
  std::string places;                   // which head or sequence is drawn large; empty where all are
  std::vector<const Matrix*> left_out;  // the first of each step that has no box for want of room
};

// The matrices of a whole computation as boxes, joined by arrows as its data
// flows: a box a step; of several heads and sequences the first with its numbers,
// the others as small maps.
FlowDrawing flow_drawing(const Document& document, const FormatOptions& options, const Theme& theme, const Room& room);

// "Left out here: …". Empty where that is nothing.
Runs left_out_runs(const std::vector<const Matrix*>& matrices, bool has_notes, const Theme& theme);

// What grey cells are, and which rules closed them. Empty where there are none.
std::string cell_words(const std::vector<const Matrix*>& matrices);

// One step as a heat map with its numbers, a card a head and sequence; attention
// weights with their arcs beside it. REQUIRES: all are of one step, and there is one.
Drawing map_drawing(const std::vector<ToldMatrix>& places, const FormatOptions& options, const Theme& theme,
                    const Room& room);

// How one number came about, drawn out: of a dot product both rows of numbers one
// above the other, their products and the sum; else what went in, the arithmetic,
// what came out.
Drawing sum_drawing(const Branch& branch, const Theme& theme, const Room& room);

// Vectors as they stand to each other: arrows, points, turns, and what temperature does; below each
// what there is to see. The gist has pictures alone, the core not what temperature does.
Drawing geometry_drawing(const GeometryTold& told, const Theme& theme, double room, Detail detail);

// Blocks of a document one below the other, as on a sheet of paper.
class FigureSheet {
 public:
  FigureSheet(const FormatOptions& options, const Theme& theme, const Room& room)
      : options_(options),
        theme_(theme),
        paper_width_(room.paper),
        room_width_(room.width),
        detail_(room.detail),
        levels_(room.levels) {}

  void add(const Block& block);
  void add(const Drawing& drawing);  // in the middle of nothing: at the left
  void add(const Runs& runs);        // a paragraph

  Drawing drawing() const { return {width_, y_, content_}; }

 private:
  void lay_out(const Headline& headline);
  void lay_out(const Prose& prose);
  void lay_out(const Remark& remark);
  void lay_out(const Derivation&) {}  // stands beside matrices, which are drawn
  void lay_out(const Matrix& matrix);
  void lay_out(const Table& table);
  void lay_out(const Tree& tree);
  void lay_out(const GeometryTold& told);
  void lay_out(const Fields&) {}  // nobody writes on a figure

  // Broken into lines of at most that width, the widest of which it returns.
  double paragraph(const Runs& runs, const TextLook& look, double x, double width);
  double paragraph(const Runs& runs, const TextLook& look) { return paragraph(runs, look, 0, paper_width_); }
  void line(double x, const Runs& runs, const TextLook& look);
  void space(double height) { y_ += y_ > 0 ? height : 0; }
  void reach(double x) { width_ = x > width_ ? x : width_; }
  void broken(const Equation& equation, double indent);

  const FormatOptions& options_;
  const Theme& theme_;
  double paper_width_, room_width_;
  Detail detail_;
  std::size_t levels_;
  std::string content_;
  double width_ = 0, y_ = 0;
  double beside_x_ = 0, beside_y_ = 0;  // where a matrix beside the last one stands
};

}  // namespace attn
