#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "exports/xlsx/layout.h"
#include "exports/xlsx/options.h"
#include "trace/trace.h"

namespace attn {

// What stands in a cell for −∞, which no spreadsheet has as a number.
inline constexpr const char* minus_infinity_text = "−∞";

// Writes what a cell of a trace is made of as the formula of a spreadsheet, over the cells of
// its operands, without the "=" before it. What it says Excel, LibreOffice and Google Sheets
// compute alike, without matrix formulas: a sum of few products is written out, a longer one is
// SUMPRODUCT of two rows or two columns, or MMULT of a row and a column.
class SheetFormulas {
 public:
  SheetFormulas(const Trace& trace, const SheetLayout& layout, SheetOptions& options);

  // Of every cell of a step, or of given numbers that follow from others, in order; nothing
  // where the numbers are stated.
  // Throws ExportError where one is longer than a spreadsheet reads.
  std::vector<std::string> of(const SheetTable& table);

  // Whether its numbers may be −∞, which is a text there.
  bool may_be_text(const std::string& id) const { return texts_.contains(id); }

 private:
  std::vector<std::string> of_step(const SheetTable& table);
  std::vector<std::string> of_rule(const SheetTable& table);
  void find_texts();

  const Trace& trace_;
  const SheetLayout& layout_;
  SheetOptions& options_;
  std::set<std::string> texts_;
  std::set<std::string> fixed_;  // prefixes of parts whose tables are read by distance: their offset stays as it is
};

}  // namespace attn
