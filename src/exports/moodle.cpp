#include <algorithm>
#include <string>

#include "base/text.h"
#include "exports/course_questions.h"
#include "exports/export.h"
#include "words/language.h"

namespace attn {
namespace {

// HTML as the text of an element. What is other people's in it has no ">" to end this with.
std::string cdata(const std::string& html) { return "<text><![CDATA[" + html + "]]></text>"; }

std::string html_of(const CourseQuestions& questions, const CourseQuestion& question) {
  const CourseWords& said = language().courses;
  std::string html =
      question.given + "<p><b>" + html_text(said.work_out(question.title, questions.decimals())) + "</b>";
  if (question.has_closed) html += " " + html_text(said.closed_not_asked.text());
  html += "</p>";
  for (const CourseTable& table : question.tables) {
    html += html_table(table.matrix, table.rows(), [&](std::size_t row, std::size_t column) {
      const Leeway* asked = table.asked[row * table.matrix.columns() + column];
      const bool is_closed = table.matrix.is_closed(row, column);
      if (asked) return "{1:NUMERICAL:=" + questions.answer(*asked, "~=") + "}";
      return html_text(is_closed ? table.matrix.cell(row, column) : "·");
    });
    if (table.is_cut) html += "<p>" + html_text(said.first_rows_only(table.rows())) + "</p>";
  }
  return html;
}

constexpr std::size_t longest_given_in_cloze = 20'000;  // it stands in each question

// A cloze question a step.
void write_moodle(const Trace& trace, Sink& sink) {
  const CourseQuestions questions(trace, longest_given_in_cloze);
  Outgoing out(sink);
  out.text() = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n<question type=\"category\"><category><text>" +
               html_text(questions.category()) + "</text></category></question>\n";
  const TellingWords& said = language().telling;
  const auto describe = [&](const Said& name, const std::string& html) {
    if (html.empty()) return;
    out.text() += "<question type=\"description\">\n<name><text>" + html_text(name.text()) +
                  "</text></name>\n<questiontext format=\"html\">" + cdata(html) + "</questiontext>\n</question>\n";
  };
  describe(said.notes, questions.notes());
  for (const CourseQuestion& question : questions.all()) {
    describe(said.given, question.described);
    out.text() += "<question type=\"cloze\">\n<name><text>" + html_text(question.title) +
                  "</text></name>\n<questiontext format=\"html\">" + cdata(html_of(questions, question)) +
                  "</questiontext>\n<generalfeedback format=\"html\">" +
                  cdata("<p>" + CourseQuestions::formula(question) + "</p>") + "</generalfeedback>\n</question>\n";
    out.hand_over_if_enough();
  }
  out.text() += "</quiz>\n";
  out.hand_over();
}

std::size_t expected_moodle(const Trace& trace) {
  constexpr std::size_t of_number = 45, of_question = 600, cut = 5'000;  // what is longer is cut, and stands before it
  const ExpectedQuestions questions(trace);
  const std::size_t given = questions.given <= longest_given_in_cloze ? questions.given : cut;
  return of_number * questions.numbers + trace.steps.size() * (of_question + given);
}

}  // namespace

Export moodle_export() {
  return {.name = "moodle",
          .ending = ".xml",
          .summary = "questions for Moodle, a table to fill in for each step",
          .write = write_moodle,
          .expected_bytes = expected_moodle,
          .bytes_taken = bytes_for_questions};
}

}  // namespace attn
