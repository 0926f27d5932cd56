#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "exports/course_questions.h"
#include "exports/export.h"
#include "words/language.h"

namespace attn {
namespace {

// Text with no sign that means something in GIFT.
std::string gift_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\~=#{}:").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

constexpr std::size_t longest_given_a_number = 6'000;  // it would stand beside every number

// A numerical question a number, each on a line.
void write_gift(const Trace& trace, Sink& sink) {
  const CourseWords& said = language().courses;
  const CourseQuestions questions(trace, longest_given_a_number);
  Outgoing out(sink);
  // Without answers it is a description.
  const auto describe = [&](const Said& name, const std::string& html) {
    if (!html.empty()) out.text() += "::" + gift_text(name.text()) + "::[html]" + gift_text(html) + "\n\n";
  };
  if (!questions.notes().empty()) out.text() += "$CATEGORY: " + questions.category() + "\n\n";
  describe(language().telling.notes, questions.notes());
  for (const CourseQuestion& question : questions.all()) {
    out.text() += "$CATEGORY: " + questions.category() + "/" + question.step->heading.id + "\n\n";
    describe(language().telling.given, question.described);
    for (const CourseTable& table : question.tables) {
      for (std::size_t cell = 0; cell < table.asked.size(); ++cell) {
        if (!table.asked[cell]) continue;
        const std::string name = questions.name(question, table, cell);
        const std::string html = question.given + "<p>" + html_text(question.title) + ". <b>" +
                                 html_text(said.what_is(name, questions.decimals())) + "</b></p>";
        const std::string answers = questions.answer(*table.asked[cell], " =");
        const bool is_one = answers.find('=') == std::string::npos;
        out.text() += "::" + gift_text(printable(dotted(question.title, name))) + "::[html]" + gift_text(html) + "{#" +
                      (is_one ? "" : "=") + answers + "####" + gift_text(CourseQuestions::formula(question)) + "}\n\n";
        out.hand_over_if_enough();
      }
    }
  }
  out.hand_over();
}

std::size_t expected_gift(const Trace& trace) {
  constexpr std::size_t of_number = 250;
  const ExpectedQuestions questions(trace);
  if (questions.given <= longest_given_a_number) return questions.numbers * (of_number + questions.given);
  return questions.numbers * of_number + trace.steps.size() * longest_given_a_number;
}

}  // namespace

Export gift_export() {
  return {.name = "gift",
          .ending = ".gift",
          .summary = "questions for course systems that read GIFT, one a number",
          .write = write_gift,
          .expected_bytes = expected_gift,
          .bytes_taken = bytes_for_questions};
}

}  // namespace attn
