#pragma once

#include "words/language.h"

namespace attn {

extern const StepWords english_steps;
extern const TellingWords english_telling;
extern const MistakeWords english_mistakes;
extern const VerdictWords english_verdicts;
extern const DifferenceWords english_differences;
extern const CostWords english_costs;
extern const BlockWords english_block;
extern const ScalingWords english_scaling;
extern const OnlineWords english_online;
extern const GeometryWords english_geometry;
extern const HeadsWords english_heads;
extern const LintWords english_lint;
extern const GradeWords english_grades;
extern const FileWords english_files;
extern const QuizWords english_quiz;
extern const CourseWords english_courses;
extern const WorksheetWords english_worksheet;

}  // namespace attn
