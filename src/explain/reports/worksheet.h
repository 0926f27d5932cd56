#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explain/document.h"
#include "explain/telling/steps.h"
#include "trace/trace.h"

namespace attn {

// Which numbers of a sheet stand in boxes.
struct Blanks {
  enum class Kind {
    all,
    half,   // every other one of each matrix, as on a chessboard
    faded,  // none of the first query, half of the second, all of the rest
    named   // those of some steps
  };
  Kind kind = Kind::all;
  std::vector<std::string> steps = {};     // the ids of those
  std::optional<std::uint64_t> seed = {};  // of `half`: drawn, one of any two neighbours
};

struct WorksheetOptions {
  Blanks blanks = {};
  std::string person = {};               // whose sheet it is; empty where anybody may write a name on it
  bool is_key = false;                   // with the numbers in the boxes
  int digits = 2;                        // decimals that are asked for
  std::optional<int> precision = {};     // decimals of what is given
  std::vector<std::string> to_work_out;  // ids of the steps that a person works out; the others are told
  std::vector<std::size_t> parts = {};   // of the recipe; empty is all
  std::optional<std::size_t> batch = {}, head = {}, query = {};
};

// A problem as a sheet of paper: what is given, and the steps with boxes in place of
// their numbers, or on its key with these in the boxes. A number that stands in an open
// box is nowhere in the document, nor is what only repeats it; the decimals and the
// words do not depend on it. In the author's notes and the title "___" stands in its place.
//
// REQUIRES: the trace outlives it and has the steps, sequences, heads and queries that
// the options name.
class Worksheet {
 public:
  Worksheet(const Trace& trace, const WorksheetOptions& options);

  // How many boxes it has.
  std::size_t boxes() const { return boxes_; }

  Document document() const;

  // What of a text would tell an answer: "0.47".
  std::vector<std::string> answers_in(const std::string& text, bool is_title = false) const;

  // The text with "___" in place of those.
  std::string without_answers(const std::string& text, bool is_title = false) const;

 private:
  friend class SheetTeller;
  struct Written {
    std::size_t first = 0, count = 0;  // its bytes
  };

  void open_cells(const Step& step);
  bool repeats_open(const Reading& reading, std::size_t cell, double value) const;
  bool is_told(const Step& step) const;
  std::vector<Written> answers_written(const std::string& text, bool is_title = false) const;

  const Trace& trace_;
  const WorksheetOptions& options_;
  ExplainOptions telling_;
  std::map<std::string, std::vector<bool>, std::less<>> open_;  // by step, where it has open cells
  std::vector<double> answers_, given_;                         // the numbers of both, in order
  std::size_t boxes_ = 0;
};

}  // namespace attn
