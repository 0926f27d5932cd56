#include <algorithm>
#include <cmath>
#include <string>

#include "explain/provenance.h"
#include "exports/numbers.h"
#include "exports/xlsx/formula.h"
#include "exports/xlsx/library.h"
#include "exports/xlsx/workbook.h"
#include "words/files.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t most_in_workbook = 200'000;
constexpr std::size_t most_rows = 1'048'576, most_columns = 16'384;
const std::string workbook_name = "xlsx";

bool fits(const SheetLayout& layout) {
  return std::ranges::all_of(layout.sheets(), [](const SheetLayout::Sheet& sheet) {
    return sheet.rows <= most_rows && sheet.columns <= most_columns;
  });
}

// An infinite number that is none for a reason that a sheet knows, as a closed score is:
// "scores[1,2]".
std::optional<std::string> infinite_cell(const Trace& trace, const SheetLayout& layout) {
  SheetOptions options;
  const SheetFormulas formulas(trace, layout, options);
  for (const Step& step : trace.steps) {
    const bool may_be_closed = formulas.may_be_text(step.heading.id);
    for (std::size_t i = 0; i < step.result.size(); ++i) {
      if (!std::isinf(step.result[i]) || (may_be_closed && step.result[i] < 0)) continue;
      return cell_name(trace, {step.heading.id, i});
    }
  }
  return std::nullopt;
}

std::optional<Unwritable> library_missing() {
  const FileWords& said = language().files;
  if (xlsx_library()) return std::nullopt;
  return Unwritable{said.no_library_here(workbook_name), said.install_library, true};
}

}  // namespace

std::optional<Unwritable> against_workbook(const Trace& trace) {
  const FileWords& said = language().files;
  const auto& rounding = trace.arithmetic.hand_rounding;
  if (trace.arithmetic.dtype != Dtype::f64)
    return Unwritable{said.other_dtype(workbook_name, std::string(name(trace.arithmetic.dtype))), said.say_f64};
  if (rounding && rounding->mode != RoundingMode::half_up)
    return Unwritable{said.other_rounding(workbook_name, to_string(*rounding)), said.say_half_up};
  if (const std::size_t numbers = count_of_numbers(trace); numbers > most_in_workbook)
    return Unwritable{said.too_many_numbers(workbook_name, numbers, most_in_workbook), said.smaller};
  const SheetLayout layout(trace);
  if (!fits(layout)) return Unwritable{said.too_wide(workbook_name), said.smaller};
  if (const auto cell = infinite_cell(trace, layout)) return Unwritable{said.not_finite(*cell), said.finite_numbers};
  return std::nullopt;
}

Export xlsx_export() {
  return {.name = workbook_name,
          .ending = ".xlsx",
          .summary = "a spreadsheet of live formulas, to edit and compute anew",
          .write = write_workbook,
          .expected_bytes = [](const Trace& trace) { return 40 * count_of_numbers(trace); },
          .is_text = false,
          .most_numbers = most_in_workbook,
          .wants_every_step = true,
          .missing = library_missing,
          .unwritable = against_workbook};
}

}  // namespace attn
