#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/expression.h"

namespace attn {

// What stands between two separators, without the blanks about it.
struct CsvField {
  TextRange range;  // quotes included
  bool quoted = false;
};
using CsvRow = std::vector<CsvField>;

// Cuts a text into rows of fields, and says what is in a field.
class CsvRows {
 public:
  explicit CsvRows(std::string_view text);

  // One of which the first line, with the names of the columns, shows what separates them where nothing says it.
  static CsvRows with_headings(std::string_view text);

  std::string_view text() const { return text_; }
  bool any() const { return at_ < text_.size(); }

  // From here on a line is one number, and a comma stands before decimals.
  void take_lines_whole() { separator_ = '\0'; }
  bool separates_by_commas() const { return separator_ == ','; }

  // The fields of the next line; none where it is empty.
  CsvRow next();

  // Where a quote was opened and never closed, so that the rest of the file stands in one field: that as a fault.
  std::optional<Diagnostic> open_quote() const;

  // What stands in a field, without its quotes.
  std::string content(const CsvField& field) const;

  bool is_empty(const CsvField& field) const;
  bool is_all_empty(const CsvRow& row) const;

  // The number in a field. A comma that separates no fields is as good as a
  // point before decimals, and as long.
  Result<SpelledNumber> number(const CsvField& field) const;

  bool is_words(const CsvField& field) const { return !is_empty(field) && !is_spelled_number(number_text(field)); }

  // Whether the fields from there on count 0, 1, 2, … or 1, 2, 3, …; those at the end may be empty.
  bool counts(const CsvRow& row, std::size_t from = 1) const;

  // Whether those behind the first are no numbers of a step, but what stands above them.
  bool are_headings(const CsvRow& row) const;

 private:
  std::string number_text(const CsvField& field) const;
  CsvField next_field();
  bool ends_field(char c) const { return c == separator_ || c == '\n'; }

  std::string_view text_;
  char separator_;
  bool is_told_ = false;  // by the file itself
  std::size_t at_ = 0;
  std::optional<std::size_t> open_quote_;
};

}  // namespace attn
