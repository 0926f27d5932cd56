#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "explain/document.h"
#include "explain/place.h"
#include "mark/leeway.h"
#include "trace/trace.h"

// The steps of a trace as questions for course systems: what is given, and the numbers to
// be worked out, each with what may be written for it.

namespace attn {

// A matrix of which some numbers are asked for.
struct CourseTable {
  Matrix matrix;
  std::vector<const Leeway*> asked;  // row by row, null where a number is not; as many rows as are asked about
  bool is_cut = false;               // there are more rows

  std::size_t rows() const { return asked.size() / matrix.columns(); }
};

struct CourseQuestion {
  const Step* step = nullptr;
  std::string title = {};      // of the step, and of the part it belongs to
  std::string given = {};      // HTML: what the problem gives, in tables
  std::string described = {};  // in place of that, where it is long: it stands before this question, on its own
  std::vector<CourseTable> tables = {};
  bool has_closed = false;  // cells, which are not asked for
};

// A question for each step that a person works out, as far as it asks for a number.
class CourseQuestions {
 public:
  // What is given stands in each question, unless it has more bytes than that.
  CourseQuestions(const Trace& trace, std::size_t longest_given);

  int decimals() const { return decimals_; }
  const std::vector<CourseQuestion>& all() const { return questions_; }

  // How a number is answered: "4.66:0.005"; where more is right on one side than on the
  // other, several such with `between` between them.
  std::string answer(const Leeway& leeway, std::string_view between) const;

  // "S[1,2]". REQUIRES: a table of that question.
  std::string name(const CourseQuestion& question, const CourseTable& table, std::size_t cell) const;

  // "Formula: S = Q·Kᵀ", as HTML.
  static std::string formula(const CourseQuestion& question);

  // The problem's notes, as HTML, before all questions. No number that is asked for is in them.
  const std::string& notes() const { return notes_; }

  // What questions stand under: the title of the problem, with its slashes doubled.
  std::string category() const;

 private:
  void add_given(CourseQuestion& question) const;
  std::string html_of_given(Document document) const;

  const Trace trace_;  // with all of its steps
  const int decimals_;
  const std::size_t longest_given_;
  const CellNames names_;
  std::map<std::string, std::map<std::size_t, Leeway>> leeways_;
  std::vector<CourseQuestion> questions_;
  std::string given_;  // to all parts
  std::string notes_;
};

// About how many bytes of memory it takes to find out what may be written.
std::size_t bytes_for_questions(const Trace& trace);

// About how many numbers are asked for, and bytes of HTML what is given takes; found in passing.
struct ExpectedQuestions {
  explicit ExpectedQuestions(const Trace& trace);

  std::size_t numbers = 0, given = 0;
};

// Other people's text within HTML, in which no brace opens an answer either.
std::string html_text(std::string_view text);

// A matrix as HTML, each cell as `cell` writes it.
template <class Cell>
std::string html_table(const Matrix& matrix, std::size_t rows, Cell cell) {
  std::string html =
      "<table border=\"1\" style=\"display:inline-table;margin:0.4em\"><caption style=\"white-space:nowrap\">" +
      html_text(plain(matrix.name())) + " " + html_text(matrix.caption()) + "</caption>";
  html += "<tr><td></td>";
  for (const std::string& label : matrix.column_labels) html += "<th>" + html_text(label) + "</th>";
  html += "</tr>";
  for (std::size_t row = 0; row < rows; ++row) {
    html += "<tr><th>" + html_text(matrix.row_labels[row]) + "</th>";
    for (std::size_t column = 0; column < matrix.columns(); ++column) html += "<td>" + cell(row, column) + "</td>";
    html += "</tr>";
  }
  return html + "</table>";
}

}  // namespace attn
