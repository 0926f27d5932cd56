#pragma once

#include <string>
#include <vector>

#include "mark/answers.h"
#include "problem/faults.h"
#include "reading/answers/csv_rows.h"
#include "reading/names/step_names.h"

namespace attn {

// Reports a file without a number in it.
void report_no_numbers(Faults& faults);

// The numbers of one step as a spreadsheet has them: perhaps below a row of
// headings, behind a column of labels, and with empty rows and columns after them.
// `is_named` is whether the first field is the step's name.
AnsweredStep read_csv_table(const CsvRows& file, std::string id, std::vector<CsvRow> rows, bool is_named,
                            const KnownSteps& known, Faults& faults);

}  // namespace attn
