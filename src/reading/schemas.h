#pragma once

#include <string>

#include "problem/choice.h"

namespace attn {

// JSON Schemas (draft 2020-12) of what the program reads and writes.
// A schema can say less than the program checks: not that shapes fit.

// Of problem files; what they can name comes from the catalog.
std::string problem_schema(const Catalog& catalog);

// Of traces and goldens.
std::string trace_schema();

// Of answers.
std::string answers_schema();

// Of how points are given.
std::string scheme_schema();

// Of what is said of answers: one report, or a list of them.
std::string report_schema();

// Of a graded class.
std::string grades_schema();

// Of what is said of problems and their goldens.
std::string golden_schema();

// Of what differs between two files.
std::string diff_schema();

// Of what a benchmark measured.
std::string bench_schema();

// Of what steps cost.
std::string cost_schema();
std::string scaling_schema();

// Of what a problem cannot show.
std::string lint_schema();

// Of where heads look.
std::string heads_schema();

// Of lists of what there is.
std::string list_schema();

// Of what is said on standard error with --format json.
std::string error_schema();

}  // namespace attn
