#include <string>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr CourseWords english_courses = {
    .work_out =
        [](Text title, int digits) {
          return title + ". Write each number" +
                 (digits == 0 ? ", as a whole one."
                              : ", rounded to " + counted(static_cast<std::size_t>(digits), "decimal") + ".");
        },
    .what_is =
        [](Text name, int digits) {
          return "What is " + name + "? Write it" +
                 (digits == 0 ? " as a whole number."
                              : " rounded to " + counted(static_cast<std::size_t>(digits), "decimal") + ".");
        },
    .closed_not_asked = "Closed cells are not asked for.",
    .formula = "Formula: ",
    .first_rows_only = [](std::size_t rows) { return "Only the first " + counted(rows, "row") + " are asked for."; },
};

}  // namespace attn
