#include "words/language.h"

#include "words/english/english.h"

namespace attn {

const Language& language() {
  static const Language english = {.steps = english_steps,
                                   .telling = english_telling,
                                   .mistakes = english_mistakes,
                                   .verdicts = english_verdicts,
                                   .differences = english_differences,
                                   .costs = english_costs,
                                   .block = english_block,
                                   .scaling = english_scaling,
                                   .online = english_online,
                                   .heads = english_heads,
                                   .geometry = english_geometry,
                                   .lint = english_lint,
                                   .grades = english_grades,
                                   .files = english_files,
                                   .quiz = english_quiz,
                                   .courses = english_courses,
                                   .worksheet = english_worksheet};
  return english;
}

}  // namespace attn
